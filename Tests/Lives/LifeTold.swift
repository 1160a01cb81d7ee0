import FCM

@testable import HeraldCore

/// Everything that the run told about occurrences and campaigns.
struct LifeTold {
    var occurrences: [OccurrenceID] = []
    /// Those that wait for windows of some.
    var shut: [OccurrenceID] = []
    var texts: [String] = []
    /// What it holds, as the state has it.
    var held: [RecordedOccurrence] = []

    init(_ content: LifeRun.Content, _ state: RecordedState) {
        held = content.plans.flatMap(\.plan.held).compactMap { state.occurrences[$0.occurrence] }
        for proposal in content.plans {
            let plan = proposal.plan
            occurrences += plan.held.map(\.occurrence) + (plan.missed + plan.superseded).map(\.occurrence)
            occurrences += plan.joinedLate.map(\.occurrence)
            let forWindows = { (waiting: Plan.Waiting) in waiting.reason.hasPrefix("the window is closed") }
            shut += plan.waiting.filter(forWindows).map(\.occurrence)
            occurrences += plan.waiting.filter { !forWindows($0) }.map(\.occurrence)
            // It shows the stages that are not open yet.
            occurrences += plan.steps.compactMap { step in
                guard case .send(let send) = step.work, send.staging?.ahead.isEmpty == false else { return nil }
                return send.occurrence
            }
            texts += plan.silenced.map(\.sentence)
            texts += proposal.overview.warnings
        }
        if let report = content.report {
            occurrences += (report.missedOccurrences + report.superseded).map(\.occurrence)
            texts += report.notes
            // A step says whom it holds, and why it stopped before everybody was tried. That it came too late is no
            // reason for a send that has begun, nor for one that waited for nothing. That its topic takes effect too
            // late is one. Whom the plan skips was not sent anything either.
            let hasWaited = report.finished.map { $0 > report.started } ?? false
            occurrences += report.steps.filter { step in
                let isLate = step.stopped?.words.contains("max_lateness has passed") ?? false
                // Whom caps may stop waits for what goes first.
                if step.isStanding, step.pending > 0 { return true }
                return step.held > 0 || step.stages.contains { $0.state == .ahead && $0.planned > 0 }
                    || step.pending > 0 && step.stopped != nil
                        && (!isLate || hasWaited && step.pending + step.skipped == step.planned)
            }
            .compactMap { $0.occurrence.map(OccurrenceID.init(rawValue:)) }
        }
    }

    /// As far as occurrences in local time and others are called the same: what began before the campaign's clock was
    /// edited keeps its name.
    private static func words(for due: Date) -> String { String(due.rfc3339.prefix(16)) }

    /// Whether a warning says that the firing is left out.
    func leavesOut(_ key: Life.Key, of campaign: LifeFiles.Campaign, _ names: Set<String>) -> Bool {
        guard let due = key.due.map(Self.words) else { return false }
        let leaving = texts.filter(Self.leavesOut)
        return names.contains { name in leaving.contains { $0.contains("\(name)@\(due)") } }
    }

    /// Whether a warning is about a firing that somebody does not get. Others are advice.
    static func leavesOut(_ warning: String) -> Bool {
        [" is left out: ", " leaves out "].contains { warning.contains($0) }
    }

    /// Whether it names the firing, or warns about the campaign.
    func names(_ key: Life.Key, of campaign: LifeFiles.Campaign, _ names: Set<String>) -> Bool {
        let end = campaign.isDaily ? key.due.map(Self.words) : nil
        let isNamed = Self.names(key, of: campaign, names, in: occurrences)
        let isHalfDone = texts.contains { text in
            names.contains { text.hasPrefix("\($0)@\(end ?? "")") } && text.contains(" is half done ")
        }
        // Of a name that is used again, what is half done is held. Its id may have the name from before a rename.
        let isHeld = held.contains { $0.campaign == campaign.name && $0.revision == key.revision }
        return isNamed || isHalfDone || isHeld || texts.contains { $0.contains("'\(campaign.name)'") }
    }

    /// Whether the firing waits for windows. That says nothing of those whose window is open.
    func waits(_ key: Life.Key, of campaign: LifeFiles.Campaign, _ names: Set<String>) -> Bool {
        Self.names(key, of: campaign, names, in: shut)
    }

    private static func names(
        _ key: Life.Key, of campaign: LifeFiles.Campaign, _ names: Set<String>, in occurrences: [OccurrenceID]
    ) -> Bool {
        let end = campaign.isDaily ? key.due.map(words) : nil
        return occurrences.contains { id in
            let parts = id.rawValue.split(separator: "@").map(String.init)
            return parts.count == 2 && names.contains(parts[0]) && (end.map { parts[1].hasPrefix($0) } ?? true)
        }
    }
}
