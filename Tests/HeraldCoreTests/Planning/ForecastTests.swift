import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Plans from a snapshot: figures by hand. `ForecastPropertyTests` holds them against plans from the state.
@Suite struct ForecastTests {
    private var scenario = PlanScenario()

    private func forecast(_ scenario: PlanScenario, tombstones: Int = 0, remarks: [String] = []) -> Proposal {
        var desired = scenario.desired
        let members = desired.topics.map(\.members) + desired.groups.map(\.members) + desired.sends.map(\.members)
        desired.listed = members.reduce(desired.listed) { $0.union($1) }.subtracting(.target)
        let snapshot = StateSnapshot(scenario.state, tombstones: tombstones, at: PlanScenario.now)
        return Planner.forecast(
            from: snapshot, of: desired, scenario.settings, onlyCampaigns: scenario.only,
            listsSkipped: scenario.listsSkipped, remarks: remarks, at: PlanScenario.now
        )
        .proposal
    }

    private func planned(_ proposal: Proposal) -> [String: Int] {
        Dictionary(proposal.plan.steps.map { ("\($0.id)", $0.work.planned) }, uniquingKeysWith: +)
    }

    // MARK: Memberships

    /// Managed, asked for, found and listed; joining and leaving.
    @Test(arguments: [
        (100, 0, 0, 100, 0, 0), (100, 0, 0, 110, 10, 0), (100, 0, 0, 90, 0, 10), (0, 0, 0, 7, 7, 0),
        (60, 0, 40, 100, 0, 0), (60, 30, 10, 100, 30, 0), (60, 0, 10, 100, 30, 0), (50, 20, 0, 40, 0, 30),
        (100, 0, 20, 100, 0, 0),
    ])
    func `changes of a topic are what the sizes differ by`(
        _ managed: Int, _ asked: Int, _ found: Int, _ listed: Int, _ joining: Int, _ leaving: Int
    ) {
        var scenario = scenario
        // None of them is listed in fact, which the snapshot does not show.
        let all = (1000..<1000 + RecipientID(managed + asked + found)).map { $0 }
        scenario.state.topics["tides"] = RecordedTopic(
            managed: RecipientSet(all.prefix(managed)), found: RecipientSet(all.suffix(found)),
            subscribing: RecipientSet(all.dropFirst(managed).prefix(asked)))
        scenario.want("tides", RecipientSet(1..<RecipientID(1 + listed)))
        scenario.settings.guards.maxUnsubscribePercent = 100
        var wanted: [String: Int] = [:]
        if joining > 0 { wanted["subscribe:tides"] = joining }
        if leaving > 0 { wanted["unsubscribe:tides"] = leaving }
        #expect(planned(forecast(scenario)) == wanted)
    }

    @Test func `all leave a topic that no file declares, with earlier registrations`() {
        var scenario = scenario
        scenario.state.topics["tides"] = RecordedTopic(
            managed: [1, 2, 3, KnownRecipient.firstFormer], found: [4], subscribing: [5])
        scenario.state.formers = [KnownRecipient.firstFormer: 1]
        #expect(planned(forecast(scenario)) == ["unsubscribe:tides": 5])
        scenario.want("tides", [11, 12, 13, 14, 15])
        #expect(planned(forecast(scenario)) == ["subscribe:tides": 1], "one was asked for and has no answer")
    }

    @Test func `a renamed topic moves`() {
        var scenario = scenario
        scenario.state.topics["old"] = RecordedTopic(managed: [1, 2, 3])
        scenario.desired.topics = [DesiredTopic(name: "new", members: [7, 8], previousNames: ["old"])]
        #expect(planned(forecast(scenario)) == ["subscribe:new": 2, "unsubscribe:old": 3])
    }

    @Test func `a group is known by its digest, and another's name stays hidden`() throws {
        var scenario = scenario
        for name in ["anns-devices", "chris"] as [GroupName] {
            scenario.state.groups[name] = RecordedGroup()
            scenario.state.groups[name]?.key = NotificationKey(rawValue: "key")
            scenario.state.groups[name]?.members = [1, 2, 3]
        }
        scenario.desired.groups = [DesiredGroup(name: "chris", members: [11, 12, 13, 14])]
        let steps = planned(forecast(scenario))
        #expect(steps["group_add:chris"] == 1)
        let deleted = try #require(steps.keys.first { $0.hasPrefix("group_delete:sha256:") })
        #expect(steps == ["group_add:chris": 1, deleted: 3])
    }

