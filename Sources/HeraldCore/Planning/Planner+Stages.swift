/// Sends that open in stages: which stage is open, who is in it, and what the next one waits for.
extension Planner {
    /// The part of a send whose stage is open. Empty if nothing of it may start now.
    ///
    /// - Parameter occurrence: as the state has it; `nil` for one that begins now.
    mutating func staged(
        _ send: Plan.Send, _ stages: Stages, of wanted: DesiredSend, _ occurrence: RecordedOccurrence?
    ) -> [Plan.Send] {
        let campaign = wanted.campaign
        let send = campaign.schedule.catchUp == .all ? send : withoutNewer(send, occurrence)
        var staging = StageSorting(
            send, stages, of: wanted, occurrence, dead: state.dead, isForecast: sizes != nil, at: now)
        noteSmall(staging, send)
        if !send.isResumed, let seeds = stages.seeds, !staging.hasSeeds {
            overview.warnings.append("\(send.occurrence): audience '\(seeds.value)' has no seeds to send to")
        }
        while true {
            var part = send
            part.limit(to: staging.open(send))
            if staging.hasLater || !part.members.isEmpty, let excess = staging.excess(besides: send.discovered.count) {
                plan.notes.append(.halt(send.occurrence, .stage))
                note(staging.notes, of: send)
                hold(
                    send.occurrence, Self.reason(staging.current, excess.words), .goOn, remaining: send.members.count)
                return noted(send)
            }
            let isSeeds = staging.current == .seeds
            let admission = Admission(
                part, of: wanted, suspended: occurrence?.suspended, since: staging.since, atAnyHour: isSeeds, at: now)
            let skips = campaign.delivery.window?.whenClosed == .skip && !admission.waiting.isEmpty
            let hasWork =
                !admission.admitted.isEmpty || !admission.late.isEmpty || !part.discovered.isEmpty
                || skips
            guard !hasWork || staging.isSettled, staging.hasLater else {
                part.staging = staging.plan(isSent: !admission.admitted.isEmpty)
                part.staysOpen = part.staysOpen || staging.hasLater
                return admitting(part, of: wanted, occurrence, since: staging.since, atAnyHour: isSeeds)
            }
            switch staging.standing() {
            case .next: continue
            case .waiting: return admitting(part, of: wanted, occurrence, since: staging.since)
            case .soaking(let until):
                note(staging.notes, of: send)
                let next = stages.next(after: staging.current)?.words ?? ""
                plan.waiting.append(
                    .init(
                        occurrence: send.occurrence,
                        reason: "stage \(staging.current.words) soaks, then \(next) opens if all is well",
                        until: until, recipients: send.members.count, isCounted: send.isCounted,
                        stageOf: send.campaign))
                return noted(send)
            case .decision:
                note(staging.notes, of: send)
                hold(
                    send.occurrence, "stage \(staging.current.words) is done, and 'soak' is manual", .goOn,
                    remaining: send.members.count)
                return noted(send)
            }
        }
    }

    /// What the state must learn of a send of which nothing may start: whom it skips, and who is in a wave.
    private func noted(_ send: Plan.Send) -> [Plan.Send] {
        guard !send.skipped.isEmpty || send.waves?.fresh.isEmpty == false else { return [] }
        var rest = send
        rest.limit(to: [])
        rest.staysOpen = true
        return [rest]
    }

    /// What an occurrence waits for whose people are not known, as far as its stages say. Empty if it waits for nothing.
    mutating func unlessStagesWait(
        _ send: Plan.Send, of campaign: Campaign, _ occurrence: RecordedOccurrence?
    ) -> [Plan.Send] {
        guard let occurrence, let last = occurrence.stages.last, last.accepted == nil, last.settled != nil,
            let next = campaign.delivery.stages?.next(after: last.share),
            let opening = campaign.stageOpening(of: occurrence)
        else { return [send] }
        guard let since = opening.since else {
            hold(send.occurrence, "stage \(last.share.words) is done, and 'soak' is manual", .goOn)
            return []
        }
        if since <= now { return [send] }
        plan.waiting.append(
            .init(
                occurrence: send.occurrence,
                reason: "stage \(last.share.words) soaks, then \(next.words) opens if all is well", until: since,
                recipients: 0, isCounted: false, stageOf: send.campaign))
        return []
    }

