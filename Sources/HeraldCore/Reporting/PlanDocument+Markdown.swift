internal import FCM

/// The plan as a comment on a pull request: what matters first. The same files, state and time give the same bytes.
extension PlanDocument {
    /// At most 60,000 bytes. Entries that do not fit are counted.
    package var markdown: String {
        let head = Self.marker(workspace) + "## \(headline.inMarkdown)\n\n\(conclusion.inMarkdown)\n"
        let foot = self.foot
        let room = CommentSection.mostBytes - head.utf8.count - foot.utf8.count
        return head + CommentSection.text(of: sections, within: room) + foot
    }

    /// Names the workspace, so that a later comment can take this one's place.
    static func marker(_ workspace: String) -> String { "<!-- herald: \(workspace.inComment) -->\n" }

    private var sections: [CommentSection] {
        let guards = plan.refusals.byGuard.map(Self.entry)
        return [
            CommentSection(title: "Guards that need an override", entries: guards, limit: 8_000),
            CommentSection(
                title: "Warnings", entries: overview.warnings.mergedWarnings.map { "- \($0.inMarkdown)\n" },
                limit: 5_000),
            CommentSection(
                title: "Warnings about the files",
                head: fileWarnings?.earlierWords.map { "\($0.inMarkdown)\n\n" } ?? "",
                entries: fileWarnings?.sayings.map(Self.entry) ?? [], limit: 5_000),
            CommentSection(title: "Held", entries: plan.held.sayings.map(Self.entry), limit: 4_000),
            comparison?.section ?? CommentSection(title: "", entries: [], limit: 0),
            CommentSection(
                title: "Not approved yet", entries: unapproved.sayings.map { "- \($0.words.inMarkdown)\n" },
                limit: 3_000),
            CommentSection(
                title: "What is done now", head: "| | what | how many | why |\n|---|---|---|---|\n",
                entries: plan.steps.map(row), limit: 8_000),
            CommentSection(title: "Who gets it when", entries: sendCharts.map(Self.entry), limit: 8_000),
            CommentSection(title: "Personal messages", entries: overview.personal.map(Self.entry), limit: 6_000),
            CommentSection(
                title: "Left by themselves", entries: leftByThemselves.map { "- \($0.inMarkdown)\n" }, limit: 3_000),
            CommentSection(
                title: "Left out by `where`", entries: overview.leftOut.map { "- \($0.words.inMarkdown)\n" },
                limit: 3_000),
            CommentSection(title: "How it looks", entries: shownCampaigns.flatMap(mocks), limit: 16_000),
            CommentSection(
                title: "Coming up",
                head: "| campaign | local time | UTC | to | recipients | |\n|---|---|---|---|---|---|\n",
                entries: overview.upcoming.byCampaign.map(row), limit: 8_000),
            CommentSection(
                title: "Waiting",
                entries: plan.waiting.map {
                    "- \($0.occurrence.rawValue.inMarkdown): \($0.words(overview.figures).inMarkdown)\n"
                } + zoneLines.map { "- \($0.inMarkdown)\n" }, limit: 4_000),
            CommentSection(
                title: "Missed", entries: plan.missed.sayings.map(Self.entry), limit: 2_000),
            CommentSection(
                title: "Superseded", entries: plan.superseded.sayings.map(Self.entry), limit: 2_000),
            CommentSection(
                title: "Joined too late", entries: plan.joinedLate.sayings.map(Self.entry), limit: 2_000),
            CommentSection(
                title: "Guards that this plan cannot judge",
                entries: overview.unjudged.lines.map { "- \($0.inMarkdown)\n" }, limit: 3_000),
        ]
    }

    // MARK: The first line

    /// Who gets what, and when it begins.
    package var headline: String {
        let sends = plan.steps.compactMap { step -> Plan.Send? in
            if case .send(let send) = step.work, send.hasReach { send } else { nil }
        }
        // A campaign that comes more than once counts once, with its largest size.
        // Who has it, who waits, and waves and stages that are still to come count, too.
        var reach: [String: Int] = [:]
        for send in sends { reach[send.campaign] = max(reach[send.campaign] ?? 0, send.reach) }
        let later = overview.later(besides: plan)
        for upcoming in later {
            let campaign = upcoming.occurring.campaign
            reach[campaign] = max(reach[campaign] ?? 0, upcoming.reach)
        }
        guard !reach.isEmpty else { return "No sends in the next \(count(days, "day"))" }
        let people = reach.values.reduce(0, +)
        let isCounted = sends.allSatisfy(\.isCounted) && later.allSatisfy(\.isCounted)
        let isMost = sends.contains(where: \.mayShrink) || later.contains { $0.capped != nil }
        let words = overview.figures.words(
            people, isCounted: isCounted, isMost: isMost, as: count(people, "recipient"))
        let recipients = words.isEmpty ? "" : " to \(words)"
        let begin = sends.isEmpty ? later.first.map { "the first \($0.occurring.words)" } : "the first now"
        return count(reach.count, "campaign") + recipients + (begin.map { ", \($0)" } ?? "")
    }

    // MARK: Rows

    private func row(_ step: Plan.Step) -> String {
        let line = Self.line(step, overview.figures)
        return "| \(line.verb.inCell) | \(line.subject.inCell) | \(line.figures.inCell) | \(step.reason.inCell) |\n"
    }

