/// Tells a connection that is dead from one that is quiet: a server that lives answers a PING (RFC 9113 §6.7).
///
/// It is asked at intervals and needs no clock of its own.
struct Pulse {
    enum Step: Hashable {
        case nothing, ping, dead
    }

    private var hasHeard = false
    /// Whether something was waited for at the last beat already.
    private var wasBusy = false
    private var hasAsked = false

    /// Something came in, whatever it was.
    mutating func heard() { hasHeard = true }

    /// - Parameter isBusy: Whether anything is waited for.
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
