import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What ends a step or a run early.
@Suite struct StoppingTests {
    private static let forbidden = Exchange.error(403, "PERMISSION_DENIED", message: "Permission denied")
    private static let invalid = Exchange.error(400, "INVALID_ARGUMENT", fcm: "INVALID_ARGUMENT")

    // MARK: A stop verdict

    @Test func `an answer that all would get stops the step and leaves the rest pending`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender(capacity: 1) { request, number in
            number == 3 ? Self.forbidden : .accepted(request, number)
        }
        let report = try await laboratory.run(laboratory.plan(.send(.sample(1...20))), sender)
        #expect(sender.requests.count == 4)
        #expect(report.steps[0].accepted == 3)
        #expect(report.steps[0].pending == 17)
        #expect(report.steps[0].stopped?.words == "PERMISSION_DENIED: Permission denied")
        #expect(report.result == .failed)
    }

    @Test(arguments: [
        forbidden, .json(404, "<html>Not Found</html>"), .error(401, "UNAUTHENTICATED"),
        .refused(reason: "no key"),
    ])
    func `a mistake that all would share costs one recipient, whatever the sender can carry`(_ answer: Exchange)
        async throws
    {
        let laboratory = Laboratory(population: 5000)
        let asked = Log<RecipientID>()
        let sender = ScriptedSender(capacity: 1000) { request, number in
            asked.append(request.recipient)
            return request.recipient == 1 ? answer : .accepted(request, number)
        }
        let report = try await laboratory.run(laboratory.plan(.send(.sample(1...5000))), sender)
        #expect(Set(asked.entries) == [1])
        #expect(report.steps[0].pending == 5000)
    }

    @Test func `the next run sends what a stop left`() async throws {
        let laboratory = Laboratory(population: 20)
        let sends = [DesiredSend(campaign: .tide(), members: RecipientSet(1...20))]
        let first = ScriptedSender(capacity: 1) { request, number in
            number == 3 ? Self.forbidden : .accepted(request, number)
        }
        _ = try await laboratory.run(laboratory.plan(sends: sends), first)
        let second = ScriptedSender()
        let report = try await laboratory.run(laboratory.plan(sends: sends), second)
        #expect(Set(second.recipients) == Set(4...20))
        #expect(report.result == .ok)
        #expect(laboratory.memory.state().occurrences["tide@once"]?.finished != nil)
    }

    @Test func `a stop ends its own step only`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender(capacity: 1) { request, number in
            request.recipient == 1 ? Self.forbidden : .accepted(request, number)
        }
        let report = try await laboratory.run(
            laboratory.plan(.send(.sample([1, 2])), .send(.sample([3], campaign: "ebb"))), sender)
        #expect(report.steps.map(\.pending) == [2, 0])
    }

    // MARK: An endpoint that cannot be reached

    @Test func `a run ends soon when nobody answers and everything is pending`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender { _, _ in .notSent(reason: "connection refused") }
        let plan = laboratory.plan(
            .subscribe("tides", RecipientSet(1...30)), .send(.sample(1...100)), .send(.sample([1], campaign: "ebb")))
        let report = try await laboratory.run(plan, sender)
        #expect(report.steps.map(\.pending) == [30, 100, 1])
        #expect(report.steps.allSatisfy { $0.stopped?.words == "the endpoint cannot be reached: connection refused" })
        #expect(report.result == .failed)
        #expect(laboratory.clock.now.offset < .seconds(15))
        let state = laboratory.memory.state()
        #expect(state.occurrences.values.allSatisfy { $0.byEntry.isEmpty })
        #expect(state.topics["tides"]?.isEmpty == true)
    }

    @Test func `a run ends soon when the server dies after it had asked for patience`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender { request, number in
            switch number {
            case 0: .accepted(request, number)
            case 1..<4: .error(503, "UNAVAILABLE")
            case 4..<30: .accepted(request, number)
            default: .notSent(reason: "connection refused")
            }
        }
        let report = try await laboratory.run(laboratory.plan(.send(.sample(1...100))), sender)
        #expect(report.steps[0].accepted == 27)
        #expect(report.isUnreachable)
        #expect(laboratory.clock.now.offset < .seconds(60))
    }

    @Test func `a run ends soon when every request is taken and none is answered`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender(capacity: 4) { _, _ in .lost(reason: "the connection was cut") }
        let report = try await laboratory.run(
            laboratory.plan(.send(.sample(1...100)), .subscribe("tides", RecipientSet(1...10))), sender)
        // One at a time, since none was ever answered.
        #expect(report.steps[0].unknown == 5)
        #expect(report.steps[0].pending == 100 - report.steps[0].unknown)
        #expect(report.steps[0].stopped?.words.contains("no request is answered") == true)
        #expect(report.steps[1].pending == 10)
        #expect(report.result == .unknown)
        #expect(report.isUnreachable)
    }

    @Test func `a server that falls silent makes little more unknown than was under way`() async throws {
        let laboratory = Laboratory(population: 2000)
        let clock = laboratory.clock
        let sender = ScriptedSender(capacity: 100) { request, number in
            if number < 500 { return .accepted(request, number) }
            try? await clock.sleep(for: .seconds(15))
            return .lost(reason: "the time ran out")
        }
        let report = try await laboratory.run(laboratory.plan(.send(.sample(1...2000))), sender)
        #expect(report.steps[0].accepted == 500)
        // A hundred, an eighth of that, and then one at a time. Fewer if a slow machine kept the window small before.
        #expect((1...125).contains(report.steps[0].unknown))
        #expect(report.steps[0].pending == 2000 - 500 - report.steps[0].unknown)
        #expect(report.isUnreachable)
    }

    @Test(arguments: [Exchange.json(502, ""), .json(503, "<html>"), .json(200, "<html>"), .error(503, "UNAVAILABLE")])
    func `answers that do not tell what came of a message make few unknown, and stop only its step`(
        _ answer: Exchange
    ) async throws {
        let laboratory = Laboratory(population: 2001)
        let sender = ScriptedSender(capacity: 100) { request, number in
            number < 500 || request.recipient == 2001 ? .accepted(request, number) : answer
        }
        var send = Plan.Send.sample(1...2000)
        send.delivery.onError = .hold
        let report = try await laboratory.run(
            laboratory.plan(.send(send), .send(.sample([2001], campaign: "ebb"))), sender)
        #expect(report.steps[0].accepted == 500)
        #expect((5...200).contains(report.steps[0].unknown))
        #expect(report.steps[0].pending == 2000 - 500 - report.steps[0].unknown)
        #expect(report.steps[0].stopped != nil)
        #expect(report.steps[1].accepted == 1)
        #expect(report.result == .unknown)
        #expect(!report.isUnreachable)
    }

    @Test func `subscriptions that nobody answers are left to the next run`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender(capacity: 100) { _, _ in .lost(reason: "the connection was cut") }
        let report = try await laboratory.run(laboratory.plan(.subscribe("tides", RecipientSet(1...3))), sender)
        #expect(report.steps[0].pending == 3)
        #expect(report.result == .failed)
        #expect(laboratory.clock.now.offset < .seconds(120))
        // FCM may have subscribed them because of our requests.
        #expect(laboratory.memory.state().topics["tides"]?.subscribing == [1, 2, 3])
    }

    @Test func `losses between answers end nothing`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender(capacity: 2) { request, number in
            number % 4 == 3 ? .accepted(request, number) : .lost(reason: "the connection was cut")
        }
        let report = try await laboratory.run(laboratory.plan(.send(.sample(1...100))), sender)
        #expect(report.steps[0].accepted == 25)
        #expect(report.steps[0].unknown == 75)
        #expect(!report.isUnreachable)
        #expect(report.steps[0].stopped == nil)
    }

    @Test(arguments: [(Campaign.OnUnknown.hold, true), (.resend, false)])
    func `an occurrence with unknown outcomes is over, unless they are to be sent again`(
        _ onUnknown: Campaign.OnUnknown, _ isFinished: Bool
    ) async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender(answers: { $0 == 2 ? [.lost(reason: "cut")] : [] })
        let send = Plan.Send.sample(1...3, onUnknown: onUnknown)
        _ = try await laboratory.run(laboratory.plan(.send(send)), sender)
        let occurrence = laboratory.memory.state().occurrences[send.occurrence]
        #expect((occurrence?.finished != nil) == isFinished)
        #expect(occurrence?.unknown == [2])
    }

    @Test func `requests that are refused now and then do not end a run whose server answers`() async throws {
        let laboratory = Laboratory()
        let attempts = Attempts()
        let sender = ScriptedSender { request, number in
            // One recipient's requests are refused. The others are slow enough that answers keep coming meanwhile.
            if request.recipient == 1, attempts.next(of: 1) < 7 { return .notSent(reason: "REFUSED_STREAM") }
            try? await laboratory.clock.sleep(for: .seconds(2))
            return .accepted(request, number)
        }
        let report = try await laboratory.run(laboratory.plan(.send(.sample(1...100))), sender)
        #expect(report.steps[0].accepted == 100)
        #expect(report.result == .ok)
    }

    // MARK: stop_when_rejected_percent

    @Test(arguments: [
        // Rejections first, percent, number of requests. Outcomes count once there are 100.
        (100, 50, 100), (51, 50, 100), (50, 50, 200), (10, 9, 100), (99, 50, 100),
    ])
    func `too many rejections stop a send from 100 outcomes on`(rejections: Int, percent: Int, requests: Int)
        async throws
    {
        let laboratory = Laboratory(population: 200)
        var send = Plan.Send.sample(1...200)
        send.delivery.stopWhenRejectedPercent = percent
        let sender = ScriptedSender(capacity: 1) { request, number in
            number < rejections ? Self.invalid : .accepted(request, number)
        }
        let report = try await laboratory.run(laboratory.plan(.send(send)), sender)
        #expect(sender.requests.count == requests)
        #expect(report.steps[0].pending == 200 - requests)
    }

    @Test(arguments: [false, true])
    func `why a send stopped itself is in the state, unless it was a dry run`(_ isDryRun: Bool) async throws {
        let laboratory = Laboratory(population: 200)
        let sender = ScriptedSender(capacity: 1) { _, _ in Self.invalid }
        let plan = laboratory.plan(.send(.sample(1...200)))
        _ = try await laboratory.run(plan, sender, dryRunSample: isDryRun ? 200 : nil)
        #expect(laboratory.memory.state().occurrences.values.first?.halt == (isDryRun ? nil : .rejected))
    }

    @Test func `dead registrations do not count as rejections`() async throws {
        var laboratory = Laboratory(population: 200)
        laboratory.guards.maxForgetPercent = 100
        var send = Plan.Send.sample(1...200)
        send.delivery.stopWhenRejectedPercent = 5
        let sender = ScriptedSender(capacity: 1) { request, number in
            number % 2 == 1 ? .unregistered : .accepted(request, number)
        }
        let report = try await laboratory.run(laboratory.plan(.send(send)), sender)
        #expect(report.steps[0].pending == 0)
        #expect(report.steps[0].forgotten == 100)
        #expect(report.result == .ok)
    }

    // MARK: A request to end

    @Test func `asked to end it lets those in flight finish and starts nobody else`() async throws {
        let laboratory = Laboratory()
        let sent = Log<RecipientID>()
        let clock = laboratory.clock
        let sender = ScriptedSender(capacity: 4) { request, number in
            sent.append(request.recipient)
            try? await clock.sleep(for: .seconds(1))
            return .accepted(request, number)
        }
        let report = try await laboratory.run(
            laboratory.plan(.send(.sample(1...40)), .send(.sample([41], campaign: "ebb"))), sender,
            stop: { sent.entries.count >= 10 ? .machine : nil })
        let started = sent.entries.count
        #expect(started < 40)
        #expect(report.steps[0].accepted == started)
        #expect(report.steps.map(\.pending) == [40 - started, 1])
        #expect(report.result == .interrupted)
        #expect(laboratory.memory.state().occurrences["tide@once"]?.byEntry.keys.map { $0 } == [.accepted])
    }

    /// A wave that is too late is accounted for by a step.
    @Test func `what is missed with a step is told by the run that begins the step`() async throws {
        let laboratory = Laboratory()
        var send = Plan.Send.sample([], due: laboratory.now)
        send.skipped.move([1, 2], to: .missed)
        var plan = laboratory.plan(.send(send))
        plan.missed = [.init(occurrence: send.occurrence, due: laboratory.now, reason: "it is too late")]
        let stopped = try await laboratory.run(plan, ScriptedSender(), stop: { .machine })
        #expect(stopped.result == .interrupted && stopped.missed == 0 && stopped.missedOccurrences.isEmpty)
        #expect(laboratory.memory.state().occurrences[send.occurrence] == nil)
        let next = try await laboratory.run(plan, ScriptedSender())
        #expect(next.result == .failed && next.missedOccurrences == plan.missed && next.missed == 1)
        #expect(laboratory.memory.state().occurrences[send.occurrence]?.finished != nil)
    }

    @Test func `a run that had finished when it was asked to end is not half done`() async throws {
        let laboratory = Laboratory()
        let sent = Log<RecipientID>()
        let sender = ScriptedSender { request, number in
            sent.append(request.recipient)
            return .accepted(request, number)
        }
        let report = try await laboratory.run(
            laboratory.plan(.send(.sample(1...4))), sender, stop: { sent.entries.count == 4 ? .machine : nil })
        #expect(report.steps[0].stopped == nil)
        #expect(laboratory.memory.state().occurrences["tide@once"]?.finished != nil)
    }

    @Test func `a request to end is heard within a second of waiting`() async throws {
        let laboratory = Laboratory()
        let clock = laboratory.clock
        let sender = ScriptedSender { _, _ in .error(503, "UNAVAILABLE", retryAfter: "600") }
        let report = try await laboratory.run(
            laboratory.plan(.send(.sample([1]))), sender, stop: { clock.now.offset > .seconds(20) ? .machine : nil })
        #expect(report.result == .interrupted)
        #expect(clock.now.offset <= .seconds(22))
    }

    @Test func `whoever does not want to wait leaves what is under way unknown, and nothing else`() async throws {
        let laboratory = Laboratory(population: 40)
        let (hang, halted) = (AsyncStream<Never>.makeStream(), AsyncStream<Void>.makeStream())
        let sender = ScriptedSender(capacity: 4) { request, number in
            if number < 10 { return .accepted(request, number) }
            if number == 13 { halted.continuation.yield() }
            for await _ in hang.stream {}
            return .lost(reason: "cancelled")
        }
        let report = try await laboratory.run(
            laboratory.plan(.send(.sample(1...40))), sender, halt: { for await _ in halted.stream { return } })
        hang.continuation.finish()
        #expect(report.result == .interrupted)
        #expect(report.steps[0].parts == [10, 0, 4, 0, 0, 26])
        #expect(report.steps[0].failures.map(\.code) == Array(repeating: "INTERRUPTED", count: 4))
        let occurrence = try #require(laboratory.memory.state().occurrences["tide@once"])
        #expect(occurrence.byEntry.mapValues(\.count) == [.accepted: 10, .unknown: 4])
    }

    // MARK: Which reason is reported

    @Test(arguments: [
        ([Exchange.lost(reason: "cut")], Report.Result.unknown), ([], .refused), ([Self.invalid], .refused),
    ])
    func `unknown outcomes go before a refusal and a refusal before failures`(
        other: [Exchange], result: Report.Result
    ) async throws {
        let laboratory = Laboratory(population: 40)
        let sender = ScriptedSender { $0 <= 30 ? [.unregistered] : other }
        let report = try await laboratory.run(
            laboratory.plan(.send(.sample(31...40, campaign: "ebb")), .send(.sample(1...30))), sender)
        #expect(report.result == result)
    }

    @Test func `a missed occurrence is a failure and is recorded once`() async throws {
        let laboratory = Laboratory()
        let due = laboratory.now.adding(.seconds(-3 * 3600))
        let sends = [DesiredSend(campaign: .tide(at: due), members: [1, 2])]
        let report = try await laboratory.run(laboratory.plan(sends: sends), ScriptedSender())
        #expect(report.missed == 1)
        #expect(report.result == .failed)
        #expect(laboratory.plan(sends: sends).missed.isEmpty)
    }
}
