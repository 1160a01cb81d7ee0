/// Tells a dead connection from a quiet one: a living server answers a PING (RFC 9113 §6.7).
///
/// It is called at intervals, so it needs no clock.
struct Pulse {
    enum Step: Hashable {
        case nothing, ping, dead
    }

    private var hasHeard = false
    /// Whether an answer was already awaited at the last beat.
    private var wasBusy = false
    private var hasAsked = false

    /// Any data came in.
    mutating func heard() { hasHeard = true }

    /// - Parameter isBusy: Whether any answer is awaited.
    mutating func beat(isBusy: Bool) -> Step {
        defer {
            hasHeard = false
            wasBusy = isBusy
        }
        guard isBusy, wasBusy, !hasHeard else {
            hasAsked = false
            return .nothing
        }
        defer { hasAsked = true }
        return hasAsked ? .dead : .ping
    }
}
