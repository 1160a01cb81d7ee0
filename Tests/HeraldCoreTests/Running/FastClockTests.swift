import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A clock that was fast for one run, and what `state rewind` makes good.
@Suite struct FastClockTests {
    /// A daily campaign that is seen at 9:00, when one run takes it to be `fast`.
    private func world(_ fast: String, _ cron: String = "30 9 * * *") async throws -> Simulation {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(try .cron(cron))
        try await world.run()
        let input = Planner.Input(desired: world.desired, state: world.state, settings: world.settings)
        let plan = Planner.plan(input, at: .utc(fast))
        try world.laboratory.memory.commit(plan.changes(at: .utc(fast)))
        return world
    }

    private func rewind(_ world: Simulation) throws {
        try world.laboratory.memory.commit(try world.state.changes(rewinding: "tide", to: world.now))
    }

    @Test(arguments: [("2026-12-07 09:01", false), ("2026-12-07 09:02", true), ("2031-01-01 00:00", true)])
    func `a mark that is over a minute ahead fails each run and names the way out`(
        _ fast: String, _ isTold: Bool
    ) async throws {
        var world = try await world(fast)
        #expect(world.overview.warnings.contains { $0.contains("'herald state rewind tide'") } == isTold)
        let report = try await world.run()
        #expect(report.result == (isTold ? .failed : .ok))
        #expect(report.notes.contains { $0.contains("'herald state rewind tide'") } == isTold)
    }

    /// A plan for another time asks what would be, and says nothing of the clock that noted the mark.
    @Test(arguments: [
        ("2026-12-07 08:00", "2026-12-07 09:00", false), ("2026-12-07 08:00", "2026-12-07 08:58", true),
        ("2026-12-07 08:58", "2026-12-07 08:00", true), ("2026-12-07 10:00", "2026-12-07 08:00", false),
    ])
    func `a mark is judged by the machine's own time, whatever time is planned for`(
        _ planned: String, _ clock: String, _ isTold: Bool
    ) async throws {
        let world = try await world("2026-12-07 09:00")
        var input = Planner.Input(desired: world.desired, state: world.state, settings: world.settings)
        input.clock = .utc(clock)
        let proposal = Planner.proposal(input, at: .utc(planned))
        #expect(proposal.plan.silenced.isEmpty == !isTold)
        #expect(proposal.overview.warnings.contains { $0.contains("a clock was fast") } == isTold)
    }

    @Test func `a disabled campaign does not miss what a fast clock took`() async throws {
        var world = try await world("2031-01-01 00:00")
        var campaign = try Campaign.cron("30 9 * * *")
        campaign.enabled = false
        world.declare(campaign)
        #expect(try await world.run().result == .ok)
    }

    /// An hourly campaign sent something at the wrong time as well. That is not sent again, also where it was in the
    /// near future.
    @Test(arguments: ["2026-12-07 10:10", "2027-12-07 10:10"])
    func `rewound it comes due as before, and nothing is sent again`(_ fast: String) async throws {
        var world = try await world(fast, "0 * * * *")
        let early = world.state.occurrences.values.filter(\.hasTried).compactMap(\.due)
        #expect(early == [.utc(fast.replacing(":10", with: ":00"))])
        try await world.go(to: .utc("2026-12-07 09:10"))
        try rewind(world)
        #expect(world.overview.upcoming.allSatisfy { !early.contains($0.occurring.at) })
        try await world.go(to: .utc("2026-12-07 12:00"))
        let hours = fast.hasPrefix("2026") ? ["11", "12"] : ["10", "11", "12"]
        #expect(world.occurrences == hours.map { "tide@2026-12-07T\($0):00:00Z" })
        #expect(world.plan.silenced.isEmpty)
    }

    @Test func `what was sent too early and is moved then is still not sent again`() async throws {
        var world = try await world("2026-12-07 09:40")
        try rewind(world)
        world.declare(try .cron("45 9 * * *"))
        try await world.go(to: .utc("2026-12-08 10:00"))
        #expect(world.occurrences == ["tide@2026-12-08T09:45:00Z"])
    }

