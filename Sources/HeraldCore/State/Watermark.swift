/// How far the occurrences of a campaign are dealt with that repeats, or that is in local time. Only `state rewind` moves it back.
package struct Watermark: Hashable, Sendable {
    /// Only later occurrences can be due.
    package var at: Date
    /// The schedule that was used (`Schedule.text`). It shows whether the schedule has changed. If a plan takes an
    /// edit for a move, it stays the old one until the new one has fired.
    package var schedule: String
    /// When that schedule would have fired next after `at`.
    package var next: Date?
    /// For a campaign in local time: when it was first seen. Zones that had passed a time by then are left out.
    package var first: Date?

    package init(at: Date, schedule: String, next: Date?, first: Date? = nil) {
        (self.at, self.schedule, self.next, self.first) = (at, schedule, next, first)
    }
}
