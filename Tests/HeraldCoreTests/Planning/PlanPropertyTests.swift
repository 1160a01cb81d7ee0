import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What holds for every plan, checked on random worlds. The seed is the test's argument.
@Suite struct PlanPropertyTests {
    private static let seeds: Range<UInt64> = 0..<40

    @Test(arguments: seeds)
    func `carried out, a plan gives the memberships that the files ask for`(seed: UInt64) throws {
        let scenario = RandomScenario(seed: seed)
        let (desired, plan) = try scenario.plan()
        let begin = scenario.begin(desired.desired)
        var state = begin
        state.apply(plan.changes(at: PlanScenario.now))
        let wanted = Dictionary(uniqueKeysWithValues: scenario.workspace.topics.map { ($0.name.value, $0) })
        for name in Set(wanted.keys).union(begin.topics.keys) {
            let (before, after) = (begin.topics[name] ?? .init(), state.topics[name] ?? .init())
            #expect(after.preexisting == before.preexisting)
            let listed = Set(wanted[name].map { scenario.keys(of: $0) } ?? [])
            let alive = Set(
                desired.registrations.filter { listed.contains($0.value.recipientKey) }.map(\.key)
            ).subtracting(begin.dead)
            #expect(alive.isSubset(of: Set(after.managed).union(after.preexisting)))
            let keeps = wanted[name].map { !$0.prune } ?? false
            let rest = Set(after.managed).union(after.subscribing).subtracting(alive)
            let mine = scenario.owned(by: name, in: begin).subtracting(alive).subtracting(before.preexisting)
            // Earlier registrations stay as long as their recipients.
            let formers = begin.formers.filter { alive.contains($0.value) && before.managed.contains($0.key) }
            #expect(rest == (keeps ? mine : Set(formers.keys)))
        }
    }

    @Test(arguments: seeds)
    func `the guard sees everybody who leaves a topic, also by way of a new name`(seed: UInt64) throws {
        let scenario = RandomScenario(seed: seed)
        let (desired, plan) = try scenario.plan()
        var refused: Set<Plan.Subject> = []
        for (name, recorded) in scenario.state.topics {
            let topic = scenario.workspace.topics.first { topic in
                topic.name.value == name || topic.previousNames.contains { $0.value == name }
            }
            let listed = topic.map { scenario.keys(of: $0) } ?? []
            let owned = recorded.managed.union(recorded.subscribing)
            let leaving = owned.filter { desired.registrations[$0].map { !listed.contains($0.recipientKey) } ?? true }
            let isOver = leaving.count * 100 > 30 * owned.count && topic?.prune ?? true
            if owned.count >= 10, isOver { refused.insert(.topic(name)) }
        }
        let topics = plan.refusals.compactMap(\.subject).filter { if case .topic = $0 { true } else { false } }
        #expect(Set(topics) == refused)
    }

    @Test(arguments: seeds)
    func `what an audience that collapsed decides is left out as a whole`(seed: UInt64) throws {
        var scenario = RandomScenario(seed: seed)
        for name in ["a0", "a2"] { scenario.state.audienceSizes[name] = 500 }
        let plan = try scenario.plan().plan
        let collapsed = plan.refusals.filter { $0.kind == .audienceCollapse }.map(\.name)
        #expect(collapsed.sorted() == ["a0", "a2"], "an audience has at most 40 members here")
        let isTouched = { (names: [Located<String>]) in names.contains { scenario.uses(collapsed, $0.value) } }
        for step in plan.withholding(plan.refusals, in: scenario.workspace).steps where step.refusal == nil {
            switch step.work {
            case .adopt: Issue.record("no topic here adopts anybody")
            case .subscribe(let name, _), .unsubscribe(let name, _):
                let topic = scenario.workspace.topics.first { topic in
                    topic.name.value == name || topic.previousNames.contains { $0.value == name }
                }
                #expect(!isTouched((topic?.subscribers ?? []) + (topic?.exclude ?? [])), "\(step.id)")
            case .send(let send):
                guard case .audience(let name) = send.target else { continue }
                #expect(!scenario.uses(collapsed, name), "\(step.id)")
            case .group: break
            }
        }
    }

    @Test(arguments: seeds)
    func `carried out, a plan gives the groups that the files ask for, none too large or empty on the way`(seed: UInt64)
        throws
    {
        let scenario = RandomScenario(seed: seed)
        let (desired, plan) = try scenario.plan()
        let begin = scenario.begin(desired.desired)
        var groups = begin.groups.mapValues { $0.members.union($0.adding) }
        for case .group(let change) in plan.works {
            switch change.action {
            case .create: groups[change.group] = change.members
            case .add: groups[change.group]?.formUnion(change.members)
            case .remove, .delete: groups[change.group]?.subtract(change.members)
            }
            let count = groups[change.group]?.count ?? 0
            #expect(change.action == .delete ? count == 0 : (1...20).contains(count))
        }
        for (name, members) in groups {
            let wanted = desired.groups.first { $0.name == name }?.members ?? []
            #expect(members == wanted.subtracting(begin.dead), "\(name)")
        }
    }