    /// All of a group are to leave: members, and how many of them have an earlier registration in it besides.
    @Test(arguments: [(9, 1), (9, 0), (10, 0), (11, 3)])
    func `the guard of a group counts people, whose earlier registrations may be in it too`(
        _ people: RecipientID, _ earlier: RecipientID
    ) {
        var scenario = scenario
        let formers = (0..<earlier).map { KnownRecipient.firstFormer + $0 }
        scenario.state.groups["chris"] = RecordedGroup()
        scenario.state.groups["chris"]?.key = NotificationKey(rawValue: "key")
        scenario.state.groups["chris"]?.members = RecipientSet(1...people).union(RecipientSet(formers))
        for (number, former) in formers.enumerated() { scenario.state.formers[former] = RecipientID(number + 1) }
        let refused = scenario.proposal().plan.refusals.map(\.kind)
        #expect(refused == (people >= 10 ? [.maxUnsubscribePercent] : []))
        let forecast = forecast(scenario)
        #expect(forecast.plan.refusals.map(\.kind) == refused)
        let unjudged = forecast.overview.unjudged.filter { $0.kind == .maxUnsubscribePercent }
        #expect(unjudged.isEmpty == (people + earlier < 10 || people >= 10))
    }

    // MARK: Recipients

    @Test func `a send reaches at most whom the files list`() {
        var scenario = scenario
        scenario.want(.tide(), for: RecipientSet(1...9))
        scenario.state.dead = [1, 2]
        scenario.began(.tide(), accepted: [3, 4])
        let send = forecast(scenario, tombstones: 2).plan.sends
        #expect(send.map(\.recipients) == [9])
        #expect(send.map(\.isResumed) == [true])
    }

    private static let promo = FrequencyCap(name: "promo", max: 1, per: .seconds(86_400), tags: ["promo"])
    private static let all = FrequencyCap(name: "all", max: 1, per: .seconds(3600))

    /// To recipients 1 to 3. 'early' goes before 'late', and both heed the caps of their tags.
    private func capped(_ name: String, tags: [String]) -> Campaign {
        var campaign = Campaign.tide(name, onUnknown: .resend)
        campaign.delivery.frequency = Frequency(tags: tags, priority: name == "early" ? 9 : 5)
        campaign.delivery.frequency.caps = [Self.promo, Self.all].filter { $0.isFor(tags) }
        return campaign
    }

    @Test(arguments: [[], ["promo"]])
    func `of two new sends to the same people the first one fills the caps of both`(_ tags: [String]) {
        var scenario = scenario
        scenario.settings.frequencyCaps = [Self.all]
        for name in ["early", "late"] { scenario.want(capped(name, tags: name == "late" ? tags : [])) }
        let sends = forecast(scenario).plan.sends
        #expect(sends.map(\.recipients) == [3, 0])
        #expect(sends.map { $0.skipped[.capped("all")].count } == [0, 3])
    }

    @Test func `whoever is no part of an earlier send's follow-up audience may get a later one`() {
        var scenario = scenario
        scenario.settings.frequencyCaps = [Self.all]
        for name in ["early", "late"] { scenario.want(capped(name, tags: [])) }
        scenario.desired.sends[0].isKnown = false
        let sends = forecast(scenario).plan.sends
        #expect(sends.map(\.isCounted) == [false, true])
        #expect(sends.map(\.members) == [[1, 2, 3], [1, 2, 3]])
    }

    @Test func `whom a later send's own message keeps from an earlier one, the later one may reach again`() {
        var scenario = scenario
        scenario.settings.frequencyCaps = [Self.all]
        for name in ["early", "late"] { scenario.want(capped(name, tags: [])) }
        scenario.began(capped("late", tags: []), unknown: [1])
        scenario.state.starts["late@once"] = Partition(disjoint: [MessageStart(until: .after(-60), tags: []): [1]])
        #expect(scenario.plan().sends.map(\.members) == [[2, 3], [1]])
        #expect(forecast(scenario).plan.sends.map(\.recipients) == [3, 3])
    }

    @Test func `whom a cap keeps from an earlier send, one of other tags may reach`() {
        var scenario = scenario
        scenario.settings.frequencyCaps = [Self.promo, Self.all]
        scenario.want(capped("early", tags: ["promo"]))
        scenario.want(capped("late", tags: []))
        let start = MessageStart(until: .after(-7200), tags: ["promo"])
        scenario.state.starts["news@once"] = Partition(disjoint: [start: [1]])
        #expect(scenario.plan().sends.map(\.members) == [[2, 3], [1]])
        #expect(forecast(scenario).plan.sends.map(\.recipients) == [3, 3])
    }

