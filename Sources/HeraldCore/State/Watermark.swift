/// How far a cron campaign's occurrences are dealt with. Only `state rewind` moves it back.
package struct Watermark: Hashable, Sendable {
    /// Only later occurrences can be due.
    package var at: Date
    /// The schedule that was used (`Schedule.text`). It shows whether the schedule has changed. If a plan takes an
    /// edit for a move, it stays the old one until the new one has fired.
    package var schedule: String
    /// When that schedule would have fired next after `at`.
    package var next: Date?

    package init(at: Date, schedule: String, next: Date?) {
        self.at = at
        self.schedule = schedule
        self.next = next
    }
}
