/// Of which occurrences nobody could start when a run looked last, because the windows of all who are left were closed, or
/// because they waited for their first stage. It is noted with the plan. Whoever could have started then, or was late by
/// then, by the file and the list of now, has another window or stage since: the time before it does not count against
/// them.
struct WindowWaits {
    /// When a run looked last and everybody was listed whom it is for. The earliest time there is if none found that.
    let recorded: [OccurrenceID: Date]
    /// Those that this plan found.
    private(set) var found: [OccurrenceID: Date] = [:]

    /// - Parameter recorded: what the state has. What a fast clock noted says nothing yet.
    init(_ recorded: [OccurrenceID: Date], at now: Date) { self.recorded = recorded.filter { $0.value <= now } }

    /// For how many seconds a wait is remembered of what the state does not have. Every run notes it anew.
    private static let memory = 30 * 86_400.0
    private static let earliest = Date(timeIntervalSince1970: 0)

    /// - Parameter isWhole: whether all are listed whom it is for.
    mutating func note(_ id: OccurrenceID, isWhole: Bool, at now: Date) {
        found[id] = isWhole ? now : recorded[id] ?? Self.earliest
    }

    /// What is to be noted. Nothing waits any more of what is over.
    func noted(isOver: (OccurrenceID) -> Bool, isKnown: (OccurrenceID) -> Bool, at now: Date) -> [OccurrenceID: Date] {
        recorded.merging(found) { $1 }.filter { id, date in
            !isOver(id) && (isKnown(id) || now.timeIntervalSince(date) < Self.memory)
        }
    }
}

extension Planner {
    /// Nobody of the send may start, and somebody waits for their window, or for the clocks of a stage that comes first.
    /// Not where it is too late for some: their window was open, and a later mark would give them more time. Nor where
    /// some go by the earlier mark: a later one, at which their window is closed, would make them late. For all others a
    /// later one is better: nobody knows which window the file has next.
    mutating func noteWait(_ send: Plan.Send, _ admission: Admission) {
        guard admission.admitted.isEmpty, admission.late.isEmpty, !admission.goesByWait, sizes == nil else { return }
        let isWhole = send.leftOut.missing.isEmpty && send.leftOut.bad.isEmpty
        waits.note(send.occurrence, isWhole: isWhole, at: now)
    }

    /// The state learns what this plan found.
    mutating func keepWaits() {
        let over = Set((plan.missed + plan.superseded).map(\.occurrence) + plan.over)
        let noted = waits.noted(
            isOver: { over.contains($0) || state.occurrences[$0]?.finished != nil },
            isKnown: { state.occurrences[$0] != nil }, at: now)
        let change = StateChange.waited(noted)
        if sizes == nil, change != .waited(waits.recorded) { plan.notes.append(change) }
    }
}
