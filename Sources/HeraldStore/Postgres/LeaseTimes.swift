/// How long a lease lasts.
package struct LeaseTimes: Sendable {
    /// From a renewal to the end, on the database's clock.
    package var length = Duration.seconds(30)
    /// From one renewal to the next.
    package var renewal = Duration.seconds(5)
    /// How much earlier this process stops than the database would let others in.
    package var margin = Duration.seconds(2)
    /// How long a request may be on its way once the run that made it lost the lease.
    package var timeout = Duration.seconds(15)
    /// How often a process reads what others do that send for the same run.
    package var reading = Duration.milliseconds(500)
    /// Nothing starts on a reading that is older.
    package var validity = Duration.seconds(1)
    /// A clock that goes on while the machine sleeps.
    package var now: @Sendable () -> ContinuousClock.Instant = { .now }

    package init() {}

    /// The same times, divided by a number.
    package func faster(by factor: Int) -> LeaseTimes {
        var times = self
        times.length /= factor
        times.renewal /= factor
        times.margin /= factor
        times.reading /= factor
        return times
    }
}
