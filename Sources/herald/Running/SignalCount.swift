/// Counts signals as people mean them.
struct SignalCount: Sendable {
    /// The first that came; 0 before.
    private(set) var first: Int32 = 0
    private(set) var number = 0
    private var last: Duration?

    /// What comes within this time is the same wish: `timeout` and some supervisors tell a process and then its group.
    private static let pause: Duration = .milliseconds(100)

    /// - Parameter elapsed: time since any fixed instant.
    /// - Returns: which one it is, from 1; `nil` for one that does not count.
    mutating func receive(_ signal: Int32, at elapsed: Duration) -> Int? {
        defer { last = elapsed }
        if let last, elapsed - last < Self.pause { return nil }
        if first == 0 { first = signal }
        number += 1
        return number
    }
}
