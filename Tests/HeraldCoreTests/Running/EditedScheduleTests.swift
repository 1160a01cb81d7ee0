import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Campaigns whose revision is raised, or that are due at another kind of time or in another zone, between runs.
struct EditedScheduleTests {
    /// Who is where. Tokyo's 8:00 is at 23:00 UTC the day before, and New York's at 13:00 UTC.
    private static let zones: [Zone: RecipientSet] = [
        Zone(offset: 9 * 3600): [1], Zone(offset: 0): [2], Zone(offset: -5 * 3600): [3],
    ]
    private static let everybody: RecipientSet = [1, 2, 3]
    private static let eight = LocalTime(year: 2026, month: 12, day: 7, hour: 8)

    private static func refusing() -> ScriptedSender { ScriptedSender { _, _ in .json(429, "", retryAfter: "3600") } }

    enum Kind: CaseIterable {
        case cron, local

        /// Due at 8:00, every day.
        func daily(revision: Int = 1, at cron: String = "0 8 * * *") throws -> Campaign {
            var campaign = try Campaign.cron(cron, revision: revision, maxLateness: .seconds(4 * 3600))
            guard self == .local, case .cron(let cron, _, _) = campaign.schedule.times else { return campaign }
            campaign.schedule.times = .local(LocalSchedule(.cron(cron, start: nil, end: nil), field: "zone"))
            campaign.zoneField = Located("zone")
            return campaign
        }

        /// Due at 8:00 of a day, once.
        func once(on day: LocalTime = EditedScheduleTests.eight, revision: Int = 1) throws -> Campaign {
            var campaign = try daily(revision: revision)
            campaign.schedule.times =
                self == .cron
                ? .at(Date(timeIntervalSince1970: Double(day.secondsAsUTC)))
                : .local(LocalSchedule(.at(day, .skip), field: "zone"))
            return campaign
        }
    }

    private func world(_ start: String) -> Simulation { Simulation(.utc(start), population: 3) }

    private func declare(_ campaign: Campaign, in world: inout Simulation) {
        world.declare(campaign, for: Self.everybody)
        world.desired.sends[0].zones = ["zone": Self.zones]
    }

    private func run(_ world: inout Simulation, at times: String..., by sender: ScriptedSender = ScriptedSender())
        async throws
    {
        for time in times {
            world.skip(to: .utc(time))
            try await world.run(sender)
        }
    }

    // MARK: A raised revision

    /// FCM refuses everybody in Tokyo at 8:00. The watermark has passed it.
    @Test(arguments: [("2026-12-06 23:30", true), ("2026-12-07 04:00", false)])
    func `a raised revision takes over waves that tried nobody`(_ next: String, _ isInTime: Bool) async throws {
        var world = world("2026-12-06 17:00")
        declare(try Kind.local.daily(), in: &world)
        try await world.run()
        try await run(&world, at: "2026-12-06 23:00", by: Self.refusing())
        #expect(world.state.occurrences["tide@2026-12-07T08:00"]?.isUnbegun == true)
        declare(try Kind.local.daily(revision: 2), in: &world)
        try await run(&world, at: next, "2026-12-07 08:00", "2026-12-07 13:00", "2026-12-07 22:00", "2026-12-07 22:05")
        let members: RecipientSet = isInTime ? Self.everybody : [2, 3]
        #expect(world.sent == [.init(occurrence: "tide@2026-12-07T08:00#2", recipients: members)])
        let late = world.state.occurrences["tide@2026-12-07T08:00#2"]?.counts.skips[.missed] ?? 0
        #expect(late == (isInTime ? 0 : 1))
        #expect(world.state.occurrences["tide@2026-12-07T08:00"]?.finished != nil)
    }

    /// FCM refuses everybody under both revisions. Then the schedule loses the time.
    @Test(arguments: Kind.allCases)
    func `what tried nobody under two revisions and is not due any more is told once`(_ kind: Kind) async throws {
        var world = world("2026-12-06 17:00")
        declare(try kind.daily(), in: &world)
        try await world.run()
        let hours = kind == .cron ? ["07 08:00", "07 09:05", "07 10:00"] : ["06 23:00", "07 00:05", "07 01:00"]
        try await run(&world, at: "2026-12-\(hours[0])", by: Self.refusing())
        declare(try kind.daily(revision: 2), in: &world)
        try await run(&world, at: "2026-12-\(hours[1])", by: Self.refusing())
        #expect(world.state.occurrences.values.count { $0.isUnbegun } == 2)
        declare(try kind.daily(revision: 2, at: "0 20 * * *"), in: &world)
        try await run(&world, at: "2026-12-\(hours[2])", "2026-12-07 10:05")
        #expect(world.missed.count == 1 && world.missed.allSatisfy { $0.hasSuffix("#2") }, "\(world.missed)")
        #expect(world.state.occurrences.values.allSatisfy { !$0.isUnbegun })
    }

    /// FCM refuses everybody under the first revision, and nobody under the second. Then the schedule loses the time.
    @Test(arguments: Kind.allCases)
    func `what a raised revision sent is not told as missed`(_ kind: Kind) async throws {
        var world = world("2026-12-06 17:00")
        declare(try kind.daily(), in: &world)
        try await world.run()
        let hours = kind == .cron ? ["07 08:00", "07 08:05", "07 08:10"] : ["06 23:00", "06 23:05", "06 23:10"]
        try await run(&world, at: "2026-12-\(hours[0])", by: Self.refusing())
        declare(try kind.daily(revision: 2), in: &world)
        try await run(&world, at: "2026-12-\(hours[1])")
        #expect(world.sent.map(\.recipients) == [kind == .cron ? Self.everybody : [1]])
        declare(try kind.daily(revision: 2, at: "0 20 * * *"), in: &world)
        try await run(&world, at: "2026-12-\(hours[2])")
        #expect(world.missed.isEmpty)
        #expect(world.state.occurrences.values.allSatisfy { !$0.isUnbegun })
    }

