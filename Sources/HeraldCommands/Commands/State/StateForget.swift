import ArgumentParser
import FCM
import Foundation
import HeraldCore

struct StateForget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Treat a registration as dead: it is left out from now on.",
        discussion: """
            As if FCM had said so. No plan uses its memberships; FCM is not asked to remove them. 'state revive' brings \
            back the registration, and what herald subscribed.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "A token or a fid.")
    var registration: RegistrationArgument

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        let now = context.machine.now()
        try await context.repairing { store in
            let registration = registration.value
            guard let known = try await store.recipient(for: registration.recipientKey) else {
                let last = try await store.snapshot().nextRecipient - 1
                let ids = try await store.intern([Arrival(registration)], comparedUpTo: last)
                return try await store.commit([.forget(RecipientSet(ids), at: now)])
            }
            if known.registration == registration { return try await store.commit([.forget([known.id], at: now)]) }
            // The recipient has another registration now, which is alive. What this one joined goes with it.
            let formers = try await store.formers(with: [known.id: registration])
            let death = Tombstone(recipient: known.id, registration: registration, died: now)
            try await store.commit([.died(death), .forget(formers, at: now)])
        }
        context.console.info("herald: forgotten\n")
    }
}
