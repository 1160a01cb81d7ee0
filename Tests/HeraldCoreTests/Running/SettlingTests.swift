import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A send to a topic waits for changes of that topic, and for their propagation delay.
@Suite struct SettlingTests {
    private static let topic = Plan.Send.sample([0], target: .topic("tides"))

    private func laboratory(_ state: RecordedState = .blank) -> Laboratory {
        var laboratory = Laboratory(state: state)
        laboratory.fcm.propagationDelay = .seconds(60)
        return laboratory
    }

    /// Notes when the send left.
    private func sender(_ clock: ManualClock, _ sends: Log<Duration>, fails: [Exchange] = []) -> ScriptedSender {
        let attempts = Attempts()
        return ScriptedSender { request, number in
            if case .send = request {
                sends.append(clock.now.offset)
                return .accepted(request, number)
            }
            let attempt = attempts.next(of: request.recipient)
            return request.recipient == 2 && attempt < fails.count ? fails[attempt] : .accepted(request, number)
        }
    }

    @Test func `a send waits for changes of this run`() async throws {
        let laboratory = laboratory()
        let sends = Log<Duration>()
        let report = try await laboratory.run(
            laboratory.plan(.subscribe("tides", [1, 2]), .send(Self.topic)), sender(laboratory.clock, sends))
        #expect(sends.entries.count == 1)
        #expect(sends.entries[0] >= .seconds(60) && sends.entries[0] < .seconds(62))
        #expect(report.result == .ok)
    }

    @Test func `a send waits for what is left of an earlier run's change`() async throws {
        var state = RecordedState.blank
        state.apply([.members("tides", [1], .managed, at: Laboratory.start.adding(.seconds(-45)))])
        let laboratory = laboratory(state)
        let sends = Log<Duration>()
        _ = try await laboratory.run(laboratory.plan(.send(Self.topic)), sender(laboratory.clock, sends))
        #expect(sends.entries[0] >= .seconds(15) && sends.entries[0] < .seconds(17))
    }

    @Test func `a send goes out after the wait even if the clock stands still`() async throws {
        var state = RecordedState.blank
        state.apply([.members("tides", [3], .managed, at: Laboratory.start)])
        var laboratory = laboratory(state)
        laboratory.standsStill = true
        let sends = Log<Duration>()
        let report = try await laboratory.run(
            laboratory.plan(.subscribe("tides", [1, 2]), .send(Self.topic)), sender(laboratory.clock, sends))
        #expect(sends.entries.count == 1)
        #expect(sends.entries[0] >= .seconds(60) && sends.entries[0] < .seconds(62))
        #expect(report.result == .ok)
    }

    @Test(arguments: [Campaign.Target.topic("other"), .audience("all")])
    func `other topics' changes and audiences do not make it wait`(target: Campaign.Target) async throws {
        let laboratory = laboratory()
        let sends = Log<Duration>()
        let send = Plan.Send.sample(target == .audience("all") ? [1] : [0], target: target)
        _ = try await laboratory.run(
            laboratory.plan(.subscribe("tides", [1, 2]), .send(send)), sender(laboratory.clock, sends))
        #expect(sends.entries[0] < .seconds(1))
    }

    @Test func `a send is held when somebody who was to leave is still there`() async throws {
        let laboratory = laboratory()
        let sends = Log<Duration>()
        let report = try await laboratory.run(
            laboratory.plan(.unsubscribe("tides", [1, 2]), .send(Self.topic)),
            sender(laboratory.clock, sends, fails: [.error(400, "INVALID_ARGUMENT")]))
        #expect(sends.entries.isEmpty)
        #expect(report.steps[1].held == 1)
        #expect(report.steps[1].stopped?.words == "not everybody who was to leave topic 'tides' has left it")
        #expect(report.result == .failed)
        #expect(laboratory.memory.state().occurrences.isEmpty, "the next run may send it")
    }

    /// If nobody else answers, herald does not believe that it is dead, and the next run asks again.
    @Test(arguments: [([1, 2, 3], true), ([2], false)] as [(RecipientSet, Bool)])
    func `a dead registration that was to leave holds nothing up and is no failure`(
        leavers: RecipientSet, isBelieved: Bool
    ) async throws {
        let laboratory = laboratory()
        let sends = Log<Duration>()
        let report = try await laboratory.run(
            laboratory.plan(.unsubscribe("tides", leavers), .send(Self.topic)),
            sender(laboratory.clock, sends, fails: [.unregistered]))
        #expect(sends.entries.count == 1)
        #expect(report.result == .ok)
        #expect(report.steps[0].parts == [leavers.count - 1, 1, 0, 0, 0, 0])
        let saved = try ReportDocument(reading: Array(ReportDocument(report).json.compactText.utf8))
        #expect(saved.junit.contains(#"failures="0""#))
        #expect(laboratory.memory.state().dead == (isBelieved ? [2] : []))
        #expect(laboratory.memory.state().topics["tides"]?.subscribing == (isBelieved ? [] : [2]))
    }

    @Test func `a send goes out when somebody could not be subscribed and the report says so`() async throws {
        let laboratory = laboratory()
        let sends = Log<Duration>()
        let report = try await laboratory.run(
            laboratory.plan(.subscribe("tides", [1, 2]), .send(Self.topic)),
            sender(laboratory.clock, sends, fails: [.error(400, "INVALID_ARGUMENT")]))
        #expect(sends.entries.count == 1)
        #expect(report.steps[1].accepted == 1)
        #expect(report.steps[0].failures.map(\.code) == ["INVALID_ARGUMENT"])
        #expect(report.result == .failed)
    }

    @Test func `a send that would settle too late stays pending without waiting`() async throws {
        let laboratory = laboratory()
        let sends = Log<Duration>()
        var send = Plan.Send.sample([0], target: .topic("tides"), due: laboratory.now)
        send.deadline = laboratory.now.adding(.seconds(30))
        let report = try await laboratory.run(
            laboratory.plan(.subscribe("tides", [1]), .send(send)), sender(laboratory.clock, sends))
        #expect(sends.entries.isEmpty)
        #expect(report.steps[1].pending == 1)
        #expect(report.result == .failed)
        #expect(laboratory.clock.now.offset < .seconds(30))
    }

    @Test func `a request to end is heard while it settles`() async throws {
        let laboratory = laboratory()
        let clock = laboratory.clock
        let sends = Log<Duration>()
        let report = try await laboratory.run(
            laboratory.plan(.subscribe("tides", [1]), .send(Self.topic)), sender(clock, sends),
            stop: { clock.now.offset > .seconds(10) ? .machine : nil })
        #expect(sends.entries.isEmpty)
        #expect(report.result == .interrupted)
        #expect(clock.now.offset < .seconds(13))
    }

    @Test func `a push that a crash left unknown is recorded without waiting`() async throws {
        let laboratory = laboratory()
        var send = Plan.Send.sample([], target: .topic("tides"))
        send.discovered = [0]
        send.isResumed = true
        try laboratory.memory.commit([
            .open(
                "tide@once", .init(campaign: "tide", revision: 1, due: nil, contentDigest: "", target: "topic:tides")),
            .outcome("tide@once", [0], .intended),
        ])
        let report = try await laboratory.run(
            laboratory.plan(.unsubscribe("tides", [1]), .send(send)),
            ScriptedSender { _, _ in .error(400, "INVALID_ARGUMENT") })
        #expect(report.steps[1].unknown == 1)
        #expect(laboratory.memory.state().occurrences["tide@once"]?.byEntry == [.unknown: [0]])
        #expect(laboratory.clock.now.offset < .seconds(1))
    }
}
