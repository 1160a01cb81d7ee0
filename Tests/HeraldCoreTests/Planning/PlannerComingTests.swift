import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// How often a campaign is to come, where only a part of that is listed. Plans look at the week from Monday, 2025-12-01
/// 08:00.
@Suite struct PlannerComingTests {
    /// An hourly one fires 168 times in a week. `daily` takes a place of the hundred seven times, and the earliest ones are
    /// listed.
    @Test(
        arguments: [
            ("7 * * * *", nil, 68, 167), ("* * * * *", nil, 9980, 10_079), ("7 * * * *", "0 12 * * *", 75, 167),
        ] as [(String, String?, Int, Int)])
    func `what is only counted is in the figures, with the time of the last one`(
        _ cron: String, _ daily: String?, _ omitted: Int, _ more: Int
    ) throws {
        var scenario = PlanScenario()
        for (name, cron) in [("often", cron), ("daily", daily)] {
            guard let cron else { continue }
            var campaign = Campaign.tide(name)
            campaign.schedule = try .cron(cron, in: "UTC")
            scenario.want(campaign)
        }
        let proposal = scenario.proposal()
        #expect(proposal.overview.upcoming.count == 100 && proposal.overview.upcomingOmitted == omitted)
        let document = PlanDocument(proposal, id: "id", created: PlanScenario.now)
        let warnings = document.json["warnings"]?.array ?? []
        #expect(warnings.contains(.string("\(omitted.grouped) more upcoming sends are not listed")), "\(warnings)")
        let last = cron.hasPrefix("7") ? "07:07" : "08:00"
        for text in [document.text(.plain), document.markdown] {
            #expect(text.contains("\(more.grouped) more sends until Mon 2025-12-08 \(last)"), "\(text)")
        }
        #expect(!document.text(.plain).contains("'herald calendar' lists them"))
    }

    @Test func `what is listed is not counted again among what is not`() throws {
        var scenario = PlanScenario()
        for number in 0..<12 {
            var campaign = Campaign.tide("c\(number)")
            campaign.schedule = try .cron("\(number) * * * *", in: "UTC")
            scenario.want(campaign)
        }
        let overview = scenario.overview
        let lines = PlanDocument.comingLines(overview, shown: 10)
        #expect(lines.count == 11 && lines.dropLast().allSatisfy { $0.contains("; 167 more sends until") }, "\(lines)")
        #expect(lines.last == "and 336 more; 'herald calendar' lists them", "\(lines)")
        #expect(overview.upcomingOmitted == 12 * 168 - 100)
    }

    /// A hundred sends are shown. The first campaign comes every minute.
    @Test(arguments: [(99, 100), (103, 104)])
    func `shows the next send of each campaign and counts the rest`(_ campaigns: Int, _ shown: Int) throws {
        var scenario = PlanScenario()
        var often = Campaign.tide("often")
        often.schedule = try .cron("* * * * *", in: "UTC")
        scenario.want(often)
        for number in 1...campaigns { scenario.want(.tide("c\(number)", at: .after(86_400 + number))) }
        let proposal = scenario.proposal()
        let names = (1...campaigns).map { "c\($0)" }
        #expect(proposal.overview.upcoming.map(\.occurring.campaign) == ["often"] + names)
        #expect(proposal.overview.upcoming.count == shown && proposal.overview.upcomingOmitted == 10_079)
        let document = PlanDocument(proposal, id: "id", created: PlanScenario.now)
        #expect(document.headline.hasPrefix("\(shown) campaigns to \(3 * shown) recipients, the first "))
    }

