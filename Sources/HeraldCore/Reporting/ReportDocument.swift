package import FCM

/// A run's report as it is shown and saved.
package struct ReportDocument: Document, Sendable {
    package var report: Report
    /// The totals as a saved report has them; it does not have all figures they are computed from.
    private let savedSummary: [String: Int]?

    package init(_ report: Report, savedSummary: [String: Int]? = nil) {
        self.report = report
        self.savedSummary = savedSummary
    }

    package var json: JSONValue {
        var members = content
        members["approval"] = report.approval.map { .string($0) }
        return .object(members)
    }

    private var content: [String: JSONValue] {
        [
            "schema": "herald.report/1",
            "run": .string(report.run),
            "plan_digest": .string(report.planDigest),
            "dry_run": .bool(report.isDryRun),
            "started": .string(report.started.rfc3339),
            "finished": report.finished.map { .string($0.rfc3339) } ?? .null,
            "result": .string(report.result.rawValue),
            "endpoint": .string(report.endpoint.rawValue),
            "project": .string(report.project),
            "herald_version": .string(report.version),
            "git_commit": report.gitCommit.map { .string($0) } ?? .null,
            "overrides": .array(report.overrides.map { .string($0) }),
            "state": report.state?.json ?? .null,
            "summary": .object(summaryJSON),
            "steps": .array(report.steps.map(Self.step)),
            "missed": .array(report.missedOccurrences.map(\.json)),
            "superseded": .array(report.superseded.map(\.json)),
            "notes": .array(report.notes.map { .string($0) }),
        ]
    }

    /// What concerns no step: occurrences that were left out, and remarks.
    var remarks: [String] {
        Self.remarks(on: report.missedOccurrences, of: report.missed, "missed")
            + Self.remarks(on: report.superseded, of: report.supersededCount, "superseded") + report.notes
    }

    private static func remarks(on listed: [Plan.Missed], of all: Int, _ word: String) -> [String] {
        let rest = all - listed.count
        return listed.map { "\($0.occurrence) was \(word): \($0.reason)" }
            + (rest > 0 ? ["and \(count(rest, "more \(word) occurrence"))"] : [])
    }

    private var summaryJSON: [String: JSONValue] {
        var members = summary.mapValues { JSONValue.int(Int64($0)) }
        for (name, figures) in [("messages", messages), ("memberships", memberships)] {
            members[name] = .object(Dictionary(uniqueKeysWithValues: figures.map { ($0.name, .int(Int64($0.count))) }))
        }
        return members
    }

    /// The figures of all sends, by recipient.
    private var messages: [StepReport.Figure] { StepReport.sums(report.steps.filter { $0.action == .send }) }

    /// The figures of all changes to topics and groups, by pair of recipient and topic or group.
    private var memberships: [StepReport.Figure] { StepReport.sums(report.steps.filter { $0.action != .send }) }

    /// The totals. `planned` and its parts count messages and memberships together.
    var summary: [String: Int] {
        if let savedSummary { return savedSummary }
        let steps = report.steps
        let sum = { (figure: (StepReport) -> Int) in steps.reduce(0) { $0 + figure($1) } }
        return [
            "subscribed": sum { $0.action == .subscribe ? $0.accepted : 0 },
            "unsubscribed": sum { $0.action == .unsubscribe ? $0.accepted : 0 },
            "planned": sum(\.planned), "accepted": sum(\.accepted), "rejected": sum(\.rejected),
            "unknown": sum(\.unknown), "skipped": sum(\.skipped), "held": sum(\.held), "pending": sum(\.pending),
            "missed": report.missed, "superseded": report.supersededCount, "retries": sum(\.retries),
            "forgotten": sum(\.forgotten), "possible_duplicates": sum(\.possibleDuplicates),
        ]
    }

    private static func step(_ step: StepReport) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(step.id.rawValue), "action": .string(step.action.rawValue),
            "planned": .int(Int64(step.planned)),
            "accepted": .int(Int64(step.accepted)), "rejected": .int(Int64(step.rejected)),
            "unknown": .int(Int64(step.unknown)), "skipped": .int(Int64(step.skipped)),
            "held": .int(Int64(step.held)), "pending": .int(Int64(step.pending)),
            "duration_ms": .int(Int64(step.duration.seconds * 1000)),
            "message_ids": .array(step.messageIDs.map { .string($0) }),
            "failures": .array(step.failures.map(\.json)),
        ]
        members["occurrence"] = step.occurrence.map { .string($0) }
        members["topic"] = step.topic.map { .string($0) }
        members["group"] = step.group.map { .string($0) }
        members["note"] = step.note.map { .string($0) }
        if step.isWaiting { members["waiting"] = true }
        members["approved_by"] = step.approver.map { .string($0) }
        if step.repliesForGroup {
            // The words that the device-group protocol itself uses in replies.
            members["success"] = .int(Int64(step.accepted))
            members["failure"] = .int(Int64(step.planned - step.accepted))
            members["failed_registration_ids"] = .array(
                step.failures.compactMap { $0.registration.map { .string($0) } })
        }
        members.merge(step.textsJSON) { given, _ in given }
        members["stopped"] = step.stopped.map { .string($0.words) }
        members["unrecorded"] = step.unrecorded?.json
        return .object(members)
    }

    package func text(_ style: TextStyle) -> String {
        var text = report.isDryRun ? "Dry run: \(dryRunWords)\n" : ""
        let width = report.steps.map(\.id.rawValue.count).max() ?? 0
        for step in report.steps {
            text += "  \(step.id.rawValue.padded(to: width))  \(Self.figures(step, style))\n"
            for line in step.textLines { text += "    \(line)\n" }
            if let stopped = step.stopped { text += "    stopped: \(stopped.words)\n" }
            if let note = step.note { text += "    \(note)\n" }
            if step.unrecorded != nil {
                text += "    the state lacks some of these outcomes; 'herald state resolve --from REPORT' adds them\n"
            }
            for kind in step.failureKinds {
                let sentence = "\(kind.code): \(kind.message)".printable
                text += "    \(kind.count.grouped) × \(sentence) (\(step.words(of: kind.action)))\n"
            }
            if step.failuresOmitted > 0 { text += "    and \(count(step.failuresOmitted, "more failure"))\n" }
        }
        for note in remarks { text += "  \(note)\n" }
        return text + "\nRun \(report.run): \(report.result.rawValue). \(totalsText)\n"
    }

    /// What a dry run did. A step without its messages checked says why.
    var dryRunWords: String {
        let hasChecked = report.steps.contains { $0.accepted + $0.rejected + $0.unknown > 0 }
        return hasChecked ? "FCM checked the messages and delivered none." : "FCM checked no message."
    }

    /// The outcomes of the whole run in sentences.
    var totalsText: String {
        totals.map { total in
            let figures = total.figures.map { "\($0.count.grouped) \($0.name)" }.joined(separator: ", ")
            return total.title.isEmpty ? "\(figures)." : "\(total.title): \(figures)."
        }.joined(separator: " ")
    }

    /// The outcomes of the whole run: of messages, of memberships, and what is counted beside them. Most figures are
    /// left out when they are zero.
    var totals: [(title: String, figures: [StepReport.Figure])] {
        let always: Set<String> = ["planned", "accepted"]
        let accounts = [("Messages", messages), ("Memberships", memberships)]
            .filter { $0.1.contains { $0.count > 0 } }
            .map { ($0, $1.filter { $0.count > 0 || always.contains($0.name) }) }
        let (retries, duplicates) = (summary["retries"] ?? 0, summary["possible_duplicates"] ?? 0)
        let others = [
            ("missed", summary["missed"] ?? 0), ("superseded", report.supersededCount),
            (retries == 1 ? "retry" : "retries", retries), ("forgotten as dead", summary["forgotten"] ?? 0),
            (duplicates == 1 ? "possible duplicate" : "possible duplicates", duplicates),
        ]
        .filter { $0.1 > 0 }.map { StepReport.Figure(name: $0, count: $1) }
        let totals = accounts + (others.isEmpty ? [] : [("", others)])
        return totals.isEmpty ? [("", [.init(name: "planned", count: 0)])] : totals
    }

    private static func figures(_ step: StepReport, _ style: TextStyle) -> String {
        var parts = ["\(step.accepted.grouped) of \(step.planned.grouped) accepted"]
        if step.preexisting > 0 {
            parts.append("\(step.preexisting.grouped) of them subscribed already, not by herald")
        }
        for (name, number) in [
            ("rejected", step.rejected), ("unknown", step.unknown), ("skipped", step.skipped), ("held", step.held),
            ("pending", step.pending), (step.retries == 1 ? "retry" : "retries", step.retries),
            (step.possibleDuplicates == 1 ? "possible duplicate" : "possible duplicates", step.possibleDuplicates),
        ] where number > 0 {
            parts.append("\(number.grouped) \(name)")
        }
        let line = parts.joined(separator: ", ")
        return step.accepted == step.planned ? style.green(line) : style.yellow(line)
    }
}

