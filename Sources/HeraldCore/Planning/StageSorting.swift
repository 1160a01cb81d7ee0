/// What is known of an occurrence's stages at one instant.
struct StageSorting {
    private let stages: Stages
    private let seed: String
    private(set) var recorded: [RecordedStage]
    /// Who is in which stage, of those who are left and of those whose clock has not reached it.
    let drawn: Partition<StageShare>
    /// What came of the whole occurrence, besides those who are tried again.
    private let figures: StageFigures
    /// How many of those who are tried again have an unknown outcome, and for how many of them it is recorded. The others
    /// were left by a crash.
    private let repeated: (all: Int, recorded: Int)
    /// See `StageOpening.firstEnd`.
    private var firstEnd: Date?
    private let now: Date
    /// `nil` in a plan from the state itself.
    let doubt: StageDoubt?
    let soaksOnce: Bool
    private let isCapped: Bool
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

    /// - Parameters:
    ///   - seed: what the draw begins with (`Campaign.drawSeed`).
    ///   - isRecorded: whether the state knows the occurrence, be it begun or not.
    init(
        _ send: Plan.Send, _ stages: Stages, of wanted: DesiredSend, _ occurrence: RecordedOccurrence?, seed: String,
        dead: RecipientSet, mayBeDead: Int?, isRecorded: Bool, at now: Date
    ) {
        let ledger = occurrence?.ledger ?? Ledger()
        (self.stages, self.seed, self.now, recorded) = (stages, seed, now, occurrence?.stages ?? [])
        figures = StageFigures(ledger, besides: send.members.union(send.discovered), dead: dead)
        repeated = (
            ledger.uncertain.intersection(send.members).count, ledger[.unknown].intersection(send.members).count
        )
        (soaksOnce, isCapped) = (send.waves != nil, send.delivery.isCapped(to: send.target))
        doubt = mayBeDead.map { StageDoubt(mayBeDead: $0, send, ledger, isRecorded: isRecorded) }
        let first = stages.all.first ?? .everybody
        if let last = recorded.last, let begin = recorded.first?.opened {
            // Who accepts what came of a stage opens the next one, also where the rest of that stage is still to be sent.
            let next = last.accepted == nil ? nil : stages.next(after: last.share)
            current = next ?? last.share
            // The next one, or the rest of the last one, goes on when a person lets it.
            since = StageOpening(first: begin, since: max(last.opened, last.accepted ?? last.opened))
        } else {
            current = first
        }
        let time = send.waves?.local.shortText ?? send.due?.rfc3339 ?? "once"
        let draw = StageDraw(stages, seed: seed, time: time)
        let rest = send.members.union(send.waves?.coming.all ?? [])
        // Once the last stage has opened, everybody who is left is in it. Before, some may be left of an earlier one.
        let isLast = (recorded.last?.share ?? current) == .everybody
        var drawn = isLast ? Partition(disjoint: [.everybody: rest]) : Self.draw(rest, draw, wanted)
        // Whoever was tried before there were stages comes first, but not as a seed.
        let repeats = ledger.entries.union(of: [.deferred, .again])
        let again = send.members.intersection(ledger.uncertain.union(repeats)).subtracting(drawn[.seeds])
        if let share = stages.shares.first {
            drawn.move(again, to: share)
            doubt?.moveAny(of: &drawn, later: max(current, share), to: share)
        }
        self.drawn = drawn
        recountOpen(besides: ledger.uncertain.union(ledger[.again]), leftByCrash: send.discovered.count)
        firstEnd = firstEnd(of: send, draw, wanted.members(for: occurrence?.classes ?? Partition()), wanted)
        since?.firstEnd = firstEnd
    }

    /// Counts anew who is in the stage that opened last, where an edit has moved people into it or out of it. A snapshot
    /// does not know them.
    ///
    /// - Parameters:
    ///   - tried: those of the others who have an outcome, of this stage or of an earlier one.
    ///   - discovered: how many a crash left without an outcome.
    private mutating func recountOpen(besides tried: RecipientSet, leftByCrash discovered: Int) {
        guard doubt == nil, let last = recorded.last else { return }
        let left = drawn.union(of: drawn.states.filter { $0 <= last.share })
        let outcomes = figures(of: last).outcomes
        // If the file does not have it any more, those who are left of it are in the next stages by now.
        recorded[recorded.count - 1].planned =
            stages.all.contains(last.share)
            ? max(last.planned, outcomes + left.subtracting(tried).count) : outcomes + discovered + left.count
    }

    /// Until when somebody of the first stage was in time. Their clock may come later than those of others, or their window
    /// open later: the others wait for them, and are not late meanwhile. `nil` if the stage opened in time for everybody.
    ///
    /// - Parameter members: who may be sent it.
    private func firstEnd(
        of send: Plan.Send, _ draw: StageDraw, _ members: RecipientSet, _ wanted: DesiredSend
    ) -> Date? {
        let campaign = wanted.campaign
        guard send.waves != nil || campaign.delivery.window?.field != nil, let first = recorded.first,
            let due = send.waves?.reached.states.min() ?? send.due,
            due.adding(campaign.schedule.maxLateness) < first.opened
        else { return nil }
        let reached = send.waves?.reached ?? Partition(disjoint: [due: members])
        return reached.states.compactMap { instant -> Date? in
            let drawn = Self.draw(reached[instant], draw, wanted)
            let own = drawn.union(of: drawn.states.filter { $0 <= first.share })
            if own.isEmpty { return nil }
            let zones = campaign.delivery.window.map { wanted.zones(of: own, by: $0.field?.value, else: $0.zone).keys }
            return campaign.limits(due: instant, in: zones.map(Array.init) ?? []).deadline
        }.max()
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
        open.intersection(send.members)
    }

