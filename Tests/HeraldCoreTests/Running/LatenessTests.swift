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