    @Test func `a topic reaches at most those listed and those found there`() {
        var scenario = scenario
        scenario.want("tides", [1, 2, 3])
        scenario.state.topics["tides"] = .init(managed: [3, 4], found: [5])
        scenario.want(.tide(to: .topic("tides")))
        #expect(forecast(scenario).plan.sends.map(\.recipients) == [4])
        #expect(forecast(scenario).plan.sends.map(\.members) == [.target])
    }

    @Test func `conditions combine the bounds of their topics`() throws {
        var scenario = scenario
        scenario.want("a", [1, 2, 3])
        scenario.want("b", [3, 4, 5, 6])
        scenario.desired.listed = [1, 2, 3, 4, 5, 6]
        scenario.state.nextRecipient = 11
        for (text, most) in [
            ("'a' in topics || 'b' in topics", 7), ("'a' in topics && 'b' in topics", 3),
            ("'a' in topics && !('b' in topics)", 3), ("!('a' in topics)", 16),
        ] {
            let condition = try Condition(parsing: text)
            scenario.desired.sends = []
            scenario.want(.tide(to: .condition(condition)), for: .target)
            #expect(forecast(scenario).plan.sends.map(\.recipients) == [most], "\(text)")
        }
    }

    // MARK: Guards

    private func judged(_ proposal: Proposal, _ kind: Guard) -> (refused: [String], told: [String]) {
        (
            proposal.plan.refusals.filter { $0.kind == kind }.map(\.name),
            proposal.overview.unjudged.filter { $0.kind == kind }.flatMap(\.names)
        )
    }

    /// Listed recipients, tombstones; the limit is 10.
    @Test(
        arguments: [(10, 0, [], []), (11, 0, ["tide"], []), (11, 1, [], ["campaign 'tide'"]), (12, 1, ["tide"], [])]
            as [(RecipientID, Int, [String], [String])])
    func `max_recipients is judged where the bounds allow it, and told where not`(
        _ listed: RecipientID, _ tombstones: Int, _ refused: [String], _ told: [String]
    ) {
        var scenario = scenario
        scenario.settings.guards.maxRecipients = 10
        scenario.want(.tide(), for: RecipientSet(1...listed))
        let found = judged(forecast(scenario, tombstones: tombstones), .maxRecipients)
        #expect(found.refused == refused)
        #expect(found.told == told)
    }

    /// Two of four have it. Who of them is listed, and who is part of it, is not in a snapshot.
    @Test(
        arguments: [(1, ["tide"], []), (2, [], ["campaign 'tide'"]), (5, [], ["campaign 'tide'"]), (6, [], [])]
            as [(Int, [String], [String])])
    func `of what has begun a snapshot knows that it is for those who have it`(
        _ limit: Int, _ refused: [String], _ told: [String]
    ) {
        var scenario = scenario
        scenario.settings.guards.maxRecipients = limit
        scenario.want(.tide(), for: [1, 2, 3, 4])
        scenario.list([1, 2, 3, 4])
        scenario.began(.tide(), accepted: [1, 2])
        let found = judged(forecast(scenario), .maxRecipients)
        #expect(found.refused == refused)
        #expect(found.told == told)
    }

    /// FCM took nothing of a first run, which had recorded who gets which text. The third came later.
    @Test func `a snapshot does not say for whom texts were recorded`() throws {
        var scenario = scenario
        let samples = try PersonalSamples(["Ann,it", "Bob,it", "New,it"])
        scenario.desired = samples.desired
        scenario.settings.guards.maxRecipients = 2
        let campaign = try samples.send.campaign
        var occurrence = RecordedOccurrence(campaign, due: nil)
        occurrence.classes = Partition(disjoint: [MessageClass(locale: "it"): [1, 2]])
        scenario.state.occurrences[campaign.id] = occurrence
        #expect(scenario.plan().sends.map(\.members) == [[1, 2]])
        let found = judged(forecast(scenario), .maxRecipients)
        #expect(found.refused == [])
        #expect(found.told == ["campaign 'mine'"])
    }

    /// Members, listed; the limit is 30 %.
    @Test(
        arguments: [
            (100, 69, ["tides"], []), (100, 70, [], ["topic 'tides'"]), (100, 200, [], ["topic 'tides'"]),
            (9, 0, [], []),
            (10, nil, ["tides"], []), (9, nil, [], []),
        ] as [(RecipientID, RecipientID?, [String], [String])])
    func `max_unsubscribe_percent is judged by the least that must leave`(
        _ members: RecipientID, _ listed: RecipientID?, _ refused: [String], _ told: [String]
    ) {
        var scenario = scenario
        scenario.state.topics["tides"] = .init(managed: RecipientSet(1...members))
        if let listed { scenario.want("tides", RecipientSet(1001..<1001 + listed)) }
        let found = judged(forecast(scenario), .maxUnsubscribePercent)
        #expect(found.refused == refused)
        #expect(found.told == told)
    }

