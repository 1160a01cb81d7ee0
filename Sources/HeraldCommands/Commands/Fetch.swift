import ArgumentParser
import Foundation
import HeraldCore

struct Fetch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Bring the lists that audiences take from databases, servers and programs.",
        discussion: """
            Each list is replaced at once, or not at all. Plans read the lists that were fetched last: they open no \
            connection and run no program. Lists of one database come from one moment. Lists that no audience has any \
            more are removed.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The audiences (default: all whose list is due).")
    var audiences: [String] = []

    @Flag(help: "Also lists that are not due, and lists whose number of rows changed more than 'expect' allows.")
    var force = false

    @Option(
        help: ArgumentHelp(
            "Write the lists to this folder, to look at them. Plans do not read them there.", valueName: "folder"),
        completion: .directory)
    var out: String?

    func run() async throws {
        let common = Common(herald.common, options)
        let now = common.machine.now()
        let files = try LoadedWorkspace.read(common, lists: .skip, at: now, cache: nil, about: nil)
        let wanted = try wanted(in: files, at: now, common.console)
        // Lists may be there that no audience has any more.
        let lists = "\(files.folder.path)/\(FetchedList.folder)"
        if wanted.isEmpty, out != nil || !FileManager.default.fileExists(atPath: lists) { return }
        let signals = common.machine.signals(common.console)
        let fetch = try ListFetch(files, common, signals, isForced: force, to: out)
        defer { fetch.end() }
        if try await fetch.fetchAll(wanted) { throw CommandFailure(.failed) }
    }

    /// Those that are named; else those that are due, or that nobody fetches by the clock.
    private func wanted(in files: LoadedWorkspace, at now: Date, _ console: Console) throws -> [ListFetch.Wanted] {
        let all = ListFetch.all(of: files.workspace)
        for name in audiences where !all.contains(where: { $0.audience.name.value == name }) {
            throw CommandFailure(
                .wrong, "no audience '\(name)' has a list to fetch", for: name, among: all.map(\.audience.name.value),
                help: "name an audience whose 'source' is a command, a database or a URL")
        }
        if all.isEmpty { console.info("herald: no audience has a list to fetch\n") }
        let due = Set(ListFetch.due(of: files.workspace, in: files.folder, at: now).map(\.audience.name.value))
        return all.filter { wanted in
            let name = wanted.audience.name.value
            if !audiences.isEmpty { return audiences.contains(name) }
            if force || wanted.origin.freshness.every == nil || due.contains(name) { return true }
            let age = ListFetch.last(wanted, in: files.folder).map { now.timeIntervalSince($0.fetched) } ?? 0
            console.info("herald: '\(name)' is not due: it was fetched \(Duration.seconds(age).rounded) ago\n")
            return false
        }
    }
}
