import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A send that has nobody to go to does not begin: its occurrence stays due.
struct PlannerNobodyTests {
    private static let targets: [Campaign.Target] = [
        .audience("anglers"), .registrations([.fid(1)]), .group("chris"),
    ]

    /// A campaign that is due and reaches each member of its target.
    private func campaign(_ target: Campaign.Target, at due: Date? = .after(-60)) -> Campaign {
        var campaign = Campaign.tide(to: target, at: due)
        campaign.delivery.members = .each
        return campaign
    }

    private func scenario(_ campaign: Campaign, _ members: RecipientSet, dead: RecipientSet = []) -> PlanScenario {
        var scenario = PlanScenario()
        if case .group(let name) = campaign.target.value {
            scenario.desired.groups = [DesiredGroup(name: name, members: members)]
            var group = RecordedGroup()
            group.key = NotificationKey(rawValue: "key")
            group.members = members.subtracting(dead)
            if !group.members.isEmpty { scenario.state.groups[name] = group }
        }
        scenario.want(campaign, for: members)
        scenario.state.dead = dead
        return scenario
    }

    @Test(arguments: targets, [[], [1, 2]] as [RecipientSet])
    func `a send to nobody does not begin, and goes out once there is somebody`(
        _ target: Campaign.Target, _ dead: RecipientSet
    ) throws {
        let campaign = campaign(target)
        var empty = scenario(campaign, dead, dead: dead)
        let plan = empty.plan()
        #expect(plan.doesNothing)
        let warning = try #require(empty.overview.warnings.first { $0.contains("nobody to send to") })
        #expect(warning.contains("'tide' is due and has nobody to send to (\(target.words))"))
        #expect(warning.contains("until 2025-12-01T09:59:00Z at the latest"))
        empty.carryOut(plan)
        var filled = scenario(campaign, dead.union([3]), dead: dead)
        filled.state.occurrences = empty.state.occurrences
        #expect(filled.plan().sends.map(\.members) == [[3]])
    }

    /// It is due since 7:59, for two hours and worth ten minutes. When it is half done, 2 left the list.
    @Test(arguments: [false, true]) func `it waits for nobody once it has expired`(isHalfDone: Bool) throws {
        var campaign = campaign(.audience("anglers"))
        campaign.delivery.expiresAfter = .seconds(600)
        var scenario = scenario(campaign, isHalfDone ? [1] : [])
        if isHalfDone {
            scenario.began(campaign, accepted: [1])
            scenario.state.occurrences[campaign.id]?.classes = Partition(disjoint: [MessageClass(): [1, 2]])
        }
        let words = isHalfDone ? "left the list" : "nobody to send to"
        let warning = try #require(scenario.proposal().overview.warnings.first { $0.contains(words) })
        #expect(warning.contains("until 2025-12-01T08:09:00Z at the latest"), "\(warning)")
        let plan = scenario.plan(at: .after(540))
        // Whoever has it keeps it, and the other one is accounted for.
        #expect(plan.missed.map(\.occurrence) == (isHalfDone ? [] : [campaign.id]))
        #expect(plan.sends.map(\.staysOpen) == (isHalfDone ? [false] : []))
    }

    @Test func `without a schedule it stays due for good`() {
        var scenario = scenario(campaign(.audience("anglers"), at: nil), [])
        scenario.carryOut(scenario.plan())
        #expect(scenario.overview.warnings.allSatisfy { $0.hasSuffix("it begins when there is somebody") })
        #expect(scenario.overview.warnings.count == 1)
        scenario.desired.sends[0].members = [1]
        #expect(scenario.plan().sends.map(\.members) == [[1]])
    }

    @Test func `after max_lateness it is missed, once`() {
        var scenario = scenario(campaign(.audience("anglers"), at: .after(-7201)), [])
        #expect(scenario.plan().missed.count == 1)
        scenario.carryOut(scenario.plan())
        #expect(scenario.plan().doesNothing)
    }

    @Test func `a group whose members are all dead gets nothing by its key`() {
        var campaign = campaign(.group("chris"))
        campaign.delivery.members = .key
        var scenario = scenario(campaign, [1, 2], dead: [1, 2])
        scenario.desired.sends[0].members = .target
        #expect(scenario.plan().doesNothing)
        #expect(scenario.overview.warnings.contains { $0.contains("has nobody to send to (group chris)") })
    }

    @Test func `without lists nobody is taken for missing`() {
        var scenario = scenario(campaign(.audience("anglers")), [])
        scenario.listsSkipped = true
        #expect(scenario.plan().sends.count == 1)
        #expect(scenario.overview.warnings.isEmpty)
    }

    // MARK: Deferred

    @Test(arguments: [Date.after(-60), nil])
    func `whom FCM put off before it took anybody may get it twice, and is known as such`(_ due: Date?) {
        let campaign = campaign(.audience("anglers"), at: due)
        var scenario = scenario(campaign, [1, 2, 3])
        scenario.began(campaign)
        scenario.state.occurrences[campaign.id]?[.deferred] = [1, 2, 9]
        #expect(scenario.plan().sends.map(\.members) == [[1, 2, 3]])
        #expect(scenario.plan().sends.map(\.deferred) == [[1, 2]])
    }

