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
        #expect(throws: RewindProblem.noWatermark) { try world.state.changes(rewinding: "wave", to: world.now) }
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
}
