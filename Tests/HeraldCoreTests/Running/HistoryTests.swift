import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// An occurrence that has begun goes on, waits or stays finished, even if its file has changed
/// (docs/explanation/promises.md#when-something-is-due).
@Suite struct HistoryTests {
    private static let today = "tide@2026-12-07T09:30:00Z"
    private static let forbidden = Exchange.error(403, "PERMISSION_DENIED", message: "Permission denied")

    /// Accepts the first recipient, and stops the step at the second.
    private var halfway: ScriptedSender {
        ScriptedSender(capacity: 1) { request, number in number == 0 ? .accepted(request) : Self.forbidden }
    }

    private func tides(_ title: String = "High tide") throws -> Campaign { try .cron("30 9 * * *", title: title) }

    /// A day of a daily campaign that is seen at 9:00 and sent at 9:30.
    private func sent() async throws -> Simulation {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(try tides())
        try await world.go(to: .utc("2026-12-07 10:00"))
        #expect(world.sent == [.init(occurrence: Self.today, recipients: [1, 2])])
        return world
    }

    /// The same day, but only the first recipient was sent to.
    private func halfDone() async throws -> Simulation {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(try tides())
        try await world.go(to: .utc("2026-12-07 09:29"))
        try await world.run(halfway)
        #expect(world.sent == [.init(occurrence: Self.today, recipients: [1])])
        return world
    }

    // MARK: One occurrence for each revision

