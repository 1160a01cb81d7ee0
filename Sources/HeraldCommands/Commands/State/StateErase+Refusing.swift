import FCM
import HeraldCore
import HeraldStore

extension StateErase {
    /// Refuses while a list names the recipient, or herald has them in a topic or group.
    func refuse(
        _ id: RecipientID, in context: CommandContext, _ store: any StateStore, _ recorded: RecordedState
    ) async throws {
        let state = KnownState(store: store, recorded: recorded)
        let lists = try await context.files.wanted(knownTo: state, at: context.state, isForApply: false)
        if lists.desired.listed.contains(id) {
            throw CommandFailure(
                .wrong, "a list still names this registration", help: "take it out of the list and apply first")
        }
        let trace = try await store.trace(of: id)
        // What others subscribed stays theirs. What is forgotten cannot be unsubscribed.
        let held = Membership.own + [.adopted]
        let topics = trace.topics.filter { held.contains($0.membership) }.map(\.name)
        let groups = trace.groups.filter { GroupMembership.own.contains($0.membership) }
        let places = topics.map { "topic '\($0)'" } + groups.map { "group '\($0.name)'" }
        if places.isEmpty { return }
        // Those that keep whom no list names. Only who is suppressed leaves them.
        let isKept = topics.contains { name in
            let declared = context.workspace.topics.first { $0.name.value == name }
            return declared.map { !$0.prune } ?? recorded.topics[name]?.awaitsFile ?? false
        }
        let way =
            isKept
            ? "apply while an audience in 'suppress' names it, so that it leaves; then no list may name it"
            : "apply first, so that it leaves; no list may name it then"
        throw CommandFailure(
            .wrong, "this registration is still in \(places.joined(separator: ", "))",
            help: way
                + ". If FCM does not know it any more, 'herald state forget' it instead, and its earlier tokens")
    }
}
