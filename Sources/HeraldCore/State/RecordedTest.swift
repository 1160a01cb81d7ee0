/// One use of `test`.
package struct RecordedTest: Hashable, Sendable {
    package var campaign: String
    package var at: Date
    package var accepted: Int
    package var rejected: Int
    package var unknown: Int

    package init(campaign: String, at: Date, accepted: Int, rejected: Int, unknown: Int) {
        self.campaign = campaign
        self.at = at
        self.accepted = accepted
        self.rejected = rejected
        self.unknown = unknown
    }
}
