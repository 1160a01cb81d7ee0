/// Occurrences that wait, among those that are to come.
extension Plan {
    /// What waits, each occurrence once: when the first of its people go on. Sorted by time.
    var opening: [PlanOverview.Upcoming] {
        let occurrences = Dictionary(grouping: waiting, by: \.occurrence).values
        let all = occurrences.compactMap { parts -> PlanOverview.Upcoming? in
            parts.min { $0.until < $1.until }.map { first in
                PlanOverview.Upcoming(
                    occurring: Occurring(first), target: first.target,
                    recipients: parts.reduce(0) { $0 + $1.recipients }, isCounted: parts.allSatisfy(\.isCounted),
                    capped: first.isCapped ? 0 : nil)
            }
        }
        return all.sorted(by: PlanOverview.Upcoming.isBefore)
    }
}

extension PlanOverview {
    /// What is to come, and what of a plan waits. Sorted by time.
    func later(besides plan: Plan) -> [Upcoming] { (upcoming + plan.opening).sorted(by: Upcoming.isBefore) }
}

extension PlanOverview.Upcoming {
    static func isBefore(_ one: Self, _ other: Self) -> Bool {
        (one.occurring.at, one.occurring.occurrence) < (other.occurring.at, other.occurring.occurrence)
    }
}

extension Plan.Waiting {
    /// Until when it waits, and for what.
    var sentence: String { Self.beginning(of: occurrence) + "\(until.rfc3339): \(reason)" }

    /// How the sentences of an occurrence begin.
    static func beginning(of id: OccurrenceID) -> String { "\(id) waits until " }
}
