/// Until when a send may send.
package struct TimeLimits: Hashable, Sendable {
    /// The end of `max_lateness`: no run begins or resumes the send after this time. One that is under way goes on.
    package var deadline: Date?
    /// The end of `expires_after`: no request starts from this time on.
    package var expiry: Date?
    /// When the send's window closes for the last of its recipients: no request starts from then on.
    package var closing: Date?

    package init(deadline: Date? = nil, expiry: Date? = nil, closing: Date? = nil) {
        (self.deadline, self.expiry, self.closing) = (deadline, expiry, closing)
    }

    /// Until when messages that start now are worth something: a phone that was off is not to ring at night.
    var lifetime: Date? { [expiry, closing].compactMap(\.self).min() }

    /// When it is too late for whoever was not sent it by then.
    var end: Date? { [deadline, expiry].compactMap(\.self).min() }

    func isClosed(at now: Date) -> Bool { closing.map { now >= $0 } ?? false }

    /// Why no run may begin or resume the send. `nil` if one may.
    func lateness(at now: Date) -> Lateness? { late(at: now) ?? expired(at: now) }

    /// Why no request may start. `nil` if one may.
    ///
    /// - Parameter isUnderWay: whether a request of the send has started in this run.
    func lateness(at now: Date, isUnderWay: Bool) -> Lateness? {
        expired(at: now) ?? (isUnderWay ? nil : late(at: now))
    }

    /// Which limit is too early for a wait until then. It may last until the very end of both.
    func lateness(after wait: Date) -> Lateness? {
        late(at: wait) ?? expiry.flatMap { wait > $0 ? .expired(at: $0) : nil }
    }

    func late(at now: Date) -> Lateness? { deadline.flatMap { now > $0 ? .late(since: $0) : nil } }

    func expired(at now: Date) -> Lateness? { expiry.flatMap { now >= $0 ? .expired(at: $0) : nil } }
}

/// Why a send may neither begin nor resume any more.
package enum Lateness: Hashable, Sendable {
    /// `max_lateness` ended then.
    case late(since: Date)
    /// `expires_after` ended then.
    case expired(at: Date)

    /// The key in the file that sets the limit.
    var setting: String {
        switch self {
        case .late: "max_lateness"
        case .expired: "expires_after"
        }
    }

    /// What is wrong with the send.
    var words: String {
        switch self {
        case .late: Self.tooLate
        case .expired: Self.tooOld
        }
    }

    static let tooLate = "later than max_lateness allows"
    static let tooOld = "older than expires_after allows"
}

extension Campaign {
    /// The limits of a send that was due then. One without a due time has no deadline, and expires counted from its
    /// beginning.
    ///
    /// - Parameters:
    ///   - stage: when its stage could open. Lateness counts from then, unless the first stage was late.
    ///   - suspended: when its window closed while it was under way. Lateness counts anew from then, or from the due
    ///     time or the stage's opening if that is later, whatever window the file has by now.
    ///   - waited: when nobody could start (`WindowWaits`). Where the window is open then, or they would have been late
    ///     by then, it was another one, and lateness counts from then on.
    ///   - zones: those of its recipients' windows, none if nobody knows them. The limits are the latest of them.
    func limits(
        due: Date?, begun: Date? = nil, since stage: StageOpening? = nil, suspended: Date? = nil, waited: Date? = nil,
        in zones: [Zone] = []
    ) -> TimeLimits {
        TimeLimits(
            deadline: due.flatMap { deadline($0, stage, suspended, waited, in: zones) },
            expiry: (due ?? begun).flatMap { delivery.expiry(from: $0) })
    }

