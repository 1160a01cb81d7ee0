import ArgumentParser
import Foundation
import HeraldCore

struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a small workspace to start from.",
        discussion: "Never overwrites a file.")

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "The folder to make it in (default: the one of -w, or this one).", completion: .directory)
    var directory: String?

    func validate() throws {
        // What an unset variable leaves of a command line would be the root.
        if directory?.isEmpty == true { throw ValidationError("the folder's name is empty") }
    }

    func run() throws {
        let common = Common(herald.common, options)
        let console = common.console
        let directory = directory ?? common.workspace ?? "."
        let files = Self.files.map { (path: "\(directory)/\($0.name)", text: $0.text) }
        let present = files.filter { FileManager.default.fileExists(atPath: $0.path) }
        guard present.isEmpty else {
            throw console.end(
                .wrong, "nothing was written, since these are there: \(present.map(\.path).joined(separator: ", "))")
        }
        do {
            for file in files {
                let folder = (file.path as NSString).deletingLastPathComponent
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                // Fails where a file has come in between.
                try Data(file.text.utf8).write(to: URL(filePath: file.path), options: .withoutOverwriting)
            }
        } catch {
            throw console.end(.wrong, "the workspace cannot be written to \(directory)")
        }
        console.result(files.map { "\($0.path)\n" }.joined())
        let place = directory == "." ? "" : "-w \(directory) "
        console.info(
            """

            Next, in one terminal:   herald emulator
            and in another:          export FCM_EMULATOR_HOST=...   (the line it printed)
                                     herald \(place)plan
                                     herald \(place)apply
            One more campaign:       herald \(place)new campaign NAME --target topic:news

            """)
    }

    private static let files = [
        (
            name: "herald.yaml",
            text: """
            herald: 1                # format version
            project: my-project      # the FCM project's id
            timezone: UTC            # an IANA name: whose clock schedules mean
            # state: .herald/state.sqlite   # what herald did; keep it, and keep it out of git
            # suppress: [opted-out]         # audiences that get nothing, whatever else a file says
            # fcm: {rate: 500/s}            # how fast messages may go out

            """
        ),
        (
            name: "audiences.yaml",
            text: """
            # An audience is a named set of app installations.
            kind: audience
            name: everybody
            source: {file: lists/everybody.csv}   # a column named token or fid; the others are yours
            ---
            kind: audience
            name: opted-out
            source: {file: lists/opted-out.txt}

            """
        ),
        (
            name: "topics.yaml",
            text: """
            # herald subscribes whom the audiences list and unsubscribes whom they no longer list.
            kind: topic
            name: news
            subscribers: [everybody]
            exclude: [opted-out]

            """
        ),
        (
            name: "campaigns/welcome.yaml",
            text: """
            # One message, one target, one schedule. Without a schedule it is sent once, at the next apply.
            kind: campaign
            name: welcome
            description: The first message to everybody who follows the news
            target: {topic: news}
            message:
              notification:
                title: Welcome
                body: Good to have you here
              apns:
                headers: {apns-push-type: alert}

            """
        ),
        (
            name: "lists/everybody.csv",
            text: """
            fid,locale
            cEXAMPLE-only-00000001,en
            dEXAMPLE-only-00000002,it

            """
        ),
        (
            name: "lists/opted-out.txt",
            text: """
            # One token or fid a line.
            dEXAMPLE-only-00000002

            """
        ),
        (
            name: ".gitignore",
            text: """
            .herald/

            """
        ),
    ]
}