    /// The send without those whom a later occurrence of the campaign has reached: `catch_up` decides for them.
    private func withoutNewer(_ send: Plan.Send, _ occurrence: RecordedOccurrence?) -> Plan.Send {
        guard let occurrence, let time = occurrence.local?.lastInstant ?? occurrence.due else { return send }
        let newer = (occurrences[send.campaign] ?? []).map(\.occurrence).filter {
            $0.hasTried && ($0.local?.lastInstant ?? $0.due).map { $0 > time } == true
        }
        guard !newer.isEmpty else { return send }
        // Of a finished one only counts are known. It was for everybody.
        let reached =
            newer.contains { $0.finished != nil }
            ? send.members : newer.reduce(into: RecipientSet()) { $0.formUnion($1.ledger?.settled ?? []) }
        let again = send.members.intersection(reached)
        guard !again.isEmpty else { return send }
        var send = send
        send.skipped.move(again, to: .superseded)
        send.limit(to: send.members.subtracting(again))
        return send
    }

    /// Why an occurrence waits whose stage was halted.
    func haltedStage(_ occurrence: RecordedOccurrence, _ campaign: Campaign) -> String {
        guard let last = occurrence.stages.last else { return "a stage was halted" }
        let figures =
            last.figures ?? StageFigures(occurrence.ledger ?? Ledger(), dead: state.dead) - last.before
        let excess = campaign.delivery.stages?.limits.exceeded(by: figures - last.excused)
        return Self.reason(last.share, excess?.words ?? figures.words)
    }

    private static func reason(_ share: StageShare, _ figures: String) -> String {
        "stage \(share.words) was halted: \(figures); --continue accepts that and opens the next stage"
    }

    private mutating func note(_ stages: [RecordedStage]?, of send: Plan.Send) {
        if let stages { plan.notes.append(.stages(send.occurrence, stages)) }
    }

    /// The figures of a few people say little.
    private mutating func noteSmall(_ staging: StageSorting, _ send: Plan.Send) {
        guard !send.isResumed, sizes == nil else { return }
        let small = staging.counts.filter { $0.share > .seeds && $0.count < StageLimits.fewestOutcomes }
        guard let first = small.first, staging.counts.count > 1 else { return }
        overview.warnings.append(
            "\(send.occurrence): stage \(first.share.words) has \(count(first.count, "recipient")), too few to show whether all is well; choose a larger share"
        )
    }
}

/// What is known of an occurrence's stages at one instant.
private struct StageSorting {
    private let stages: Stages
    private var recorded: [RecordedStage]
    /// Who is in which stage, of those who are left and of those whose clock has not reached it.
    private let drawn: Partition<StageShare>
    /// What came of the whole occurrence, besides those who are tried again.
    private let figures: StageFigures
    /// How many have an outcome.
    private let settled: Int
    private let now: Date
    /// Whether only sizes are known of what came of it.
    private let isForecast: Bool
    private let soaksOnce: Bool
    /// The stage that is looked at, from the one that opened last on.
    private(set) var current: StageShare
    /// When it could open. `nil` if the send is about to begin.
    private(set) var since: StageOpening?
    /// What the state is to know, if it does not know it yet.
    private(set) var notes: [RecordedStage]?

    enum Standing {
        /// It is over, and the next one is looked at.
        case next
        /// Somebody of it waits for their window or their clock, and nobody of it has an outcome.
        case waiting
        case soaking(until: Date)
        /// A person says when the next one opens.
        case decision
    }

    init(
        _ send: Plan.Send, _ stages: Stages, of wanted: DesiredSend, _ occurrence: RecordedOccurrence?,
        dead: RecipientSet, isForecast: Bool, at now: Date
    ) {
        let ledger = occurrence?.ledger ?? Ledger()
        (self.stages, self.now, recorded) = (stages, now, occurrence?.stages ?? [])
        figures = StageFigures(ledger, besides: send.members.union(send.discovered), dead: dead)
        settled = ledger.settled.subtracting(send.members).subtracting(ledger[.skipped]).count
        (self.isForecast, soaksOnce) = (isForecast, send.waves != nil)
        let first = stages.all.first ?? .everybody
        if let last = recorded.last, let begin = recorded.first?.opened {
            // Who accepts what came of a stage opens the next one, also where the rest of that stage is still to be sent.
            let next = last.accepted == nil ? nil : stages.next(after: last.share)
            current = next ?? last.share
            since = StageOpening(first: begin, since: next == nil ? last.opened : now)
        } else {
            current = first
        }
        let time = send.waves?.local.shortText ?? send.due?.rfc3339 ?? "once"
        let rest = send.members.union(send.waves?.ahead.all ?? [])
        var drawn =
            current == .everybody
            ? Partition(disjoint: [.everybody: rest])
            : Self.draw(rest, StageDraw(stages, seed: wanted.campaign.drawSeed, time: time), wanted)
        // Whoever was tried before there were stages comes first, but not as a seed.
        let again = send.members.intersection(ledger.uncertain.union(ledger[.deferred])).subtracting(drawn[.seeds])
        if !again.isEmpty, let share = stages.shares.first { drawn.move(again, to: share) }
        self.drawn = drawn
    }