    /// FCM refuses everybody under the second revision, and the author takes it back for one run.
    @Test func `a raised revision that was taken back for a while is sent`() async throws {
        var world = world("2026-12-06 17:00")
        let campaign = { (revision: Int) in
            var campaign = try Kind.cron.daily(revision: revision)
            campaign.schedule.times = .once
            return campaign
        }
        declare(try campaign(1), in: &world)
        try await world.run()
        declare(try campaign(2), in: &world)
        try await run(&world, at: "2026-12-06 17:05", by: Self.refusing())
        declare(try campaign(1), in: &world)
        try await run(&world, at: "2026-12-06 17:10")
        declare(try campaign(2), in: &world)
        try await run(&world, at: "2026-12-06 17:15", "2026-12-06 17:20")
        #expect(world.sent.map(\.recipients) == [Self.everybody, Self.everybody], "\(world.sent)")
    }

    // MARK: Another kind of time

    /// A cron, then something that is due once, for days, then the cron again.
    @Test(arguments: Kind.allCases, [Kind.cron, .local, nil])
    func `a cron that was due once meanwhile begins from then`(_ kind: Kind, _ once: Kind?) async throws {
        var world = world("2026-12-05 17:00")
        declare(try kind.daily(), in: &world)
        try await world.run()
        try await run(&world, at: "2026-12-06 08:00", "2026-12-06 13:00", "2026-12-06 23:00", "2026-12-07 08:00")
        try await run(&world, at: "2026-12-07 13:00", "2026-12-07 20:00")
        let before = world.sent.count
        let day = LocalTime(year: 2026, month: 12, day: 10, hour: 8)
        var meanwhile = try once?.once(on: day, revision: 2) ?? kind.daily(revision: 2)
        if once == nil { (meanwhile.schedule.times, meanwhile.zoneField) = (.once, nil) }
        declare(meanwhile, in: &world)
        for (day, next) in [("07", "08"), ("08", "09"), ("09", "10"), ("10", "11"), ("11", "12")] {
            try await run(&world, at: "2026-12-\(day) 23:00", "2026-12-\(next) 08:00", "2026-12-\(next) 13:00")
        }
        #expect(world.sent.count == before + 1, "\(world.sent)")
        declare(try kind.daily(revision: 2), in: &world)
        try await run(&world, at: "2026-12-12 13:05", "2026-12-12 14:00")
        #expect(world.sent.count == before + 1 && world.missed.isEmpty && world.superseded.isEmpty, "\(world.sent)")
        try await run(&world, at: "2026-12-12 23:00", "2026-12-13 08:00", "2026-12-13 13:00", "2026-12-13 14:00")
        #expect(world.sent.count == before + 2 && world.sent.last?.recipients == Self.everybody, "\(world.sent)")
        #expect(world.sent.last?.occurrence.contains("2026-12-13T08:00") == true)
        #expect(world.missed.isEmpty && world.superseded.isEmpty)
    }

    /// Tokyo had its turn, or FCM refused it, when the author makes a cron of the campaign.
    @Test(arguments: [false, true])
    func `what is under way goes on where its campaign becomes a cron of the same time`(_ isRefused: Bool)
        async throws
    {
        var world = world("2026-12-06 17:00")
        declare(try Kind.local.once(), in: &world)
        try await world.run()
        try await run(&world, at: "2026-12-06 23:00", by: isRefused ? Self.refusing() : ScriptedSender())
        declare(try Kind.local.daily(), in: &world)
        try await run(&world, at: "2026-12-07 01:00", "2026-12-07 08:05", "2026-12-07 13:00", "2026-12-07 22:00")
        #expect(world.sent == [.init(occurrence: "tide@2026-12-07T08:00", recipients: Self.everybody)])
        try await run(&world, at: "2026-12-07 23:00", "2026-12-08 08:05", "2026-12-08 13:00", "2026-12-08 14:00")
        #expect(world.sent.map(\.recipients) == [Self.everybody, Self.everybody], "\(world.sent)")
        #expect(world.missed.isEmpty && world.superseded.isEmpty)
    }

    // MARK: Another zone

    /// The day of what was sent is that on the clock by which it was sent.
    @Test(arguments: [
        ("7 9", "Asia/Tokyo", "7 9", "America/New_York", ["8T00:07", "9T14:07"]),
        ("37 0", "Europe/Rome", "37 0", "Europe/London", ["7T23:37", "9T00:37"]),
        ("37 23", "UTC", "30 9", "Europe/Rome", ["7T23:37", "8T08:30", "9T08:30"]),
    ])
    func `an edit of the zone sends the message of a day once`(
        _ before: String, _ zone: String, _ after: String, _ other: String, _ sent: [String]
    ) async throws {
        var world = Simulation(.utc("2026-12-07 23:00"))
        world.declare(try .cron("\(before) * * *", zone: zone))
        try await world.go(to: .utc("2026-12-08 00:10"))
        world.declare(try .cron("\(after) * * *", zone: other))
        let isNamed = world.overview.warnings.contains { $0.contains("is left out: the schedule was changed") }
        #expect(isNamed == (sent.count == 2), "\(world.overview.warnings)")
        try await world.go(to: .utc("2026-12-09 14:30"))
        #expect(world.occurrences == sent.map { "tide@2026-12-0\($0):00Z" })
    }
}