    @Test func `only what is ahead is set back`() async throws {
        let world = try await world("2026-12-07 09:30")
        #expect(throws: RewindProblem.unknown) { try world.state.changes(rewinding: "wave", to: world.now) }
        let mark = Date.utc("2026-12-07 09:30")
        for now in [mark, mark + 1] {
            #expect(throws: RewindProblem.notAhead(mark)) { try world.state.changes(rewinding: "tide", to: now) }
        }
        #expect(try !world.state.changes(rewinding: "tide", to: mark - 1).isEmpty)
    }

    /// Files were away, and the first run after that had a fast clock.
    @Test func `rewound, waves of what no run saw for a while are fixed until now`() throws {
        let (now, fast) = (Date.utc("2026-12-07 09:00"), Date.utc("2031-01-01 00:00"))
        var state = RecordedState(identity: .sample())
        state.watermarks["tide"] = Watermark(at: fast, schedule: "", next: nil, first: nil)
        for (hour, unseen) in [fast, now - 60, nil].enumerated() {
            let due = now - 3600 * Double(hour)
            var occurrence = RecordedOccurrence(
                campaign: "tide", revision: 1, due: due, contentDigest: "sha256:", target: "audience:anglers")
            (occurrence.accepted, occurrence.unseen) = ([1], unseen)
            state.occurrences[OccurrenceID(campaign: "tide", due: due, revision: 1)] = occurrence
        }
        state.apply(try state.changes(rewinding: "tide", to: now))
        let unseen = state.occurrences.values.sorted { $0.due ?? now > $1.due ?? now }.map(\.unseen)
        #expect(unseen == [now, now - 60, nil])
    }

    @Test func `rewound, nobody is told any more that what comes due again is missed`() throws {
        let (now, fast) = (Date.utc("2026-12-07 09:00"), Date.utc("2031-01-01 00:00"))
        var state = RecordedState(identity: .sample())
        state.watermarks["tide"] = Watermark(at: fast, schedule: "", next: nil, first: nil)
        let again = ["tide@2026-12-07T09:30:00Z#2", "tide@2026-12-07T15:00"]
        let over = ["tide@2026-12-07T08:30:00Z", "tide@2026-12-05T23:00", "wave@2026-12-07T09:30:00Z"]
        var news = Told.News(run: "r", started: fast, now: fast)
        news.missed = (again + over).map {
            Plan.Missed(occurrence: OccurrenceID(rawValue: $0), due: now, reason: "it is too late")
        }
        var told = state.told
        told.takeMissed(news, in: state)
        state.apply([.told(told)])
        #expect(Set(state.told.outbox.compactMap(\.occurrence)) == Set(again + over))
        state.apply(try state.changes(rewinding: "tide", to: now))
        #expect(Set(state.told.outbox.compactMap(\.occurrence)) == Set(over))
    }

    // MARK: What a fast clock left of a campaign that is due once for all

    /// The clock was a year fast. What was due a day ago is too late anyway.
    @Test(arguments: [(3600, true), (-60, true), (-86_400, false)])
    func `what a fast clock called too late is told, and comes due after a rewind`(
        _ due: Int, _ isInTime: Bool
    ) throws {
        let campaign = Campaign.tide(at: .after(due))
        var scenario = PlanScenario()
        scenario.want(campaign)
        let fast = scenario.plan(at: .after(365 * 86_400))
        #expect(fast.missed.map(\.occurrence) == [campaign.id])
        scenario.carryOut(fast)
        let plan = scenario.plan()
        #expect(plan.sends.isEmpty && plan.missed.isEmpty)
        #expect(plan.silenced.map(\.kind) == (isInTime ? [.ended] : []))
        try rewind(&scenario)
        let later = scenario.plan(at: .after(max(0, due)))
        #expect(later.silenced.isEmpty)
        #expect(later.sends.map(\.occurrence) == (isInTime ? [campaign.id] : []))
        #expect(later.missed.map(\.occurrence) == (isInTime ? [] : [campaign.id]))
    }

