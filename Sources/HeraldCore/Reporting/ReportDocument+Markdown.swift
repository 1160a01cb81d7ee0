/// The report as a comment on a pull request or an issue.
extension ReportDocument {
    /// GitHub takes 65,536 characters in a comment. Bytes are easy to count, and never fewer than characters.
    private static let markdownLimit = 60_000

    /// Less than 60,000 bytes. Entries that do not fit are counted.
    package var markdown: String {
        var text = "## herald run: \(report.result.words.inMarkdown)\n\n"
        if report.isDryRun { text += "A dry run: \(dryRunWords)\n\n" }
        text += totalsText + "\n\n"
        text += facts.map { "\($0.name.inMarkdown): \($0.value.inMarkdown)" }.joined(separator: " · ") + "\n"
        let names = StepReport.columns(report.steps.map(\.figures))
        let steps = report.steps.map { step -> String in
            let cells = [step.id.rawValue.inCell] + step.figures.in(names).map(\.count.grouped)
            let remarks = step.remarks.map(\.inCell).joined(separator: "; ")
            return "| \(cells.joined(separator: " | ")) | \(remarks) |\n"
        }
        let failures = report.steps.flatMap { step in
            step.failureKinds.map { kind in
                "| \(step.id.rawValue.inCell) | \(kind.count.grouped) | \(kind.code.inCell) | \(kind.message.inCell) "
                    + "| \(step.words(of: kind.action).inCell) |\n"
            }
        }
        let textNames = StepReport.columns(report.steps.flatMap(\.texts).map(\.account.figures))
        let sections: [(title: String, head: String, entries: [String])] = [
            ("Notes", "", remarks.map { "- \($0.inMarkdown)\n" }),
            (
                "Steps",
                "| step | \(names.joined(separator: " | ")) | |\n|---|\(names.map { _ in "--:|" }.joined())---|\n",
                steps
            ),
            (
                "Texts",
                "| step | text | \(textNames.joined(separator: " | ")) |\n|---|---|\(textNames.map { _ in "--:|" }.joined())\n",
                report.steps.flatMap { $0.textRows(textNames) }
            ),
            ("Failures", "| step | | code | FCM said | what follows |\n|---|--:|---|---|---|\n", failures),
        ]
        for section in sections where !section.entries.isEmpty {
            text += "\n### \(section.title)\n\n\(section.head)"
            var omitted = 0
            for entry in section.entries {
                // Leaves room to say what was cut.
                if text.utf8.count + entry.utf8.count < Self.markdownLimit - 1_000 {
                    text += entry
                } else {
                    omitted += 1
                }
            }
            if omitted > 0 { text += "\n… and \(omitted.grouped) more that do not fit here.\n" }
        }
        return text
    }

    /// What a reader asks first, besides the figures.
    var facts: [(name: String, value: String)] {
        var facts = [
            ("run", report.run), ("project", report.project), ("endpoint", report.endpoint.rawValue),
            ("started", report.started.rfc3339), ("finished", report.finished?.rfc3339 ?? "not yet"),
            ("herald", report.version),
        ]
        if let commit = report.gitCommit { facts.append(("commit", commit)) }
        if let approval = report.approval { facts.append(("approval", approval)) }
        let approvers = Set(report.steps.compactMap(\.approver)).sorted()
        if !approvers.isEmpty { facts.append(("approved by", approvers.joined(separator: ", "))) }
        if !report.overrides.isEmpty { facts.append(("overridden guards", report.overrides.joined(separator: ", "))) }
        return facts.map { (name: $0.0, value: $0.1) }
    }
}

extension [StepReport.Figure] {
    func `in`(_ names: [String]) -> [StepReport.Figure] { filter { names.contains($0.name) } }
}

extension StepReport {
    struct Figure {
        var name: String
        var count: Int
    }

    static let figureNames = ["planned", "accepted", "rejected", "unknown", "skipped", "held", "pending"]

    /// In the order of `figureNames`.
    var figures: [Figure] {
        let counts = [planned, accepted, rejected, unknown, skipped, held, pending]
        return zip(Self.figureNames, counts).map { Figure(name: $0, count: $1) }
    }

    /// The names of the figures that tables show: what was planned and accepted, and others that are not 0 everywhere.
    static func columns(_ rows: [[Figure]]) -> [String] {
        figureNames.enumerated().filter { place, _ in
            place < 2 || rows.contains { $0[place].count > 0 }
        }.map(\.element)
    }

    static func sums(_ steps: [StepReport]) -> [Figure] {
        let figures = steps.map(\.figures)
        return figureNames.enumerated().map { index, name in
            Figure(name: name, count: figures.reduce(0) { $0 + $1[index].count })
        }
    }

    /// Whether people were not tried who do not wait for their time.
    var isIncomplete: Bool { pending > 0 && !isWaiting }
}

extension Report {
    /// Whether a person must look at the step. Dead registrations are forgotten and do not count as failures, and
    /// neither does waiting. That no run came in time is a failure of the run that tells it.
    func hasFailed(_ step: StepReport) -> Bool {
        step.refused > 0 || step.unknown > 0 || step.isIncomplete || step.stopped != nil
            || step.hasMissed && missedOccurrences.contains(where: { $0.occurrence.rawValue == step.occurrence })
    }
}

extension Report.Result {
    /// In words for people.
    var words: String {
        switch self {
        case .running: "not finished"
        case .ok: "done"
        case .failed: "done, with failures"
        case .unknown: "done, with unknown outcomes"
        case .halted: "a stage was halted"
        case .refused: "a guard refused something, or nobody approved it"
        case .interrupted: "stopped before its end"
        }
    }
}
