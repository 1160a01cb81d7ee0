import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct PlanBookkeepingTests {
    /// A watermark that waits for a step ends nothing yet.
    @Test func `what the next run may find too late again is not missed for good`() {
        let id = { OccurrenceID(campaign: $0, due: PlanScenario.now + $1, revision: 1) }
        var plan = PlanScenario().plan()
        plan.missed = [id("tide", 0), id("tide", 1), id("tide", 2), id("tide-2", 0)].map {
            Plan.Missed(occurrence: $0, due: PlanScenario.now, reason: "it is too late")
        }
        plan.missed[2].unrecorded = RecordedOccurrence(
            .tide("tide", to: .audience("anglers")), local: LocalTime(year: 2025, month: 12, day: 1, hour: 10))
        let missed = plan.missed.forGood(waiting: ["tide"], recorded: [id("tide", 1)])
        #expect(missed.map(\.occurrence) == [id("tide", 1), id("tide", 2), id("tide-2", 0)])
        #expect(plan.missed.forGood(waiting: [], recorded: []) == plan.missed)
    }

    @Test(arguments: [nil, "a guard refuses it"] as [String?])
    func `whoever is not sent it again, because a guard refuses that, counts as not tried again`(_ refusal: String?) {
        let campaign = Campaign.tide("tide", onUnknown: .resend)
        var scenario = PlanScenario()
        scenario.began(campaign, accepted: [1], unknown: [2])
        scenario.want(campaign, for: [1, 2])
        var plan = scenario.plan()
        for index in plan.steps.indices { plan.steps[index].refusal = refusal }
        scenario.state.apply(plan.bookkeeping(at: PlanScenario.now))
        #expect(Array(scenario.state.triedAgain.keys) == (refusal == nil ? [campaign.id] : []))
    }

    /// A campaign may miss a thousand at once that no run has opened.
    @Test func `only what the state may have is read for people`() {
        let ids: [OccurrenceID] = ["tide@1", "tide@2", "tide@3"]
        var plan = PlanScenario().plan()
        plan.missed = ids.map { Plan.Missed(occurrence: $0, due: PlanScenario.now, reason: "it is too late") }
        plan.missed[1].unrecorded = RecordedOccurrence(.tide("tide"), due: PlanScenario.now)
        let endings = plan.endings(at: PlanScenario.now)
        #expect(plan.missed.recorded(before: endings) == [ids[0], ids[2]])
        #expect(plan.missed.recorded(before: [.finish(ids[0], at: PlanScenario.now)]) == [ids[0]])
    }

    /// The run may die while it does the next step.
    @Test func `what a watermark ends is noted for people when it is written`() async throws {
        let laboratory = Laboratory(population: 2)
        let mark = Watermark(at: laboratory.now, schedule: "", next: nil)
        var plan = laboratory.plan(.send(.sample([1], due: laboratory.now)), .send(.sample([2], campaign: "ebb")))
        plan.missed = [.init(occurrence: "tide@earlier", due: laboratory.now, reason: "it is too late")]
        plan.watermarks = ["tide": mark]
        let noted = Log<(missed: [Plan.Missed], changes: [StateChange])>()
        _ = try await laboratory.run(
            plan, ScriptedSender(),
            news: { missed, changes in
                noted.append((missed, changes))
                return []
            })
        #expect(noted.entries.map(\.missed) == [plan.missed])
        #expect(noted.entries.map(\.changes) == [[.watermark("tide", mark)]])
    }

    /// The next run does not find it again, whether a watermark waits or not.
    @Test func `what is half done and too late is noted for people when it ends`() async throws {
        let laboratory = Laboratory(population: 2)
        let earlier = Plan.Send.sample([1, 2], due: laboratory.now - 3600)
        try laboratory.memory.commit([
            .open(earlier.occurrence, RecordedOccurrence(earlier)), .outcome(earlier.occurrence, [1], .accepted),
        ])
        var plan = laboratory.plan(.send(.sample([1, 2], due: laboratory.now)))
        plan.missed = [.init(occurrence: earlier.occurrence, due: laboratory.now - 3600, reason: "it is half done")]
        plan.watermarks = ["tide": Watermark(at: laboratory.now, schedule: "", next: nil)]
        let noted = Log<(missed: [Plan.Missed], changes: [StateChange])>()
        _ = try await laboratory.run(
            plan, ScriptedSender(),
            news: { missed, changes in
                noted.append((missed, changes))
                return []
            })
        #expect(noted.entries.map(\.missed) == [plan.missed])
        #expect(noted.entries.map(\.changes) == [[.finish(earlier.occurrence, at: laboratory.start)]])
    }

    /// What a crash left of an occurrence that is half done and too late is accounted for by a step.
    private static func account(_ laboratory: Laboratory) throws -> (Plan, Plan.Send) {
        var account = Plan.Send.sample([], due: laboratory.now - 3600)
        try laboratory.memory.commit([
            .open(account.occurrence, RecordedOccurrence(account)), .outcome(account.occurrence, [1], .accepted),
            .outcome(account.occurrence, [2], .intended),
        ])
        (account.discovered, account.isResumed) = ([2], true)
        var plan = laboratory.plan(.send(account), .send(.sample([1, 2], campaign: "ebb")))
        plan.missed = [.init(occurrence: account.occurrence, due: laboratory.now - 3600, reason: "it is half done")]
        return (plan, account)
    }

    /// The run may die before it ends, and the next one does not find it again.
    @Test func `what a step ends that is half done and too late is noted for people with that end`() async throws {
        var laboratory = Laboratory(population: 2)
        let (plan, account) = try Self.account(laboratory)
        let (commits, noted) = (Log<[StateChange]>(), Log<[Plan.Missed]>())
        laboratory.store = ProbedStore(laboratory.memory, committed: { changes, _ in commits.append(changes) })
        let report = try await laboratory.run(
            plan, ScriptedSender(),
            news: { missed, _ in
                noted.append(missed)
                return [.note(.told, "what is new")]
            })
        #expect(report.missedOccurrences == plan.missed && noted.entries == [plan.missed])
        let end = [StateChange.finish(account.occurrence, at: laboratory.start), .note(.told, "what is new")]
        #expect(commits.entries.contains(end), "\(commits.entries)")
    }

    /// Its watermark waits for a step, and the state refuses all that the step writes. The next run finds it again.
    @Test func `what a run cannot note any more is left to the next one`() async throws {
        var laboratory = Laboratory(population: 2)
        var plan = laboratory.plan(.send(.sample([1], due: laboratory.now)))
        plan.missed = [.init(occurrence: "tide@earlier", due: laboratory.now, reason: "it is too late")]
        plan.watermarks = ["tide": Watermark(at: laboratory.now, schedule: "", next: nil)]
        plan.unlisted.missed = ["tide": 5]
        laboratory.store = ProbedStore(laboratory.memory, refusesFrom: 0)
        let noted = Log<[Plan.Missed]>()
        let report = try await laboratory.run(
            plan, ScriptedSender(),
            news: { missed, _ in
                noted.append(missed)
                return []
            })
        #expect(noted.entries.isEmpty && report.missedOccurrences.isEmpty && report.missed == 0)
    }

    /// In local time it stays open, and the next run does not find it too late again.
    @Test func `what begins too late and stays open is noted for people when it begins`() async throws {
        var laboratory = Laboratory(population: 2)
        var send = Plan.Send.sample([], due: laboratory.now - 3600)
        send.skipped.move([1], to: .missed)
        send.mayGrow = true
        var plan = laboratory.plan(.send(send))
        plan.missed = [.init(occurrence: send.occurrence, due: laboratory.now - 3600, reason: "it is too late")]
        let commits = Log<[StateChange]>()
        laboratory.store = ProbedStore(laboratory.memory, committed: { changes, _ in commits.append(changes) })
        _ = try await laboratory.run(plan, ScriptedSender(), news: { _, _ in [.note(.told, "what is new")] })
        let noted = commits.entries.filter { $0.contains(.note(.told, "what is new")) }
        #expect(
            noted.map { $0.contains(.skip(send.occurrence, [1], .missed)) } == [true], "\(commits.entries)")
    }

    /// No later run finds those people again.
    @Test(arguments: [false, true])
    func `whom no run came for of what had begun is noted with their skip, and a failure once`(_ isKnown: Bool)
        async throws
    {
        var laboratory = Laboratory(population: 3)
        var send = Plan.Send.sample([2], due: laboratory.now - 3600)
        try laboratory.memory.commit([
            .open(send.occurrence, RecordedOccurrence(send)), .outcome(send.occurrence, [3], .accepted),
        ])
        send.isResumed = true
        send.skipped.move([1], to: .missed)
        send.hasMissedBefore = isKnown
        send.missed = .init(
            occurrence: send.occurrence, due: laboratory.now - 3600, reason: "it is too late", isPartial: true)
        let plan = laboratory.plan(.send(send))
        let commits = Log<[StateChange]>()
        laboratory.store = ProbedStore(laboratory.memory, committed: { changes, _ in commits.append(changes) })
        let report = try await laboratory.run(
            plan, ScriptedSender(), news: { _, _ in [.note(.told, "what is new")] })
        let noted = commits.entries.first { $0.contains(.note(.told, "what is new")) }
        #expect(noted?.contains(.skip(send.occurrence, [1], .missed)) == (isKnown ? nil : true), "\(commits.entries)")
        #expect(report.result == (isKnown ? .ok : .failed) && report.missed == (isKnown ? 0 : 1))
        #expect(report.steps.map(\.skipped) == [1])
    }

    @Test func `nothing is noted for people of a step that does not begin`() async throws {
        let laboratory = Laboratory(population: 2)
        let (plan, account) = try Self.account(laboratory)
        let noted = Log<[Plan.Missed]>()
        _ = try await laboratory.run(
            plan, ScriptedSender(), stop: { .machine },
            news: { missed, _ in
                noted.append(missed)
                return []
            })
        #expect(noted.entries.isEmpty)
        #expect(laboratory.memory.occurrence(account.occurrence)?.finished == nil)
    }

    /// Without the news nothing may end: the next run finds it again, and tells it.
    @Test func `what cannot be noted for people is not ended`() async throws {
        let laboratory = Laboratory(population: 2)
        let (half, account) = try Self.account(laboratory)
        let report = try await laboratory.run(half, ScriptedSender(), news: { _, _ in throw ProbedStore.refusal })
        #expect(report.steps.first?.stopped != nil)
        #expect(laboratory.memory.occurrence(account.occurrence)?.finished == nil)
        var plan = laboratory.plan(.send(.sample([2], campaign: "ebb")))
        plan.missed = [.init(occurrence: "tide@earlier", due: laboratory.now, reason: "it is too late")]
        plan.watermarks = ["tide": Watermark(at: laboratory.now, schedule: "", next: nil)]
        let sender = ScriptedSender()
        _ = try await laboratory.run(plan, sender, news: { _, _ in throw ProbedStore.refusal })
        #expect(laboratory.memory.state().watermarks.isEmpty && sender.requests.isEmpty)
    }
}
