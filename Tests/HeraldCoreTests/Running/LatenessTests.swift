import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// `max_lateness` decides whether a run begins a send, `expires_after` whether anything starts.
@Suite struct LatenessTests {
    @Test func `a step under way goes on after max_lateness`() async throws {
        let laboratory = Laboratory()
        var send = Plan.Send.sample(1...10, due: laboratory.now)
        send.deadline = laboratory.now.adding(.seconds(60))
        let clock = laboratory.clock
        let sender = ScriptedSender(capacity: 1) { request, number in
            try? await clock.sleep(for: .seconds(25))
            return number == 5 ? .error(503, "UNAVAILABLE") : .accepted(request, number)
        }
        let report = try await laboratory.run(laboratory.plan(.send(send)), sender)
        #expect(report.steps[0].accepted == 10)
        #expect(report.result == .ok)
    }

    @Test func `a step that others held up until after max_lateness does not begin`() async throws {
        let laboratory = Laboratory()
        var send = Plan.Send.sample(1...10, due: laboratory.now)
        send.deadline = laboratory.now.adding(.seconds(20))
        let clock = laboratory.clock
        let sender = ScriptedSender(capacity: 1) { request, number in
            try? await clock.sleep(for: .seconds(25))
            return .accepted(request, number)
        }
        let report = try await laboratory.run(
            laboratory.plan(.send(.sample([11], campaign: "ebb")), .send(send)), sender)
        #expect(report.steps.map(\.accepted) == [1, 0])
        #expect(report.steps[1].stopped?.words == "max_lateness has passed")
        #expect(laboratory.memory.state().occurrences[send.occurrence]?.tried.isEmpty != false)
    }

    /// A crash left 2 without an answer, and 3 was not tried.
    @Test(arguments: [.hold, .resend] as [Campaign.OnUnknown])
    func `what is too late for those whom a crash left is missed once`(_ onUnknown: Campaign.OnUnknown) async throws {
        let laboratory = Laboratory()
        let campaign = Campaign.tide(at: laboratory.now - 86_400, onUnknown: onUnknown)
        var scenario = PlanScenario()
        scenario.began(campaign, accepted: [1], intended: [2])
        let occurrence = try #require(scenario.state.occurrences[campaign.id])
        try laboratory.memory.commit([
            .open(campaign.id, occurrence), .outcome(campaign.id, [1], .accepted),
            .outcome(campaign.id, [2], .intended),
        ])
        let sends = [DesiredSend(campaign: campaign, members: [1, 2, 3])]
        let report = try await laboratory.run(laboratory.plan(sends: sends), ScriptedSender())
        #expect(report.missedOccurrences.map(\.occurrence) == [campaign.id] && report.steps.map(\.unknown) == [1])
        let next = laboratory.plan(sends: sends)
        #expect(next.doesNothing && next.held.map(\.occurrence) == [campaign.id], "\(next)")
    }

    /// That of the minute before was missed. The next does not begin: the run is stopped, or it is too late by then.
    @Test(arguments: [true, false])
    func `what was missed is told once, also where the next one does not begin`(isStopped: Bool) async throws {
        let laboratory = Laboratory()
        let campaign = try Campaign.cron("* * * * *", maxLateness: .seconds(30))
        let mark = Watermark(at: laboratory.now - 90, schedule: campaign.schedule.text, next: nil)
        try laboratory.memory.commit([.watermark("tide", mark)])
        let sends = [DesiredSend(campaign: campaign, members: [1, 2, 3])]
        var plan = laboratory.plan(sends: sends)
        let due = plan.sends.map(\.occurrence)
        #expect(due.count == 1 && plan.missed.count == 1, "\(plan)")
        for index in plan.steps.indices {
            guard case .send(var send) = plan.steps[index].work else { continue }
            send.deadline = isStopped ? nil : laboratory.now - 1
            plan.steps[index].work = .send(send)
        }
        let report = try await laboratory.run(plan, ScriptedSender(), stop: { isStopped ? .machine : nil })
        #expect(report.missed == 1 && report.steps.map(\.accepted) == [0])
        let next = laboratory.plan(sends: sends)
        #expect(next.missed.isEmpty && next.sends.map(\.occurrence) == due, "\(next)")
    }

