import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Frequency caps in plans. It is 2025-12-01T08:00:00Z.
struct PlannerCapTests {
    private static let promo = FrequencyCap(name: "promo", max: 1, per: .seconds(86_400), tags: ["promo"])

    func campaign(
        _ name: String, tags: [String] = ["promo"], priority: Int = 5, caps: [FrequencyCap] = [promo],
        to target: Campaign.Target = .audience("anglers"), _ change: (inout Frequency) -> Void = { _ in }
    ) -> Campaign {
        var campaign = Campaign.tide(name, to: target)
        campaign.delivery.frequency = Frequency(tags: tags, priority: priority)
        campaign.delivery.frequency.caps = caps.filter { $0.isFor(tags) }
        change(&campaign.delivery.frequency)
        return campaign
    }

    private func scenario(_ campaigns: Campaign..., caps: [FrequencyCap] = [promo]) -> PlanScenario {
        var scenario = PlanScenario()
        scenario.settings.frequencyCaps = caps
        scenario.state.countingSince = .after(-90 * 86_400)
        for campaign in campaigns { scenario.want(campaign) }
        return scenario
    }

    func start(_ seconds: Int, _ tags: [String] = ["promo"]) -> MessageStart {
        MessageStart(until: .after(seconds), tags: tags)
    }

    @Test func `whoever had as many as the cap allows is skipped for good`() throws {
        var scenario = scenario(campaign("sale"))
        scenario.state.starts = ["news@once": Partition(disjoint: [start(-86_399): [1], start(-86_400): [2]])]
        let send = try #require(scenario.plan().sends.first)
        #expect(send.members == [2, 3])
        #expect(send.skipped == Partition(disjoint: [.capped("promo"): [1]]))
        #expect(send.counting == StartCounting(tags: ["promo"], span: 1800))
        // A day later the plan does not offer it again, whatever the cap says then.
        scenario.carryOut(scenario.plan())
        scenario.state.apply([.skip("sale@once", [1], .capped("promo"))])
        #expect(scenario.plan(at: .after(86_400)).sends.isEmpty)
    }

    @Test func `sends of one plan count for each other, the highest priority first`() throws {
        let scenario = scenario(campaign("a-sale"), campaign("b-sale", priority: 9), campaign("chat", tags: []))
        let sends = scenario.plan().sends
        #expect(sends.map(\.campaign) == ["b-sale", "a-sale", "chat"])
        #expect(sends.map(\.members) == [[1, 2, 3], [], [1, 2, 3]])
        #expect(sends[1].skipped == Partition(disjoint: [.capped("promo"): [1, 2, 3]]))
        let document = PlanDocument(scenario.proposal(), id: "i", created: PlanScenario.now)
        let steps = try #require(document.json["steps"]?.array)
        #expect(steps.map { $0["requests"] } == [3, 0, 3])
        #expect(steps.map { $0["skipped_because"]?["capped"] } == [nil, ["promo": 3], nil])
    }

    @Test func `without tags in the file a cap is for all, and one without its tag is for none`() {
        let all = FrequencyCap(name: "all", max: 2, per: .seconds(3600))
        let caps = [Self.promo, all]
        let scenario = scenario(
            campaign("a", tags: ["news"], caps: caps), campaign("b", tags: [], caps: caps),
            campaign("c", tags: ["promo"], caps: caps), caps: caps)
        #expect(scenario.plan().sends.map(\.members) == [[1, 2, 3], [1, 2, 3], []])
        #expect(scenario.plan().sends[2].skipped.states.map(\.self) == [.capped("all")])
    }

    @Test func `what must arrive ignores caps, and may not count`() {
        let scenario = scenario(
            campaign("alarm", priority: 9) { $0.ignoresCaps = true },
            campaign("bill", priority: 8) { ($0.ignoresCaps, $0.counts) = (true, false) },
            campaign("sale") { $0.counts = false })
        let sends = scenario.plan().sends
        #expect(sends.map(\.campaign) == ["alarm", "bill", "sale"])
        #expect(sends.map(\.members) == [[1, 2, 3], [1, 2, 3], []])
        #expect(sends.map { $0.counting == nil } == [false, true, true])
    }

    @Test func `nobody is stopped by their own first try, and who may have got it keeps that`() throws {
        var campaign = campaign("sale")
        campaign.delivery.onUnknown = .resend
        var scenario = scenario(campaign)
        scenario.state.apply([
            .open("sale@once", RecordedOccurrence(campaign, due: nil)),
            .assign("sale@once", Partition(disjoint: [MessageClass(): [1, 2, 3]])),
            .outcome("sale@once", [1, 2], .unknown), .started("sale@once", [1, 2], start(-60)),
            .started("other@once", [2, 3], start(-60)),
        ])
        let send = try #require(scenario.plan().sends.first)
        #expect(send.members == [1])
        // The second one's outcome stays unknown; the third got nothing and gets nothing.
        #expect(send.skipped == Partition(disjoint: [.capped("promo"): [2, 3]]))
        #expect(send.keepingOutcome == [2])
    }

