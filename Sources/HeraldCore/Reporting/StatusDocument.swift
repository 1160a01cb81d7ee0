package import FCM

/// What a person asks first, `herald.status/1`: whether somebody must do something, and how things stand.
package struct StatusDocument: Document, Sendable {
    package let needs: [Need]
    let proposal: Proposal
    let workspace: String
    let standing: Standing
    /// What its reader wrote behind `-w`, for the commands that it names. `nil` in the workspace's folder.
    package var typedWorkspace: String?

    /// How things stand besides the plan.
    package struct Standing: Hashable, Sendable {
        package var lastRun: RecordedRun?
        /// One that began after it and did not come to its end, although nobody is at work: mostly it was killed.
        package var unendedRun: BegunRun?
        package var lists: [ListAge] = []
        /// `nil` if doctor never looked.
        package var checkup: RecordedCheckup?
        /// Who works on the state now, in words. `nil` where that is not known.
        package var workers: [String]?
        /// How often something calls `run`.
        package var every: Duration
        /// Whether a run is at work.
        package var isRunning = false
        /// Reports that know more of an occurrence than the state.
        package var reports: [OccurrenceID: String] = [:]

        package init(lastRun: RecordedRun?, every: Duration) { (self.lastRun, self.every) = (lastRun, every) }
    }

    /// - Parameters:
    ///   - proposal: what a run would do now.
    ///   - workspace: its name.
    package init(_ proposal: Proposal, _ standing: Standing, workspace: String) {
        (self.proposal, self.standing, self.workspace) = (proposal, standing, workspace)
        let checkup = Need(standing.checkup, lastRun: standing.lastRun, at: proposal.plan.at)
        needs =
            Need.all(
                in: proposal, standing.lists, lastRun: standing.lastRun, every: standing.every,
                atWork: standing.isRunning ? .otherRun : .nobody, standing.reports) + [checkup].compactMap(\.self)
    }

    /// Whether nobody has to do anything.
    package var isCalm: Bool { needs.isEmpty }

    var plan: Plan { proposal.plan }
    var overview: PlanOverview { proposal.overview }

    /// How many coming sends are shown.
    private static let shownComing = 5

    // MARK: JSON

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "schema": "herald.status/1", "at": .string(plan.at.rfc3339), "workspace": .string(workspace),
            "snapshot": overview.snapshot.map { .string($0.rfc3339) } ?? .null, "calm": .bool(isCalm),
            "needs": .array(needs.map(\.json)),
            "due": .array(plan.steps.compactMap(due)),
            "next": .array(overview.upcoming.prefix(Self.shownComing).map(next)),
            "waiting": .array(
                plan.waiting.map { waiting in
                    [
                        "occurrence": .string(waiting.occurrence.rawValue), "reason": .string(waiting.reason),
                        "until": .string(waiting.until.rfc3339),
                        "recipients": figure(waiting.recipients, isCounted: waiting.isCounted),
                    ]
                }),
            "paused": .object([
                "everything": .bool(overview.pauses.everything),
                "campaigns": .array(overview.pauses.campaigns.sorted().map { .string($0) }),
            ]),
            "last_run": standing.lastRun?.json ?? .null, "lists": .array(standing.lists.map(\.json)),
            "doctor": standing.checkup?.json ?? .null, "running": .bool(standing.isRunning),
            "workers": standing.workers.map { .array($0.map { .string($0) }) } ?? .null,
        ]
        members["unended_run"] = standing.unendedRun?.json
        return .object(members)
    }

    /// `null` for a number that is not known exactly.
    private func figure(_ number: Int, isCounted: Bool) -> JSONValue {
        overview.figures == .exact && isCounted ? .int(Int64(number)) : .null
    }

    private func due(_ step: Plan.Step) -> JSONValue? {
        guard case .send(let send) = step.work, step.refusal == nil else { return nil }
        return [
            "occurrence": .string(send.occurrence.rawValue), "due": send.due.map { .string($0.rfc3339) } ?? .null,
            "recipients": figure(send.recipients, isCounted: send.isCounted),
        ]
    }

    private func next(_ upcoming: PlanOverview.Upcoming) -> JSONValue {
        [
            "occurrence": .string(upcoming.occurring.occurrence.rawValue),
            "due": .string(upcoming.occurring.at.rfc3339),
            "recipients": figure(upcoming.reach, isCounted: upcoming.isCounted),
        ]
    }

    // MARK: Text

    package func text(_ style: TextStyle) -> String {
        var text = ""
        for need in needs {
            let command = need.command(naming: typedWorkspace).printable
            text += "\(style.red("!")) \(need.sentence.printable)\n  \(style.bold(command))\n"
        }
        if isCalm { text += style.green("Nothing needs you.") + "\n" }
        text += "\n"
        let rows = rows
        let width = rows.map(\.title.count).max() ?? 0
        for (title, lines) in rows {
            for (place, line) in lines.enumerated() {
                text += "\((place == 0 ? title : "").padded(to: width))  \(line.printable)\n"
            }
        }
        return text
    }

    /// How things stand, for people.
    var rows: [(title: String, lines: [String])] {
        let names = overview.pauses.everything ? ["all sends; 'herald resume'"] : []
        let paused = names + overview.pauses.campaigns.sorted().map { "\($0); 'herald resume \($0)'" }
        let lists = standing.lists.map { "\($0.audience), \($0.age.rounded) old" }
        let all: [(String, [String])] = [
            ("Due now", dueLines), ("Next", nextLines),
            ("Waiting", plan.waiting.map { "\($0.occurrence)  \($0.words(overview.figures))" }), ("Paused", paused),
            ("Last run", lastRuns),
            ("Lists", lists), ("At work", workers),
            ("Doctor", [standing.checkup?.words(at: plan.at) ?? "never looked here; 'herald doctor' does"]),
            ("Known from", [source]),
        ]
        return all.filter { !$0.1.isEmpty }.map { (title: $0.0, lines: $0.1) }
    }

    /// What it was made from.
    var source: String {
        if let snapshot = overview.snapshot { return "the snapshot of \(snapshot.rfc3339)" }
        return plan.state == nil ? "the files; there is no state yet" : "the state"
    }

    private var lastRuns: [String] {
        let last = standing.lastRun?.words(at: plan.at)
        guard let unended = standing.unendedRun else { return [last ?? "none that the state knows"] }
        return [unended.words(at: plan.at)] + [last.map { "before it: \($0)" }].compactMap(\.self)
    }

    private var workers: [String] {
        guard let workers = standing.workers else { return ["not known from a snapshot"] }
        return workers.isEmpty ? ["nobody"] : workers
    }

    private var dueLines: [String] {
        let sends = plan.steps.filter { $0.refusal == nil && $0.work.action == .send }
        let others = plan.steps.count { $0.refusal == nil && $0.work.action != .send }
        let lines = sends.prefix(Self.shownComing).map { step in
            let line = PlanDocument.line(step, overview.figures)
            return [line.subject, line.figures].filter { !$0.isEmpty }.joined(separator: "  ")
        }
        let rest = sends.count - lines.count
        return lines + (rest > 0 ? ["and \(count(rest, "more send")); 'herald plan' lists them"] : [])
            + (others > 0 ? ["\(count(others, "change")) to topics and groups"] : [])
    }

    /// What waits is to come, and has a row of its own.
    private var nextLines: [String] {
        let shown = PlanDocument.comingLines(overview, shown: Self.shownComing)
        return shown.isEmpty && plan.waiting.isEmpty ? ["nothing in the next \(PlanDocument.usualDays) days"] : shown
    }
}

