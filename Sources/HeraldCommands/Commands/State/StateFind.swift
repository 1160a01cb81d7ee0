import ArgumentParser
import FCM
import HeraldCore
import HeraldStore

struct StateFind: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "Show what the state has of one registration.")

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "A token or a fid.")
    var registration: RegistrationArgument

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        let store = try await context.state.open(for: .inspecting)
        guard let known = try await store.recipient(for: registration.value.recipientKey) else {
            throw CommandFailure(
                .wrong, "the state does not know this registration", help: "check that it is the whole token or fid")
        }
        let names = Fingerprinter(key: store.fingerprintKey, reveals: context.common.revealsRegistrations)
        let document = TraceDocument(
            try await store.trace(of: known.id), registration: names.name(known.registration))
        context.console.result(document.rendered(as: format, context.console.output))
    }
}