    @Test func `the first line of a review leaves out whom a cap stops, unless they may have it`() {
        func headline(_ scenario: PlanScenario) -> String {
            PlanDocument(scenario.proposal(), id: "i", created: PlanScenario.now).headline
        }
        var both = scenario(campaign("a-sale"), campaign("b-sale"))
        #expect(headline(both) == "1 campaign to 3 recipients, the first now")
        both.state.starts = ["news@once": Partition(disjoint: [start(-60): [1]])]
        #expect(headline(both) == "1 campaign to 2 recipients, the first now")
        both.state.starts = ["news@once": Partition(disjoint: [start(-60): [1, 2, 3]])]
        #expect(headline(both) == "No sends in the next 7 days")
        var tried = campaign("sale")
        tried.delivery.onUnknown = .resend
        var resumed = scenario(tried)
        resumed.state.apply([
            .open("sale@once", RecordedOccurrence(tried, due: nil)),
            .assign("sale@once", Partition(disjoint: [MessageClass(): [1, 2, 3]])),
            .outcome("sale@once", [1, 2], .unknown), .started("sale@once", [1, 2], start(-60)),
            .started("other@once", [2, 3], start(-60)),
        ])
        #expect(headline(resumed) == "1 campaign to 2 recipients, the first now")
    }

    /// A campaign of every hour whose first firing, so many hours ago, has tried one of three.
    private func hourly(since hours: Int = 1) throws -> PlanScenario {
        let (due, id) = (Date.after(-3600 * hours), OccurrenceID(rawValue: "sale@2025-12-01T0\(8 - hours):00:00Z"))
        var campaign = campaign("sale")
        campaign.schedule.times = .cron(try Cron(parsing: "0 * * * *"), start: nil, end: nil)
        campaign.delivery.onUnknown = .resend
        campaign.delivery.window = SendWindow(
            hours: DailyHours(from: 0, to: 1440), zone: .utc, field: nil, whenClosed: .wait)
        var scenario = scenario(campaign)
        scenario.state.watermarks["sale"] = Watermark(at: due, schedule: campaign.schedule.text, next: nil)
        scenario.state.apply([
            .open(id, RecordedOccurrence(campaign, due: due)),
            .assign(id, Partition(disjoint: [MessageClass(): [1, 2, 3]])), .outcome(id, [1], .unknown),
            .started(id, [1], start(-60)),
        ])
        return scenario
    }

    @Test func `what a first try keeps from somebody does not take the place of the next try`() throws {
        let sends = try hourly().plan().sends
        #expect(sends.map(\.occurrence) == ["sale@2025-12-01T08:00:00Z", "sale@2025-12-01T07:00:00Z"])
        #expect(sends.map(\.members) == [[2, 3], [1]])
        #expect(sends.first?.skipped == Partition(disjoint: [.capped("promo"): [1]]))
        #expect(sends.last?.skipped == Partition(disjoint: [.superseded: [2, 3]]))
    }

    @Test(arguments: [1, 2])
    func `a snapshot does not say from whom a first try keeps the next occurrence`(_ hours: Int) throws {
        let scenario = try hourly(since: hours)
        let snapshot = StateSnapshot(scenario.state, tombstones: 0, at: PlanScenario.now)
        let shown = Planner.forecast(from: snapshot, of: scenario.desired, scenario.settings, at: PlanScenario.now)
            .proposal.plan.sends
        // Of each at least as many as the plan from the state has.
        for send in scenario.plan().sends {
            let recipients = shown.first { $0.occurrence == send.occurrence }?.recipients ?? 0
            #expect(recipients >= send.recipients, "\(send.occurrence)")
        }
    }