    @Test func `what a fast clock sent is told as long as caps count it as sent later`() throws {
        let (campaign, fast) = (Campaign.tide(at: .after(9 * 86_400)), Date.after(9 * 86_400 + 60))
        var scenario = PlanScenario()
        scenario.settings.frequencyCaps = [FrequencyCap(name: "all", max: 1, per: .seconds(86_400))]
        scenario.want(campaign)
        scenario.began(campaign, accepted: [1, 2, 3])
        scenario.state.occurrences[campaign.id]?.begun = fast
        scenario.state.occurrences[campaign.id]?.finished = fast
        let start = MessageStart(until: fast + 1740, tags: [])
        scenario.state.starts = [campaign.id: Partition(disjoint: [start: [1, 2, 3]])]
        scenario.state.countingSince = fast
        #expect(scenario.plan().silenced.map(\.kind) == [.starts])
        try rewind(&scenario)
        #expect(scenario.plan().silenced.isEmpty && scenario.state.countingSince == PlanScenario.now)
        let now = MessageStart(until: PlanScenario.now, tags: [])
        #expect(scenario.state.starts == [campaign.id: Partition(disjoint: [now: [1, 2, 3]])])
        #expect(throws: RewindProblem.notAhead(nil)) {
            try scenario.state.changes(rewinding: "tide", to: PlanScenario.now)
        }
    }

    /// It is due in an hour. A clock that was hours fast called it too late for 1 and 2, and 3 waited for their window.
    @Test(arguments: [false, true])
    func `rewound, whom a fast clock left out of what it sent to nobody get it at its time`(_ repeats: Bool) throws {
        let (due, fast) = (Date.after(3600), Date.after(5 * 3600))
        let campaign = try repeats ? Campaign.cron("0 9 * * *", to: .audience("anglers")) : Campaign.tide(at: due)
        var scenario = PlanScenario()
        scenario.want(campaign)
        if repeats {
            scenario.state.watermarks["tide"] = Watermark(at: fast, schedule: campaign.schedule.text, next: nil)
        }
        let id = OccurrenceID(campaign: "tide", due: due, revision: 1)
        var occurrence = RecordedOccurrence(campaign, due: due)
        occurrence.begun = fast
        occurrence.classes = Partition(disjoint: [MessageClass(): [1, 2, 3]])
        scenario.state.occurrences[id] = occurrence
        scenario.state.apply(.skip(id, [1, 2], .missed))
        #expect(scenario.plan().silenced.map(\.kind) == [repeats ? .mark : .leftOut])
        try rewind(&scenario)
        #expect(scenario.plan().sends.isEmpty)
        let later = scenario.plan(at: due)
        #expect(later.silenced.isEmpty && later.sends.map(\.members) == [[1, 2, 3]])
    }

    // MARK: What a fast clock left of a campaign in local time

    /// Due at 9:00 every day. 1 is nine hours ahead of UTC, 2 is in UTC. The clock is right again at 8:00 UTC.
    private static let local = LocalTime(year: 2025, month: 12, day: 1, hour: 9)
    private static let id = OccurrenceID(campaign: "tide", local: local, revision: 1)
    private static let (own, ahead) = (Date.after(-8 * 3600), Date.after(3600))

    private func scenario(_ change: (inout RecordedOccurrence) -> Void) throws -> PlanScenario {
        var campaign = try Campaign.cron("0 9 * * *", to: .audience("anglers"))
        let cron = try Cron(parsing: "0 9 * * *")
        campaign.schedule.times = .local(LocalSchedule(.cron(cron, start: nil, end: nil), field: "zone"))
        campaign.zoneField = Located("zone")
        var scenario = PlanScenario()
        scenario.want(campaign, for: [1, 2])
        scenario.desired.sends[0].zones = ["zone": [Zone(offset: 9 * 3600): [1], .utc: [2]]]
        scenario.state.watermarks["tide"] = Watermark(
            at: .after(4 * 3600), schedule: campaign.markedSchedule, next: nil, first: .after(-5 * 86_400))
        var occurrence = RecordedOccurrence(campaign, local: Self.local)
        change(&occurrence)
        scenario.state.occurrences[Self.id] = occurrence
        return scenario
    }

    private func rewind(_ scenario: inout PlanScenario) throws {
        scenario.state.apply(try scenario.state.changes(rewinding: "tide", to: PlanScenario.now))
    }

    /// 1 has it. A fast clock had 2 miss it, before its time, and may have ended it.
    @Test(arguments: [false, true])
    func `rewound, a wave that only a fast clock missed is sent at its time`(_ hasEnded: Bool) throws {
        var scenario = try scenario { occurrence in
            occurrence.classes = Partition(disjoint: [MessageClass(): [1, 2]])
            occurrence.waves = Partition(disjoint: [Self.own: [1], Self.ahead: [2]])
            occurrence.accepted = [1]
            occurrence.isDone = true
            occurrence.finished = hasEnded ? .after(4 * 3600) : nil
        }
        scenario.state.apply(.skip(Self.id, [2], .missed))
        try rewind(&scenario)
        #expect(scenario.plan().sends.isEmpty)
        #expect(scenario.plan(at: Self.ahead).sends.map(\.members) == [[2]])
    }

    /// A fast clock sent it to 2 before its time. 3 is listed since, and their clock comes to it half an hour before.
    @Test func `rewound, whose clock is ahead joins it before a wave that a fast clock fixed`() throws {
        var scenario = try scenario { occurrence in
            occurrence.classes = Partition(disjoint: [MessageClass(): [2]])
            occurrence.waves = Partition(disjoint: [Self.ahead: [2]])
            occurrence.accepted = [2]
        }
        try rewind(&scenario)
        scenario.desired.sends[0].members = [1, 2, 3]
        scenario.desired.sends[0].zones["zone"]?[Zone(offset: 1800)] = [3]
        #expect(scenario.plan(at: .after(1860)).sends.map(\.members) == [[3]])
    }

    /// The fast clock began it before its time. The database failed over since, and may lack that 2 got it.
    @Test(arguments: [false, true])
    func `rewound, what is in doubt since a failover still waits for a person`(_ isLocal: Bool) throws {
        var scenario = try scenario { occurrence in
            if !isLocal { (occurrence.local, occurrence.due) = (nil, Self.ahead) }
            occurrence.begun = .after(4 * 3600)
            occurrence.classes = Partition(disjoint: [MessageClass(): [2]])
            if isLocal { occurrence.waves = Partition(disjoint: [Self.ahead: [2]]) }
            occurrence.halt = .failedOver
        }
        if !isLocal {
            let campaign = try Campaign.cron("0 9 * * *", to: .audience("anglers"))
            scenario.desired.sends[0].campaign = campaign
            scenario.state.watermarks["tide"]?.schedule = campaign.schedule.text
        }
        try rewind(&scenario)
        let plan = scenario.plan(at: Self.ahead)
        #expect(plan.sends.isEmpty && plan.held.map(\.occurrence) == [Self.id])
    }

    /// FCM refused 2 for now, an hour early, and 3 was called too late, or nobody was.
    @Test(arguments: [[], [3]] as [RecipientSet])
    func `rewound, whom FCM refused for now keeps when it was tried first`(_ late: RecipientSet) throws {
        var scenario = try scenario { occurrence in
            occurrence.classes = Partition(disjoint: [MessageClass(): [2, 3]])
            occurrence.waves = Partition(disjoint: [Self.ahead: [2, 3]])
        }
        let start = MessageStart(until: Self.ahead, tags: ["promo"])
        scenario.state.apply([
            .outcome(Self.id, [2], .deferred), .started(Self.id, [2], start), .skip(Self.id, late, .missed),
        ])
        try rewind(&scenario)
        let occurrence = try #require(scenario.state.occurrences[Self.id])
        #expect(occurrence.ledger?[.deferred] == [2] && occurrence.waves.isEmpty)
        let now = MessageStart(until: PlanScenario.now, tags: ["promo"])
        #expect(scenario.state.starts == [Self.id: Partition(disjoint: [now: [2]])])
        #expect(scenario.plan().sends.isEmpty)
        let sends = scenario.plan(at: Self.ahead).sends
        #expect(sends.map(\.members) == [[2]] && sends.map(\.deferred) == [[2]])
    }

    /// Another campaign that is due once was sent by the fast clock, too.
    @Test func `rewound, no message counts for caps as one that starts later`() throws {
        var scenario = try scenario { $0.accepted = [1] }
        let (early, before) = (
            MessageStart(until: .after(365 * 86_400), tags: ["promo"]), MessageStart(until: .after(-60), tags: ["news"])
        )
        scenario.state.starts = ["wave@once": Partition(disjoint: [early: [1, 2], before: [3]])]
        scenario.state.countingSince = .after(-3600)
        try rewind(&scenario)
        #expect(scenario.state.countingSince == Date.after(-3600))
        let now = MessageStart(until: PlanScenario.now, tags: ["promo"])
        #expect(scenario.state.starts == ["wave@once": Partition(disjoint: [now: [1, 2], before: [3]])])
    }
}
