import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// docs/explanation/promises.md#when-something-is-due for cron campaigns: days of runs, and what they sent.
@Suite struct DueTests {
    // 2026-12-07 is a Monday.
    private static let monday = "tide@2026-12-07T"
    private static let tuesday = "tide@2026-12-08T"

    // MARK: The first occurrence

    @Test func `a weekly 9:30 merged at 10:00 fires next week`() async throws {
        var world = Simulation(.utc("2026-12-07 10:00"))
        world.declare(try .cron("30 9 * * MON"))
        try await world.go(to: .utc("2026-12-14 12:00"))
        #expect(world.sent == [.init(occurrence: "tide@2026-12-14T09:30:00Z", recipients: [1, 2])])
        #expect(world.missed.isEmpty)
    }

    @Test func `it begins when a run first sees it, even without anything to do`() async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(try .cron("30 9 * * *"))
        try await world.run()
        world.skip(to: .utc("2026-12-07 09:33"))
        try await world.run()
        #expect(world.occurrences == [Self.monday + "09:30:00Z"])
    }

    @Test func `it begins anew when its file is gone for a while`() async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(try .cron("30 9 * * *", maxLateness: .seconds(86_400)))
        try await world.go(to: .utc("2026-12-07 09:20"))
        world.remove("tide")
        try await world.go(to: .utc("2026-12-07 10:00"))
        world.declare(try .cron("30 9 * * *", maxLateness: .seconds(86_400)))
        try await world.go(to: .utc("2026-12-08 09:30"))
        #expect(world.occurrences == [Self.tuesday + "09:30:00Z"])
    }

    // MARK: Edits of the schedule

    /// The edits that are merged, and what is sent on two days. The campaign is first seen at 9:00, with its schedule
    /// at 9:30.
    struct Edits: CustomTestStringConvertible {
        var edits: [(time: String, cron: String)]
        var sent: [String]

        init(_ edits: [(time: String, cron: String)], _ sent: [String]) {
            self.edits = edits
            self.sent = sent
        }

        var testDescription: String { edits.map { "\($0.time): \($0.cron)" }.joined(separator: ", ") }
    }

    private static let edits: [Edits] = [
        // Merged after today's send.
        Edits([("09:40", "45 9 * * *")], ["7T09:30", "8T09:45"]),
        Edits([("09:40", "45 9 * * *"), ("09:43", "50 9 * * *")], ["7T09:30", "8T09:50"]),
        Edits([("09:40", "45 9 * * *"), ("12:00", "0 15 * * *")], ["7T09:30", "8T15:00"]),
        Edits([("09:40", "45 9 * * *"), ("09:43", "30 9 * * *")], ["7T09:30", "8T09:30"]),
        Edits([("09:40", "20 9 * * *")], ["7T09:30", "8T09:20"]),
        Edits([("09:40", "45 9 * * TUE")], ["7T09:30", "8T09:45"]),
        Edits([("09:31", "31 9 * * *")], ["7T09:30", "8T09:31"]),
        // Merged before today's send.
        Edits([("09:20", "45 9 * * *")], ["7T09:45", "8T09:45"]),
        Edits([("09:20", "45 9 * * *"), ("09:40", "50 9 * * *")], ["7T09:50", "8T09:50"]),
        Edits([("09:20", "25 9 * * *")], ["7T09:25", "8T09:25"]),
        Edits([("09:20", "15 9 * * *")], ["8T09:15"]),
        Edits([("09:20", "45 9 * * *"), ("09:50", "0 15 * * *")], ["7T09:45", "8T15:00"]),
        // Hours added: only what may be today's send, moved, is left out.
        Edits([("09:40", "30 9,11,15 * * *")], ["7T09:30", "7T11:30", "7T15:30", "8T09:30", "8T11:30", "8T15:30"]),
        Edits([("09:40", "45 9,15 * * *")], ["7T09:30", "7T15:45", "8T09:45", "8T15:45"]),
        Edits([("09:40", "0 12-14 * * *")], ["7T09:30", "7T13:00", "7T14:00", "8T12:00", "8T13:00", "8T14:00"]),
        Edits([("09:40", "0 12,14 * * *"), ("12:30", "0 13,14 * * *")], ["7T09:30", "7T14:00", "8T13:00", "8T14:00"]),
        Edits([("09:40", "45 9 * * *"), ("09:42", "30,45 9 * * *")], ["7T09:30", "7T09:45", "8T09:30", "8T09:45"]),
        // The same schedule, written differently.
        Edits([("09:40", "30 9 * * 0-6")], ["7T09:30", "8T09:30"]),
    ]

    @Test(arguments: edits)
    func `an edit after today's send does not send again today, one before it does`(
        _ row: Edits
    ) async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(try .cron("30 9 * * *"))
        for (time, cron) in row.edits {
            try await world.go(to: .utc("2026-12-07 \(time)").adding(.seconds(-1)))
            world.skip(to: .utc("2026-12-07 \(time)"))
            world.declare(try .cron(cron))
        }
        try await world.go(to: .utc("2026-12-08 18:00"))
        #expect(world.occurrences == row.sent.map { "tide@2026-12-0\($0):00Z" })
        #expect(world.missed.isEmpty)
    }

    /// The campaign was sent at 9:30 or, moved to late in the evening, at 23:45.
    @Test(
        arguments: [
            ("30 9", "09:40", "45 9", "07T09:45:00Z is left out"),
            ("30 9", "09:40", "45 9,15", "07T09:45:00Z is left out"),
            ("30 9", "09:40", "30 9,15", nil), ("30 9", "09:40", "0 9", nil), ("30 9", "09:20", "45 9", nil),
            ("45 23", "23:50", "15 0", "08T00:15:00Z comes soon after tide@2026-12-07T23:45:00Z"),
            ("45 23", "23:50", "46 0", nil), ("45 23", "23:50", "15,45 0,23", nil),
        ] as [(String, String, String, String?)])
    func `a plan names what an edit leaves out, or sends twice within an hour`(
        _ before: String, _ merged: String, _ after: String, _ said: String?
    ) async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(try .cron("\(before) * * *"))
        try await world.go(to: .utc("2026-12-07 \(merged)").adding(.seconds(-1)))
        world.declare(try .cron("\(after) * * *"))
        let warnings = world.overview.warnings
        #expect(warnings.count == (said == nil ? 0 : 1))
        if let said { #expect(warnings.allSatisfy { $0.hasPrefix("tide@2026-12-\(said)") }, "\(warnings)") }
    }

    @Test func `what is left out is named by every plan until its time, and is no upcoming send`() async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(try .cron("30 9 * * *"))
        try await world.go(to: .utc("2026-12-07 09:40"))
        world.declare(try .cron("0 12,14 * * *"))
        try await world.go(to: .utc("2026-12-07 11:55"))
        #expect(world.overview.warnings.count == 1)
        #expect(world.overview.upcoming.first?.occurring.at == .utc("2026-12-07 14:00"))
        #expect(world.state.watermarks["tide"].map { $0.at <= world.now } == true, "no mark is ahead of the clock")
        try await world.go(to: .utc("2026-12-07 12:00"))
        #expect(world.overview.warnings.isEmpty)
    }

    /// Only times between the last run and this one count, by the schedule that the file has now.
    @Test(
        arguments: [
            ("30 9 * * *", "45 9 * * *", "09:50", ["09:45"]), ("45 9 * * *", "30 9 * * *", "09:32", ["09:30"]),
            ("30 9 * * *", "45 9 * * *", "09:40", []), ("30 9 * * *", "0 9 * * *", "09:32", []),
        ] as [(String, String, String, [String])])
    func `an edit between two runs counts from the first of them`(
        _ before: String, _ after: String, _ second: String, _ sent: [String]
    ) async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(try .cron(before))
        try await world.run()
        world.declare(try .cron(after))
        world.skip(to: .utc("2026-12-07 \(second)"))
        try await world.run()
        #expect(world.occurrences == sent.map { Self.monday + $0 + ":00Z" })
    }

    @Test func `a message's edit sends nothing again and goes out the next time`() async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(try .cron("30 9 * * *"))
        try await world.go(to: .utc("2026-12-07 10:00"))
        world.declare(try .cron("30 9 * * *", title: "Low tide"))
        #expect(world.overview.warnings.isEmpty)
        let sender = ScriptedSender()
        try await world.go(to: .utc("2026-12-08 10:00"), sender)
        #expect(world.occurrences == [Self.monday + "09:30:00Z", Self.tuesday + "09:30:00Z"])
        #expect(sender.requests.map { $0.json["message"]?["notification"]?["title"] } == ["Low tide", "Low tide"])
    }

    @Test func `another revision of a cron campaign does not send today's again`() async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(try .cron("30 9 * * *"))
        try await world.go(to: .utc("2026-12-07 10:00"))
        world.declare(try .cron("30 9 * * *", revision: 2))
        try await world.go(to: .utc("2026-12-08 10:00"))
        #expect(world.occurrences == [Self.monday + "09:30:00Z", Self.tuesday + "09:30:00Z#2"])
    }

    @Test func `a disabled campaign sends nothing, and nothing of it is made up for`() async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        var campaign = try Campaign.cron("30 9 * * *")
        campaign.enabled = false
        world.declare(campaign)
        try await world.go(to: .utc("2026-12-07 10:00"))
        #expect(world.overview.upcoming.isEmpty)
        campaign.enabled = true
        world.declare(campaign)
        try await world.go(to: .utc("2026-12-08 10:00"))
        #expect(world.occurrences == [Self.tuesday + "09:30:00Z"])
        #expect(world.missed.isEmpty)
    }

    // MARK: Late, and after a downtime

    @Test(arguments: [("11:30", true), ("11:31", false)])
    func `later than max_lateness it is missed, once`(_ back: String, _ isSent: Bool) async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(try .cron("30 9 * * *"))
        try await world.run()
        world.skip(to: .utc("2026-12-07 \(back)"))
        let report = try await world.run()
        #expect(report.result == (isSent ? .ok : .failed))
        #expect(report.missed == (isSent ? 0 : 1))
        try await world.go(to: .utc("2026-12-07 13:00"))
        #expect(world.occurrences == (isSent ? [Self.monday + "09:30:00Z"] : []))
        #expect(world.missed == (isSent ? [] : [Self.monday + "09:30:00Z"]))
    }

    /// Due every hour, up to two hours late. The machine is off from 9:05 on.
    @Test(
        arguments: [
            (Schedule.CatchUp.none, "12:10", ["12:00"], ["10:00", "11:00"], []),
            (.none, "12:11", [], ["10:00", "11:00", "12:00"], []),
            (.latest, "12:20", ["12:00"], ["10:00"], ["11:00"]), (.latest, "11:59", ["11:00"], [], ["10:00"]),
            (.all, "12:00", ["10:00", "11:00", "12:00"], [], []),
            (.all, "12:20", ["11:00", "12:00"], ["10:00"], []),
        ] as [(Schedule.CatchUp, String, [String], [String], [String])])
    func `after a downtime it makes up for what the campaign says`(
        _ catchUp: Schedule.CatchUp, _ back: String, _ sent: [String], _ missed: [String], _ superseded: [String]
    ) async throws {
        var world = Simulation(.utc("2026-12-07 09:05"))
        world.declare(try .cron("0 * * * *", catchUp: catchUp))
        try await world.run()
        world.skip(to: .utc("2026-12-07 \(back)"))
        let report = try await world.run()
        #expect(report.result == (missed.isEmpty ? .ok : .failed), "what a later one supersedes is no failure")
        #expect(report.superseded.map(\.occurrence.rawValue) == superseded.map { Self.monday + $0 + ":00Z" })
        try await world.go(to: .utc("2026-12-07 12:50"))
        let following = back == "11:59" ? ["12:00"] : []
        #expect(world.occurrences == (sent + following).map { Self.monday + $0 + ":00Z" })
        #expect(world.missed == missed.map { Self.monday + $0 + ":00Z" })
        #expect(world.superseded == superseded.map { Self.monday + $0 + ":00Z" })
    }

    @Test(
        arguments: [(Schedule.CatchUp.latest, ["10"]), (.all, ["07", "08", "09", "10"])]
            as [(Schedule.CatchUp, [String])])
    func `after a downtime of days it makes up for one or for all`(_ catchUp: Schedule.CatchUp, _ days: [String])
        async throws
    {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(try .cron("30 9 * * *", catchUp: catchUp, maxLateness: .seconds(4 * 86_400)))
        try await world.run()
        world.skip(to: .utc("2026-12-10 10:00"))
        try await world.go(to: .utc("2026-12-10 11:00"))
        #expect(world.occurrences == days.map { "tide@2026-12-\($0)T09:30:00Z" })
    }

    @Test(arguments: [("10:29", true), ("10:30", false)])
    func `older than expires_after it is missed, even within max_lateness`(_ back: String, _ isSent: Bool) async throws
    {
        var world = Simulation(.utc("2026-12-07 09:00"))
        for var campaign in [try Campaign.cron("30 9 * * *"), .tide("once", at: .utc("2026-12-07 09:30"))] {
            campaign.delivery.expiresAfter = .seconds(3600)
            world.declare(campaign)
        }
        try await world.run()
        world.skip(to: .utc("2026-12-07 \(back)"))
        let report = try await world.run()
        #expect(report.missedOccurrences.count == (isSent ? 0 : 2))
        #expect(report.missedOccurrences.allSatisfy { $0.reason == "it is older than expires_after allows" })
        #expect(world.occurrences.count == (isSent ? 2 : 0))
        try await world.run()
        #expect(world.missed.count == (isSent ? 0 : 2), "once")
    }

    @Test func `a run goes on beyond max_lateness, and a later run neither resumes it nor begins another`() async throws
    {
        var world = Simulation(.utc("2026-12-07 09:00"))
        var campaign = Campaign.tide(at: .utc("2026-12-07 09:00"))
        campaign.schedule.maxLateness = .seconds(60)
        world.declare(campaign, for: [1, 2, 3])
        let clock = world.laboratory.clock
        let sender = ScriptedSender(capacity: 1) { request, number in
            clock.advance(by: .seconds(45))
            return number == 2 ? .error(403, "PERMISSION_DENIED") : .accepted(request, number)
        }
        let report = try await world.run(sender)
        #expect(report.steps.map(\.accepted) == [2])
        let next = try await world.run()
        #expect(next.missedOccurrences.map(\.reason) == ["it is half done and later than max_lateness allows"])
        #expect(world.accepted == 2)
    }

    @Test func `after a year of every minute the last one is sent, some others are named and all are counted`()
        async throws
    {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(try .cron("* * * * *"))
        try await world.run()
        world.skip(to: .utc("2027-12-07 09:00"))
        let warnings = world.overview.warnings
        // Of the last two hours, 07:00 through 08:59 are superseded.
        #expect(
            warnings == [
                "campaign 'tide' has 525,379 more missed occurrences than the 100 listed",
                "campaign 'tide' has 20 more superseded occurrences than the 100 listed",
            ])
        let report = try await world.run()
        #expect(world.occurrences == ["tide@2027-12-07T09:00:00Z"])
        #expect(world.missed.count == 100 && world.superseded.count == 100)
        #expect(report.missed == 365 * 1440 - 121 && report.supersededCount == 120)
        let document = ReportDocument(report)
        #expect(document.json["summary"]?["superseded"] == 120)
        #expect(document.text(.plain).contains("and 20 more superseded occurrences\n"))
        #expect(try ReportDocument(reading: document.json.bytes()).text(.plain).contains("120 superseded"))
        try await world.run()
        #expect(world.accepted == 2, "nothing is left of the year")
    }

    @Test func `a year of every minute that is all to be made up for comes in plans of a thousand`() async throws {
        var world = Simulation(.utc("2026-12-07 09:00"))
        world.declare(try .cron("* * * * *", catchUp: .all, maxLateness: .seconds(1500 * 60)), for: [1])
        try await world.run()
        world.skip(to: .utc("2027-12-07 09:00"))
        #expect(world.plan.sends.count == 1000)
        try await world.run()
        #expect(world.plan.sends.count == 501)
        try await world.run()
        #expect(world.accepted == 1501)
        #expect(world.plan.doesNothing)
        #expect(Set(world.occurrences).count == 1501)
    }

    // MARK: Days on which the clocks change

    @Test func `local times that are one instant are one occurrence`() async throws {
        // In Rome the clocks went from 2:00 to 3:00 on 28 March 2027.
        var world = Simulation(.utc("2027-03-27 00:00"))
        world.declare(try .cron("0,30 2,3 * * *", zone: "Europe/Rome", catchUp: .all))
        try await world.go(to: .utc("2027-03-28 12:00"))
        let times = ["27T01:00", "27T01:30", "27T02:00", "27T02:30", "28T01:00", "28T01:30"]
        #expect(world.occurrences == times.map { "tide@2027-03-\($0):00Z" })
        #expect(world.accepted == 12)
    }

    @Test(
        arguments: [
            ("2027-03-27", ["27T01:30", "28T01:00", "29T00:30"]), ("2027-10-30", ["30T00:30", "31T00:30"]),
        ] as [(String, [String])])
    func `a day on which the clocks change has its occurrence once`(_ day: String, _ times: [String]) async throws {
        var world = Simulation(.utc("\(day) 00:00"))
        world.declare(try .cron("30 2 * * *", zone: "Europe/Rome"))
        try await world.go(to: .utc("\(day) 00:00").adding(.seconds(2 * 86_400 + 3600)))
        #expect(world.occurrences == times.map { "tide@\(day.prefix(8))\($0):00Z" })
    }
}
