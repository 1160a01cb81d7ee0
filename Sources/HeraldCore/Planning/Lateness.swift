/// Why a send may neither begin nor resume any more.
package enum Lateness: Hashable, Sendable {
    /// `max_lateness` ended then.
    case late(since: Date)
    /// `expires_after` ended then.
    case expired(at: Date)
}

extension Campaign {
    /// `nil` if a send that was due then may still begin or resume.
    func lateness(due: Date, at now: Date) -> Lateness? {
        let deadline = due.adding(schedule.maxLateness)
        if now > deadline { return .late(since: deadline) }
        let expiry = delivery.expiresAfter.map(due.adding)
        return expiry.flatMap { now >= $0 ? .expired(at: $0) : nil }
    }
}
