import ArgumentParser
import Foundation
import HeraldCore

struct New: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a file to start from.", subcommands: [NewCampaign.self])

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

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
            let folder = try Session.folder(common)
            let loaded = WorkspaceLoader.load(folder, environment: ProcessInfo.processInfo.environment, lists: .skip)
            let (errors, warnings) = template.check(in: loaded.workspace)
            for diagnostic in errors { console.error("herald: \(diagnostic.sentence)\n") }
            guard errors.isEmpty else { throw ExitStatus.wrong.code }
            let path = out?.absolute(in: nil) ?? Self.path(of: name, in: folder.path)
            do {
                try FileManager.default.createDirectory(
                    atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
                try Data(template.text(schema: Self.schema(for: path, in: folder.path)).utf8)
                    .write(to: URL(filePath: path), options: .withoutOverwriting)
            } catch CocoaError.fileWriteFileExists {
                throw console.end(.wrong, "nothing was written, since \(path) is there")
            } catch {
                throw console.end(.wrong, "\(path) cannot be written")
            }
            for diagnostic in warnings { console.error("herald: \(diagnostic.sentence)\n") }
            console.result("\(path)\n")
        }

        private static func path(of name: String, in workspace: String) -> String {
            var isFolder: ObjCBool = false
            let folder = "\(workspace)/campaigns"
            let exists = FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder)
            return "\(exists && isFolder.boolValue ? folder : workspace)/\(name).yaml"
        }

        /// The way from a file of the workspace to the schema it keeps for editors.
        private static func schema(for path: String, in workspace: String) -> String? {
            let schema = "schemas/campaign.schema.json"
            let file = URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path
            guard FileManager.default.fileExists(atPath: "\(workspace)/\(schema)"), file.hasPrefix("\(workspace)/")
            else { return nil }
            let depth = file.dropFirst(workspace.count + 1).count { $0 == "/" }
            return String(repeating: "../", count: depth) + schema
        }
    }
}

extension Diagnostic {
    /// Without its place: the file is not there yet.
    fileprivate var sentence: String { message + (help.map { "; \($0)" } ?? "") }
}
