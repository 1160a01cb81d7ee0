/// Until when requests may start: expiry and lateness for all, windows recipient by recipient.
extension StepWork {
    /// Why no request may start. `nil` if one may.
    ///
    /// - Parameter isUnderWay: whether a request of the step has started in this run.
    func barrier(at now: Date, isUnderWay: Bool) -> Barrier? {
        if let lateness = limits.lateness(at: now, isUnderWay: isUnderWay) { return .tooLate(lateness) }
        return limits.isClosed(at: now) ? .closed : nil
    }

    enum Barrier {
        case tooLate(Lateness)
        /// The windows of all recipients.
        case closed
    }

    /// How many ends of windows, or of `expires_after`, have passed, where there are several.
    func closings(at now: Date) -> Int {
        guard let ends = send?.closings.states, ends.count > 1 else { return 0 }
        return ends.count { $0 <= now }
    }

    /// Whose window has closed, or whose wave has expired, where that is not everybody's.
    func closed(at now: Date) -> RecipientSet {
        guard let closings = send?.closings, closings.states.count > 1 else { return [] }
        return closings.union(of: closings.states.filter { $0 <= now })
    }

    /// Written when windows closed while the step was under way.
    func suspending(at now: Date) -> [StateChange] {
        guard let send, !isPart, !isDryRun else { return [] }
        let expired = expired(at: now).reduce(into: RecipientSet()) { $0.formUnion($1.members) }
        let closed = send.closings.states.filter { $0 <= now && !send.closings[$0].subtracting(expired).isEmpty }
        return closed.max().map { [.suspend(send.occurrence, at: $0)] } ?? []
    }

    /// When it expired for some of these, whose clock came to it before that of others. `nil` if it did for nobody.
    func expiry(of members: RecipientSet, at now: Date) -> Date? {
        if members.isEmpty { return nil }
        return expired(at: now).filter { !$0.members.intersection(members).isEmpty }.map(\.end).max()
    }

    /// The waves that have expired.
    private func expired(at now: Date) -> [(end: Date, members: RecipientSet)] {
        guard let reached = send?.waves?.reached else { return [] }
        return reached.states.compactMap { instant in
            delivery?.expiry(from: instant).map { (end: $0, members: reached[instant]) }
        }.filter { $0.end <= now }
    }

    /// What the step's outcomes are judged by, where it opens in stages.
    var staging: Plan.Staging? { isPart || isDryRun ? nil : send?.staging }

    /// Written when nothing more of the step starts.
    ///
    /// - Parameter settled: since when nobody of the open stage may start. `nil` if somebody may.
    func closing(stage figures: StageFigures, settled: Date?) -> [StateChange] {
        guard let send, let staging else { return [] }
        return [.stages(send.occurrence, staging.closing(with: figures, settled: settled))]
    }

    /// Why recipients wait whom caps may stop. `nil` if there are none.
    ///
    /// - Parameter late: how many of those wait, too, whom the step was to try when it began.
    func undecidedNote(besides late: Int) -> String? {
        let waiting = (send?.undecided.count ?? 0) + late
        guard waiting > 0 else { return nil }
        let verb = waiting == 1 ? "waits" : "wait"
        let people = "\(count(waiting, "recipient")) \(verb)"
        return "\(people): it is not certain that a cap stops them; the next run decides"
    }

    /// Why recipients of it wait, in words.
    var closedNote: String {
        let window = delivery?.window
        let next = window?.whenClosed == .skip ? "the next run skips the rest" : "it goes on when it opens"
        return "the window closed\(window.map { " (\($0.words))" } ?? ""); \(next)"
    }
}
