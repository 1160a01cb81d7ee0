/// One reading of both clocks. A step uses one moment for everything it decides about an event, because two readings
/// may disagree.
struct Moment: Hashable, Sendable {
    /// Time since the run began. It never goes back. Rates, waits and retries use it.
    var elapsed: Duration
    /// Wall-clock time, which people may change. Deadlines, due times and the state use it.
    var date: Date
}
