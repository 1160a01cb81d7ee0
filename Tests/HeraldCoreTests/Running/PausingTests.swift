import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A person pauses, resumes, or stops a run.
@Suite struct PausingTests {
    private static let everybody = RecipientSet(1...600)

    private func laboratory() -> Laboratory {
        var laboratory = Laboratory(population: 600)
        laboratory.fcm.rate = .limited(10)
        laboratory.fcm.ramp = .zero
        return laboratory
    }

    private let sends = [DesiredSend(campaign: .tide("tide"), members: everybody)]

    /// Does something to the state after this much time.
    private func sender(
        _ laboratory: Laboratory, at instant: Duration, _ changes: [StateChange], capacity: Int = 8
    ) -> ScriptedSender {
        ScriptedSender(capacity: capacity) { request, number in
            if laboratory.clock.now.offset >= instant, laboratory.memory.pauses() == Pauses() {
                try? laboratory.memory.commit(changes)
            }
            return .accepted(request, number)
        }
    }

    @Test(arguments: ["tide", nil] as [String?])
    func `a running run stops starting a paused campaign within a second`(_ campaign: String?) async throws {
        let laboratory = laboratory()
        let sender = sender(laboratory, at: .seconds(20), [.pause(campaign)])
        let report = try await laboratory.run(laboratory.plan(sends: sends), sender)
        let sent = sender.requests.count
        #expect((200...215).contains(sent))
        #expect(report.steps[0].accepted == sent)
        #expect(report.steps[0].held == 600 - sent)
        #expect(report.steps[0].pending == 0)
        #expect(report.steps[0].note == "the campaign is paused")
        #expect(report.result == .ok, "a pause is nobody's failure")
        let occurrence = try #require(laboratory.memory.state().occurrences["tide@once"])
        #expect(occurrence.finished == nil)
        #expect(occurrence.intended.isEmpty)
    }

    @Test func `a pause is heard while everything waits for another try`() async throws {
        let laboratory = laboratory()
        let clock = laboratory.clock
        let sender = ScriptedSender { _, _ in
            try? laboratory.memory.commit([.pause("tide")])
            return .error(503, "UNAVAILABLE", retryAfter: "600")
        }
        let report = try await laboratory.run(laboratory.plan(sends: sends), sender)
        #expect(clock.now.offset < .seconds(3))
        #expect(report.steps[0].held == 600)
        #expect(report.result == .ok)
    }

    @Test func `the pause of another campaign stops nothing`() async throws {
        let laboratory = laboratory()
        let report = try await laboratory.run(
            laboratory.plan(sends: sends), sender(laboratory, at: .zero, [.pause("ebb")]))
        #expect(report.steps[0].accepted == 600)
    }

    @Test func `a paused campaign's send is held in the next report, and its memberships are still changed`()
        async throws
    {
        let laboratory = laboratory()
        try laboratory.memory.commit([.pause("tide")])
        let campaign = Campaign.tide("tide", to: .topic("tides"))
        let sender = ScriptedSender()
        let report = try await laboratory.run(
            laboratory.plan(
                sends: [DesiredSend(campaign: campaign, members: .target)],
                topics: [DesiredTopic(name: "tides", members: [1, 2])]), sender)
        #expect(report.steps.map(\.id) == ["subscribe:tides", "send:tide@once"])
        #expect(report.steps.map(\.held) == [0, 1])
        #expect(report.steps.map(\.planned) == [2, 1])
        #expect(report.result == .ok)
        #expect(sender.requests.count == 2)
    }

    @Test func `once resumed the next run sends the rest, and nobody twice`() async throws {
        let laboratory = laboratory()
        let first = sender(laboratory, at: .seconds(20), [.pause("tide")])
        _ = try await laboratory.run(laboratory.plan(sends: sends), first)
        #expect(laboratory.plan(sends: sends).steps.isEmpty)
        try laboratory.memory.commit([.resume(nil)])
        let second = ScriptedSender()
        let report = try await laboratory.run(laboratory.plan(sends: sends), second)
        #expect(RecipientSet(first.recipients).intersection(RecipientSet(second.recipients)).isEmpty)
        #expect(first.requests.count + second.requests.count == 600)
        #expect(report.result == .ok)
        #expect(laboratory.memory.state().occurrences["tide@once"]?.finished != nil)
    }