extension StepReport {
    /// The failures that it shows, by code and action, each with the message of the first.
    var failureKinds: [(code: String, count: Int, message: String, action: Report.Failure.Action)] {
        Dictionary(grouping: failures) { [$0.code, $0.action.rawValue] }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .compactMap { _, entries in
                entries.first.map { ($0.code, entries.count, $0.message, $0.action) }
            }
    }

    /// What an action means for its recipient. Nothing goes on with a test.
    func words(of action: Report.Failure.Action) -> String {
        isTest && action == .retryNextRun ? "not accepted; wait, then run 'herald test' again" : action.words
    }
}

extension Report.Failure.Action {
    /// What the action means for the recipient.
    fileprivate var words: String {
        switch self {
        case .forgotten: "dead, left out from now on"
        case .kept: "said to be dead, not believed"
        case .rejected: "refused"
        case .held: "may have got it, not sent again"
        case .resendNextRun: "may have got it, the next run sends it again"
        case .retryNextRun: "not accepted, the next run tries it"
        case .fixFirst: "not sent, and it fails again until the file, setting or permission is fixed"
        }
    }
}

extension Report.Failure {
    /// One line of `.failures.ndjson`, and one entry of a step's `failures`.
    package var json: JSONValue {
        [
            "registration": registration.map { .string($0) } ?? .null, "code": .string(code),
            "http_status": httpStatus.map { .int(Int64($0)) } ?? .null, "message": .string(message),
            "attempts": .int(Int64(attempts)), "action": .string(action.rawValue),
        ]
    }
}
