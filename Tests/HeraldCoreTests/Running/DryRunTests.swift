import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// `apply --dry-run`.
@Suite struct DryRunTests {
    @Test func `a sample is validated and the others are skipped`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender()
        let report = try await laboratory.run(laboratory.plan(.send(.sample(1...50))), sender, dryRunSample: 7)
        #expect(sender.recipients.sorted() == Array(1...7))
        #expect(sender.requests.allSatisfy { $0.json["validate_only"] == true })
        #expect(report.steps[0].accepted == 7)
        #expect(report.steps[0].skipped == 43)
        #expect(report.result == .ok)
    }

    @Test func `the sample is of each campaign`() async throws {
        let laboratory = Laboratory()
        let report = try await laboratory.run(
            laboratory.plan(.send(.sample(1...50)), .send(.sample(1...3, campaign: "ebb"))), ScriptedSender(),
            dryRunSample: 5)
        #expect(report.steps.map(\.accepted) == [5, 3])
        #expect(report.steps.map(\.skipped) == [45, 0])
    }

    @Test func `memberships are skipped without a request`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender()
        let report = try await laboratory.run(
            laboratory.plan(.unsubscribe("old", [1]), .subscribe("tides", [1, 2])), sender, dryRunSample: 100)
        #expect(sender.requests.isEmpty)
        #expect(report.steps.map(\.skipped) == [1, 2])
        #expect(report.result == .ok)
    }

    @Test func `the state stays untouched`() async throws {
        var laboratory = Laboratory()
        let store = ProbedStore(laboratory.memory)
        laboratory.store = store
        let before = laboratory.memory.state()
        let late = [DesiredSend(campaign: .tide(at: laboratory.now.adding(.seconds(-99_999))), members: [1])]
        var plan = laboratory.plan(sends: late)
        plan.steps = laboratory.plan(.subscribe("tides", [1]), .send(.sample(1...20))).steps
        let sender = ScriptedSender { $0 < 3 ? [.unregistered] : [] }
        _ = try await laboratory.run(plan, sender, dryRunSample: 100)
        #expect(store.commits == 0)
        #expect(laboratory.memory.state() == before)
    }

    /// A validated message reaches no device, so a lost answer leaves nothing unknown.
    @Test func `no answer to a validation leaves nothing unknown`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender(each: [.lost(reason: "cut")])
        let report = try await laboratory.run(laboratory.plan(.send(.sample([1]))), sender, dryRunSample: 100)
        #expect(report.steps[0].unknown == 0)
        #expect(report.result == .failed)
    }

    @Test func `what a crash left unknown is skipped`() async throws {
        let laboratory = Laboratory()
        var send = Plan.Send.sample([2, 3])
        send.discovered = [1]
        let report = try await laboratory.run(laboratory.plan(.send(send)), ScriptedSender(), dryRunSample: 1)
        #expect(report.steps[0].skipped == 2)
        #expect(report.steps[0].accepted == 1)
        #expect(report.result == .ok)
    }

    /// The dry run ends as a run would.
    @Test(arguments: [(SkipReason.superseded, Report.Result.ok), (.missed, .failed)])
    func `whom a run would skip is skipped`(_ reason: SkipReason, _ result: Report.Result) async throws {
        let laboratory = Laboratory()
        var send = Plan.Send.sample(1...9)
        send.skipped = Partition(disjoint: [reason: [10, 11]])
        if reason == .missed {
            send.missed = .init(occurrence: send.occurrence, due: laboratory.now, reason: "it is too late for 2")
        }
        send.leftOut.gone = [12]
        let report = try await laboratory.run(laboratory.plan(.send(send)), ScriptedSender(), dryRunSample: 5)
        #expect(report.steps.map { [$0.planned, $0.accepted, $0.skipped, $0.pending] } == [[12, 5, 7, 0]])
        #expect(report.steps[0].leftOut.reasons == [reason: 2])
        #expect(report.result == result)
    }

    @Test func `a real send does not ask for validation only`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender()
        _ = try await laboratory.run(laboratory.plan(.send(.sample([1]))), sender)
        #expect(sender.requests.map { $0.json["validate_only"] } == [nil])
    }
}
