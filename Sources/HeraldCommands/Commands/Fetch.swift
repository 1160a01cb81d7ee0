import ArgumentParser
import HeraldCore

struct Fetch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Bring the lists that audiences name a command for.",
        discussion: """
            Each list is replaced at once, or not at all. Plans read the lists that were fetched last; only this command \
            runs the programs. It runs only those whose absolute paths HERALD_ALLOW_COMMANDS has.
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
        let fetch = try ListFetch(files, common)
        defer { fetch.end() }
        var hasFailed = false
        for (audience, origin) in wanted {
            let name = audience.name.value
            do throws(FetchProblem) {
                let list = try fetch.fetch(audience, from: origin)
                common.console.info("herald: fetched '\(name)': \(count(list.rows, "row"))\n")
            } catch {
                if let signal = error.signal {
                    throw CommandFailure(
                        .interrupted(signal: signal), "a signal stopped the fetch of '\(name)'",
                        help: "fetch again; the last list is still there")
                }
                hasFailed = true
                common.console.error("herald: '\(name)' is not fetched: \(error.description)\n  help: \(error.help)\n")
            }
        }
        if hasFailed { throw CommandFailure(.failed) }
    }

    private func wanted(in workspace: Workspace) throws -> [(Audience, Audience.Origin)] {
        let all = workspace.audiences.compactMap { audience in audience.origin.map { (audience, $0) } }
        for name in audiences where !all.contains(where: { $0.0.name.value == name }) {
            throw CommandFailure(
                .wrong, "no audience '\(name)' has a list to fetch", for: name, among: all.map(\.0.name.value),
                help: "name an audience whose 'source' has 'command'")
        }
        return all.filter { audiences.isEmpty || audiences.contains($0.0.name.value) }
    }
}