    @Test func `what a crash left of a paused send is one step with the rest of it, which still waits`() async throws {
        let laboratory = laboratory()
        try laboratory.memory.commit([
            .open("tide@once", RecordedOccurrence(.tide("tide"), due: nil)),
            .outcome("tide@once", [1, 2, 3], .intended),
            .pause("tide"),
        ])
        let report = try await laboratory.run(laboratory.plan(sends: sends), ScriptedSender())
        #expect(report.steps.map(\.id) == ["send:tide@once"])
        #expect(report.steps.map(\.planned) == [600])
        #expect(report.steps.map(\.unknown) == [3])
        #expect(report.steps.map(\.held) == [597])
        #expect(report.result == .unknown)
        try laboratory.memory.commit([.resume(nil)])
        let sender = ScriptedSender()
        _ = try await laboratory.run(laboratory.plan(sends: sends), sender)
        #expect(RecipientSet(sender.recipients) == RecipientSet(4...600))
    }

    // MARK: Stopping

    @Test(arguments: [(Stop.person, true), (.machine, false)])
    func `a person's stop pauses what it stopped, a machine's does not`(_ stop: Stop, _ isPaused: Bool) async throws {
        let laboratory = laboratory()
        let clock = laboratory.clock
        let sends = sends + [DesiredSend(campaign: .tide("waits"), members: [1])]
        let report = try await laboratory.run(
            laboratory.plan(sends: sends), ScriptedSender(), stop: { clock.now.offset > .seconds(20) ? stop : nil })
        #expect(report.result == .interrupted)
        #expect(report.steps[0].pending > 0)
        #expect(laboratory.memory.state().pauses.campaigns == (isPaused ? ["tide", "waits"] : []))
        let next = laboratory.plan(sends: sends)
        #expect(next.sends.map(\.campaign).sorted() == (isPaused ? [] : ["tide", "waits"]))
        #expect(next.held.map(\.resolve).sorted() == (isPaused ? ["herald resume tide", "herald resume waits"] : []))
    }

    @Test func `a person's stop does not pause what was over before`() async throws {
        let laboratory = laboratory()
        let clock = laboratory.clock
        let sends = [
            DesiredSend(
                campaign: .tide("failed", at: laboratory.now.adding(.seconds(-2)), title: "failed"), members: [1, 2]),
            DesiredSend(campaign: .tide("over", at: laboratory.now.adding(.seconds(-1)), title: "over"), members: [1]),
            DesiredSend(campaign: .tide("tide"), members: Self.everybody),
        ]
        let sender = ScriptedSender(capacity: 1) { request, number in
            request.json["message"]?["notification"]?["title"] == "failed"
                ? .error(403, "PERMISSION_DENIED") : .accepted(request, number)
        }
        _ = try await laboratory.run(
            laboratory.plan(sends: sends), sender, stop: { clock.now.offset > .seconds(20) ? .person : nil })
        #expect(laboratory.memory.state().pauses.campaigns == ["tide"])
    }

    /// The first 401 is no end: the token may be too old. With the second, the run ends for good.
    @Test(arguments: [[], ["waits"]])
    func `a person's stop pauses what it stopped, also if no token is good meanwhile`(_ others: [String]) async throws {
        let laboratory = laboratory()
        let attempts = Attempts()
        let stops = Log<Stop>()
        let sender = ScriptedSender(isPrompt: true) { request, number in
            guard request.recipient == 200 else { return .accepted(request, number) }
            if attempts.next(of: 200) == 1 { stops.append(.person) }
            return .error(401, "UNAUTHENTICATED")
        }
        let sends = sends + others.map { DesiredSend(campaign: .tide($0), members: [1]) }
        let report = try await laboratory.run(
            laboratory.plan(sends: sends), sender, stop: { stops.entries.first })
        #expect(report.result == .interrupted)
        #expect(report.steps[0].pending > 0)
        #expect(laboratory.memory.state().pauses.campaigns == Set(["tide"] + others))
    }

    /// The network was away, and came back.
    @Test func `a pause is heard that came while the connection opened`() async throws {
        let laboratory = laboratory()
        let (clock, memory) = (laboratory.clock, laboratory.memory)
        let sender = SlowlyConnected {
            if clock.now.offset < .seconds(30) { try? memory.commit([.pause("tide")]) }
            clock.advance(by: .seconds(30))
        }
        let report = try await laboratory.run(laboratory.plan(sends: sends), sender)
        #expect(sender.scripted.requests.isEmpty)
        #expect(report.steps[0].held == 600)
    }

    private struct SlowlyConnected: Sender {
        let scripted = ScriptedSender()
        let connect: @Sendable () -> Void
        var capacity: Int { scripted.capacity }
        func prepare() async { connect() }
        func start(_ calls: [Call]) async { await scripted.start(calls) }
    }

    @Test func `a stop in a dry run pauses nothing`() async throws {
        let laboratory = laboratory()
        _ = try await laboratory.run(
            laboratory.plan(sends: sends), ScriptedSender(), dryRunSample: 5, stop: { .person })
        #expect(laboratory.memory.state().pauses == Pauses())
    }
}
