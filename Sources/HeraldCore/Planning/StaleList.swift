/// A list that was fetched longer ago than it may be.
package struct StaleList: Hashable, Sendable {
    package var audience: String
    package var age: Duration
    package var limit: Duration

    package init(audience: String, age: Duration, limit: Duration) {
        (self.audience, self.age, self.limit) = (audience, age, limit)
    }
}

extension Plan {
    /// Refuses lists that are older than they may be, and none that were so at another time.
    package mutating func refuse(_ lists: [StaleList]) {
        refusals.removeAll { $0.kind == .staleList }
        for list in lists.sorted(by: { $0.audience < $1.audience }) where judges(audience: list.audience) {
            refusals.append(
                GuardRefusal(
                    kind: .staleList, name: list.audience, limit: Int(list.limit.components.seconds),
                    actual: Int(list.age.components.seconds),
                    message: "the list of audience '\(list.audience)' is \(list.age.rounded) old; "
                        + "the limit is \(list.limit.written)"))
        }
    }
}
