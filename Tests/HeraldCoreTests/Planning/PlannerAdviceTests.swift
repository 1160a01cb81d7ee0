import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What a plan warns of although nobody asked.
@Suite struct PlannerAdviceTests {
    private func warnings(_ scenario: PlanScenario, at now: Date = PlanScenario.now) -> [String] {
        scenario.proposal(at: now).overview.warnings
    }

    private func warnings(of campaign: Campaign, for members: Int, in scenario: PlanScenario = .init()) -> [String] {
        var scenario = scenario
        scenario.settings.fcm.rate = .limited(100)
        scenario.settings.fcm.ramp = .zero
        scenario.want(campaign, for: RecipientSet(1...RecipientID(members)))
        return warnings(scenario)
    }

    // MARK: Time

    /// A hundred messages a second.
    @Test(arguments: [(5900, false), (6100, true)])
    func `a send that is too slow to end before it expires`(members: Int, isTold: Bool) throws {
        var campaign = Campaign.tide(at: .after(-60))
        campaign.delivery.expiresAfter = .seconds(120)
        let warnings = warnings(of: campaign, for: members)
        #expect(warnings.count == (isTold ? 1 : 0))
        if isTold {
            let warning = try #require(warnings.first)
            #expect(warning.contains("'tide' is too slow: it expires at 2025-12-01T08:01:00Z"))
            #expect(warning.contains("2025-12-01T08:01:01Z"))
        }
    }

    @Test(arguments: [(5900, nil, 0), (6100, nil, 1), (5900, 50, 1)] as [(Int, Int?, Int)])
    func `a send that will be too slow when it comes due`(members: Int, rate: Int?, count: Int) throws {
        var campaign = Campaign.tide()
        campaign.schedule.times = .cron(try Cron(parsing: "30 9 * * *"), start: nil, end: nil)
        campaign.delivery.expiresAfter = .seconds(60)
        campaign.delivery.rate = rate.map { .limited($0) }
        #expect(warnings(of: campaign, for: members).count == count, "once, although it comes every day")
    }