    private func deadline(
        _ due: Date, _ stage: StageOpening?, _ suspended: Date?, _ waited: Date?, in zones: [Zone]
    ) -> Date? {
        let clocks = windowClocks(zones)
        let patience = schedule.maxLateness + clocks.change
        let latest = { (start: Date) in
            // What waited for a later clock, or for its stage, could not start before that.
            let start = max(start, suspended ?? start)
            let later = max(start, waited ?? start)
            guard let hours = delivery.window?.hours else { return later.adding(patience) }
            // Lateness counts only the time in which the window is open.
            let ends = clocks.zones.map { zone in
                let end = hours.end(ofOpen: patience, from: start, in: zone)
                // Nobody could start then, and nobody was late.
                let isOther = waited.map { hours.isOpen(at: $0, in: zone) || end < $0 } ?? false
                return isOther ? hours.end(ofOpen: patience, from: later, in: zone) : end
            }
            return ends.max() ?? start.adding(patience)
        }
        let usual = latest(due)
        guard let stage, stage.first <= max(usual, stage.firstEnd ?? usual) else { return usual }
        // Nobody of a later stage could start before it opened, so only the time since then counts.
        return stage.since.map { latest(max(due, $0)) }
    }

    /// The zones by which its window opens; none if it has no window. Where nobody knows the zones of its recipients, they
    /// may be anywhere. `change` is how much shorter a window may have been open for them, where their clock was set.
    private func windowClocks(_ zones: [Zone]) -> (zones: [Zone], change: Duration) {
        guard let window = delivery.window else { return ([], .zero) }
        if window.field == nil { return ([window.zone], .zero) }
        return zones.isEmpty ? (Zone.everywhere, Zone.clockChange) : (zones, .zero)
    }

    /// All that was due until then is too late now. The opposite of `TimeLimits.lateness`. The time is a whole second,
    /// as all occurrences of a schedule are, unless `expires_after` decides.
    ///
    /// - Parameters:
    ///   - patience: in place of `max_lateness`.
    ///   - zones: those of its recipients' windows, none if nobody knows them.
    func cutoff(at now: Date, _ patience: Duration, in zones: [Zone]) -> (time: Date, isExpiry: Bool) {
        let clocks = windowClocks(zones)
        let patience = patience + clocks.change
        let begin =
            clocks.zones.compactMap { delivery.window?.hours.start(ofOpen: patience, until: now, in: $0) }.min()
            ?? now.addingTimeInterval(-patience.seconds)
        let late = Date(timeIntervalSince1970: begin.timeIntervalSince1970.rounded(.up) - 1)
        guard let span = delivery.expiresAfter else { return (late, false) }
        let expired = now.addingTimeInterval(-span.seconds)
        return expired > late ? (expired, true) : (late, false)
    }
}

extension Campaign {
    /// `nil` if a send that was due then may still begin or resume.
    func lateness(due: Date, waited: Date? = nil, at now: Date, in zones: [Zone] = []) -> Lateness? {
        limits(due: due, waited: waited, in: zones).lateness(at: now)
    }

    /// `nil` if an occurrence that has begun may still resume.
    func lateness(of occurrence: RecordedOccurrence, at now: Date, in zones: [Zone] = []) -> Lateness? {
        limits(of: occurrence, in: zones).lateness(at: now)
    }

    func limits(of occurrence: RecordedOccurrence, waited: Date? = nil, in zones: [Zone] = []) -> TimeLimits {
        // In local time the last clock of the world decides. Some may get it a day later.
        let local = occurrence.local.map { schedule.mayWaitADay ? $0.nextDay : $0 }
        let due = local?.lastInstant ?? occurrence.due
        return limits(
            due: due, begun: occurrence.begun, since: stageOpening(of: occurrence), suspended: occurrence.suspended,
            waited: waited, in: zones)
    }
}

extension Plan.Send {
    /// Until when it may begin. `nil` without a time, and in local time: it begins with whose clock comes to it next.
    var lastBeginning: Date? {
        guard waves == nil, let start = due ?? begun else { return nil }
        return limits(begun: start).end
    }

    /// - Parameter run: when the run began.
    package func limits(begun run: Date) -> TimeLimits {
        let last = waves?.reached.states.filter { waves?.reached[$0].intersection(members).isEmpty == false }.max()
        return TimeLimits(
            deadline: deadline, expiry: delivery.expiry(from: last ?? due ?? begun ?? run),
            closing: closings.states.max())
    }
}

extension Campaign.Delivery {
    /// When messages are worth nothing any more.
    func expiry(from start: Date) -> Date? { expiresAfter.map(start.adding) }
}
