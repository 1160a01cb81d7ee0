/// Counts signals as people mean them: several at almost the same time are one.
struct SignalCount: Sendable {
    /// The first signal that came; 0 before that.
    private(set) var first: Int32 = 0
    private(set) var number = 0
    private var last: Duration?

    /// Signals within this time count as one: `timeout` and some supervisors signal a process and then its group.
    private static let pause: Duration = .milliseconds(100)

    /// - Parameter elapsed: Time since any fixed instant.
    /// - Returns: The signal's number, from 1; `nil` if it does not count.
    mutating func receive(_ signal: Int32, at elapsed: Duration) -> Int? {
        defer { last = elapsed }
        if let last, elapsed - last < Self.pause { return nil }
        if first == 0 { first = signal }
        number += 1
        return number
    }
}