    /// A row that cannot be read refuses the run before anything of it starts.
    private static func draw(_ members: RecipientSet, _ draw: StageDraw, _ wanted: DesiredSend)
        -> Partition<StageShare>
    {
        let seeds = members.intersection(wanted.seeds)
        var sets: [StageShare: RecipientSet] = seeds.isEmpty ? [:] : [.seeds: seeds]
        var rest = members.subtracting(seeds)
        do throws(RecipientIndexError) {
            try wanted.rows?.each(of: rest) { row in sets[draw.share(of: row.key), default: []].insert(row.id) }
        } catch {
            sets = seeds.isEmpty ? [:] : [.seeds: seeds]
        }
        for set in sets.values { rest.subtract(set) }
        if !rest.isEmpty { sets[.everybody, default: []].formUnion(rest) }
        return Partition(disjoint: sets)
    }

    /// How many there are in each stage that is not over, in order.
    var counts: [(share: StageShare, count: Int)] {
        drawn.counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Those of a send's members whose stage is open.
    func open(_ send: Plan.Send) -> RecipientSet {
        drawn.union(of: drawn.states.filter { $0 <= current }).intersection(send.members)
    }

    /// Whether somebody is in a stage that is not open.
    var hasLater: Bool { drawn.states.contains { $0 > current && !drawn[$0].isEmpty } }

    var hasSeeds: Bool { !drawn[.seeds].isEmpty }

    /// Whether a snapshot, which does not know who has it, says that nobody of the stage may start.
    var isSettled: Bool { isForecast && recorded.last?.share == current && recorded.last?.settled != nil }

    /// What the open stage has too much of. Then nothing more of it starts.
    ///
    /// - Parameter unknown: how many a crash left without an outcome.
    mutating func excess(besides unknown: Int) -> StageExcess? {
        guard var last = recorded.last, last.share == current else { return nil }
        let figures = figures(of: last) + StageFigures(unknown: unknown)
        let excess = stages.limits.exceeded(by: figures - last.excused)
        if excess != nil, last.figures == nil { note(&last, figures) }
        return excess
    }

    private func figures(of last: RecordedStage) -> StageFigures {
        let counted = figures - last.before
        return isForecast ? last.figures ?? counted : counted
    }

    /// What becomes of the current stage, of which nobody may start now.
    mutating func standing() -> Standing {
        guard var last = recorded.last, last.share == current else { return skipping() }
        let figures = figures(of: last)
        if figures.outcomes == 0 { return skipping() }
        if last.settled == nil {
            last.settled = now
            note(&last, figures)
        }
        let settled = last.settled ?? now
        switch stages.soak {
        case .manual: return .decision
        case .time(let soak):
            let end = settled.adding(soak)
            return now < end ? .soaking(until: end) : opening(since: end)
        }
    }

    /// A stage with nobody left and nobody sent is passed over.
    private mutating func skipping() -> Standing {
        let isLeft = drawn.states.contains { $0 <= current && !drawn[$0].isEmpty }
        return isLeft ? .waiting : opening(since: since?.since)
    }

    private mutating func opening(since instant: Date?) -> Standing {
        current = stages.next(after: current) ?? .everybody
        since = recorded.first.map { StageOpening(first: $0.opened, since: instant) }
        return .next
    }

    private mutating func note(_ last: inout RecordedStage, _ figures: StageFigures) {
        last.figures = figures
        recorded[recorded.count - 1] = last
        notes = recorded
    }

    /// What a step of the current stage has to know.
    ///
    /// - Parameter isSent: whether somebody of it is sent the message.
    func plan(isSent: Bool) -> Plan.Staging {
        var opened = recorded
        let before = recorded.last?.share
        let isNew = before != current
        if isNew {
            let fresh = drawn.states.filter { share in share <= current && before.map { share > $0 } ?? true }
            opened.append(
                RecordedStage(
                    share: current, opened: now, planned: drawn.union(of: fresh).count, before: figures))
        }
        // If the stage sends again, it soaks again.
        let goesOn = isSent && !soaksOnce && opened.last?.settled != nil
        if goesOn { opened[opened.count - 1].settled = nil }
        return Plan.Staging(
            opened: opened, isNews: isNew || goesOn, soaksOnce: soaksOnce,
            figures: figures - (opened.last?.before ?? StageFigures()), limits: stages.limits, soak: stages.soak,
            ahead: drawn.without { $0 <= current }, settled: settled)
    }
}
