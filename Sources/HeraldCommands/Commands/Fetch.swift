import ArgumentParser
import HeraldCore

struct Fetch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Bring the lists that audiences take from databases, servers and programs.",
        discussion: """
            Each list is replaced at once, or not at all. Plans read the lists that were fetched last: they open no \
            connection and run no program. Lists of one database come from one moment.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The audiences (default: all that have such a list).")
    var audiences: [String] = []

    func run() async throws {
        let common = Common(herald.common, options)
        let files = try LoadedWorkspace.read(
            common, lists: .skip, at: common.machine.now(), cache: nil, about: nil)
        let wanted = try wanted(in: files.workspace)
        if wanted.isEmpty { return common.console.info("herald: no audience has a list to fetch\n") }
        let signals = common.machine.signals(common.console)
        let fetch = try ListFetch(files, common, signals)
        defer { fetch.end() }
        var hasFailed = false
        await fetch.fetch(wanted) { audience, result in
            hasFailed = FetchText.show(audience, result, on: common.console) || hasFailed
        }
        if signals.first != 0 {
            throw CommandFailure(
                .interrupted(signal: signals.first), "a signal stopped the fetch",
                help: "fetch again; the last lists are still there")
        }
        if hasFailed { throw CommandFailure(.failed) }
    }

    private func wanted(in workspace: Workspace) throws -> [ListFetch.Wanted] {
        let all: [ListFetch.Wanted] = workspace.audiences.compactMap { audience in
            audience.origin.map { (audience, $0) }
        }
        for name in audiences where !all.contains(where: { $0.audience.name.value == name }) {
            throw CommandFailure(
                .wrong, "no audience '\(name)' has a list to fetch", for: name, among: all.map(\.audience.name.value),
                help: "name an audience whose 'source' is a command, a database or a URL")
        }
        return all.filter { audiences.isEmpty || audiences.contains($0.audience.name.value) }
    }
}
