/// A plan as far as a snapshot shows it. It can be shown, and nothing else: the plan in it names recipients that stand for
/// those whom the snapshot only counts.
package struct Forecast: Sendable {
    package let proposal: Proposal

    init(_ proposal: Proposal) { self.proposal = proposal }

    /// What is coming, sorted by time.
    package var upcoming: [Occurring] { proposal.overview.upcoming.map(\.occurring) }
}

/// A guard that a snapshot, or files without their lists, cannot judge. The machine with the state does.
package struct UnjudgedGuard: Hashable, Sendable {
    package var kind: Guard
    /// What it is about, as `topic 'tides'`. Empty if it is about everything.
    package var names: [String] = []
    package var reason: String

    package init(kind: Guard, names: [String] = [], reason: String) {
        (self.kind, self.names, self.reason) = (kind, names, reason)
    }
}
