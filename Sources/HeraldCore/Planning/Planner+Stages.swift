/// Sends that open in stages: which stage is open, who is in it, and what the next one waits for.
extension Planner {
    /// The part of a send whose stage is open. Empty if nothing of it may start now.
    ///
    /// - Parameter occurrence: as the state has it; `nil` for one that begins now.
    mutating func staged(
        _ send: Plan.Send, _ stages: Stages, of wanted: DesiredSend, _ occurrence: RecordedOccurrence?
    ) -> [Plan.Send] {
        let campaign = wanted.campaign
        // What is too late for everybody is so in every stage: none opens.
        if occurrence == nil, isTooLate(send, wanted) { return admitting(send, of: wanted, nil) }
        var send = send
        // They stay seeds when a later stage, or a person, has them tried again.
        send.seeds = wanted.seeds.intersection(send.members)
        var staging = StageSorting(
            send, stages, of: wanted, occurrence, seed: drawSeed(of: wanted.campaign, occurrence),
            dead: state.dead, mayBeDead: sizes?.tombstones,
            isRecorded: state.occurrences[send.occurrence] != nil, at: now)
        noteSmall(staging, send)
        if !send.isResumed, let seeds = stages.seeds, !staging.hasSeeds {
            overview.warnings.append("\(send.occurrence): audience '\(seeds.value)' has no seeds to send to")
        }
        // Whoever may have it, and is too late to be sent it again, keeps that outcome: no stage waits for them.
        let kept = occurrence?.ledger.map { $0.uncertain.union($0[.again]) } ?? []
        // A stage that is over only as far as a snapshot shows. If no later one starts, somebody of it may.
        var doubted: (part: Plan.Send, staging: StageSorting)?
        while true {
            var part = send
            part.limit(to: staging.open(send))
            if staging.hasLater || !part.members.isEmpty, let excess = staging.excess(besides: send.discovered.count) {
                plan.notes.append(.halt(send.occurrence, .stage))
                note(staging.notes, of: send)
                let reason = "\(Self.halted(staging.current, excess.words)); \(Self.goingOn(after: staging.current))"
                hold(
                    send.occurrence, reason, .halted, .goOn,
                    remaining: send.members.count, staging.table(isHalted: true))
                return noted(send)
            }
            let admission = Admission(
                part, of: wanted, occurrence, since: staging.since, waited: waits.recorded[send.occurrence],
                isForecast: sizes != nil, at: now)
            let skips = campaign.delivery.window?.whenClosed == .skip && !admission.waiting.isEmpty
            let hasWork =
                !admission.admitted.isEmpty || !admission.late.subtracting(kept).isEmpty
                || !part.discovered.isEmpty || skips
            let mayBeOver = part.discovered.isEmpty && staging.mayBeOver(part.members, late: admission.late)
            let isSent = !admission.admitted.isEmpty
            guard !hasWork || mayBeOver, staging.hasLater else {
                if doubted == nil || isSent {
                    return starting(part, in: staging, of: wanted, occurrence, isSent: isSent)
                }
                break
            }
            if isSent, staging.mayGoOn(part.members) { doubted = (part, staging) }
            switch staging.standing(late: admission.late, kept: admission.late.intersection(kept)) {
            case .next: continue
            case .waiting: waitInStage(part, of: send, campaign, admission, staging)
            case .soaking(let until): soak(send, of: campaign, staging, stages, until: until)
            case .decision:
                note(staging.notes, of: send)
                hold(
                    send.occurrence, decision(after: staging.current, of: send), .held, .goOn,
                    remaining: send.members.count, staging.table())
            }
            break
        }
        guard let doubted else { return noted(send) }
        return starting(doubted.part, in: doubted.staging, of: wanted, occurrence, isSent: true)
    }

    /// Whether a send in local time that begins now is too late for everybody, and no clock is ahead of it.
    private func isTooLate(_ send: Plan.Send, _ wanted: DesiredSend) -> Bool {
        guard let waves = send.waves, waves.ahead.isEmpty, !send.members.isEmpty else { return false }
        let admission = Admission(
            send, of: wanted, nil, waited: waits.recorded[send.occurrence], isForecast: sizes != nil, at: now)
        return admission.late == send.members
    }