extension RecordedRun {
    /// `ok, 5 min ago: 1,204 accepted, 3 rejected`
    func words(at now: Date) -> String {
        let age = Duration.seconds(max(0, now.timeIntervalSince(finished).rounded(.down))).rounded
        return "\(result), \(age) ago: \(figureWords)"
    }

    /// `1,204 accepted, 3 rejected`
    var figureWords: String {
        let parts = Self.shown.compactMap { name in figures[name].map { "\($0.grouped) \(name)" } }
        return parts.isEmpty ? "nothing to do" : parts.joined(separator: ", ")
    }

    private static let shown = ["accepted", "rejected", "unknown", "skipped", "held", "pending", "missed"]
}

extension BegunRun {
    fileprivate func words(at now: Date) -> String {
        let age = Duration.seconds(max(0, now.timeIntervalSince(started).rounded(.down))).rounded
        return "\(run) began \(age) ago and did not come to its end; the next run goes on with what it left"
    }
}

extension RecordedRun {
    /// What a finished report leaves. `nil` for one that is not finished.
    ///
    /// - Parameters:
    ///   - earlier: the run before it.
    ///   - isWhole: whether the run was for everything.
    package init?(_ report: Report, after earlier: RecordedRun? = nil, isWhole: Bool = true) {
        guard let finished = report.finished else { return nil }
        self.init(
            run: report.run, started: report.started, finished: finished, result: report.result.rawValue,
            figures: ReportDocument(report).summary.filter { Self.shown.contains($0.key) }
                .merging([Self.refusedMemberships: report.refusedMemberships]) { first, _ in first },
            refusals: report.refusals(after: earlier?.refusals ?? [], isWhole: isWhole))
    }

    /// The figure of memberships that FCM refused. They are among the rejected, too.
    static let refusedMemberships = "refused_memberships"
}