    @Test(arguments: ["2026-12-07 09:45", nil, "2026-12-07 09:20"] as [String?])
    func `a changed time of what was sent plans nothing and names revision`(_ moved: String?) async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(.tide("tide", at: .utc("2026-12-07 09:30")))
        try await world.go(to: .utc("2026-12-07 09:40"))
        world.declare(.tide("tide", at: moved.map { .utc($0) }))
        #expect(world.overview.warnings.count { $0.contains("revision: 2") } == 1)
        try await world.go(to: .utc("2026-12-07 10:00"))
        #expect(world.occurrences == [Self.today])
        world.declare(.tide("tide", at: moved.map { .utc($0) }, revision: 2))
        #expect(world.overview.warnings.isEmpty)
        try await world.go(to: .utc("2026-12-07 10:10"))
        let second = moved.map { $0.replacing(" ", with: "T") + ":00Z" } ?? "once"
        #expect(world.occurrences == [Self.today, "tide@\(second)#2"])
    }

    @Test func `a changed message of what was sent plans nothing and names revision`() async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(.tide("tide"))
        try await world.run()
        world.declare(.tide("tide", title: "Low tide"))
        #expect(world.overview.warnings.count { $0.contains("revision: 2") } == 1)
        try await world.run()
        #expect(world.occurrences == ["tide@once"])
    }

    // MARK: Half done

    @Test func `what is half done goes on with those not tried`() async throws {
        var world = try await halfDone()
        try await world.run()
        #expect(world.sent == [.init(occurrence: Self.today, recipients: [1, 2])])
        #expect(world.accepted == 2)
    }

    enum Change: CaseIterable { case message, target, disabled, removed, once }

    @Test(arguments: Change.allCases)
    func `what is half done and changed is held and shown until it is changed back`(_ change: Change) async throws {
        var world = try await halfDone()
        var campaign = try tides()
        switch change {
        case .message: campaign = try tides("Low tide")
        case .target: campaign.target = .init(.audience("others"))
        case .disabled: campaign.enabled = false
        case .removed: break
        case .once: campaign.schedule.times = .at(.utc("2026-12-07 12:00"))
        }
        if change == .removed { world.remove("tide") } else { world.declare(campaign) }
        #expect(world.plan.held.map(\.occurrence.rawValue) == [Self.today])
        try await world.go(to: .utc("2026-12-07 10:00"))
        #expect(world.accepted == 1)
        world.declare(try tides())
        try await world.run()
        #expect(world.sent == [.init(occurrence: Self.today, recipients: [1, 2])])
        #expect(world.plan.held.isEmpty)
    }

    @Test func `what is half done and had no schedule is held when it gets a cron`() async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(.tide("tide"))
        try await world.run(halfway)
        world.declare(try tides())
        #expect(world.plan.held.map(\.occurrence.rawValue) == ["tide@once"])
        try await world.go(to: .utc("2026-12-07 09:30"))
        #expect(
            world.sent == [
                .init(occurrence: "tide@once", recipients: [1]), .init(occurrence: Self.today, recipients: [1, 2]),
            ])
    }

    @Test func `what is half done when it is too late is missed once, and never sent`() async throws {
        var world = try await halfDone()
        world.skip(to: .utc("2026-12-07 12:00"))
        try await world.go(to: .utc("2026-12-07 12:30"))
        #expect(world.missed == [Self.today])
        #expect(world.accepted == 1)
    }

    // MARK: Renamed

    @Test func `a campaign takes its history along when it is renamed`() async throws {
        var world = try await sent()
        world.remove("tide")
        world.declare(try tides().named("ebb", formerly: "tide"))
        try await world.go(to: .utc("2026-12-08 10:00"))
        #expect(world.occurrences == [Self.today, "ebb@2026-12-08T09:30:00Z"])
        #expect(world.missed.isEmpty)
    }

    @Test func `its watermark comes along`() async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(try tides())
        try await world.go(to: .utc("2026-12-07 09:25"))
        world.remove("tide")
        world.declare(try tides().named("ebb", formerly: "tide"))
        world.skip(to: .utc("2026-12-07 09:33"))
        try await world.run()
        #expect(world.occurrences == ["ebb@2026-12-07T09:30:00Z"], "a campaign that is new would begin only now")
    }

    @Test func `its half-done occurrence goes on under its own name`() async throws {
        var world = try await halfDone()
        world.remove("tide")
        world.declare(try tides().named("ebb", formerly: "tide"))
        try await world.go(to: .utc("2026-12-07 10:00"))
        #expect(world.sent == [.init(occurrence: Self.today, recipients: [1, 2])])
        #expect(world.plan.held.isEmpty)
    }

    @Test func `its pause comes along`() async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(.tide("tide"))
        try world.laboratory.memory.commit([.pause("tide")])
        world.remove("tide")
        world.declare(Campaign.tide("tide").named("ebb", formerly: "tide"))
        try await world.run()
        #expect(world.sent.isEmpty)
        try world.laboratory.memory.commit([.resume("ebb")])
        try await world.run()
        #expect(world.occurrences == ["ebb@once"])
    }

    @Test func `what it missed is not missed again`() async throws {
        var world = Simulation(.utc("2026-12-07 12:00"))
        let campaign = Campaign.tide("tide", at: .utc("2026-12-07 09:30"))
        world.declare(campaign)
        try await world.run()
        world.remove("tide")
        world.declare(campaign.named("ebb", formerly: "tide"))
        try await world.go(to: .utc("2026-12-07 13:00"))
        #expect(world.missed == [Self.today])
        #expect(world.sent.isEmpty)
    }

    @Test func `without previous_names it is another campaign`() async throws {
        var world = try await sent()
        world.remove("tide")
        world.declare(try tides().named("ebb"))
        #expect(world.plan.refusals.isEmpty, "nothing of it is due, so nothing is asked about")
        try await world.go(to: .utc("2026-12-08 10:00"))
        #expect(world.occurrences == [Self.today, "ebb@2026-12-08T09:30:00Z"])
    }

    // MARK: Paused

    @Test(arguments: [("2026-12-07 11:20", true), ("2026-12-07 11:40", false)])
    func `what comes due while it is paused is held, and goes out if it is resumed in time`(
        _ resumed: String, _ isSent: Bool
    ) async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(try tides())
        try world.laboratory.memory.commit([.pause("tide")])
        try await world.go(to: .utc("2026-12-07 09:30"))
        #expect(world.plan.held.map(\.occurrence.rawValue) == [Self.today])
        try await world.go(to: .utc(resumed))
        #expect(world.sent.isEmpty)
        try world.laboratory.memory.commit([.resume("tide")])
        try await world.go(to: .utc("2026-12-08 10:00"))
        let tomorrow = "tide@2026-12-08T09:30:00Z"
        #expect(world.occurrences == (isSent ? [Self.today, tomorrow] : [tomorrow]))
        #expect(world.missed == (isSent ? [] : [Self.today]))
    }

    /// FCM refuses everybody at 8:00. The watermark has passed it.
    @Test(arguments: [("2026-12-07 08:05", true), ("2026-12-07 13:05", false)])
    func `a raised revision takes over what tried nobody`(_ next: String, _ isInTime: Bool) async throws {
        let campaign = { try Campaign.cron("0 8 * * *", revision: $0, maxLateness: .seconds(4 * 3600)) }
        var world = Simulation(.utc("2026-12-07 07:55"))
        world.declare(try campaign(1))
        try await world.run()
        world.skip(to: .utc("2026-12-07 08:00"))
        try await world.run(ScriptedSender { _, _ in .json(429, "", retryAfter: "7200") })
        world.declare(try campaign(2))
        world.skip(to: .utc(next))
        for _ in 0..<2 { try await world.run() }
        let second = "tide@2026-12-07T08:00:00Z#2"
        #expect(world.occurrences == (isInTime ? [second] : []))
        #expect(world.missed == (isInTime ? [] : [second]))
        #expect(world.state.occurrences["tide@2026-12-07T08:00:00Z"]?.finished != nil)
    }

    enum Hold: CaseIterable { case paused, emptied }

    /// FCM refuses everybody at 8:00, and then it is held.
    @Test(arguments: Hold.allCases, [Schedule.CatchUp.none, .latest])
    func `what comes after an occurrence that the state has and that is held is told once`(
        _ hold: Hold, _ catchUp: Schedule.CatchUp
    ) async throws {
        let campaign = try Campaign.cron("0 * * * *", catchUp: catchUp, maxLateness: .seconds(4 * 3600))
        var world = Simulation(.utc("2026-12-07 07:55"))
        world.declare(campaign)
        try await world.run()
        world.skip(to: .utc("2026-12-07 08:00"))
        try await world.run(ScriptedSender { _, _ in .json(429, "", retryAfter: "7200") })
        let names = ["08", "09", "10", "11"].map { "tide@2026-12-07T\($0):00:00Z" }
        #expect(world.state.occurrences[OccurrenceID(rawValue: names[0])]?.isUnbegun == true)
        switch hold {
        case .paused: try world.laboratory.memory.commit([.pause("tide")])
        case .emptied: world.declare(campaign, for: [])
        }
        try await world.go(to: .utc("2026-12-07 11:30"))
        #expect(world.missed == (catchUp == .none ? Array(names[1...3]) : []))
        #expect(world.superseded == (catchUp == .none ? [] : Array(names[1...2])))
        switch hold {
        case .paused: try world.laboratory.memory.commit([.resume("tide")])
        case .emptied: world.declare(campaign)
        }
        try await world.run()
        #expect(world.occurrences.contains(names[0]) && !world.occurrences.contains(names[1]))
    }

    @Test func `a long pause misses each occurrence once`() async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(try .cron("0 * * * *", catchUp: .all))
        try world.laboratory.memory.commit([.pause(nil)])
        try await world.go(to: .utc("2026-12-07 15:30"))
        #expect(world.missed == ["10", "11", "12", "13"].map { "tide@2026-12-07T\($0):00:00Z" })
        try world.laboratory.memory.commit([.resume(nil)])
        try await world.run()
        #expect(world.occurrences == ["14", "15"].map { "tide@2026-12-07T\($0):00:00Z" })
    }

    // MARK: Not begun for other reasons

    @Test func `a cron's send that its topic held goes out at the next run`() async throws {
        var world = Simulation(.utc("2026-12-07 09:28"))
        try world.laboratory.memory.commit([.members("tides", [1, 2, 3], .managed, at: .utc("2026-12-01 00:00"))])
        world.desired.topics = [DesiredTopic(name: "tides", members: [1, 2, 3])]
        world.declare(try .cron("30 9 * * *", to: .topic("tides")))
        try await world.run()
        world.skip(to: .utc("2026-12-07 09:30"))
        world.desired.topics = [DesiredTopic(name: "tides", members: [1, 2])]
        let report = try await world.run(
            ScriptedSender { request, _ in
                if case .unsubscribe = request { .error(400, "INVALID_ARGUMENT") } else { .accepted(request) }
            })
        #expect(report.steps.map(\.held) == [0, 1])
        #expect(world.sent.isEmpty)
        world.skip(to: .utc("2026-12-07 09:35"))
        try await world.run()
        #expect(world.occurrences == [Self.today])
    }

    @Test func `a cron's send that a guard refuses goes out once somebody lets it through`() async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.settings.guards.maxRecipients = 1
        world.declare(try tides())
        world.refusesGuarded = true
        try await world.go(to: .utc("2026-12-07 09:50"))
        #expect(world.sent.isEmpty)
        world.settings.guards.maxRecipients = 10
        try await world.go(to: .utc("2026-12-07 10:00"))
        #expect(world.occurrences == [Self.today])
        #expect(world.missed.isEmpty)
    }

    // MARK: Crashes

    enum Edit: CaseIterable { case none, renamed, moved, revised, message, removed, emptied }

    /// The run at 9:30 crashes at each of its commits in turn. Then the file is edited, and runs go on for a day.
    @Test(arguments: Edit.allCases)
    func `wherever a run dies, and whatever is edited then, nobody is sent an occurrence twice`(_ edit: Edit)
        async throws
    {
        var commit = 0
        while true {
            var world = Simulation(.utc("2026-12-07 09:00"))
            world.declare(try tides())
            try await world.go(to: .utc("2026-12-07 09:29"))
            let store = ProbedStore(world.laboratory.memory, refusesFrom: commit)
            world.laboratory.store = store
            try await world.run(ScriptedSender(capacity: 1))
            let crashed = world.sent
            let isBegun = world.state.occurrences.values.contains { !$0.tried.isEmpty }
            world.laboratory.store = world.laboratory.memory
            var expected = [1, 2] as RecipientSet
            switch edit {
            case .none: break
            case .renamed:
                world.remove("tide")
                world.declare(try tides().named("ebb", formerly: "tide"))
            case .moved: world.declare(try .cron("45 9 * * *"))
            case .revised: world.declare(try .cron("30 9 * * *", revision: 2))
            case .message: world.declare(try tides("Low tide"))
            case .removed: world.remove("tide")
            case .emptied:
                world.declare(try tides(), for: [])
                try await world.go(to: .utc("2026-12-07 10:30"))
                world.declare(try tides())
                // What is under way ends with those who are left. What has not begun waits for a list.
                if isBegun { expected = [] }
            }
            if isBegun, edit == .revised || edit == .message || edit == .removed { expected = [] }
            if edit == .removed { expected = [] }
            try await world.go(to: .utc("2026-12-07 18:00"))
            let state = world.state.occurrences.values
            let reached = state.reduce(into: RecipientSet()) { $0.formUnion($1.tried) }
            #expect(state.count { !$0.tried.isEmpty } <= 1, "commit \(commit): one occurrence")
            #expect(expected.subtracting(reached).isEmpty, "commit \(commit): everybody")
            #expect(world.accepted <= 2, "commit \(commit)")
            #expect(Set(world.sent.flatMap { Array($0.recipients) }).count == world.accepted, "commit \(commit)")
            #expect(crashed.allSatisfy { before in world.sent.contains { $0.occurrence == before.occurrence } })
            if store.commits <= commit { break }
            commit += 1
        }
        #expect(commit > 4)
    }
}