    /// In Rome the clocks jump from 2:00 to 3:00.
    @Test(
        arguments: [
            ("30 2 * * *", .skip, "not to 2 recipients whose clock jumps over it"), ("30 2 * * *", .next, ""),
            ("0,30 2 * * *", .next, "not to 2 recipients who get an earlier one at that instant"),
        ] as [(String, DST.Gap, String)])
    func `who is left out when the clocks change is told and not counted`(
        _ cron: String, _ gap: DST.Gap, _ note: String
    ) throws {
        var campaign = Campaign.tide("tide", to: .audience("anglers"))
        campaign.schedule.times = .local(
            LocalSchedule(.cron(try Cron(parsing: cron), start: nil, end: nil), field: "zone"))
        campaign.schedule.dst.gap = gap
        campaign.zoneField = Located("zone")
        var scenario = PlanScenario()
        scenario.want(campaign)
        let rome = try #require(Zone(named: "Europe/Rome"))
        scenario.desired.sends[0].zones = ["zone": [rome: [1, 2], .utc: [3]]]
        let now = try #require(Date(rfc3339: "2026-03-27T12:00:00Z"))
        let overview = scenario.proposal(at: now).overview
        let upcoming = try #require(
            overview.upcoming.first { $0.occurring.occurrence.rawValue == "tide@2026-03-29T02:30" })
        #expect(upcoming.occurring.note == note && upcoming.recipients == (note.isEmpty ? 3 : 1))
        #expect(upcoming.waves.map(\.recipients) == (note.isEmpty ? [2, 1] : [0, 1]))
    }

    @Test(arguments: [true, false]) func `nobody of a disabled campaign waits by the default zone`(_ isEnabled: Bool) {
        var scenario = PlanScenario()
        scenario.want(.tide(at: .after(600), enabled: isEnabled))
        scenario.desired.sends[0].zonesDefaulted = 2
        #expect(scenario.overview.zonesDefaulted == (isEnabled ? ["tide": 2] : [:]))
    }

    @Test func `where nothing is left to send nobody waits by the default zone`() {
        var scenario = PlanScenario()
        scenario.want(.tide())
        scenario.desired.sends[0].zonesDefaulted = 2
        scenario.carryOut(scenario.plan())
        #expect(scenario.overview.zonesDefaulted.isEmpty)
    }

    @Test func `what is held under a new name still waits by the default zone`() {
        var scenario = PlanScenario()
        scenario.began(.tide("tide"), accepted: [1])
        scenario.state.occurrences[Campaign.tide("tide").id]?.halt = .rejected
        var campaign = Campaign.tide("wind")
        campaign.previousNames = [.init("tide")]
        scenario.want(campaign)
        scenario.desired.sends[0].zonesDefaulted = 2
        #expect(scenario.overview.zonesDefaulted == ["wind": 2])
    }

    /// At most four times a day, and for 200 days.
    @Test func `the same goes for local time`() throws {
        var campaign = Campaign.tide()
        campaign.schedule.times = .local(
            LocalSchedule(.cron(try Cron(parsing: "0 6,12,18 * * *"), start: nil, end: nil), field: "zone"))
        campaign.zoneField = Located("zone")
        var desired = Desired()
        desired.sends = [DesiredSend(campaign: campaign, members: [])]
        var state = RecordedState(identity: .sample())
        state.serial = 1
        let settings = Settings(project: "tide-app")
        let listed = { (days: Int) in
            Planner.proposal(
                .init(desired: desired, state: state, settings: settings, days: days), at: PlanScenario.now
            ).overview
        }
        let week = listed(7)
        #expect(week.upcomingOmitted == 0 && !week.upcoming.isEmpty)
        let long = listed(200)
        #expect(long.upcoming.count == 100 && long.upcomingOmitted == week.upcoming.count + 3 * 193 - 100)
    }

    @Test(arguments: [true, false])
    func `what is paused says so where it comes up`(_ isEverything: Bool) {
        var scenario = PlanScenario()
        scenario.want(.tide(at: .after(3600)))
        scenario.state.pauses.everything = isEverything
        scenario.state.pauses.campaigns = isEverything ? [] : ["tide"]
        let document = PlanDocument(scenario.proposal(), id: "id", created: PlanScenario.now)
        #expect(document.text(.plain).contains("tide, to audience all (paused)\n"), "\(document.text(.plain))")
        #expect(document.markdown.contains("| 3 | paused |"), "\(document.markdown)")
    }
}
