import ArgumentParser
import FCM
import HeraldCore

struct StateRevive: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revive", abstract: "Take a dead registration for living again.",
        discussion: """
            A list that names another registration of the same installation brings its owner back by itself. This is for \
            the same registration: an app may register with the same fid again after FCM cleaned it up.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "A token or a fid.")
    var registration: RegistrationArgument?

    @Flag(help: "All that were dead in a state of an older herald, which noted installations.")
    var migrated = false

    func validate() throws {
        guard (registration == nil) == migrated else {
            throw ValidationError(
                migrated ? "--migrated and a registration cannot be combined" : "no registration is named",
                help: "add either a registration or --migrated")
        }
    }

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        let count = try await context.repairing { store in
            guard let registration = registration?.value else {
                let count = try await store.snapshot().migratedDead.count
                try await store.commit([.reviveMigrated])
                return count
            }
            guard let known = try await store.recipient(for: registration.recipientKey) else {
                throw CommandFailure(
                    .wrong, "the state does not know this registration",
                    help: "check that it is the whole token or fid")
            }
            guard try await store.tombstone(of: registration, known.id) != nil else { return 0 }
            try await store.commit(
                try await Self.changes(reviving: registration, of: known, in: store)
                    + [.register([known.id: registration])])
            return 1
        }
        let isInVain = count == 0 && !migrated
        context.console.info(
            isInVain ? "herald: this registration is not dead; nothing was changed\n" : "herald: \(count) revived\n")
    }

    /// What becomes of memberships. They belong to the registration that made them.
    private static func changes(
        reviving registration: Registration, of known: KnownRecipient, in store: any StateStore
    ) async throws -> [StateChange] {
        if known.registration == registration { return [.revive([known.id])] }
        let returning = try await store.formers(with: [known.id: registration])
        return [.supersede([known.id]), .readopt(returning)]
    }
}
