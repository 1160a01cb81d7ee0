internal import FCM

/// Something that waits for a person: what it is in one sentence, and one command that mends it.
package struct Need: Hashable, Sendable {
    package var kind: Kind
    /// The occurrence, campaign, list or guard it is about. Empty if it is about everything.
    package var name: String
    package var sentence: String
    package var command: String
    /// What a guard refused, or nobody approved, by name.
    package var subjects: [String] = []

    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case noState = "no_state"
        case silenced, refused, unapproved, halted, unknown, held, stale, overdue, missed, failed, doctor
    }

    /// The command for somebody who has to name the workspace.
    ///
    /// - Parameter workspace: what they wrote behind `-w`. `nil` in the workspace's folder.
    func command(naming workspace: String?) -> String {
        guard let workspace else { return command }
        let program = "herald "
        let parts = command.split(separator: " && ").map { part in
            part.hasPrefix(program) ? "\(program)-w \(workspace.shellWord) \(part.dropFirst(program.count))" : "\(part)"
        }
        return parts.joined(separator: " && ")
    }

    var json: JSONValue {
        [
            "kind": .string(kind.rawValue), "name": .string(name), "sentence": .string(sentence),
            "command": .string(command),
        ]
    }
}

extension Need {
    /// Everything that waits for a person, the most urgent first. A pause does not: somebody wanted it.
    ///
    /// - Parameters:
    ///   - proposal: what a run would do now.
    ///   - every: how often something calls `run`.
    ///   - work: whether a run is at work, so that what is due is under way.
    ///   - reports: those that know more of an occurrence than the state.
    package static func all(
        in proposal: Proposal, _ lists: [ListAge], lastRun: RecordedRun?, every: Duration, atWork work: Work,
        _ reports: [OccurrenceID: String] = [:]
    ) -> [Need] {
        let plan = proposal.plan
        guard plan.state != nil else { return [.missingState] }
        let guards = (plan.refusals.filter { $0.kind != .staleList } + proposal.refusals(since: lastRun)).byGuard
        let held = plan.held.filter { $0.kind != .paused && !(work == .otherRun && $0.isInFlight) }
        let failed = proposal.overview.undeletable.first.map(Need.init(undeletable:)) ?? failedRun
        return plan.silenced.map(Need.init)
            + guards.map { Need(of: $0, among: guards) }
            + [Need(unapprovedIn: proposal)].compactMap(\.self)
            + held.map { Need($0, reports[$0.occurrence]) }
            + lists.filter(\.isOld).map(Need.init)
            + (work != .nobody ? [] : plan.overdue(every, since: lastRun) + plan.allMissed.map(Need.init))
            + (lastRun?.isWorthAnother == true ? [failed] : [])
    }

    /// Who works on the state.
    package enum Work: Hashable, Sendable {
        case nobody
        /// The run that asks, once it has done everything.
        case thisRun
        /// Another one, which still waits for answers. Until it ends, nothing that is open is unknown.
        case otherRun
    }

    /// A send that herald stopped. `nil` if it did not.
    package init?(haltedIn step: StepReport) {
        guard let occurrence = step.occurrence, let stopped = step.stopped, stopped.isHalt else { return nil }
        self.init(
            kind: .halted, name: occurrence,
            sentence: "\(occurrence) is held: \(stopped.words); --continue accepts that and goes on.",
            command: "herald state resolve \(occurrence) --continue")
    }

    /// A run that could not do its work.
    package init(failure sentence: String, command: String) {
        self.init(kind: .failed, name: "", sentence: sentence, command: command)
    }

    package static let missingState = Need(
        kind: .noState, name: "",
        sentence:
            "There is no state, so no run works. If there is one elsewhere, set 'state' or HERALD_STATE to it first.",
        command: "herald state init")

    private static let failedRun = Need(
        failure: "The last run failed. Another one tries what can be tried again.", command: "herald run")

    /// A group of which each run fails alike.
    private init(undeletable group: GroupName) {
        self.init(
            failure: "Group '\(group)' is still at FCM, and no run can delete it without sender_id. To mend it: put "
                + "that back into herald.yaml. The command lets herald forget the group.",
            command: "herald state rm \("group:\(group)".shellWord)")
    }

