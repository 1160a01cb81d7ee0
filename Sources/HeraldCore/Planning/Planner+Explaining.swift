/// What one person still waits for, and why.
extension Planner {
    /// Notes what some of an occurrence wait for, if the person who is asked about is one of them.
    ///
    /// - Parameter instant: when that may change. `nil` if nobody knows.
    mutating func explain(
        _ id: OccurrenceID, to members: @autoclosure () -> RecipientSet, _ reason: @autoclosure () -> String,
        until instant: @autoclosure () -> Date?
    ) {
        guard let person, members().contains(person) else { return }
        overview.waits.append(.init(occurrence: id, reason: reason(), until: instant()))
    }

    /// The same for those whose clock or window lets them start at different times.
    mutating func explain(_ id: OccurrenceID, to waiting: Partition<Date>, _ reason: @autoclosure () -> String) {
        guard let person, let instant = waiting.state(of: person) else { return }
        overview.waits.append(.init(occurrence: id, reason: reason(), until: instant))
    }

    /// Notes that the person is to get it, if they are one of its members.
    mutating func noteOwed(_ send: Plan.Send) {
        if let person, send.members.contains(person) { owed.insert(send.occurrence) }
    }

    /// What the person is to get, and what becomes of it in this plan.
    mutating func explainRest() {
        guard let person else { return }
        overview.isPersonDead = unreachable.contains(person)
        for id in owed.subtracting(overview.waits.map(\.occurrence)).sorted() {
            guard let (reason, until) = explanation(of: id, to: person) else { continue }
            overview.waits.append(.init(occurrence: id, reason: reason, until: until))
        }
        overview.waits.sort {
            ($0.until ?? .distantFuture, $0.occurrence) < ($1.until ?? .distantFuture, $1.occurrence)
        }
    }

    private func explanation(of id: OccurrenceID, to person: RecipientID) -> (reason: String, until: Date?)? {
        let step = plan.steps.first { $0.id == .send(id) }
        if let step, case .send(let send) = step.work {
            if let refusal = step.refusal { return (refusal, nil) }
            if send.members.contains(person) { return ("the next run sends it", now) }
            if send.undecided.contains(person), let reason = send.skipped.state(of: person) {
                return ("\(reason.rawValue), if what goes first starts; otherwise a later run sends it", now)
            }
            if let reason = send.skipped.state(of: person) {
                return ("the next run leaves it out for good: \(reason.rawValue)", now)
            }
            if send.refused.contains(person) {
                return ("the next run leaves it out for good: FCM refused it for now, and it ends as rejected", now)
            }
            if let share = send.staging?.ahead.state(of: person) {
                return ("stage \(share.words) is not open; the stages before it come first", nil)
            }
        }
        if let held = plan.held.first(where: { $0.occurrence == id && $0.kind != .unknown }) {
            return ("\(held.reason); '\(held.command)'", nil)
        }
        if let late = plan.joinedLate.first(where: { $0.occurrence == id }) { return (late.reason, nil) }
        guard let missed = plan.missed.first(where: { $0.occurrence == id }) else { return nil }
        return ("it is missed: \(missed.reason)", nil)
    }
}
