import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore
@testable import Lives

/// Consent comes before everything that keeps a member in a topic.
struct PlannerSuppressionTests {
    /// A topic for recipients 1 to 20, with some of them suppressed. Numbers are those of the fids.
    private struct World {
        var workspace = Workspace(audiences: [])
        var state = RecordedState(identity: .sample())

        init(suppressed: RecipientSet, prune: Bool = false, formerly names: [TopicName] = []) {
            workspace.audiences = [
                Self.audience("all", RecipientSet(1...20)), Self.audience("out", suppressed.union([30])),
            ]
            workspace.settings.suppress = [.init("out")]
            workspace.topics = [
                Topic(
                    name: .init("tides"), subscribers: [.init("all")], prune: prune,
                    previousNames: names.map { .init($0) })
            ]
            state.serial = 1
            state.nextRecipient = 41
        }

        private static func audience(_ name: String, _ members: RecipientSet) -> Audience {
            Audience(name: .init(name), source: .inline(members.map { .fid(Int($0)) }))
        }

        var desired: Desired {
            get throws {
                let known = (1...40).map { KnownRecipient(id: RecipientID($0), registration: .fid($0)) }
                return try Resolved(workspace, known: known, next: state.nextRecipient).desired
            }
        }

        func plan() throws -> Plan {
            Planner.plan(
                .init(desired: try desired, state: state, settings: workspace.settings), at: PlanScenario.now)
        }

        func forecast() throws -> Proposal {
            let snapshot = StateSnapshot(state, tombstones: 0, at: PlanScenario.now)
            return Planner.forecast(
                from: snapshot, of: try desired, workspace.settings, at: PlanScenario.now
            ).proposal
        }
    }

    @Test func `who is suppressed leaves a topic that prunes nobody, and the plan says why`() throws {
        var world = World(suppressed: [2])
        // 25 is in no list, and stays because the topic prunes nobody.
        world.state.topics["tides"] = .init(managed: RecipientSet(1...20).union([25]))
        let plan = try world.plan()
        #expect(plan.works == [.unsubscribe("tides", [2])])
        #expect(plan.steps.map(\.reason) == ["they are suppressed"])
        world.state.apply(plan.changes(at: PlanScenario.now))
        #expect(try world.plan().works.isEmpty)
    }