    /// What doctor found, if no run went well since.
    init?(_ checkup: RecordedCheckup?, lastRun: RecordedRun?, at now: Date) {
        guard let checkup, !checkup.errors.isEmpty else { return nil }
        if let lastRun, lastRun.result == Report.Result.ok.rawValue, lastRun.finished > checkup.at { return nil }
        self.init(
            kind: .doctor, name: "",
            sentence: "Doctor found what a run cannot do without, \(checkup.age(at: now)) ago: "
                + "\(checkup.errors.words). It says what to do.",
            command: "herald doctor")
    }

    private init(_ silenced: Plan.Silenced) {
        self.init(
            kind: .silenced, name: silenced.campaign,
            sentence: "A clock was fast: \(silenced.finding).",
            command: "herald state rewind \(silenced.campaign)")
    }

    /// - Parameter guards: all that refuse something. `apply` needs an override of each that the plan names, so each
    ///   command has all of these, its own one last.
    private init(of refused: RefusedGuard, among guards: [RefusedGuard]) {
        let names = refused.names
        let others = guards.filter { $0.kind != refused.kind && !$0.kind.isOfRuns }
        let besides = others.isEmpty ? "" : ", and what other guards refuse"
        self.init(
            kind: .refused, name: names.count == 1 ? names[0] : "",
            sentence: "Guard \(refused.kind.rawValue): \(refused.messages.joined(separator: "; ")). "
                + "To mend it: \(refused.kind.remedy(for: names)). The command lets it through\(besides).",
            command: (["herald apply"] + (others + [refused]).map(\.override)).joined(separator: " "), subjects: names)
    }

    /// What nobody approved: what a run leaves out now, and sends that are to come. `nil` if there is nothing.
    private init?(unapprovedIn proposal: Proposal) {
        var unapproved = proposal.plan.unapproved
        for coming in proposal.overview.unapproved where !unapproved.contains(coming) {
            unapproved.append(coming)
        }
        guard !unapproved.isEmpty else { return nil }
        let care = unapproved.care
        let more = unapproved.count > 1 ? ", and \(count(unapproved.count - 1, "more definition"))" : ""
        self.init(
            kind: .unapproved, name: "",
            sentence:
                "Not approved: \(unapproved[0].resource.words)\(more). \(care.prefix(1).uppercased())\(care.dropFirst()).",
            command: unapproved.command,
            subjects: unapproved.map(\.resource.text).sorted())
    }

    /// - Parameter report: one that knows more of it than the state.
    private init(_ held: Plan.Held, _ report: String?) {
        let kind: Kind =
            switch held.kind {
            case .unknown: .unknown
            case .halted: .halted
            case .held, .paused: .held
            }
        self.init(
            kind: kind, name: held.occurrence.rawValue,
            sentence: "\(held.occurrence) is held: \(held.reason)."
                + (report == nil ? "" : " A run knew more of it than it could write: first add that."),
            command: report.map { "herald state resolve --from \($0.shellWord)" } ?? held.command)
    }

    private init(_ list: ListAge) {
        self.init(
            kind: .stale, name: list.audience,
            sentence: "The list of audience '\(list.audience)' is \(list.age.rounded) old, older than it should be.",
            command: "herald fetch \(list.audience)")
    }

    fileprivate init(_ missed: Plan.Missed) {
        self.init(
            kind: .missed, name: missed.occurrence.rawValue,
            sentence:
                "\(missed.words). A run notes that."
                + (missed.isPartial
                    ? "" : " If it must go out, give it a new time, and a higher revision if it had begun."),
            command: "herald run")
    }
}

extension RefusedGuard {
    /// What lets it through.
    fileprivate var override: String {
        let subject = names.count == 1 && !names[0].isEmpty ? "=\(names[0])" : ""
        return "--override \(kind.rawValue)\(subject)"
    }
}