    @Test func `sizes of audiences, fresh states and vanished twins are judged as ever`() {
        var scenario = scenario
        scenario.state.audienceSizes = ["anglers": 1000]
        scenario.desired.audienceSizes = ["anglers": 50]
        scenario.began(.tide("old"), accepted: [1], finished: true)
        scenario.want(.tide("new"))
        #expect(Set(forecast(scenario).plan.refusals.map(\.kind)) == [.audienceCollapse, .looksRenamed])
        scenario.state = RecordedState(identity: .sample(.fcm))
        #expect(forecast(scenario).plan.refusals.map(\.kind) == [.freshRecord])
    }

    @Test func `what needs reports or lists is told`() {
        var scenario = scenario
        scenario.want(.tide())
        #expect(forecast(scenario).overview.unjudged.map(\.kind) == [.stateWentBack, .stateMoved, .olderFiles])
        scenario.listsSkipped = true
        #expect(
            Set(forecast(scenario).overview.unjudged.map(\.kind)) == [
                .stateWentBack, .stateMoved, .olderFiles, .maxRecipients, .maxUnsubscribePercent, .audienceCollapse,
                .audienceGrowth,
            ])
    }

    // MARK: What is said about the snapshot

    @Test func `a snapshot that knows none of the campaigns is pointed out`() {
        var scenario = scenario
        scenario.want(.tide("wind", at: .after(60)))
        #expect(forecast(scenario).overview.warnings == [], "a new state knows nothing")
        scenario.began(.tide("old"), accepted: [1], finished: true)
        #expect(forecast(scenario).overview.warnings.count { $0.contains("another workspace") } == 1)
        var renamed = scenario
        renamed.state.formerNames = ["old": ["wind"]]
        #expect(!forecast(renamed).overview.warnings.contains { $0.contains("another workspace") })
        scenario.began(.tide("wind", at: .after(60)))
        #expect(forecast(scenario, remarks: ["old"]).overview.warnings == ["old"])
    }

    @Test(
        arguments: [
            (0, nil), (86_400, nil), (90_000, "the snapshot is 1 d 1 h old"), (-60, nil), (-3600, "in the future"),
        ] as [(Int, String?)])
    func `its age is told beyond a limit`(_ age: Int, _ words: String?) {
        let snapshot = StateSnapshot(scenario.state, tombstones: 0, at: PlanScenario.now)
        let remarks = snapshot.remarks(olderThan: .seconds(86_400), at: .after(age))
        #expect(remarks.count == (words == nil ? 0 : 1))
        #expect(remarks.allSatisfy { $0.contains(words ?? "") })
    }

    @Test func `another project or endpoint is refused`() throws {
        let snapshot = StateSnapshot(scenario.state, tombstones: 0, at: PlanScenario.now)
        try snapshot.check("tide-app", .emulator, workspace: "tide")
        for (project, endpoint) in [("tide-app", EndpointKind.fcm), ("tides", .emulator)] {
            #expect(
                throws: SnapshotProblem.bound(
                    to: "project 'tide-app' at emulator", wanted: "project '\(project)' at \(endpoint.rawValue)")
            ) { try snapshot.check(project, endpoint, workspace: nil) }
        }
    }

    @Test(
        arguments: [(nil, "tide", true), ("tide", nil, true), ("tide", "tide", true), ("tide", "wind", false)]
            as [(String?, String?, Bool)])
    func `a snapshot of another workspace is refused, if both name one`(
        _ bound: String?, _ wanted: String?, _ isRight: Bool
    ) throws {
        var snapshot = StateSnapshot(scenario.state, tombstones: 0, at: PlanScenario.now)
        snapshot.identity.workspace = bound
        let read = try SnapshotDocument(reading: Array(SnapshotDocument(snapshot).json.compactText.utf8)).snapshot
        #expect(read.identity.workspace == bound)
        do {
            try read.check("tide-app", .emulator, workspace: wanted)
            #expect(isRight)
        } catch {
            #expect(!isRight && error == .bound(to: "workspace 'tide'", wanted: "workspace 'wind'"))
        }
    }
}
