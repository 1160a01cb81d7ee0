extension Plan {
    /// What a send that opens in stages has besides.
    package struct Staging: Hashable, Sendable {
        /// The stages that have opened. The last one is open, and the step's outcomes are its own.
        package var opened: [RecordedStage]
        /// Whether the state must learn of them before the first request: the last one is new, or goes on.
        package var isNews: Bool
        /// Whether the soak counts from the first outcomes of the open stage: later waves do not keep the next one closed.
        package var soaksOnce = false
        /// What came of the open stage in earlier runs.
        package var figures: StageFigures
        package var limits: StageLimits
        package var soak: Stages.Soak
        /// Those whose stage is not open yet.
        package var ahead = Partition<StageShare>()
        /// Whether others of the open stage wait for their clock or their window.
        package var othersWait = false
    }
}

extension Plan {
    /// A stage as readers see it.
    package struct Stage: Hashable, Sendable {
        package var share: StageShare
        /// How many recipients are in it, but not in the stages before.
        package var planned: Int
        package var opened: Date?
        /// `nil` before it opens.
        package var figures: StageFigures?
        package var state: State

        package enum State: String, Hashable, Sendable {
            case done, open, soaking, halted, ahead
        }
    }
}

extension Plan {
    /// All stages of an occurrence, as readers see them.
    package struct StageTable: Hashable, Sendable {
        package var stages: [Stage]
        package var soak: Stages.Soak
        /// Whether caps may stop people of the stages to come.
        var isCapped: Bool
        /// When it begins, if it has not begun. Until then nobody is drawn, and the numbers are what to expect.
        var begin: Date?
        /// When the last stage opens at the earliest, if it has not begun and no person decides.
        var lastOpening: Date?
    }
}

extension Stages {
    /// How a send opens that has not begun.
    ///
    /// - Parameters:
    ///   - recipients: all of them.
    ///   - seeds: how many of those are seeds.
    ///   - isCapped: whether caps may stop some.
    ///   - begin: when seeds may start.
    ///   - start: when others may.
    func expected(
        of recipients: Int, seeds: Int, isCapped: Bool, from begin: Date, _ start: Date
    ) -> Plan.StageTable {
        var (before, expected) = (0, [(share: StageShare.seeds, count: seeds)])
        for share in shares {
            let all = Double(recipients - seeds) * Double(share.millionths)
            let end = Int((all / Double(StageShare.everybody.millionths)).rounded())
            expected.append((share, end - before))
            before = end
        }
        let stages = expected.filter { $0.count > 0 }.map {
            Plan.Stage(share: $0.share, planned: $0.count, opened: nil, figures: nil, state: .ahead)
        }
        let first = seeds > 0 ? begin : start
        var last: Date?
        if case .time(let soak) = soak {
            let own = start.adding(soak * max(0, stages.count - (seeds > 0 ? 2 : 1)))
            last = max(own, first.adding(soak * max(0, stages.count - 1)))
        }
        return Plan.StageTable(stages: stages, soak: soak, isCapped: isCapped, begin: first, lastOpening: last)
    }
}

extension Plan {
    /// What the plan itself halts, because a stage is over a limit. A later plan finds it halted.
    var halted: [Held] {
        let ids = notes.compactMap { if case .halt(let id, _?) = $0 { id } else { nil } }
        return held.filter { $0.kind == .halted && ids.contains($0.occurrence) }
    }
}

extension Plan.Send {
    /// The stages as the state must learn them before the first request. `nil` if it knows them, and where a rest would
    /// open that nobody is sent anything of.
    var stageNews: [RecordedStage]? {
        if let staging { return staging.isNews ? staging.opened : nil }
        return members.isEmpty ? nil : restOpening
    }

    /// `nil` for a send that opens to everybody at once.
    package var stageTable: Plan.StageTable? {
        staging.map { .init(stages: $0.shown(), soak: $0.soak, isCapped: mayShrink) }
    }

    /// Whether caps may stop some whose stage is not open, or whose clock has not reached it.
    var mayShrink: Bool {
        delivery.isCapped(to: target) && !(staging?.ahead.all ?? []).union(waves?.ahead.all ?? []).isEmpty
    }
}

extension RecordedOccurrence {
    /// Whether the next stage waits.
    private var isSoaking: Bool {
        guard let last = stages.last, last.share < .everybody, last.accepted == nil else { return false }
        return last.isOver
    }

    /// The stages that have opened. Who is in the others depends on the lists.
    package var shownStages: [Plan.Stage] {
        let state: Plan.Stage.State =
            finished != nil ? .done : halt == .stage ? .halted : isSoaking ? .soaking : .open
        // Where the file has no stages any more, no step notes what came of the rest. Nor does a run that dies.
        let all = StageFigures(counts)
        let came: StageFigures? = stages.last.flatMap { last in
            guard let noted = last.figures else { return finished == nil ? nil : all - last.before }
            return all.outcomes > (last.before + noted).outcomes ? all - last.before : noted
        }
        return stages.shown(open: state, came)
    }
}