    /// The part of a send whose stage is open.
    ///
    /// - Parameter isSent: whether somebody of it is sent the message.
    private mutating func starting(
        _ part: Plan.Send, in staging: StageSorting, of wanted: DesiredSend, _ occurrence: RecordedOccurrence?,
        isSent: Bool
    ) -> [Plan.Send] {
        var part = part
        part.staging = staging.plan(isSent: isSent)
        part.staysOpen = part.staysOpen || staging.hasLater
        return admitting(part, of: wanted, occurrence, since: staging.since).map { send in
            var send = send
            let others = staging.open.subtracting(send.members).subtracting(send.skipped.all)
            send.staging?.othersWait = !others.isEmpty
            return send
        }
    }

    private mutating func soak(
        _ send: Plan.Send, of campaign: Campaign, _ staging: StageSorting, _ stages: Stages, until: Date
    ) {
        note(staging.notes, of: send)
        let next = stages.next(after: staging.current)?.words ?? ""
        let reason = "stage \(staging.current.words) soaks, then \(next) opens if all is well"
        explain(send.members, of: send, until: until, opening: until, reason)
        var waiting = Plan.Waiting(
            send, in: campaign.schedule.zone, for: reason, until: until, recipients: send.members.count)
        (waiting.opensStage, waiting.stages) = (true, staging.table())
        plan.waiting.append(waiting)
    }

    /// Notes what some wait for whose stage is not open, and warns of those whose message expires before it can open.
    ///
    /// - Parameters:
    ///   - instant: when what they wait for may change.
    ///   - opening: when their stage opens at the earliest.
    private mutating func explain(
        _ waiting: RecipientSet, of send: Plan.Send, until instant: Date, opening: Date, _ reason: String
    ) {
        let expires = { (start: Date) in send.delivery.expiry(from: start).map { $0 <= opening } ?? false }
        var lost = RecipientSet()
        if let waves = send.waves {
            for start in waves.reached.states where expires(start) {
                lost.formUnion(waves.reached[start].intersection(waiting))
            }
        } else if let start = send.due ?? send.begun, expires(start) {
            lost = waiting
        }
        explain(send.occurrence, to: waiting.subtracting(lost), reason, until: instant)
        guard !lost.isEmpty else { return }
        explain(send.occurrence, to: lost, "it expires before their stage opens, and is not sent to them", until: nil)
        overview.warnings.append(
            "\(send.occurrence) expires for \(count(lost.count, "recipient")) before their stage opens, at \(opening.rfc3339) at the earliest: it is not sent to them"
        )
    }

    /// What a person decides about a manual soak, and until when it comes in time for those who expire first. Nobody is
    /// late meanwhile.
    private func decision(after share: StageShare, of send: Plan.Send) -> String {
        var instants = [send.due ?? send.begun].compactMap(\.self)
        if let waves = send.waves {
            instants = waves.reached.states.filter { !waves.reached[$0].intersection(send.members).isEmpty }
            instants += waves.ahead.states
        }
        let reason = "stage \(share.words) is done, and 'soak' is manual"
        let end = instants.compactMap { send.delivery.expiry(from: $0) }.filter { $0 > now }.min()
        guard let end else { return reason }
        return "\(reason); decide by \(end.rfc3339), when it expires" + (send.waves == nil ? "" : " for some")
    }

    /// The stages of an occurrence that is held. `nil` before the first one opened, and where no lists were read.
    func stageTable(
        of send: Plan.Send, _ wanted: DesiredSend, _ occurrence: RecordedOccurrence?
    ) -> Plan.StageTable? {
        guard let stages = wanted.campaign.delivery.stages, let occurrence, !occurrence.stages.isEmpty, !listsSkipped
        else { return nil }
        return StageSorting(
            send, stages, of: wanted, occurrence, seed: drawSeed(of: wanted.campaign, occurrence),
            dead: state.dead, mayBeDead: sizes?.tombstones, isRecorded: true, at: now
        ).table(isHalted: occurrence.halt == .stage)
    }

    /// What the draw of an occurrence's stages begins with. It stays what it was when the first of them opened,
    /// whatever names the file has since.
    private func drawSeed(of campaign: Campaign, _ occurrence: RecordedOccurrence?) -> String {
        occurrence?.stages.last?.draw ?? campaign.drawSeed
    }