    /// Whoever leaves it is reached by the condition.
    @Test(arguments: [false, true])
    func `who is suppressed does not leave a topic that only takes people out of conditions`(_ prunes: Bool) throws {
        var world = World(suppressed: [2], prune: prunes)
        world.state.topics["tides"] = .init(managed: RecipientSet(1...20).union([25]))
        let condition = Campaign.Target.condition(try Condition(parsing: "'ebb' in topics && !('tides' in topics)"))
        world.workspace.campaigns = [.tide("news", to: condition)]
        world.state.occurrences["news@once"] = RecordedOccurrence(.tide("news", to: condition), due: nil)
        let leaves: [Plan.Work] = prunes ? [.unsubscribe("tides", [25])] : []
        #expect(try world.plan().works.filter { $0.subject != nil } == leaves)
        // Once a campaign goes to the topic itself, they leave.
        world.workspace.campaigns = [.tide("news", to: .topic("tides"))]
        #expect(
            try world.plan().works.filter { $0.subject != nil } == [.unsubscribe("tides", prunes ? [2, 25] : [2])])
    }

    /// 2 and 3 left it by themselves, and the condition reaches them since.
    @Test(arguments: Topic.Drift.allCases)
    func `who is suppressed joins such a topic again, whatever 'drift' says`(_ drift: Topic.Drift) throws {
        var world = World(suppressed: [2])
        world.workspace.topics[0].drift = drift
        let condition = Campaign.Target.condition(try Condition(parsing: "'ebb' in topics && !('tides' in topics)"))
        world.workspace.campaigns = [.tide("news", to: condition)]
        world.state.topics["tides"] = .init(managed: RecipientSet(1...20).subtracting([2, 3]))
        world.state.topics["tides"]?.left = [2, 3]
        let joins = try world.plan().steps.filter { $0.work.subject != nil }
        #expect(joins.map(\.work) == [.subscribe("tides", drift == .keep ? [2] : [2, 3])])
        let reason =
            drift == .keep ? "are suppressed: the topic keeps messages from them" : "the file says 'drift: restore'"
        #expect(joins.map(\.reason) == ["they left by themselves, and \(reason)"])
    }

    @Test func `a topic that prunes says whom it suppresses and whom no file lists`() throws {
        var world = World(suppressed: [2], prune: true)
        world.state.topics["tides"] = .init(managed: RecipientSet(1...20))
        #expect(try world.plan().steps.map(\.reason) == ["they are suppressed"])
        world.state.topics["tides"] = .init(managed: RecipientSet(1...20).union([25]))
        let plan = try world.plan()
        #expect(plan.works == [.unsubscribe("tides", [2, 25])])
        #expect(plan.steps.map(\.reason) == ["the files no longer list them, or suppress them"])
        world.state.topics["tides"] = .init(managed: RecipientSet([25]).union(RecipientSet(3...20)).union([1]))
        #expect(try world.plan().steps.map(\.reason) == ["the files no longer list them"])
    }

    @Test(arguments: [(6, nil), (7, 35)] as [(RecipientID, Int?)])
    func `a mass of suppressed people is guarded as other leaves are`(_ count: RecipientID, _ percent: Int?) throws {
        var world = World(suppressed: RecipientSet(1...count))
        world.state.topics["tides"] = .init(managed: RecipientSet(1...20))
        let refusals = try world.plan().refusals
        #expect(refusals.map(\.actual) == (percent.map { [$0] } ?? []))
        #expect(refusals.allSatisfy { $0.kind == .maxUnsubscribePercent && $0.name == "tides" })
        // A snapshot does not say who is in the topic.
        #expect(try world.forecast().overview.unjudged.contains { $0.names == ["topic 'tides'"] })
    }

    @Test func `who is suppressed does not move to a topic's new name`() throws {
        var world = World(suppressed: [2], formerly: ["ebb"])
        world.state.topics["ebb"] = .init(managed: RecipientSet(1...20).union([25]))
        let plan = try world.plan()
        let staying = RecipientSet(1...20).subtracting([2]).union([25])
        #expect(
            plan.works == [.subscribe("tides", staying), .unsubscribe("ebb", RecipientSet(1...20).union([25]))])
        #expect(plan.refusals.isEmpty)
        var many = World(suppressed: RecipientSet(1...7), formerly: ["ebb"])
        many.state.topics["ebb"] = .init(managed: RecipientSet(1...20))
        #expect(try many.plan().refusals.map(\.name) == ["ebb"])
        #expect(try many.forecast().overview.unjudged.contains { $0.names == ["topic 'ebb'"] })
    }

    @Test func `an earlier registration of somebody suppressed leaves too`() throws {
        var world = World(suppressed: [2])
        let former = KnownRecipient.firstFormer
        world.state.formers[former] = 2
        world.state.topics["tides"] = .init(managed: RecipientSet(1...20).subtracting([2]).union([former]))
        #expect(try world.plan().works == [.unsubscribe("tides", [former])])
    }

    @Test func `who subscribed before herald did is not herald's to unsubscribe`() throws {
        var world = World(suppressed: [2])
        world.state.topics["tides"] = .init(managed: RecipientSet(3...20).union([1]), found: [2])
        #expect(try world.plan().works.isEmpty)
    }

    @Test func `a send to the topic does not count who is suppressed`() throws {
        var world = World(suppressed: [2])
        world.state.topics["tides"] = .init(managed: RecipientSet(1...20).union([25]))
        world.workspace.campaigns = [.tide(to: .topic("tides"))]
        #expect(try world.plan().sends.map(\.recipients) == [20])
    }

    @Test func `who is suppressed leaves a group, and the plan says why`() throws {
        let name = try #require(GroupName(rawValue: "g"))
        var world = World(suppressed: [2])
        world.workspace.topics = []
        world.workspace.groups = [Group(name: .init(name), members: .audience(.init("all")))]
        var group = RecordedGroup()
        group.key = NotificationKey(rawValue: "key")
        group.members = RecipientSet(1...20)
        world.state.groups[name] = group
        let plan = try world.plan()
        #expect(plan.steps.map(\.id) == ["group_remove:g"])
        #expect(plan.steps.map(\.reason) == ["they are suppressed"])
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `a plan leaves nobody suppressed in what may bring them a message, and a snapshot foresees it`(
        seed: UInt64
    ) throws {
        var scenario = RandomScenario(seed: seed)
        scenario.workspace.settings.suppress = [.init("a0")]
        let (desired, proposal) = try scenario.proposal()
        var state = scenario.begin(desired.desired)
        state.apply(proposal.plan.changes(at: PlanScenario.now))
        let keys = scenario.keys(ofAudience: "a0")
        let out = Set(desired.registrations.filter { keys.contains($0.value.recipientKey) }.keys)
        let targets = scenario.workspace.campaigns.map(\.target.value)
        let excluding = Set(targets.flatMap(\.excludedTopics)).subtracting(targets.flatMap(\.includedTopics))
        for (name, topic) in state.topics where !excluding.contains(name) {
            let members = topic.managed.union(topic.subscribing)
            #expect(!members.contains { out.contains(state.formers[$0] ?? $0) })
        }
        for group in state.groups.values { #expect(!group.recipients.all.contains { out.contains($0) }) }

        let snapshot = StateSnapshot(scenario.state, tombstones: scenario.state.dead.count, at: PlanScenario.now)
        let listed = try Resolved(scenario.workspace).desired
        let forecast = Planner.forecast(from: snapshot, of: listed, scenario.workspace.settings, at: PlanScenario.now)
        let compared = ForecastComparison(
            proposal, of: desired.desired, forecast, of: listed, from: snapshot)
        #expect(compared.differences == [])
    }
}