    /// When the first clock of those whose stage is open reaches the occurrence, of those whose clock has not.
    func nextWave(of send: Plan.Send) -> Date? {
        guard let ahead = send.waves?.ahead else { return nil }
        return ahead.states.filter { !ahead[$0].intersection(open).isEmpty }.min()
    }

    /// All stages, where nothing of the open one starts now.
    func table(isHalted: Bool = false) -> Plan.StageTable {
        let open = recorded.last
        let staging = Plan.Staging(
            opened: recorded, isNews: false, figures: open.map { figures(of: $0) } ?? StageFigures(),
            limits: stages.limits, soak: stages.soak,
            ahead: drawn.without { share in open.map { share <= $0.share } ?? false })
        return Plan.StageTable(
            stages: staging.shown(isHalted: isHalted, isSettled: open?.isOver == true), soak: stages.soak,
            isCapped: isCapped && hasLater)
    }

    /// Whether somebody is in a stage that is not open.
    var hasLater: Bool { drawn.states.contains { $0 > current && !drawn[$0].isEmpty } }

    var hasSeeds: Bool { !drawn[.seeds].isEmpty }

    /// All whose stage is open, also those whose clock has not reached it.
    var open: RecipientSet { drawn.union(of: drawn.states.filter { $0 <= current }) }

    /// What the open stage has too much of. Then nothing more of it starts.
    ///
    /// - Parameter unknown: how many a crash left without an outcome.
    mutating func excess(besides unknown: Int) -> StageExcess? {
        guard var last = recorded.last, last.share == current else { return nil }
        let known = figures(of: last)
        let figures = known + StageFigures(unknown: unknown + repeated.all)
        let excess = stages.limits.exceeded(by: figures - last.excused(unknown: known.unknown + repeated.recorded))
        // What an earlier wave noted says nothing of what halts it now.
        if excess != nil, last.figures != figures || last.goesOn {
            last.goesOn = false
            note(&last, figures)
        }
        return excess
    }

    private func figures(of last: RecordedStage) -> StageFigures {
        doubt == nil ? figures - last.before : StageDoubt.figures(figures, of: last)
    }

    /// What becomes of the current stage, of which nobody may start now.
    ///
    /// - Parameters:
    ///   - late: see `mayBeOver`.
    ///   - kept: those of them whose outcome is unknown. They may have got it, so their stage is not passed over.
    mutating func standing(late: RecipientSet, kept: RecipientSet) -> Standing {
        guard var last = recorded.last, last.share == current else { return skipping(late, kept) }
        let figures = figures(of: last)
        if figures.outcomes == 0, kept.intersection(drawn[last.share]).isEmpty { return skipping(late, kept) }
        if !last.isOver {
            (last.settled, last.goesOn) = (now, false)
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

    /// A stage with nobody left and nobody sent is passed over. Nothing more comes of those who are kept.
    private mutating func skipping(_ late: RecipientSet, _ kept: RecipientSet) -> Standing {
        let left = open.subtracting(kept)
        return !left.isEmpty && !mayBeOver(left, late: late) ? .waiting : opening(since: since?.since)
    }

    private mutating func opening(since instant: Date?) -> Standing {
        current = stages.next(after: current) ?? .everybody
        since = recorded.first.map { StageOpening(first: $0.opened, firstEnd: firstEnd, since: instant) }
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
            var planned = drawn.union(of: fresh).count
            // Whom a stage left over counts in the next one. A snapshot does not know them.
            if let before, doubt == nil {
                let left = drawn.union(of: drawn.states.filter { $0 <= before }).count
                opened[opened.count - 1].planned = max(0, opened[opened.count - 1].planned - left)
                planned += left
            }
            opened.append(
                RecordedStage(share: current, opened: now, planned: planned, before: figures, draw: seed))
        }
        // If the stage sends again, it soaks again.
        let goesOn = isSent && !soaksOnce && opened.last?.isOver == true
        if goesOn { opened[opened.count - 1].goesOn = true }
        // What is known by now, or was tried again, excuses nothing that comes later either.
        let excused = opened.last.map { $0.excused(unknown: figures(of: $0).unknown + repeated.recorded) }
        let isLower = excused != opened.last?.excused
        if let excused { opened[opened.count - 1].excused = excused }
        return Plan.Staging(
            opened: opened, isNews: isNew || goesOn || isLower, soaksOnce: soaksOnce,
            figures: opened.last.map(figures(of:)) ?? figures, limits: stages.limits, soak: stages.soak,
            ahead: drawn.without { $0 <= current })
    }
}
