import ArgumentParser
import HeraldCore

struct Validate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate", abstract: "Find every mistake in the workspace's files.",
        discussion: "Offline. Exits with 1 when there are errors; warnings alone are no failure.")

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Option(help: "required, or skip: do not open the files that lists are in.")
    var lists: ListPolicy = .required

    @Option(help: "text, json, github (annotations of a workflow) or sarif (2.1.0).")
    var format: DiagnosticsFormat = .text

    func run() throws {
        let common = Common(herald.common, options)
        let folder = try LoadedWorkspace.folder(common)
        let loaded = WorkspaceLoader.load(
            folder, environment: common.environment, lists: lists, at: common.machine.now(), keepsLists: false)
        if case .failure(let problem)? = loaded.recipientIndex { throw problem }
        let document = DiagnosticsDocument(loaded.diagnostics, sources: loaded.sources)
        if format != .text || !loaded.diagnostics.isEmpty || !common.isQuiet {
            let paths = RepositoryPaths(
                root: GitCommit.root(of: folder.path) ?? folder.path, workspace: folder.path)
            common.console.result(document.rendered(as: format, common.console.output, in: paths))
        }
        if loaded.diagnostics.hasErrors { throw CommandFailure(.wrong) }
        if let workspace = loaded.workspace { try LoadedWorkspace.requireUntracked(workspace, in: folder) }
    }
}
