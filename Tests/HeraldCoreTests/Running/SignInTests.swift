import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A refused access token is renewed once: docs/reference/outcomes.md#outcomes-and-retries.
@Suite struct SignInTests {
    private static let refused = Exchange.error(401, "UNAUTHENTICATED")

    @Test(arguments: [Campaign.Target.audience("all"), .topic("tides")])
    func `a send is tried once more with a new token`(_ target: Campaign.Target) async throws {
        let laboratory = Laboratory()
        let recipient: RecipientID = target == .topic("tides") ? 0 : 1
        let sender = ScriptedSender(each: [Self.refused])
        let report = try await laboratory.run(laboratory.plan(.send(.sample([recipient], target: target))), sender)
        #expect(sender.requests.count == 2)
        #expect(report.steps[0].accepted == 1)
        #expect(report.steps[0].possibleDuplicates == 0, "nothing took effect")
        #expect(report.result == .ok)
    }

    @Test func `each recipient once, and a second refusal ends the run`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender(capacity: 1) { $0 == 2 ? [Self.refused, Self.refused] : [Self.refused] }
        let plan = laboratory.plan(.send(.sample(1...4)), .send(.sample([5], campaign: "ebb")))
        let report = try await laboratory.run(plan, sender)
        #expect(sender.recipients == [1, 1, 2, 2])
        #expect(report.steps[0].accepted == 1)
        #expect(report.steps.map(\.pending) == [3, 1])
        #expect(report.steps[1].stopped?.words == "UNAUTHENTICATED: m")
        #expect(report.steps[0].stopped?.words == "UNAUTHENTICATED: m")
        #expect(report.steps[0].failures.map(\.action) == [.fixFirst])
        #expect(report.result == .failed)
        #expect(laboratory.memory.state().occurrences["tide@once"]?.byEntry == [.accepted: [1]])
    }

    @Test func `a refusal does not take the place of other tries`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender(each: [.error(503, "UNAVAILABLE"), Self.refused, .error(503, "UNAVAILABLE")])
        let report = try await laboratory.run(laboratory.plan(.send(.sample([1]))), sender)
        #expect(sender.requests.count == 4)
        #expect(report.steps[0].accepted == 1)
    }

    @Test func `what Apple or a browser refuses is no refusal of ours`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender(each: [.error(401, "UNAUTHENTICATED", fcm: "THIRD_PARTY_AUTH_ERROR")])
        let report = try await laboratory.run(laboratory.plan(.send(.sample(1...3))), sender)
        #expect(sender.requests.count == 3)
        #expect(report.steps[0].rejected == 3)
        #expect(report.steps[0].failures.map(\.action) == [.rejected, .rejected, .rejected])
    }

    @Test(arguments: [TopicAPI.registrations, .iid, .auto])
    func `memberships too are asked for once more`(_ api: TopicAPI) async throws {
        var laboratory = Laboratory()
        laboratory.fcm.topicAPI = api
        let sender = ScriptedSender(capacity: 1) { request, number in
            number == 0 ? Self.refused : .accepted(request, number)
        }
        let plan = laboratory.plan(.subscribe("tides", RecipientSet(1...5)))
        let report = try await laboratory.run(plan, sender)
        #expect(report.steps[0].accepted == 5)
        let other = try await laboratory.run(
            laboratory.plan(.unsubscribe("tides", RecipientSet(1...5))), ScriptedSender { _, _ in Self.refused })
        #expect(other.steps[0].pending == 5)
        #expect(laboratory.memory.state().topics["tides"]?.managed == RecipientSet(1...5))
    }

    @Test func `calls about groups too`() async throws {
        let laboratory = Laboratory()
        let groups = [DesiredGroup(name: "chris", members: [1])]
        let never = ModelFCM { _, _ in .answer(Self.refused) }
        let failed = try await laboratory.run(laboratory.plan(groups: groups), never)
        #expect(never.calls.count == 2)
        #expect(failed.steps[0].pending == 1)
        let fcm = ModelFCM { _, number in number == 0 ? .answer(Self.refused) : nil }
        let report = try await laboratory.run(laboratory.plan(groups: groups), fcm)
        #expect(fcm.calls.count == 3, "the question whether others have the group is repeated")
        #expect(report.result == .ok)
    }
}