    @Test(arguments: seeds)
    func `watermarks never move back, and nothing at or before them is due`(seed: UInt64) throws {
        let scenario = RandomScenario(seed: seed)
        let plan = try scenario.plan().plan
        let olds = Dictionary(plan.renames.map { ($0.new, $0.old) }) { first, _ in first }
        for campaign in scenario.workspace.campaigns {
            let name = campaign.name.value
            guard case .cron = campaign.schedule.times else { continue }
            let before = scenario.state.watermarks[olds[name] ?? name]?.at
            #expect(plan.watermarks[name].map { $0.at >= before ?? PlanScenario.now } == true)
            for send in plan.sends where send.campaign == name {
                #expect(send.isResumed || send.due.map { $0 <= PlanScenario.now } == true)
                let isBegun = scenario.state.occurrences.values.contains { $0.due == send.due }
                #expect(isBegun || send.due.map { $0 > before ?? PlanScenario.now } == true)
            }
        }
    }

    /// With `catch_up: all`, so that every firing counts.
    @Test(arguments: seeds)
    func `what a cron fires is sent, missed, named or still due, and no send goes to nobody`(seed: UInt64) throws {
        var scenario = RandomScenario(seed: seed)
        for index in scenario.workspace.campaigns.indices {
            scenario.workspace.campaigns[index].schedule.catchUp = .all
        }
        let proposal = try scenario.proposal().proposal
        let plan = proposal.plan
        #expect(plan.sends.allSatisfy { !$0.members.isEmpty || !$0.discovered.isEmpty })
        for campaign in scenario.workspace.campaigns where campaign.enabled && campaign.schedule.isCron {
            let name = campaign.name.value
            let begun = scenario.state.occurrences.values.filter { campaign.continues($0.campaign) }.compactMap(\.due)
            let marks = scenario.state.watermarks.filter { campaign.continues($0.key) }.map(\.value.at)
            guard let mark = marks.first, let next = plan.watermarks[name] else { continue }
            #expect(plan.silenced.contains { $0.campaign == name } == (mark > PlanScenario.now + 60))
            let told = Set(plan.sends.filter { $0.campaign == name }.compactMap(\.due) + plan.missed.map(\.due) + begun)
            for instant in campaign.schedule.occurrences(after: mark, through: PlanScenario.now, limit: 1000)
            where !told.contains(instant) {
                let id = OccurrenceID(campaign: name, due: instant, revision: campaign.revision)
                let isNamed = proposal.overview.warnings.contains { $0.hasPrefix("\(id) is left out") }
                #expect(isNamed || next.at < instant, "\(id)")
            }
        }
    }

    @Test(arguments: seeds)
    func `carried out, a plan leaves nothing to plan`(seed: UInt64) throws {
        var scenario = RandomScenario(seed: seed)
        let (desired, proposal) = try scenario.proposal()
        let plan = proposal.plan
        for (id, registration) in desired.unrecorded {
            scenario.known[registration.recipientKey] = KnownRecipient(id: id, registration: registration)
        }
        scenario.state.apply(
            desired.desired.registrations.changes + [.register(desired.unrecorded)] + plan.changes(at: PlanScenario.now)
        )
        let second = try scenario.proposal()
        #expect(second.proposal.plan.doesNothing)
        #expect(second.desired.unrecorded.isEmpty)
        #expect(second.proposal.overview.upcoming == proposal.overview.upcoming)
        #expect(second.proposal.plan.nextDue == plan.nextDue)
    }

    @Test(arguments: seeds)
    func `the order of what has none leaves the plan the same byte for byte`(seed: UInt64) throws {
        let scenario = RandomScenario(seed: seed)
        let proposal = try scenario.proposal().proposal
        #expect(try proposal == scenario.proposal().proposal)
        let shuffled = try scenario.proposal(order: SeededRandom(seed: seed &+ 1000)).proposal
        #expect(try proposal.bytes() == shuffled.bytes())
        #expect(proposal.plan.stepDigests == shuffled.plan.stepDigests)
    }

    @Test(arguments: seeds)
    func `finished occurrences need be no more than counts`(seed: UInt64) throws {
        var scenario = RandomScenario(seed: seed)
        let proposal = try scenario.proposal().proposal
        scenario.state = scenario.state.snapshot
        #expect(try scenario.proposal().proposal == proposal)
    }