extension [RecordedStage] {
    /// - Parameters:
    ///   - state: of the last one. The others are over.
    ///   - figures: what came of the last one.
    fileprivate func shown(open state: Plan.Stage.State, _ figures: StageFigures?) -> [Plan.Stage] {
        enumerated().map { place, stage in
            let isLast = place == count - 1
            let came = isLast ? figures : self[place + 1].before - stage.before
            return Plan.Stage(
                share: stage.share, planned: Swift.max(stage.planned, came?.outcomes ?? 0), opened: stage.opened,
                figures: came,
                state: isLast ? state : .done)
        }
    }
}

extension Plan.Staging {
    /// The stage that is open.
    package var share: StageShare { opened.last?.share ?? .everybody }

    /// - Parameters:
    ///   - figures: what came of the open stage; by default what came of it in earlier runs.
    ///   - isPassed: whether nobody of it was sent anything, so that the next one does not wait for it. While others of
    ///     it wait for their clock or their window, it is not done.
    func shown(
        with figures: StageFigures? = nil, isHalted: Bool = false, isSettled: Bool = false, isPassed: Bool = false
    ) -> [Plan.Stage] {
        let state: Plan.Stage.State =
            isHalted
            ? .halted
            : isPassed && !othersWait ? .done : !isSettled ? .open : ahead.isEmpty ? .done : .soaking
        let later = ahead.counts.sorted { $0.key < $1.key }.map {
            Plan.Stage(share: $0, planned: $1, opened: nil, figures: nil, state: .ahead)
        }
        return opened.shown(open: state, figures ?? self.figures) + later
    }

    /// When the next stage opens if nobody of the open one may start from then on, and all is well. If it soaks already,
    /// because an earlier wave was sent it, that counts. `nil` if a person decides, or if there is no next one.
    func opening(after settled: Date) -> Date? {
        guard share < .everybody, !ahead.isEmpty, case .time(let soak) = soak else { return nil }
        let earlier = opened.last.flatMap { $0.isOver ? $0.settled : nil }
        return (earlier ?? settled).adding(soak)
    }

    /// What the open stage is judged by.
    func judged(_ figures: StageFigures) -> StageFigures {
        figures - (opened.last?.excused(unknown: self.figures.unknown) ?? StageFigures())
    }

    /// The stages as the state is to know them, with what came of the open one.
    ///
    /// - Parameter settled: since when nobody of it may start. `nil` if somebody may.
    func closing(with figures: StageFigures, settled: Date?) -> [RecordedStage] {
        guard var last = opened.last else { return opened }
        last.figures = figures
        if let settled, !soaksOnce || !last.isOver { (last.settled, last.goesOn) = (settled, false) }
        return opened.dropLast() + [last]
    }
}

/// Since when people of a stage might start. Until then nobody of it is late, if the first stage was not.
struct StageOpening: Hashable {
    /// When the first stage opened.
    var first: Date
    /// Until when somebody of the first stage was in time, if that is later than for others: their clock came later, or
    /// their window opened later.
    var firstEnd: Date?
    /// `nil` while a person, or the next run, decides.
    var since: Date?
}

/// Draws who is in which stage, the same way on every machine and in any order.
struct StageDraw {
    private let hash: KeyedHash
    private let shares: [StageShare]

    /// - Parameters:
    ///   - seed: the campaign's (`Campaign.drawSeed`).
    ///   - time: that of the occurrence; `once` without a schedule.
    init(_ stages: Stages, seed: String, time: String) {
        hash = KeyedHash(key: "herald.stage/1", prefix: "\(seed)@\(time)")
        shares = stages.shares
    }

    /// - Parameter key: the recipient key.
    func share(of key: UnsafeRawBufferPointer) -> StageShare {
        // number / 2^64 < share, in whole numbers
        let place = hash.number(of: key).multipliedFullWidth(by: UInt64(StageShare.everybody.millionths)).high
        return shares.first { place < UInt64($0.millionths) } ?? .everybody
    }
}

extension Campaign {
    /// When the stage could open that people of an occurrence wait for, or the open one did. `nil` without stages.
    func stageOpening(of occurrence: RecordedOccurrence) -> StageOpening? {
        guard let first = occurrence.stages.first, let last = occurrence.stages.last else { return nil }
        let opening = { StageOpening(first: first.opened, since: $0) }
        if let accepted = last.accepted { return opening(max(accepted, last.opened)) }
        if occurrence.halt == .stage { return opening(nil) }
        guard last.share < .everybody else { return opening(last.opened) }
        // Without stages in the file, the next run opens it to everybody.
        guard let stages = delivery.stages else { return opening(nil) }
        guard let settled = last.settled, stages.next(after: last.share) != nil else { return opening(last.opened) }
        switch stages.soak {
        case .manual: return opening(nil)
        case .time(let soak): return opening(settled.adding(soak))
        }
    }
}
