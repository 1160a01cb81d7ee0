import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What a run does about memberships that others made or ended.
@Suite struct AdoptionTests {
    private static let exists = Exchange.error(409, "ALREADY_EXISTS")

    private func state(_ sets: [Membership: RecipientSet]) -> RecordedState {
        var state = RecordedState.blank
        for (membership, members) in sets {
            state.apply([.members("tides", members, membership, at: Laboratory.start.adding(.seconds(-3600)))])
        }
        return state
    }

    private func tides(_ members: RecipientSet, drift: Topic.Drift = .keep, adopt: Bool = false) -> [DesiredTopic] {
        [DesiredTopic(name: "tides", members: members, drift: drift, adopt: adopt)]
    }

    @Test func `adopts from the first apply on whom FCM has already`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender { request, number in
            request.recipient == 2 ? Self.exists : .accepted(request, number)
        }
        let topics = tides([1, 2], adopt: true)
        let report = try await laboratory.run(laboratory.plan(topics: topics), sender)
        let recorded = laboratory.memory.state().topics["tides"]?.recipients
        #expect(recorded == Partition(disjoint: [.managed: [1], .adopted: [2]]))
        #expect(report.steps[0].accepted == 2 && report.steps[0].preexisting == 1)
        #expect(laboratory.plan(topics: topics).isEmpty)
        // The list drops both: both leave.
        let leaving = ScriptedSender { request, number in .accepted(request, number) }
        _ = try await laboratory.run(laboratory.plan(topics: tides([], adopt: true)), leaving)
        #expect(leaving.requests.map(\.recipient).sorted() == [1, 2])
        #expect(laboratory.memory.state().topics["tides"]?.recipients == Partition())
    }

    @Test func `an adoption needs no request, and no send waits for it`() async throws {
        var laboratory = Laboratory(state: state([.managed: [1], .preexisting: [2, 3, 9]]))
        laboratory.fcm.propagationDelay = .seconds(60)
        let before = laboratory.memory.state().topics["tides"]?.changed
        let sender = ScriptedSender()
        let plan = laboratory.plan(topics: tides([1, 2, 3], adopt: true))
        let report = try await laboratory.run(plan, sender)
        #expect(sender.requests.isEmpty)
        #expect(report.steps.map(\.id) == ["adopt:tides"] && report.steps.map(\.accepted) == [2])
        #expect(report.steps.map(\.topic) == ["tides"] && report.result == .ok)
        let topic = try #require(laboratory.memory.state().topics["tides"])
        #expect(topic.adopted == [2, 3] && topic.preexisting == [9] && topic.changed == before)
        #expect(laboratory.plan(topics: tides([1, 2, 3], adopt: true)).isEmpty)
    }

    @Test func `taken back after a list dropped somebody, exactly the adopted are others' again`() async throws {
        let laboratory = Laboratory(state: state([.managed: [1], .preexisting: [2, 3, 9]]))
        let sender = ScriptedSender()
        for topics in [tides([1, 2, 3], adopt: true), tides([1, 2], adopt: true), tides([1])] {
            _ = try await laboratory.run(laboratory.plan(topics: topics), sender)
        }
        #expect(sender.requests.map(\.recipient) == [3], "2 was given back in the plan that dropped it")
        let recorded = laboratory.memory.state().topics["tides"]?.recipients
        #expect(recorded == Partition(disjoint: [.managed: [1], .preexisting: [2, 9]]))
    }

    @Test func `a dry run adopts nobody`() async throws {
        let laboratory = Laboratory(state: state([.preexisting: [2]]))
        let before = laboratory.memory.state()
        let plan = laboratory.plan(topics: tides([2], adopt: true))
        let report = try await laboratory.run(plan, ScriptedSender(), dryRunSample: 5)
        #expect(report.steps.map(\.skipped) == [1])
        #expect(laboratory.memory.state().topics == before.topics)
    }

    @Test func `who left is subscribed again where the file says so, and whoever came back by itself is not ours`()
        async throws
    {
        let laboratory = Laboratory(state: state([.managed: [1], .left: [2, 3]]))
        let sender = ScriptedSender { request, number in
            request.recipient == 3 ? Self.exists : .accepted(request, number)
        }
        _ = try await laboratory.run(laboratory.plan(topics: tides([1, 2, 3])), sender)
        #expect(sender.requests.isEmpty)
        _ = try await laboratory.run(laboratory.plan(topics: tides([1, 2, 3], drift: .restore)), sender)
        #expect(sender.requests.map(\.recipient).sorted() == [2, 3])
        let recorded = laboratory.memory.state().topics["tides"]?.recipients
        #expect(recorded == Partition(disjoint: [.managed: [1, 2], .preexisting: [3]]))
    }

    @Test func `whoever left the list for an apply is subscribed when it names them again`() async throws {
        let laboratory = Laboratory(state: state([.managed: [1], .left: [2]]))
        let sender = ScriptedSender()
        let gone = laboratory.plan(topics: tides([1]))
        // Nothing to do at FCM: the run only learns it.
        #expect(gone.isEmpty)
        try laboratory.memory.commit(gone.bookkeeping(at: laboratory.now))
        _ = try await laboratory.run(laboratory.plan(topics: tides([1, 2])), sender)
        #expect(sender.requests.map(\.recipient) == [2])
    }

    /// What requests did not try stays as it was.
    @Test(
        arguments: [
            (
                .subscribe("t", [1, 2]), [.left: [1]],
                [.members("t", [1], .left, at: now), .members("t", [2], nil, at: now)]
            ),
            (
                .unsubscribe("t", [1, 2]), [.adopted: [1], .managed: [2]],
                [.members("t", [1], .adopted, at: now), .members("t", [2], .managed, at: now)]
            ),
        ] as [(Plan.Work, [Membership: RecipientSet], [StateChange])])
    func `whom a step did not try is recorded as before`(
        _ work: Plan.Work, _ before: [Membership: RecipientSet], _ changes: [StateChange]
    ) throws {
        let step = try StepWork(
            work, before: Partition(disjoint: before), isDryRun: false, begun: Self.now, now: Self.now)
        var settled = UnwrittenOutcomes()
        settled.untried = [1, 2]
        #expect(step.changes(settled, besides: Partition(), at: Self.now) == changes)
    }

    private static let now = Laboratory.start
}
