/// One look at the clocks. Whatever an event makes a step decide, it decides at one moment: two looks may disagree.
struct Moment: Hashable, Sendable {
    /// Since the run began; it never goes back. Rates, waits and retries count by it.
    var elapsed: Duration
    /// By the wall clock, which people may set. Deadlines, due times and the state go by it.
    var date: Date
}
