import ArgumentParser
import Foundation
import HeraldCore

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check credential, permissions, state, clock and files, and say what to do.",
        discussion: """
            Nothing is sent and nothing is changed: FCM only validates one message and answers questions. Which checks \
            failed is kept beside the state, for 'status'. Ends with 1 if something is wrong that a run cannot do without.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        let document = DoctorDocument(await Checkup(context: context, now: context.machine.now).results())
        CheckupFile(context).write(document, at: context.machine.now())
        context.console.result(document.rendered(as: format, context.console.output))
        if document.hasErrors { throw CommandFailure(.wrong) }
    }
}
