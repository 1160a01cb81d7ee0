/// Sends that open in stages: which stage is open, who is in it, and what the next one waits for.
extension Planner {
    /// The part of a send whose stage is open. Empty if nothing of it may start now.
    ///
    /// - Parameter occurrence: as the state has it; `nil` for one that begins now.
    mutating func staged(
        _ send: Plan.Send, _ stages: Stages, of wanted: DesiredSend, _ occurrence: RecordedOccurrence?
    ) -> [Plan.Send] {
        let campaign = wanted.campaign
        var staging = Staging(send, stages, of: wanted, occurrence, dead: state.dead, at: now)
        noteSmall(staging, send)
        while true {
            var part = send
            part.limit(to: staging.open(send))
            let isSeeds = staging.current == .seeds
            let admission = Admission(
                part, of: wanted, suspended: occurrence?.suspended, since: staging.since, atAnyHour: isSeeds, at: now)
            let skips = campaign.delivery.window?.whenClosed == .skip && !admission.waiting.isEmpty
            let hasWork =
                !admission.admitted.isEmpty || !admission.late.isEmpty || !part.discovered.isEmpty
                || !part.skipped.isEmpty || skips
            guard !hasWork, staging.hasLater else {
                part.staging = staging.plan
                part.staysOpen = part.staysOpen || staging.hasLater
                return admitting(part, of: wanted, occurrence, since: staging.since, atAnyHour: isSeeds)
            }
            switch staging.standing(now) {
            case .next: continue
            case .waiting: return admitting(part, of: wanted, occurrence, since: staging.since)
            case .soaking(let until):
                note(staging.notes, of: send)
                let next = stages.next(after: staging.current)?.words ?? ""
                plan.waiting.append(
                    .init(
                        occurrence: send.occurrence,
                        reason: "stage \(staging.current.words) soaks, then \(next) opens if all is well",
                        until: until, recipients: send.members.count, isCounted: send.isCounted))
                return []
            case .decision:
                note(staging.notes, of: send)
                hold(
                    send.occurrence, "stage \(staging.current.words) is done, and 'soak' is manual", .goOn,
                    remaining: send.members.count)
                return []
            case .halted(let excess):
                plan.notes.append(.halt(send.occurrence, .stage))
                note(staging.notes, of: send)
                hold(
                    send.occurrence, Self.reason(staging.current, excess), .goOn, remaining: send.members.count)
                return []
            }
        }
    }

    /// Why an occurrence waits whose stage was halted.
    func haltedStage(_ occurrence: RecordedOccurrence, _ campaign: Campaign) -> String {
        guard let last = occurrence.stages.last else { return "a stage was halted" }
        let figures =
            last.figures ?? StageFigures(occurrence.ledger ?? Ledger(), dead: state.dead) - last.before
        let limits = campaign.delivery.stages?.limits ?? StageLimits()
        return Self.reason(last.share, limits.exceeded(by: figures))
    }

    private static func reason(_ share: StageShare, _ excess: StageExcess?) -> String {
        let figures = excess.map { ": \($0.words)" } ?? ""
        return "stage \(share.words) was halted\(figures); --continue accepts that and opens the next stage"
    }

    private mutating func note(_ stages: [RecordedStage]?, of send: Plan.Send) {
        if let stages { plan.notes.append(.stages(send.occurrence, stages)) }
    }

    /// The figures of a few people say little.
    private mutating func noteSmall(_ staging: Staging, _ send: Plan.Send) {
        guard !send.isResumed, sizes == nil else { return }
        let small = staging.counts.filter { $0.share > .seeds && $0.count < StageLimits.fewestOutcomes }
        guard let first = small.first, staging.counts.count > 1 else { return }
        overview.warnings.append(
            "\(send.occurrence): stage \(first.share.words) has \(count(first.count, "recipient")), too few to show whether all is well; choose a larger share"
        )
    }
}

/// What is known of an occurrence's stages at one instant.
private struct Staging {
    private let stages: Stages
    private var recorded: [RecordedStage]
    /// Who is in which stage, of those who are left and of those whose clock has not reached it.
    private let drawn: Partition<StageShare>
    /// Those who were tried and may be again. Their stage has opened, whatever was drawn.
    private let again: RecipientSet
    /// What came of the whole occurrence, besides those who are tried again.
    private let figures: StageFigures
    /// How many have an outcome.
    private let settled: Int
    private let now: Date
    /// The stage that is looked at, from the one that opened last on.
    private(set) var current: StageShare
    /// Since when it could be open. `nil` if since the send is due.
    private(set) var since: Date?
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
        case halted(StageExcess)
    }

    init(
        _ send: Plan.Send, _ stages: Stages, of wanted: DesiredSend, _ occurrence: RecordedOccurrence?,
        dead: RecipientSet, at now: Date
    ) {
        let ledger = occurrence?.ledger ?? Ledger()
        (self.stages, self.now, recorded) = (stages, now, occurrence?.stages ?? [])
        figures = StageFigures(ledger, besides: send.members.union(send.discovered), dead: dead)
        settled = ledger.settled.subtracting(send.members).subtracting(ledger[.skipped]).count
        again = send.members.intersection(ledger.uncertain.union(ledger[.deferred]))
        current = recorded.last?.share ?? stages.all.first ?? .everybody
        since = recorded.last?.opened
        let time = send.waves?.local.shortText ?? send.due?.rfc3339 ?? "once"
        let rest = send.members.union(send.waves?.ahead.all ?? [])
        drawn =
            current == .everybody
            ? Partition(disjoint: [.everybody: rest]) : Self.draw(rest, StageDraw(stages, time: time), wanted)
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
        drawn.union(of: drawn.states.filter { $0 <= current }).union(again).intersection(send.members)
    }

    /// Whether somebody is in a stage that is not open.
    var hasLater: Bool { drawn.states.contains { $0 > current && !drawn[$0].subtracting(again).isEmpty } }

    /// What becomes of the current stage, of which nobody may start now.
    mutating func standing(_ now: Date) -> Standing {
        guard var last = recorded.last, last.share == current else { return skipping() }
        let figures = figures - last.before
        if last.accepted != nil { return opening(since: now) }
        if figures.outcomes == 0 { return skipping() }
        if let excess = stages.limits.exceeded(by: figures) {
            if last.figures == nil { note(&last, figures) }
            return .halted(excess)
        }
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
        return isLeft ? .waiting : opening(since: since)
    }

    private mutating func opening(since instant: Date?) -> Standing {
        (current, since) = (stages.next(after: current) ?? .everybody, instant)
        return .next
    }

    private mutating func note(_ last: inout RecordedStage, _ figures: StageFigures) {
        last.figures = figures
        recorded[recorded.count - 1] = last
        notes = recorded
    }

    /// What a step of the current stage has to know.
    var plan: Plan.Staging {
        var opened = recorded
        let isNew = opened.last?.share != current
        if isNew {
            let planned = drawn.union(of: drawn.states.filter { $0 <= current }).count
            opened.append(RecordedStage(share: current, opened: now, planned: planned, before: figures))
        }
        return Plan.Staging(
            opened: opened, isNew: isNew, figures: figures - (opened.last?.before ?? StageFigures()),
            limits: stages.limits, soak: stages.soak, ahead: drawn.without { $0 <= current }, settled: settled)
    }
}
