import ArgumentParser
import FCM
import HeraldCore

struct StateForget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Treat a registration as dead: it is left out from now on.",
        discussion: "As if FCM had said so. Its memberships leave the state; FCM is not asked to remove them.")

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "A token or a fid.")
    var registration: RegistrationArgument

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        try await context.repairing { store in
            var changes: [StateChange] = []
            let id: RecipientID
            if let known = try await store.recipient(for: registration.value.recipientKey) {
                id = known.id
            } else {
                id = try await store.state().nextRecipient
                changes = [.intern([id: registration.value])]
            }
            try await store.commit(changes + [.forget([id])])
        }
        context.console.info("herald: forgotten\n")
    }
}