    /// Nobody of the open stage may start yet, and nobody of it has an outcome: those of later stages wait for that.
    ///
    /// - Parameter part: the stage's people whose clock has reached it.
    private mutating func waitInStage(
        _ part: Plan.Send, of send: Plan.Send, _ campaign: Campaign, _ admission: Admission, _ staging: StageSorting
    ) {
        let opening = admission.waiting.keys.min()
        noteWait(send, admission)
        if let window = send.delivery.window, let opening {
            wait(part, of: campaign, admission.waiting, until: opening, window, isBeginning: false)
        }
        let later = send.members.subtracting(part.members)
        guard !later.isEmpty, let next = [opening, staging.nextWave(of: send)].compactMap(\.self).min() else { return }
        let reason = "stage \(staging.current.words) comes first, and its recipients wait for their clock or window"
        var earliest = next
        if case .time(let soak)? = campaign.delivery.stages?.soak { earliest = next.adding(soak) }
        explain(later, of: send, until: next, opening: earliest, reason)
        var waiting = Plan.Waiting(
            send, in: campaign.schedule.zone, for: reason, until: next, recipients: later.count)
        waiting.stages = staging.table()
        plan.waiting.append(waiting)
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
        guard let occurrence, let last = occurrence.stages.last, last.accepted == nil, last.isOver,
            let next = campaign.delivery.stages?.next(after: last.share),
            let opening = campaign.stageOpening(of: occurrence)
        else { return [send] }
        guard let since = opening.since else {
            hold(send.occurrence, decision(after: last.share, of: send), .held, .goOn)
            return []
        }
        if since <= now { return [send] }
        let reason = "stage \(last.share.words) soaks, then \(next.words) opens if all is well"
        var waiting = Plan.Waiting(send, in: campaign.schedule.zone, for: reason, until: since, recipients: 0)
        (waiting.isCounted, waiting.opensStage) = (false, true)
        plan.waiting.append(waiting)
        return []
    }

    /// The part of a send that may start now, of a campaign without stages. Those that its file had have kept others
    /// waiting, and the first step that sends to them opens the rest.
    mutating func unstaged(
        _ send: Plan.Send, of wanted: DesiredSend, _ occurrence: RecordedOccurrence?
    ) -> [Plan.Send] {
        let campaign = wanted.campaign
        guard var later = occurrence, var last = later.stages.last, var opening = campaign.stageOpening(of: later)
        else {
            return admitting(send, of: wanted, occurrence)
        }
        var send = send
        if last.share < .everybody {
            opening.since = opening.since ?? now
            let besides = send.members.union(send.discovered)
            let figures = StageFigures(later.ledger ?? Ledger(), besides: besides, dead: state.dead)
            // Whom the stage left over is in the rest.
            last.planned = min(last.planned, (figures - last.before).outcomes)
            let planned = send.members.count + (send.waves?.coming.all.count ?? 0)
            let rest = RecordedStage(
                share: .everybody, opened: opening.since ?? now, planned: planned, before: figures, draw: last.draw)
            later.stages = later.stages.dropLast() + [last, rest]
            send.restOpening = later.stages
            send.deadline = campaign.limits(of: later, in: windowZones(of: wanted)).deadline
        }
        // Whoever was sent it was in time for the first stage, and the others waited for them.
        if later.counts.tried > 0 { opening.firstEnd = opening.first }
        return admitting(send, of: wanted, occurrence, since: opening)
    }

    /// What came of a stage that was halted.
    func haltedStage(_ occurrence: RecordedOccurrence, _ campaign: Campaign) -> String {
        guard let last = occurrence.stages.last else { return "a stage was halted" }
        let figures =
            last.figures ?? StageFigures(occurrence.ledger ?? Ledger(), dead: state.dead) - last.before
        let excess = campaign.delivery.stages?.limits.exceeded(by: figures - last.excused)
        return Self.halted(last.share, excess?.words ?? figures.words)
    }

    static func halted(_ share: StageShare, _ figures: String) -> String {
        "stage \(share.words) was halted: \(figures)"
    }

    static func goingOn(after share: StageShare?) -> String {
        "--continue accepts that and \(share == .everybody ? "goes on with the rest" : "opens the next stage")"
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
