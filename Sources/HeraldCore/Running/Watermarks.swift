/// How far cron campaigns are dealt with: written down once the sends that were due have begun, and no further than to
/// the first that ended without having begun.
struct Watermarks {
    /// Still to be written.
    private var planned: [String: Watermark] = [:]
    /// When the first send of a campaign was due that ended without having begun.
    private var unbegun: [String: Date] = [:]

    mutating func add(_ watermarks: [String: Watermark]) { planned.merge(watermarks) { _, new in new } }

    /// What has not begun is for the next run to find, so that the watermark stays before it.
    mutating func noteUnbegun(_ step: Plan.Step) {
        guard case .send(let send) = step.work, let due = send.due else { return }
        unbegun[send.campaign] = min(due, unbegun[send.campaign] ?? due)
    }

    /// Those that can be written down now.
    ///
    /// - Parameters:
    ///   - waiting: campaigns with a send that has not begun.
    ///   - recorded: what the state has, which none of them goes back behind.
    mutating func due(waiting: Set<String>, recorded: [String: Watermark]) -> [StateChange] {
        let due = planned.filter { !waiting.contains($0.key) }.sorted { $0.key < $1.key }
        return due.map { campaign, mark in
            planned[campaign] = nil
            var mark = mark
            if let first = unbegun[campaign], first <= mark.at {
                mark.next = first
                mark.at = max(first - 1, recorded[campaign]?.at ?? .distantPast)
            }
            return .watermark(campaign, mark)
        }
    }
}
