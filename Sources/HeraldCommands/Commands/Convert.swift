import ArgumentParser
import FCM
import Foundation
import HeraldCore

struct Convert: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Make a campaign file of a message that was written for something else.",
        discussion: """
            Takes one message as JSON: a request of FCM's v1 API or of its legacy HTTP and XMPP APIs, a message of an \
            Admin SDK, or a payload for Apple's push service. Comments in the file say what was left out or changed. \
            --target is needed only if the message does not say whom it is for. The campaign is disabled until its \
            author has looked at it. Never overwrites a file.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(
        help: ArgumentHelp("The file with the message, or - for standard input.", valueName: "file"),
        completion: .file())
    var file: String

    @Option(help: ArgumentHelp("The campaign's name, and the new file's.", valueName: "name"))
    var name: String

    @Option(help: ArgumentHelp("The message's form, if its keys do not tell: v1, legacy or apns.", valueName: "form"))
    var from: MessageForm?

    @OptionGroup var wanted: CampaignFileOptions

    func run() throws {
        let common = Common(herald.common, options)
        let message: ConvertedMessage
        do { message = try ConvertedMessage(reading: try bytes(), form: from) } catch let problem as ConversionProblem {
            throw CommandFailure(.wrong, "\(file) cannot be converted: \(problem.words)", help: problem.help)
        }
        let campaign = try NewFile(name, out: wanted.out, common)
        let topics = campaign.workspace.map { Set($0.topics.map(\.name.value.rawValue)) }
        let given = wanted.target.map(ConvertedMessage.Target.named)
        guard
            let draft = message.draft(
                name: name, target: given, tags: wanted.tags, topics: topics, schema: campaign.schema)
        else {
            throw CommandFailure(
                .wrong, "\(file) does not say whom the message is for", help: "add --target topic:NAME")
        }
        try campaign.write(draft)
        for note in message.notes { common.console.info("herald: \(note.printable.maskingRegistrations)\n") }
    }

    private func bytes() throws -> [UInt8] {
        let handle = file == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: file)
        guard let handle else { throw CommandFailure.unreadable("the file \(file)") }
        // At the end of a file there is no data, not even empty data.
        do { return Array(try handle.read(upToCount: ConvertedMessage.maximumSize + 1) ?? Data()) } catch {
            throw CommandFailure.unreadable("the file \(file)")
        }
    }
}

extension MessageForm: ExpressibleByArgument {}