    @Test func `the same holds for a cron, also for its next revision`() throws {
        var campaign = try Campaign.cron("30 7 * * *")
        var scenario = PlanScenario()
        let due = Date.after(-1800)
        var occurrence = RecordedOccurrence(campaign, due: due)
        occurrence[.deferred] = [1]
        scenario.state.occurrences[OccurrenceID(campaign: "tide", due: due, revision: 1)] = occurrence
        scenario.state.watermarks["tide"] = Watermark(at: .after(-3600), schedule: campaign.schedule.text, next: due)
        campaign.revision = 2
        scenario.want(campaign, for: [1, 2])
        #expect(scenario.plan().sends.map(\.deferred) == [[1]])
    }

    @Test func `a time that the schedule lost is missed where it had begun to be sent`() throws {
        var campaign = try Campaign.cron("30 7 * * *")
        var scenario = PlanScenario()
        let due = Date.after(-1800)
        var occurrence = RecordedOccurrence(campaign, due: due)
        occurrence[.deferred] = [1]
        let id = OccurrenceID(campaign: "tide", due: due, revision: 1)
        scenario.state.occurrences[id] = occurrence
        scenario.state.watermarks["tide"] = Watermark(at: due, schedule: campaign.schedule.text, next: .after(84_600))
        campaign = try Campaign.cron("40 7 * * *")
        scenario.want(campaign, for: [1, 2])
        let plan = scenario.plan()
        #expect(plan.missed.map(\.occurrence) == [id])
    }

    @Test func `who may have got it counts also where the target is another kind now`() {
        for (first, second) in [(Campaign.Target.audience("anglers"), RecipientSet.target), (.topic("tide"), [1, 2])] {
            var before = Campaign.tide(at: .after(-600))
            before.target = .init(first)
            var scenario = PlanScenario()
            var occurrence = RecordedOccurrence(before, due: .after(-600))
            occurrence[.deferred] = first == .audience("anglers") ? [1] : .target
            scenario.state.occurrences[before.id] = occurrence
            var after = before
            after.target = .init(second == .target ? .topic("tide") : .audience("anglers"))
            scenario.desired.sends = [DesiredSend(campaign: after, members: second)]
            #expect(scenario.plan().sends.map(\.deferred) == [second])
        }
    }

    // MARK: Half done

    @Test func `a list that is emptied does not end what is half done`() throws {
        let campaign = Campaign.tide(at: .after(-600))
        var scenario = scenario(campaign, [])
        scenario.began(campaign, accepted: [1])
        let proposal = scenario.proposal()
        #expect(proposal.plan.sends.isEmpty && proposal.plan.over.isEmpty && proposal.plan.missed.isEmpty)
        #expect(proposal.overview.warnings.contains { $0.hasPrefix("\(campaign.id) is half done and has nobody") })
        scenario.desired.sends[0] = DesiredSend(campaign: campaign, members: [1, 2])
        #expect(scenario.plan().sends.map(\.members) == [[2]])
    }

    @Test(arguments: [false, true]) func `an emptied list keeps open only what it owes to somebody`(isOwing: Bool) {
        let campaign = Campaign.tide(at: .after(-600))
        var scenario = scenario(campaign, [])
        scenario.began(campaign, accepted: [1, 2], intended: [3])
        let members: RecipientSet = isOwing ? [1, 2, 3, 4] : [1, 2, 3]
        scenario.state.occurrences[campaign.id]?.classes = Partition(disjoint: [MessageClass(): members])
        let account = scenario.plan()
        #expect(account.sends.map(\.discovered) == [[3]])
        #expect(account.sends.map(\.staysOpen) == [isOwing])
        scenario.state.occurrences[campaign.id]?[.unknown] = [3]
        #expect(scenario.plan().over == (isOwing ? [] : [campaign.id]))
    }

    @Test func `what is half done and has nobody is missed once it is too late`() throws {
        let campaign = Campaign.tide(at: .after(-3 * 3600))
        var scenario = scenario(campaign, [])
        scenario.began(campaign, accepted: [1])
        #expect(scenario.plan().missed.map(\.occurrence) == [campaign.id])
        #expect(scenario.plan().over.isEmpty)
    }

    @Test func `it ends when everybody on the list has it`() throws {
        let campaign = Campaign.tide(at: .after(-600))
        var scenario = scenario(campaign, [1])
        scenario.began(campaign, accepted: [1, 2])
        #expect(scenario.plan().over == [campaign.id])
    }

    // MARK: How a group is reached

    @Test(arguments: [Campaign.Members.key, .each])
    func `a group that was half reached in one way is not reached in the other`(_ first: Campaign.Members) throws {
        var before = campaign(.group("chris"))
        before.delivery.members = first
        var scenario = scenario(before, [1, 2, 3])
        if first == .each { scenario.began(before, accepted: [1]) } else { scenario.began(before, unknown: .target) }
        var after = before
        after.delivery.members = first == .each ? .key : .each
        scenario.desired.sends[0] = DesiredSend(campaign: after, members: first == .each ? .target : [1, 2, 3])
        #expect(scenario.plan().doesNothing)
        #expect(scenario.plan().held.contains { $0.reason.contains("changed since") })
        // Nor does a person get there by --continue.
        #expect(throws: ResolutionProblem.reachedOtherwise) {
            try scenario.state.changes(resolving: before.id, by: .goOn, campaign: after, at: PlanScenario.now)
        }
    }

    @Test func `digests of states of before hold where nothing changed`() {
        var campaign = campaign(.group("chris"))
        campaign.delivery.members = .key
        let digest = JSONValue.object(["target": ["group": "chris"], "message": campaign.content.json]).digest
        #expect(campaign.contentDigest == digest)
        campaign.target = .init(.audience("anglers"))
        let other = campaign.contentDigest
        campaign.delivery.members = .each
        #expect(campaign.contentDigest == other, "it has no meaning for an audience")
    }
}
