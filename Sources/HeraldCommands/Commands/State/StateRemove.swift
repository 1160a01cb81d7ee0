import ArgumentParser
import HeraldCore

struct StateRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Take something out of the state; FCM is not told.",
        discussion: """
            topic:NAME or group:NAME: its members are nobody's any more, and if the files still list them they are \
            subscribed again. campaign:NAME or an occurrence's id: what was sent is forgotten, and is sent again where it \
            is due.
            """)

    @ParentCommand var herald: Herald
    @OptionGroup var options: CommonOptions

    @Argument(help: "topic:NAME, group:NAME, campaign:NAME or an occurrence's id.")
    var resource: String

    func run() async throws {
        let context = try CommandContext.openSettings(Common(herald.common, options))
        try await context.repairing { store in
            let state = try await store.snapshot()
            guard let found = state.resource(named: resource) else {
                throw CommandFailure(
                    .wrong, "the state has no '\(resource)'",
                    help:
                        "write topic:NAME, group:NAME, campaign:NAME or an occurrence's id, as 'herald state show' has them"
                )
            }
            try await store.commit(state.changes(removing: found))
        }
        context.console.info("herald: removed \(resource) from the state\n")
    }
}