    private static func entry(_ chart: SendChart) -> String {
        "**\(chart.occurrence.rawValue.inMarkdown)**: \(chart.explanation.inMarkdown)\n\n"
            + chart.lines.joined(separator: "\n").codeBlock + "\n"
    }

    private func row(_ coming: ComingSends) -> String {
        let upcoming = coming.next
        let occurring = upcoming.occurring
        let clock = occurring.last == nil ? occurring.zone.name : "on each clock"
        let instants = occurring.at.rfc3339 + (occurring.last.map { " to \($0.rfc3339)" } ?? "")
        let recipients = upcoming.words(overview.figures, as: upcoming.reach.grouped, unknown: "unknown")
        return "| \(occurring.campaign.inCell) | \("\(occurring.local.spoken) \(clock)".inCell) "
            + "| \(instants.inCell) | \(upcoming.target.words.inCell) | \(recipients) "
            + "| \([overview.note(of: upcoming), coming.rest].filter { !$0.isEmpty }.joined(separator: "; ").inCell) |\n"
    }

    /// What a guard refuses, and what to do about it.
    private static func entry(_ refused: RefusedGuard) -> String {
        let (name, messages) = (refused.kind.rawValue.inMarkdown, refused.messages.map(\.inMarkdown))
        if messages.count == 1 { return "- **\(name)**: \(messages[0]); \(refused.help.inMarkdown)\n" }
        return "- **\(name)**: \(refused.help.inMarkdown)\n" + messages.map { "  - \($0)\n" }.joined()
    }

    /// A campaign's rows, and below them what is wrong with some.
    private static func entry(_ personal: PersonalOverview) -> String {
        let longest = personal.longestLines.map(\.inMarkdown).joined(separator: "<br>")
        let details = (longest.isEmpty ? [] : [longest]) + personal.mistakes.map(\.inMarkdown)
        return "- **\(personal.campaign.inMarkdown)**: \(personal.figures.inMarkdown)\n"
            + details.map { "  - \($0)\n" }.joined()
    }

    private static func entry(_ saying: Saying) -> String {
        "- \(saying.subject.inMarkdown): \(saying.text.inMarkdown)\n"
    }

    /// The campaigns whose messages a reviewer looks at: those that the files change. Where nothing was compared, those
    /// that are sent soon.
    var shownCampaigns: [Campaign] {
        let sent = plan.steps.compactMap { if case .send(let send) = $0.work { send.campaign } else { nil } }
        let soon = sent + overview.later(besides: plan).map(\.occurring.campaign)
        let changed = comparison?.changes.filter { $0.kind == .campaign && $0.action != .removed }.map(\.name)
        let wanted = Set(changed ?? soon)
        return declared.filter { wanted.contains($0.name.value) }
    }

    /// The notification of a campaign, folded: one for each text.
    private func mocks(_ campaign: Campaign) -> [String] {
        campaign.looks(texts[campaign.name.value]).map { Self.mock($0, of: campaign) }
    }

    private static func mock(_ look: TextLook, of campaign: Campaign) -> String {
        let lines = look.mocks.map { $0.textLines.joined(separator: "\n") }
        let title = campaign.name.value + (look.words.map { ": \($0)" } ?? "")
        let text = lines.isEmpty ? "(nothing is shown)" : lines.joined(separator: "\n\n")
        return "<details><summary>\(title.inElement)</summary>\n\n\(text.codeBlock)\n</details>\n"
    }

    // MARK: The last lines

    /// How many campaigns go to somebody whom only FCM or the state knows.
    private func unsized(in approval: Approval) -> Int {
        declared.count { $0.enabled && approval.sizes[.init(kind: .campaign, name: $0.name.value)] == nil }
    }

    /// Which sizes an approval does not limit, in words. `nil` if it limits all.
    var unlimited: String? {
        guard let approval else { return nil }
        if overview.figures == .unknown {
            return "The lists were not read, so an approval limits no size: only guards do."
        }
        let number = unsized(in: approval)
        if number == 0 { return nil }
        let which = count(number, "campaign")
        return "The size of \(which) is not known, so an approval does not limit it: only guards do."
    }

    /// What is approved, and how old the state is.
    private var foot: String {
        var lines = [approval.map { "Approval: `\($0.digest)`" }, unlimited].compactMap(\.self)
        if let comparison { lines.append("Compared with `\(comparison.base)`.") }
        if let snapshot = overview.snapshot {
            lines.append("State: a snapshot of \(snapshot.rfc3339).")
        } else if let state = plan.state {
            lines.append("State: serial \(state.serial), at \(plan.at.rfc3339).")
        } else {
            lines.append("State: none, at \(plan.at.rfc3339).")
        }
        return "\n---\n" + lines.joined(separator: "<br>\n") + "\n"
    }
}

extension Plan.Send {
    /// How many people have it, get it now or may get it later. Whom it skips is none of them, unless they may have it
    /// already.
    fileprivate var reach: Int { whole.upperBound - skipped.all.subtracting(keepingOutcome).count }

    /// Whether there may be anybody of them. Nobody is counted without lists.
    fileprivate var hasReach: Bool { skipped.isEmpty || reach > 0 }
}