    @Test func `whoever keeps an outcome is nothing to do while others may come back`() throws {
        var scenario = try hourly()
        scenario.state.watermarks["sale"]?.at = PlanScenario.now
        scenario.state.apply([
            .skip("sale@2025-12-01T07:00:00Z", [2], .superseded), .started("other@once", [1], start(-60)),
        ])
        scenario.desired.sends[0].members = [1, 2]
        let proposal = scenario.proposal()
        #expect(proposal.plan.sends.isEmpty)
        #expect(
            proposal.overview.warnings.contains(
                "sale@2025-12-01T07:00:00Z is half done and not sent again to 1 recipient who may have it; it ends with 'herald state resolve sale@2025-12-01T07:00:00Z --abandon'"
            ))
        // Whom nobody has decided about yet is something to do.
        scenario.state.apply([.outcome("sale@2025-12-01T07:00:00Z", [2], nil), .started("other@once", [2], start(-60))])
        #expect(scenario.plan().sends.map(\.skipped.all) == [[1, 2]])
    }

    @Test func `whom FCM refused for now may have it, and ends as rejected if a cap stops the next try`() throws {
        var scenario = scenario(campaign("sale"))
        scenario.state.apply([
            .open("sale@once", RecordedOccurrence(campaign("sale"), due: nil)),
            .assign("sale@once", Partition(disjoint: [MessageClass(): [1, 2, 3]])),
            .outcome("sale@once", [1], .accepted), .outcome("sale@once", [2], .deferred),
            .started("other@once", [2, 3], start(-60)),
        ])
        let send = try #require(scenario.plan().sends.first)
        #expect(send.members.isEmpty && send.refused == [2])
        #expect(send.skipped == Partition(disjoint: [.capped("promo"): [3]]))
        #expect(Plan.Work.send(send).planned == 2)
    }

    @Test(arguments: [LedgerEntry.unknown, .deferred, .again])
    func `what may have arrived stops others for good, although it is sent again`(_ entry: LedgerEntry) throws {
        var first = campaign("sale", priority: 9)
        first.delivery.onUnknown = .resend
        var scenario = scenario(first, campaign("other"))
        scenario.state.apply([
            .open("sale@once", RecordedOccurrence(first, due: nil)),
            .assign("sale@once", Partition(disjoint: [MessageClass(): [1, 2, 3]])),
            .outcome("sale@once", [2], entry), .started("sale@once", [2], start(-60)),
        ])
        let sends = scenario.plan().sends
        #expect(sends.map(\.campaign) == ["sale", "other"] && sends[0].members == [1, 2, 3])
        #expect(sends[0].earlierStarts == Partition(disjoint: [start(-60): [2]]))
        #expect(sends[1].skipped == Partition(disjoint: [.capped("promo"): [1, 2, 3]]))
        #expect(sends[1].undecided == [1, 3])
    }

    @Test func `a topic is neither stopped nor counted`() {
        let scenario = scenario(campaign("sale", priority: 9, to: .topic("news")), campaign("other"))
        let sends = scenario.plan().sends
        #expect(sends.map(\.members) == [.target, [1, 2, 3]])
        #expect(sends[0].counting == nil)
    }

    @Test func `what a run is sending counts for what comes due meanwhile`() throws {
        var scenario = scenario(campaign("early"))
        scenario.underWay = scenario.plan().sends
        #expect(scenario.underWay.map(\.members) == [[1, 2, 3]])
        scenario.want(campaign("late", priority: 9))
        #expect(scenario.plan().sends.first { $0.campaign == "late" }?.members == [])
        // The one whom FCM refused may get another message.
        scenario.state.apply([
            .open("early@once", RecordedOccurrence(campaign("early"), due: nil)),
            .reject("early@once", [2], code: "INVALID_ARGUMENT"),
        ])
        #expect(scenario.plan().sends.first { $0.campaign == "late" }?.members == [2])
        // It counts also where a plan of now would not have it any more.
        scenario.desired.sends.removeFirst()
        #expect(scenario.plan().sends.map(\.members) == [[2]])
    }

    @Test func `the state notes since when it counts, and forgets what is too old`() {
        var scenario = scenario(campaign("sale"))
        scenario.state.countingSince = nil
        #expect(scenario.plan().notes == [.counting(since: PlanScenario.now)])
        #expect(
            scenario.overview.warnings.contains(
                "frequency cap 'promo' looks further back than the state knows: messages count since 2025-12-01T08:00:00Z"
            ))
        scenario.state.countingSince = .after(-86_401)
        scenario.state.starts = ["a@once": Partition(disjoint: [start(-86_400): [9], start(0): [8]])]
        #expect(scenario.plan().notes == [.forgetStarts(until: .after(-86_400))])
        #expect(scenario.overview.warnings.isEmpty)
        scenario.settings.frequencyCaps = []
        #expect(scenario.plan().notes == [.counting(since: nil)])
        scenario.state.countingSince = nil
        #expect(scenario.plan().notes.isEmpty)
    }

    @Test func `a fast clock alone makes nothing too old for a cap`() {
        var scenario = scenario(campaign("sale"))
        scenario.state.starts = ["a@once": Partition(disjoint: [start(-2 * 86_400): [9]])]
        #expect(scenario.plan().notes.isEmpty)
        scenario.state.starts["b@once"] = Partition(disjoint: [start(0): [8]])
        #expect(scenario.plan().notes == [.forgetStarts(until: .after(-86_400))])
    }

    @Test func `what a run leaves out fills no cap, and what a person may let through does`() {
        var scenario = scenario(campaign("big", priority: 9), campaign("small"))
        scenario.settings.guards.maxRecipients = 2
        scenario.desired.sends[1].members = [1, 2]
        scenario.policy = .leaveOut
        #expect(scenario.plan().sends.map(\.members) == [[1, 2, 3], [1, 2]])
        #expect(scenario.plan().refusals.map(\.name) == ["big"])
        scenario.policy = .stop(Overrides())
        #expect(scenario.plan().sends.map(\.members) == [[1, 2, 3], []])
    }

    @Test(arguments: [Guard.audienceCollapse, .staleList])
    func `what a run leaves out because of a list fills no cap`(_ kind: Guard) {
        let big = campaign("big", priority: 9)
        var scenario = scenario(big, campaign("small", to: .audience("buoys")))
        scenario.workspace = Workspace(audiences: [Audience(name: .init("anglers"), source: .inline([]))])
        scenario.workspace.campaigns = [big]
        if kind == .staleList {
            scenario.staleLists = [StaleList(audience: "anglers", age: .seconds(9), limit: .seconds(1))]
        } else {
            scenario.state.audienceSizes = ["anglers": 100]
            scenario.desired.audienceSizes = ["anglers": 3]
        }
        #expect(scenario.plan().refusals.map(\.kind) == [kind])
        #expect(scenario.plan().sends.map(\.members) == [[1, 2, 3], []])
        scenario.policy = .leaveOut
        #expect(scenario.plan().sends.map(\.members) == [[1, 2, 3], [1, 2, 3]])
    }

    @Test func `without the lists nobody knows whom a cap stops`() {
        var scenario = scenario(campaign("sale"))
        scenario.began(campaign("sale"), accepted: [1])
        scenario.state.starts = ["news@once": Partition(disjoint: [start(-60): [2, 3]])]
        #expect(scenario.plan().sends.map(\.skipped) == [Partition(disjoint: [.capped("promo"): [2, 3]])])
        scenario.listsSkipped = true
        #expect(scenario.plan().sends.allSatisfy { $0.skipped.isEmpty })
    }

    @Test func `max_recipients counts those whom a cap stops`() {
        var scenario = scenario(campaign("sale"))
        scenario.settings.guards.maxRecipients = 2
        #expect(scenario.plan().refusals.map(\.actual) == [3])
        scenario.state.starts = ["news@once": Partition(disjoint: [start(-60): [1, 2]])]
        #expect(scenario.plan().sends.map(\.members) == [[3]])
        #expect(scenario.plan().refusals.map(\.actual) == [3])
    }

    @Test func `what nobody approved fills no cap`() {
        var scenario = scenario(campaign("big", priority: 9), campaign("small"))
        let definitions = [("", Definition.Kind.settings), ("big", .campaign), ("small", .campaign)].map {
            Definition(kind: $0.1, name: $0.0, previousNames: [], fields: [], uses: [])
        }
        let approval = Approval(definitions, suppress: [])
        scenario.approval = approval
        for (key, digest) in approval.digests where key.name != "big" {
            scenario.state.approvals[key.text] = RecordedApproval(
                digest: digest, size: nil, by: "anna", at: PlanScenario.now)
        }
        let plan = scenario.plan()
        #expect(plan.steps.map { $0.refusal == nil } == [false, true])
        #expect(plan.sends.map(\.members) == [[1, 2, 3], [1, 2, 3]])
    }

    @Test(arguments: [true, false])
    func `that the files have no caps any more says nothing to the state before somebody approves it`(
        _ isApproved: Bool
    ) {
        var scenario = scenario(campaign("sale"), caps: [])
        scenario.state.starts = ["a@once": Partition(disjoint: [start(-90 * 86_400): [9]])]
        let settings = Definition(kind: .settings, name: "", previousNames: [], fields: [], uses: [])
        let approval = Approval([settings], suppress: [])
        scenario.approval = approval
        for (key, digest) in approval.digests where isApproved {
            scenario.state.approvals[key.text] = RecordedApproval(
                digest: digest, size: nil, by: "anna", at: PlanScenario.now)
        }
        let notes: [StateChange] = [.counting(since: nil), .forgetStarts(until: .after(-90 * 86_400))]
        #expect(scenario.plan().notes == (isApproved ? notes : []))
    }

    @Test func `without caps what counted once is kept as long as a cap may look back`() {
        var scenario = scenario(campaign("sale"), caps: [])
        scenario.state.countingSince = nil
        scenario.state.starts = ["a@once": Partition(disjoint: [start(-89 * 86_400): [9]])]
        #expect(scenario.plan().notes.isEmpty)
        scenario.state.starts = ["a@once": Partition(disjoint: [start(-90 * 86_400): [9]])]
        #expect(scenario.plan().notes == [.forgetStarts(until: .after(-90 * 86_400))])
    }
}
