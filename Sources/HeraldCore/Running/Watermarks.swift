/// How far cron campaigns are dealt with. A watermark is written when the sends that were due have begun. It never
/// passes the first send that ended without having begun.
struct Watermarks {
    /// Not written yet.
    private var planned: [String: Watermark] = [:]
    /// For each campaign, the due time of the first send that ended without having begun.
    private var unbegun: [String: Date] = [:]
    /// From when on campaigns were looked at. What had passed when a schedule got its field stays so.
    private var looked: [String: Date] = [:]

    mutating func add(_ watermarks: [String: Watermark], after looks: [String: Plan.Look] = [:]) {
        for (campaign, mark) in watermarks {
            // What an earlier plan of the run found stays so, where a later one leaves the campaign out.
            if planned[campaign] != nil, looks[campaign]?.isForgotten == true { continue }
            planned[campaign] = mark
        }
        looked.merge(looks.compactMapValues(\.mark?.at)) { first, _ in first }
    }

    /// The next run must find a send that has not begun, so the watermark stays before it.
    ///
    /// - Parameter recorded: the watermarks of the state. A send that they have passed is found in the state, unless it
    ///   has waves.
    mutating func noteUnbegun(_ step: Plan.Step, recorded: [String: Watermark] = [:]) {
        guard case .send(let send) = step.work, let due = send.due else { return }
        if send.waves == nil, let mark = recorded[send.campaign], due <= mark.at { return }
        // The state has what began in an earlier run, except for waves that it does not know yet.
        if send.isResumed, send.waves.map({ $0.unrecorded.isEmpty || $0.hasOwnMark }) ?? true { return }
        unbegun[send.campaign] = min(due, unbegun[send.campaign] ?? due)
    }

    /// The same for waves of an occurrence in local time that this run does not send. Where a person let it go on for
    /// all who are listed, they are not fresh, but the step under way says that it is for those of its own waves only.
    mutating func noteUnreached(_ step: Plan.Step) {
        guard case .send(let send) = step.work, let waves = send.waves, !waves.unrecorded.isEmpty else {
            return
        }
        noteUnbegun(step)
    }

    /// The watermarks that can be written now.
    ///
    /// - Parameters:
    ///   - waiting: campaigns with a send that has not begun.
    ///   - recorded: the watermarks of the state. None of them moves back.
    mutating func due(waiting: Set<String>, recorded: [String: Watermark]) -> [StateChange] {
        let due = planned.filter { !waiting.contains($0.key) }.sorted { $0.key < $1.key }
        return due.map { campaign, mark in
            planned[campaign] = nil
            var mark = mark
            if let first = unbegun[campaign], first <= mark.at {
                mark.next = first
                let begin = max(looked[campaign] ?? .distantPast, recorded[campaign]?.at ?? .distantPast)
                mark.at = max(first - 1, begin)
            }
            return .watermark(campaign, mark)
        }
    }
}