    @Test(arguments: seeds)
    func `nobody is unsubscribed who is not herald's own`(seed: UInt64) throws {
        let scenario = RandomScenario(seed: seed)
        let (desired, plan) = try scenario.plan()
        let begin = scenario.begin(desired.desired)
        for work in plan.works {
            guard case .unsubscribe(let topic, let members) = work else { continue }
            let recorded = begin.topics[topic] ?? .init()
            #expect(members.subtracting(recorded.managed.union(recorded.subscribing)).isEmpty)
            #expect(members.intersection(recorded.preexisting).isEmpty)
            #expect(!members.isEmpty)
        }
    }

    @Test(arguments: seeds)
    func `nobody gets a message twice, and unknowns only where the campaign says so`(seed: UInt64) throws {
        try expectNobodyTwice(RandomScenario(seed: seed))
    }

    @Test(arguments: seeds)
    func `nobody gets a message twice when watermarks of a fast clock are set back`(seed: UInt64) throws {
        var scenario = RandomScenario(seed: seed)
        for campaign in scenario.state.watermarks.keys {
            let changes = try? scenario.state.changes(rewinding: campaign, to: PlanScenario.now)
            scenario.state.apply(changes ?? [])
        }
        #expect(try scenario.plan().plan.silenced.isEmpty)
        try expectNobodyTwice(scenario)
    }

    private func expectNobodyTwice(_ scenario: RandomScenario) throws {
        let campaigns = Dictionary(uniqueKeysWithValues: scenario.workspace.campaigns.map { ($0.name.value, $0) })
        let (desired, plan) = try scenario.plan()
        let dead = scenario.begin(desired.desired).dead
        for send in plan.sends {
            #expect(send.members.intersection(dead).isEmpty)
            // Normally one occurrence for each revision, whatever its time. For a cron, one for each time, whatever the
            // revision.
            let campaign = try #require(campaigns[send.campaign])
            let isCron = if case .cron = campaign.schedule.times { true } else { false }
            let names = Set([send.campaign] + campaign.previousNames.map(\.value))
            for occurrence in scenario.state.occurrences.values
            where names.contains(occurrence.campaign)
                && (isCron ? occurrence.due == send.due : occurrence.revision == send.revision)
            {
                let over = occurrence.accepted.union(occurrence.rejected)
                #expect(send.members.intersection(over).isEmpty)
                // Who was reached one by one is not reached again as part of the whole target, nor the reverse.
                let isMixed = occurrence.tried.contains(0) != send.members.contains(0)
                #expect(!isMixed || occurrence.tried.isEmpty || send.members.isEmpty)
                let uncertain = occurrence.unknown.union(occurrence.intended)
                let again = send.members.intersection(uncertain)
                #expect(campaigns[send.campaign]?.delivery.onUnknown == .resend || again.isEmpty)
                #expect(again.subtracting(send.repeated).isEmpty && send.repeated.subtracting(send.members).isEmpty)
                #expect(send.discovered.union(again).intersection(occurrence.intended) == occurrence.intended)
                #expect(occurrence.finished == nil || occurrence.tried.isEmpty)
            }
        }
    }

    @Test(arguments: seeds)
    func `the figures of a plan add up`(seed: UInt64) throws {
        let proposal = try RandomScenario(seed: seed).proposal().proposal
        let plan = proposal.plan
        let document = PlanDocument(proposal, id: "id", created: PlanScenario.now).json
        let steps = try #require(document["steps"]?.array)
        let sum = { (action: String) in
            steps.filter { $0["action"]?.string == action }.reduce(0) { $0 + ($1["planned"]?.int ?? 0) }
        }
        #expect(document["summary"]?["subscribe"]?.int == sum("subscribe"))
        #expect(document["summary"]?["unsubscribe"]?.int == sum("unsubscribe"))
        #expect(document["summary"]?["send"]?.int == Int64(plan.sends.count))
        #expect(document["summary"]?["recipients"]?.int == Int64(plan.sends.reduce(0) { $0 + $1.recipients }))
        #expect(Set(plan.steps.map(\.id)).count == plan.steps.count)
        for (step, shown) in zip(plan.steps, steps) {
            #expect(shown["planned"]?.int == Int64(step.work.planned))
            if case .send(let send) = step.work {
                #expect(send.members.intersection(send.discovered).isEmpty)
                #expect(step.work.planned == send.members.union(send.discovered).count)
            }
        }
    }
}

extension Proposal {
    fileprivate func bytes() throws -> [UInt8] {
        try PlanDocument(self, id: "id", created: PlanScenario.now).json.bytes()
    }
}
