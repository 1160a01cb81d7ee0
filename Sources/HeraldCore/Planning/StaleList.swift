/// A list that was fetched longer ago than it may be.
package struct StaleList: Hashable, Sendable {
    package var audience: String
    package var age: Duration
    package var limit: Duration

    package init(audience: String, age: Duration, limit: Duration) {
        (self.audience, self.age, self.limit) = (audience, age, limit)
    }
}
