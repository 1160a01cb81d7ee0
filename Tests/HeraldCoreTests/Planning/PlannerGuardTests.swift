import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Each guard of docs/explanation/promises.md#guards, just below and just above its limit.
struct PlannerGuardTests {
    struct Figures: Hashable {
        var kind: Guard
        var name: String
        var limit: Int
        var actual: Int
    }

    // MARK: max_recipients

    @Test(
        arguments: [(10, []), (11, [Figures(kind: .maxRecipients, name: "tide", limit: 10, actual: 11)])]
            as [(RecipientID, [Figures])])
    func `max_recipients refuses a send to more`(_ count: RecipientID, _ refused: [Figures]) {
        var scenario = PlanScenario()
        scenario.settings.guards.maxRecipients = 10
        scenario.want(.tide(), for: RecipientSet(1...count))
        #expect(scenario.plan().figures == refused)
        #expect(scenario.plan().sends.count == 1, "the plan shows what is refused")
    }

    @Test(
        arguments: [(10, []), (11, [Figures(kind: .maxRecipients, name: "tide", limit: 10, actual: 11)])]
            as [(RecipientID, [Figures])])
    func `max_recipients counts a topic's recorded members`(_ count: RecipientID, _ refused: [Figures]) {
        var scenario = PlanScenario()
        scenario.settings.guards.maxRecipients = 10
        scenario.want("tides", [1, 2], prune: false)
        scenario.state.topics["tides"] = .init(managed: RecipientSet(1...5), found: RecipientSet(6...count))
        scenario.want(.tide(to: .topic("tides")))
        #expect(scenario.plan().figures == refused)
    }

    @Test func `max_recipients counts those who are subscribed first`() {
        var scenario = PlanScenario()
        scenario.settings.guards.maxRecipients = 10
        scenario.want("tides", RecipientSet(1...11))
        scenario.want(.tide(to: .topic("tides")))
        #expect(scenario.plan().figures == [Figures(kind: .maxRecipients, name: "tide", limit: 10, actual: 11)])
    }

    /// A pause holds the later one, so that nothing is sent.
    @Test func `max_recipients keeps what a later occurrence would supersede`() throws {
        var campaign = Campaign.tide()
        campaign.schedule.times = .cron(try Cron(parsing: "*/30 * * * *"), start: nil, end: nil)
        var scenario = PlanScenario()
        scenario.settings.guards.maxRecipients = 2
        scenario.want(campaign)
        scenario.state.watermarks["tide"] = Watermark(at: .after(-2700), schedule: campaign.schedule.text, next: nil)
        scenario.state.pauses.campaigns = ["tide"]
        let plan = scenario.plan()
        #expect(plan.superseded.count == 1)
        #expect(plan.figures == [Figures(kind: .maxRecipients, name: "tide", limit: 2, actual: 3)])
        #expect(plan.withholding(plan.refusals, in: scenario.workspace).superseded.isEmpty)
    }

    // MARK: max_unsubscribe_percent

