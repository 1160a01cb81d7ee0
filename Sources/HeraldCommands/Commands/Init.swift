import ArgumentParser
import Foundation
import HeraldCore

struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make a small workspace to start from.",
        discussion: "Never overwrites a file.")

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The folder to make it in (default: the one of -w, or this one).", completion: .directory)
    var directory: String?

    func validate() throws {
        // An empty name usually comes from an unset variable, and "" + "/file" would be a file in the root folder.
        if directory?.isEmpty == true {
            throw ValidationError("the folder's name is empty", help: "name a folder, or '.' for this one")
        }
    }

    func run() throws {
        let common = Common(herald.common, options)
        let console = common.console
        let directory = directory ?? common.workspace ?? "."
        let files = WorkspaceTemplate.files.map { (path: "\(directory)/\($0.name)", text: $0.text) }
        let present = files.filter { FileManager.default.fileExists(atPath: $0.path) }
        guard present.isEmpty else {
            throw CommandFailure(
                .wrong, "nothing was written, since these are there: \(present.map(\.path).joined(separator: ", "))",
                help: "name another folder, or remove them first")
        }
        do {
            for file in files {
                let folder = (file.path as NSString).deletingLastPathComponent
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                // Fails if the file was created in the meantime.
                try Data(file.text.utf8).write(to: URL(filePath: file.path), options: .withoutOverwriting)
            }
        } catch {
            throw CommandFailure.unwritable("the workspace cannot be written to \(directory)")
        }
        console.result(files.map { "\($0.path)\n" }.joined())
        let place = directory == "." ? "" : "-w \(directory.shellWord) "
        console.info(
            """

            Next, in one terminal:   herald emulator
            and in another:          export FCM_EMULATOR_HOST=...   (the line it printed)
                                     herald \(place)plan
                                     herald \(place)apply
            One more campaign:       herald \(place)new campaign NAME --target topic:news
            A list from a database:  herald \(place)new audience NAME --source postgres

            """)
    }
}