    /// The state has it: no watermark needs to wait for it.
    @Test func `a half-done send that does not go on keeps no watermark back`() async throws {
        let laboratory = Laboratory()
        var send = Plan.Send.sample([1, 2], due: laboratory.now - 3600)
        send.isResumed = true
        var plan = laboratory.plan(.send(send))
        let mark = Watermark(at: laboratory.now, schedule: "0 * * * *", next: laboratory.now + 3600)
        plan.watermarks = [send.campaign: mark]
        _ = try await laboratory.run(plan, ScriptedSender(), stop: { .machine })
        #expect(laboratory.memory.state().watermarks == [send.campaign: mark])
    }

    @Test func `nothing starts after expires_after`() async throws {
        let laboratory = Laboratory()
        var send = Plan.Send.sample(1...10, due: laboratory.now)
        send.delivery.expiresAfter = .seconds(60)
        let clock = laboratory.clock
        let sender = ScriptedSender(capacity: 1) { request, number in
            try? await clock.sleep(for: .seconds(25))
            return .accepted(request, number)
        }
        let report = try await laboratory.run(laboratory.plan(.send(send)), sender)
        // At 0, 25 and 50 s.
        #expect(report.steps[0].accepted == 3)
        #expect(report.steps[0].pending == 7)
        #expect(report.steps[0].stopped?.words == "expires_after has passed")
        #expect(report.result == .failed)
    }

    @Test func `nothing is tried again after expires_after`() async throws {
        let laboratory = Laboratory()
        var send = Plan.Send.sample([1], due: laboratory.now)
        send.delivery.expiresAfter = .seconds(60)
        let sender = ScriptedSender(each: [.error(503, "UNAVAILABLE", retryAfter: "60")])
        let report = try await laboratory.run(laboratory.plan(.send(send)), sender)
        #expect(sender.requests.count == 1)
        #expect(report.steps[0].pending == 1)
        #expect(report.steps[0].stopped?.words == "expires_after has passed")
        #expect(laboratory.memory.state().occurrences[send.occurrence]?.byEntry == [.deferred: [1]])
    }

    @Test func `intents that took until after expires_after to write are taken back`() async throws {
        var laboratory = Laboratory()
        var send = Plan.Send.sample([1, 2], due: laboratory.now)
        send.delivery.expiresAfter = .seconds(60)
        send.deferred = [1]
        let clock = laboratory.clock
        laboratory.store = ProbedStore(
            laboratory.memory,
            committed: { changes, _ in
                for case .outcome(_, _, .intended?) in changes { clock.advance(by: .seconds(60)) }
            })
        let sender = ScriptedSender()
        let report = try await laboratory.run(laboratory.plan(.send(send)), sender)
        #expect(sender.requests.isEmpty)
        #expect(report.steps[0].pending == 2)
        #expect(report.steps[0].possibleDuplicates == 0)
        #expect(laboratory.memory.state().occurrences[send.occurrence]?.byEntry == [.deferred: [1]])
    }

    @Test func `an answer after the deadline completes what started before it`() async throws {
        let laboratory = Laboratory()
        var send = Plan.Send.sample([1], due: laboratory.now)
        send.deadline = laboratory.now.adding(.seconds(1))
        let clock = laboratory.clock
        let sender = ScriptedSender { request, number in
            try? await clock.sleep(for: .seconds(10))
            return .accepted(request, number)
        }
        let report = try await laboratory.run(laboratory.plan(.send(send)), sender)
        #expect(report.steps[0].stopped == nil)
        #expect(report.result == .ok)
        #expect(laboratory.memory.state().occurrences[send.occurrence]?.finished != nil)
    }
}