    /// How many of how many members leave. The default limit is 30 %.
    @Test(
        arguments: [(10, 3, nil), (10, 4, 40), (9, 9, nil), (9, 4, nil), (1000, 300, nil), (1000, 301, 31)]
            as [(RecipientID, RecipientID, Int?)])
    func `max_unsubscribe_percent refuses more, from 10 members on`(
        _ members: RecipientID, _ leaving: RecipientID, _ actual: Int?
    ) {
        var scenario = PlanScenario()
        scenario.state.topics["tides"] = .init(managed: RecipientSet(1...members))
        scenario.want("tides", RecipientSet((1...members).dropFirst(Int(leaving))))
        #expect(
            scenario.plan().figures
                == (actual.map { [Figures(kind: .maxUnsubscribePercent, name: "tides", limit: 30, actual: $0)] } ?? []))
    }

    @Test(arguments: [(10, 30, true), (10, 99, true), (10, 100, false), (9, 30, false)] as [(RecipientID, Int, Bool)])
    func `a deleted topic file counts as 100 percent`(_ members: RecipientID, _ limit: Int, _ isRefused: Bool) {
        var scenario = PlanScenario()
        scenario.settings.guards.maxUnsubscribePercent = limit
        scenario.state.topics["tides"] = .init(managed: RecipientSet(1...members))
        let refused = [Figures(kind: .maxUnsubscribePercent, name: "tides", limit: limit, actual: 100)]
        #expect(scenario.plan().figures == (isRefused ? refused : []))
    }

    // MARK: audience_collapse, audience_growth

    @Test(arguments: [
        (100, 10, false), (100, 9, true), (100, 0, true), (99, 0, false), (1005, 101, false), (1005, 100, true),
    ])
    func `audience_collapse refuses a loss of over 90 percent, from 100 members on`(
        _ before: Int, _ size: Int, _ isRefused: Bool
    ) {
        var scenario = PlanScenario()
        scenario.state.audienceSizes = ["anglers": before]
        scenario.desired.audienceSizes = ["anglers": size]
        let plan = scenario.plan()
        #expect(plan.refusals.map(\.kind) == (isRefused ? [.audienceCollapse] : []))
        #expect(plan.refusals.allSatisfy { $0.name == "anglers" && $0.actual == size && $0.actual < $0.limit })
    }

    @Test(arguments: [(100, 1000, false), (100, 1001, true), (9, 99, false), (1000, 10_001, true)])
    func `audience_growth refuses a growth over tenfold, from 100 members on`(
        _ before: Int, _ size: Int, _ isRefused: Bool
    ) {
        var scenario = PlanScenario()
        scenario.state.audienceSizes = ["anglers": before]
        scenario.desired.audienceSizes = ["anglers": size]
        let refused = [Figures(kind: .audienceGrowth, name: "anglers", limit: before * 10, actual: size)]
        #expect(scenario.plan().figures == (isRefused ? refused : []))
    }

    // MARK: stale_list

    @Test func `stale_list refuses lists that are too old, in order`() {
        var scenario = PlanScenario()
        scenario.want(.tide(), for: [1])
        scenario.staleLists = [
            StaleList(audience: "divers", age: .seconds(90_000), limit: .seconds(86_400)),
            StaleList(audience: "anglers", age: .seconds(59), limit: .seconds(58)),
        ]
        let plan = scenario.plan()
        #expect(
            plan.figures == [
                Figures(kind: .staleList, name: "anglers", limit: 58, actual: 59),
                Figures(kind: .staleList, name: "divers", limit: 86_400, actual: 90_000),
            ])
        #expect(plan.refusals.map(\.message).last == "the list of audience 'divers' is 25 h old; the limit is 1d")
        #expect(plan.refusals.last?.override == "--override stale_list=divers")
        #expect(plan.refusals.byGuard.first?.help.hasPrefix("run 'herald fetch anglers divers'; ") == true)
        #expect(plan.sends.count == 1)
    }

    @Test func `a plan can be told how old its lists are by now`() {
        var scenario = PlanScenario()
        scenario.state.audienceSizes = ["anglers": 1000]
        scenario.desired.audienceSizes = ["anglers": 1]
        scenario.staleLists = [StaleList(audience: "divers", age: .seconds(90_000), limit: .seconds(86_400))]
        var plan = scenario.plan()
        plan.refuse([
            StaleList(audience: "anglers", age: .seconds(59), limit: .seconds(58)),
            StaleList(audience: "divers", age: .seconds(180_000), limit: .seconds(86_400)),
        ])
        #expect(plan.refusals.filter { $0.kind != .staleList }.map(\.kind) == [.audienceCollapse])
        #expect(
            plan.refusals.filter { $0.kind == .staleList }.map(\.message) == [
                "the list of audience 'anglers' is 59 s old; the limit is 58s",
                "the list of audience 'divers' is 2 days old; the limit is 1d",
            ])
        plan.refuse([])
        #expect(plan.refusals.map(\.kind) == [.audienceCollapse])
    }

    @Test func `an audience without a past is not guarded`() {
        var scenario = PlanScenario()
        scenario.desired.audienceSizes = ["anglers": 100_000]
        #expect(scenario.plan().figures.isEmpty)
    }

    @Test(arguments: [(99, Guard.audienceCollapse), (100, nil), (10_000, nil), (10_001, .audienceGrowth)])
    func `a renamed audience is compared with its size under the old name`(_ size: Int, _ refused: Guard?) {
        var scenario = PlanScenario()
        scenario.state.audienceSizes = ["fishers": 1000, "others": 500]
        scenario.desired.audienceSizes = ["anglers": size]
        scenario.desired.audiencePreviousNames = ["anglers": ["fishers"]]
        let plan = scenario.plan()
        #expect(plan.refusals.map(\.kind) == (refused.map { [$0] } ?? []))
        #expect(plan.refusedSizes == (refused == nil ? [:] : ["anglers": 1000]))
    }

    /// Sizes in the state, sizes wanted, and whether the new audience is refused.
    @Test(
        arguments: [
            (["opted-out": 100], ["left": 0], true), (["opted-out": 99], ["left": 0], false),
            (["opted-out": 100], ["left": 1], false), (["opted-out": 100], ["left": 0, "opted-out": 100], false),
            ([:], ["left": 0], false),
        ] as [([String: Int], [String: Int], Bool)])
    func `an audience that may have been renamed and emptied at once is refused, until a person allows it`(
        _ before: [String: Int], _ sizes: [String: Int], _ isRefused: Bool
    ) {
        var scenario = PlanScenario()
        scenario.state.audienceSizes = before
        scenario.desired.audienceSizes = sizes
        let plan = scenario.plan()
        #expect(
            plan.figures
                == (isRefused ? [Figures(kind: .audienceCollapse, name: "left", limit: 10, actual: 0)] : []))
        guard isRefused else { return }
        // A run leaves it out, and the next one refuses it again.
        let kept = plan.withholding(plan.refusals, in: Workspace(audiences: [])).closing(sizes: sizes)
        scenario.state.apply(kept)
        #expect(scenario.plan().refusals.map(\.name) == ["left"])
        // An apply with the override does not.
        scenario.state.apply(plan.closing(sizes: sizes))
        #expect(scenario.plan().refusals.isEmpty)
    }

    // MARK: fresh_record

    @Test(arguments: [
        (EndpointKind.fcm, false, true), (.fcm, true, false), (.emulator, false, false),
    ])
    func `fresh_record refuses sends at the real endpoint on a state that knows of none`(
        _ endpoint: EndpointKind, _ knowsOfSends: Bool, _ isRefused: Bool
    ) {
        var scenario = PlanScenario()
        scenario.state = RecordedState(identity: .sample(endpoint))
        // Memberships alone do not show whether a campaign was sent.
        scenario.state.serial = 7
        if knowsOfSends { scenario.began(.tide("earlier"), accepted: [1], finished: true) }
        scenario.want(.tide("earlier"))
        scenario.want("tides", [1])
        scenario.want(.tide(title: "Low tide"))
        let refused = scenario.plan().refusals
        #expect(Set(refused.map(\.kind)) == (isRefused ? [.freshRecord] : []))
        #expect(refused.contains { $0.name == "tide" } == isRefused)
    }

    @Test func `fresh_record lets memberships and what comes later pass`() {
        var scenario = PlanScenario()
        scenario.state = RecordedState(identity: .sample(.fcm))
        scenario.want("tides", [1])
        scenario.want(.tide(at: .after(60)))
        #expect(scenario.plan().figures.isEmpty)
    }

    // MARK: looks_renamed

    @Test func `looks_renamed refuses a new campaign with message and target of a vanished, sent one`() {
        var scenario = PlanScenario()
        scenario.began(.tide("old"), accepted: [1], finished: true)
        scenario.want(.tide("new"))
        #expect(scenario.plan().refusals.map(\.kind) == [.looksRenamed])
        #expect(scenario.plan().refusals.map(\.name) == ["new"])
        #expect(scenario.plan().refusals.allSatisfy { $0.message.contains("old@once") })
    }

    @Test(arguments: [
        Campaign.tide("new", title: "Low tide"), .tide("new", to: .audience("others")),
        .tide("new", to: .topic("t")),
    ])
    func `another message or target does not look renamed`(_ campaign: Campaign) {
        var scenario = PlanScenario()
        scenario.desired.audienceSizes = ["anglers": 3, "others": 3]
        scenario.began(.tide("old"), accepted: [1], finished: true)
        scenario.want(campaign)
        #expect(scenario.plan().figures.isEmpty)
    }

    @Test func `beside its twin a campaign does not look renamed`() {
        var scenario = PlanScenario()
        scenario.began(.tide("old"), accepted: [1, 2, 3], finished: true)
        scenario.want(.tide("old"))
        scenario.want(.tide("new"))
        #expect(scenario.plan().figures.isEmpty)
    }

    @Test func `a twin that was never sent does not make a campaign look renamed`() {
        var scenario = PlanScenario()
        scenario.began(.tide("old", at: .after(-10_000)), finished: true)
        scenario.want(.tide("new"))
        #expect(scenario.plan().figures.isEmpty)
    }

    @Test func `a campaign that was let through once goes on`() {
        var scenario = PlanScenario()
        scenario.began(.tide("old"), accepted: [1], finished: true)
        scenario.began(.tide("new"), accepted: [1])
        scenario.want(.tide("new"), for: [1, 2])
        #expect(scenario.plan().sends.map(\.members) == [[2]])
        #expect(scenario.plan().figures.isEmpty)
    }

    // MARK: state_went_back

    @Test(arguments: [(nil, false), (0, false), (1, false), (2, true), (99, true)] as [(Int64?, Bool)])
    func `state_went_back refuses everything on a state that is behind a report`(_ reported: Int64?, _ isRefused: Bool)
    {
        var scenario = PlanScenario()
        scenario.reportedSerial = reported
        scenario.want("tides", [1])
        scenario.want(.tide())
        let plan = scenario.plan()
        #expect(plan.refusals.map(\.kind) == (isRefused ? [.stateWentBack] : []))
        #expect(
            plan.refusals.allSatisfy { $0.override == "--override state_went_back" && $0.limit == Int(reported ?? 0) })
    }

    @Test func `a state that a person accepted is ahead of its reports`() {
        var scenario = PlanScenario()
        scenario.state.apply([.outgrow(7)])
        scenario.reportedSerial = 7
        scenario.want(.tide())
        #expect(scenario.plan().refusals.isEmpty)
        scenario.state.apply([.outgrow(3)])
        #expect(scenario.state.serial == 9)
    }

    // MARK: Words

    @Test func `each guard says what to do, and how it is let through`() throws {
        let lines = Guard.allCases.map { kind in
            let name = kind.isOfEverything ? "" : "tide"
            let refusal = GuardRefusal(kind: kind, name: name, limit: 1, actual: 2, message: "")
            return "\(kind.rawValue): \(refusal.help)\n"
        }
        #expect(try Golden("guards.txt").text(recording: lines.joined()) == lines.joined())
    }

    // MARK: Overrides

    @Test func `a refusal names the option that lets it through`() {
        let refusal = GuardRefusal(kind: .maxRecipients, name: "tide", limit: 1, actual: 2, message: "")
        #expect(refusal.override == "--override max_recipients=tide")
    }

    @Test(arguments: [
        (["max_recipients"], "tide", true), (["max_recipients=tide"], "tide", true),
        (["max_recipients=tide"], "wind", false), (["max_unsubscribe_percent"], "tide", false),
        (["fresh_record", "max_recipients=wind", "max_recipients=tide"], "tide", true), ([], "tide", false),
    ])
    func `an override lets one guard through, everywhere or for one name`(
        _ texts: [String], _ name: String, _ isAllowed: Bool
    ) throws {
        let overrides = try #require(Overrides(texts))
        #expect(overrides.allow(.maxRecipients, for: name) == isAllowed)
    }

    @Test(arguments: ["", "max_recipient", "max_recipients=", "=tide", "MAX_RECIPIENTS", "max_recipients tide"])
    func `an override of no guard is refused`(_ text: String) {
        #expect(Overrides(["fresh_record", text]) == nil)
    }
}

extension Plan {
    fileprivate var figures: [PlannerGuardTests.Figures] {
        refusals.map { .init(kind: $0.kind, name: $0.name, limit: $0.limit, actual: $0.actual) }
    }
}