extension Proposal {
    /// What guards refused while the last run was at work, of what is still to be done.
    fileprivate func refusals(since lastRun: RecordedRun?) -> [GuardRefusal] {
        guard let lineage = plan.state?.lineage, let refusals = lastRun?.refusals, !refusals.isEmpty else { return [] }
        let refused = Dictionary(refusals.map { ($0.step, $0) }) { first, _ in first }
        return plan.steps.filter { $0.refusal == nil }.compactMap { step in
            let id = step.id.rawValue
            let known = overview.snapshot == nil ? id : StateSnapshot.digest(of: id, in: lineage)
            guard let refusal = refused[known], let kind = Guard(rawValue: refusal.kind), kind.isOfRuns else {
                return nil
            }
            var name = id
            if kind == .foreignGroup, case .group(let change) = step.work { name = change.group.rawValue }
            return GuardRefusal(kind, of: name, in: step.id, refusal.finding)
        }
    }
}

extension Plan.Held {
    /// Whether a run that is at work may still get the answers.
    fileprivate var isInFlight: Bool { kind == .unknown && !hasEnded }
}

extension Plan {
    /// What is too late for everybody or for some, and what no run has noted yet.
    fileprivate var allMissed: [Missed] {
        missed
            + steps.compactMap { step in
                if case .send(let send) = step.work, step.refusal == nil { send.missed } else { nil }
            }
    }

    /// What could have been sent for longer than a run takes to come. If one came meanwhile that could not do it yet, the
    /// next one has as long.
    fileprivate func overdue(_ every: Duration, since lastRun: RecordedRun?) -> [Need] {
        let late = at.adding(.zero - every * 2)
        return steps.compactMap { step in
            guard case .send(let send) = step.work, step.refusal == nil, !send.members.isEmpty,
                let since = send.startable, since <= late
            else { return nil }
            if let lastRun, lastRun.finished > late, !lastRun.couldStart(since) { return nil }
            return Need(
                kind: .overdue, name: send.occurrence.rawValue,
                sentence:
                    "\(send.occurrence) has been due since \(since.rfc3339), and no run sends it: is cron still at work?",
                command: "herald run")
        }
    }
}

extension RecordedRun {
    /// Whether it could have sent what may start since then: it began later, and nobody stopped it.
    fileprivate func couldStart(_ since: Date) -> Bool {
        started >= since && result != Report.Result.interrupted.rawValue
    }

    /// Whether it failed, and another run may do better. What was missed, skipped or refused for good stays so; who was
    /// refused a membership is asked for again by each run.
    fileprivate var isWorthAnother: Bool {
        let isFinal =
            figures["pending"] == nil && figures[Self.refusedMemberships] == nil
            && ["missed", "rejected", "skipped"].contains { figures[$0] != nil }
        return result == Report.Result.failed.rawValue && !isFinal
    }
}

extension RecordedCheckup {
    fileprivate func age(at now: Date) -> String {
        Duration.seconds(max(0, now.timeIntervalSince(at).rounded(.down))).rounded
    }

    /// `2 h ago: error in credential; warning in quota`
    func words(at now: Date) -> String {
        let parts = [("error in", errors), ("warning in", warnings)].filter { !$0.1.isEmpty }.map { word, checks in
            "\(word) \(checks.words)"
        }
        return "\(age(at: now)) ago: " + (parts.isEmpty ? "all well" : parts.joined(separator: "; "))
    }
}

extension [String] {
    /// The names of checks, for people.
    fileprivate var words: String { map { $0.replacing("_", with: " ") }.joined(separator: ", ") }
}

/// How old the list of an audience is that `herald fetch` brought.
package struct ListAge: Hashable, Sendable {
    package var audience: String
    package var fetched: Date
    package var age: Duration
    /// Whether it is older than `warn_after`, `error_after` or `every` says.
    package var isOld: Bool

    package init(audience: String, fetched: Date, age: Duration, isOld: Bool) {
        (self.audience, self.fetched, self.age, self.isOld) = (audience, fetched, age, isOld)
    }

    var json: JSONValue {
        [
            "audience": .string(audience), "fetched": .string(fetched.rfc3339),
            "age_seconds": .int(age.components.seconds), "old": .bool(isOld),
        ]
    }
}