    /// It is 9:00 in Rome, and 3:00 in New York. A hundred messages a second.
    private func windowed(
        _ hours: DailyHours, due: Int, members: Int, in york: RecipientSet, whenClosed: SendWindow.WhenClosed = .wait
    ) throws -> [String] {
        let (rome, zone) = (try #require(Zone(named: "Europe/Rome")), try #require(Zone(named: "America/New_York")))
        var campaign = Campaign.tide(at: .after(due))
        campaign.delivery.window = SendWindow(hours: hours, zone: rome, field: Located("zone"), whenClosed: whenClosed)
        campaign.delivery.expiresAfter = .seconds(3600)
        var scenario = PlanScenario()
        scenario.settings.fcm.rate = .limited(100)
        scenario.settings.fcm.ramp = .zero
        scenario.want(campaign, for: RecipientSet(1...RecipientID(members)))
        scenario.desired.sends[0].zones = ["zone": [zone: york]]
        return warnings(scenario)
    }

    @Test func `those whose windows are open are not too slow because others' are closed`() throws {
        // Only the one in New York may start.
        let night = DailyHours(from: 2 * 60, to: 4 * 60)
        let told = try windowed(night, due: -60, members: 9, in: [1])
        #expect(told.count == 1 && told[0].contains("before the windows of 8 recipients open"), "\(told)")
    }

    /// The second one is due half a minute before the windows in Rome close.
    @Test(
        arguments: [
            (9, 10, 600, ["the windows of 2 recipients are closed when it is due, and do not open in time"]),
            (9, 10, 3570, ["the windows of 2 recipients", "'tide' is too slow: it expires at 2025-12-01T09:59:30Z"]),
            (0, 24, 600, []),
        ] as [(Int, Int, Int, [String])])
    func `a send to come says whom its windows leave out`(
        _ from: Int, _ to: Int, _ due: Int, _ parts: [String]
    ) throws {
        for whenClosed in SendWindow.WhenClosed.allCases {
            let hours = DailyHours(from: from * 60, to: to * 60)
            let told = try windowed(hours, due: due, members: 4000, in: [1, 2], whenClosed: whenClosed)
            #expect(told.count == parts.count, "\(told)")
            for (warning, part) in zip(told, parts) { #expect(warning.contains(part), "\(warning)") }
        }
    }

    /// A hundred messages a second: two seeds get it first, and then 9000 others.
    @Test(arguments: [(Stages.Soak.time(.seconds(540)), true), (.time(.seconds(500)), false), (.manual, false)])
    func `a send whose last stage opens too late to end`(_ soak: Stages.Soak, isTold: Bool) {
        var stages = Stages()
        (stages.seeds, stages.soak) = (Located("phones"), soak)
        for due in [Date.after(600), nil] {
            var campaign = Campaign.tide(at: due)
            (campaign.delivery.stages, campaign.delivery.expiresAfter) = (stages, .seconds(600))
            var scenario = PlanScenario()
            (scenario.settings.fcm.rate, scenario.settings.fcm.ramp) = (.limited(100), .zero)
            scenario.want(campaign, for: RecipientSet(1...9002))
            (scenario.desired.sends[0].seeds, scenario.desired.sends[0].guests) = ([9001, 9002], [9001, 9002])
            let told = warnings(scenario)
            #expect(told.contains { $0.contains("'tide' is too slow") } == isTold, "\(told)")
        }
    }

    @Test(arguments: [(4, nil, 0), (5, nil, 1), (5, 5, 0)] as [(Int, Int?, Int)])
    func `a send to come that max_recipients will refuse`(members: Int, acknowledged: Int?, count: Int) throws {
        var campaign = Campaign.tide(at: .after(600))
        campaign.acknowledged.maxRecipients = acknowledged
        var scenario = PlanScenario()
        scenario.settings.guards.maxRecipients = 4
        let warnings = warnings(of: campaign, for: members, in: scenario)
        #expect(warnings.count == count)
        if count > 0 { #expect(warnings[0].contains("'tide' is to reach 5 recipients")) }
    }

    @Test func `steps before it count`() {
        var scenario = PlanScenario()
        scenario.want(.tide("ebb"), for: RecipientSet(1...3000))
        var campaign = Campaign.tide()
        campaign.delivery.expiresAfter = .seconds(60)
        #expect(warnings(of: campaign, for: 2900, in: scenario).isEmpty)
        #expect(warnings(of: campaign, for: 3100, in: scenario).count == 1)
    }

    @Test func `a send that others hold up until it may not begin any more`() throws {
        var scenario = PlanScenario()
        scenario.want(.tide("ebb", at: .after(-60)), for: RecipientSet(1...3000))
        var campaign = Campaign.tide(at: .after(-30))
        campaign.schedule.maxLateness = .seconds(50)
        let warning = try #require(warnings(of: campaign, for: 1, in: scenario).first)
        #expect(warning.contains("'tide' cannot begin before max_lateness ends at 2025-12-01T08:00:20Z"))
    }

    // MARK: Fan-outs

    @Test func `several sends to topics that are due together`() throws {
        var scenario = PlanScenario()
        scenario.want(.tide("a", to: .topic("tides")))
        scenario.want(.tide("c"))
        #expect(warnings(scenario).isEmpty)
        scenario.want(.tide("b", to: .condition(try Condition(parsing: "'tides' in topics"))))
        let told = warnings(scenario)
        #expect(told.count == 1)
        #expect(told[0].contains("'a', 'b' send to topics or conditions and are due now"))
    }

    @Test func `several sends to topics that will be due together`() {
        var scenario = PlanScenario()
        scenario.want(.tide("a", to: .topic("tides"), at: .after(60)))
        scenario.want(.tide("b", to: .topic("winds"), at: .after(120)))
        #expect(warnings(scenario).isEmpty)
        scenario.want(.tide("c", to: .topic("winds"), at: .after(60)))
        #expect(warnings(scenario).map { $0.contains("'a', 'c'") } == [true])
    }

    // MARK: Services that Google ends

    private func scenario(_ api: TopicAPI, _ endpoint: EndpointKind = .fcm, hasGroup: Bool = false) -> PlanScenario {
        var scenario = PlanScenario()
        scenario.state.identity.endpoint = endpoint
        scenario.settings.fcm.topicAPI = api
        scenario.want("tides", [])
        if hasGroup { scenario.desired.groups = [DesiredGroup(name: "chris", members: [1])] }
        return scenario
    }

    @Test func `the newer API alone is no reason to warn`() {
        #expect(warnings(scenario(.auto)).isEmpty)
        #expect(warnings(scenario(.registrations)).isEmpty)
    }

    @Test func `the Instance ID service, if it is set or found, and groups have an end`() {
        let batches = "the Instance ID service ends on 2027-09-29"
        #expect(warnings(scenario(.iid)).map { $0.hasPrefix(batches) } == [true])
        var found = scenario(.auto)
        found.state.topicAPI = .init(.iid, at: PlanScenario.now)
        #expect(warnings(found).map { $0.hasPrefix(batches) } == [true])
        let groups = warnings(scenario(.auto, hasGroup: true))
        #expect(groups.map { $0.hasPrefix("device groups end on 2027-09-29") } == [true])
    }

    @Test func `a group that cannot be deleted without the project's number is named, until groups have ended`() {
        var scenario = scenario(.auto)
        var group = RecordedGroup()
        (group.key, group.members) = (NotificationKey(rawValue: "key"), [1])
        scenario.state.groups["chris"] = group
        #expect(warnings(scenario).map { $0.hasSuffix("'herald state rm group:chris'") } == [true])
        #expect(warnings(scenario, at: EndOfService.begin).isEmpty)
        scenario.settings.senderID = "123456789012"
        #expect(warnings(scenario).isEmpty)
    }

    @Test(arguments: [(EndpointKind.fcm, "ended"), (.emulator, "end")])
    func `after that day they have ended at FCM`(endpoint: EndpointKind, word: String) {
        let told = warnings(scenario(.iid, endpoint, hasGroup: true), at: EndOfService.begin)
        #expect(told.count == 2)
        #expect(told.allSatisfy { $0.contains("\(word) on") || $0.contains("\(word)s on") })
    }
}
