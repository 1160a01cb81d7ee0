import ArgumentParser
import Foundation
import HeraldCore

struct NewCampaign: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaign",
        abstract: "Make a small campaign file.",
        discussion: """
            In the workspace's folder 'campaigns', if it has one. The campaign is disabled until its author has \
            edited it. Never overwrites a file.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The campaign's name, and the file's.")
    var name: String

    @Option(
        help: ArgumentHelp(
            "Whom it is for: topic:NAME, audience:NAME, group:NAME or condition:EXPRESSION.", valueName: "target"))
    var target: String

    @Option(help: ArgumentHelp("Another file to write.", valueName: "file"), completion: .file())
    var out: String?

    func validate() throws {
        if CampaignTemplate(name: name, target: target) == nil {
            let kinds = CampaignTemplate.kinds.map { "\($0):…" }.joined(separator: ", ")
            throw ValidationError("--target is one of \(kinds); registrations are listed by hand")
        }
    }

    func run() throws {
        let common = Common(herald.common, options)
        let console = common.console
        guard let template = CampaignTemplate(name: name, target: target) else { return }
        let folder = try LoadedWorkspace.folder(common)
        let loaded = WorkspaceLoader.load(folder, environment: common.environment, lists: .skip)
        let (errors, warnings) = template.check(in: loaded.workspace)
        for diagnostic in errors { console.error("herald: \(diagnostic.sentence)\n") }
        guard errors.isEmpty else { throw CommandFailure(.wrong) }
        let path = out?.absolute(in: nil) ?? Self.path(of: name, in: folder.path)
        do {
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try Data(template.text(schema: Self.schema(for: path, in: folder.path)).utf8)
                .write(to: URL(filePath: path), options: .withoutOverwriting)
        } catch CocoaError.fileWriteFileExists {
            throw CommandFailure(.wrong, "nothing was written, since \(path) is there")
        } catch {
            throw CommandFailure(.wrong, "\(path) cannot be written")
        }
        for diagnostic in warnings { console.error("herald: \(diagnostic.sentence)\n") }
        console.result("\(path)\n")
    }
}

extension Diagnostic {
    /// Without its place in the file, which does not exist yet.
    fileprivate var sentence: String { message + (help.map { "; \($0)" } ?? "") }
}
