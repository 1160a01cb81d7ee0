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
        return expiry(from: due, at: now)
    }

    /// `nil` if an occurrence that has begun may still resume. Without a due time it counts from its beginning, and
    /// `max_lateness` does not hold.
    func lateness(of occurrence: RecordedOccurrence, at now: Date) -> Lateness? {
        if let due = occurrence.due { return lateness(due: due, at: now) }
        return occurrence.begun.flatMap { expiry(from: $0, at: now) }
    }

    private func expiry(from start: Date, at now: Date) -> Lateness? {
        let expiry = delivery.expiresAfter.map(start.adding)
        return expiry.flatMap { now >= $0 ? .expired(at: $0) : nil }
    }
}
