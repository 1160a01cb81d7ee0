import ArgumentParser
import FCM
import Foundation
import HeraldCore
import HeraldStore

struct StateErase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Remove a person's registration from the state.",
        discussion: """
            Take it out of the lists and apply first: it is refused while a list names the registration, or herald has \
            it in a topic or group. FCM is not told. What was sent stays counted, under a number that nobody else gets.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "A token or a fid.")
    var registration: RegistrationArgument

    @Flag(help: "Do not ask.")
    var autoApprove = false

    func run() async throws {
        let context = try CommandContext.open(Common(herald.common, options))
        try await context.repairing { store in
            guard let known = try await store.recipient(for: registration.value.recipientKey) else {
                throw CommandFailure(
                    .wrong, "the state does not know this registration", help: "check that it is the whole token or fid"
                )
            }
            let recorded = try await store.snapshot()
            try await refuse(known.id, in: context, store, recorded)
            try context.confirm("Erase this registration from the state?", isApproved: autoApprove)
            try await store.commit(recorded.changes(erasing: [known.id]))
            try await context.compact(store)
            ListCacheFiles.remove(beside: context.state.cachePath)
        }
        context.console.info("herald: erased\n")
        let copies = context.state.copies
        if !copies.isEmpty {
            context.console.error("herald: it may still be in \(copies.joined(separator: ", "))\n")
        }
        context.console.info("herald: copies elsewhere, and reports that show registrations, are not changed\n")
    }
}
