import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Dead registrations are forgotten, and a guard stops a run that would forget too many.
@Suite struct ForgettingTests {
    @Test func `a dead registration is rejected and forgotten and no failure`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender { $0 == 3 ? [.unregistered] : [] }
        let report = try await laboratory.run(laboratory.plan(.send(.sample(1...5))), sender)
        #expect(laboratory.memory.state().dead == [3])
        #expect(report.steps[0].rejected == 1)
        #expect(report.steps[0].forgotten == 1)
        #expect(report.steps[0].failures.map(\.action) == [.forgotten])
        #expect(report.result == .ok)
    }

    @Test func `the dead leave every topic without a request`() async throws {
        var state = RecordedState.blank
        state.apply([.members("tides", [1, 2, 3], .managed, at: Laboratory.start.adding(.seconds(-9999)))])
        let laboratory = Laboratory(state: state)
        _ = try await laboratory.run(
            laboratory.plan(.send(.sample(1...5))), ScriptedSender { $0 == 3 ? [.unregistered] : [] })
        #expect(laboratory.memory.state().topics["tides"]?.managed == [1, 2])
    }

    @Test func `nobody is forgotten while nothing has succeeded`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender(capacity: 1) { _, _ in .unregistered }
        let report = try await laboratory.run(laboratory.plan(.send(.sample(1...5))), sender)
        #expect(laboratory.memory.state().dead.isEmpty)
        #expect(report.steps[0].rejected == 5)
        #expect(report.steps[0].forgotten == 0)
        #expect(report.steps[0].failures.map(\.action) == Array(repeating: .kept, count: 5))
        #expect(report.result == .failed)
    }

    @Test func `those who looked dead before the first success are forgotten after it`() async throws {
        let laboratory = Laboratory(population: 40)
        let sender = ScriptedSender(capacity: 1) { request, number in
            number < 3 ? .unregistered : .accepted(request, number)
        }
        let report = try await laboratory.run(laboratory.plan(.send(.sample(1...40))), sender)
        #expect(laboratory.memory.state().dead == [1, 2, 3])
        #expect(report.steps[0].forgotten == 3)
    }

    @Test func `a success with topics says nothing of sends`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender { request, number in
            if case .send = request { .unregistered } else { .accepted(request, number) }
        }
        _ = try await laboratory.run(
            laboratory.plan(.subscribe("tides", [1, 2, 3]), .send(.sample(4...6))), sender)
        #expect(laboratory.memory.state().dead.isEmpty)
    }

    @Test func `too many dead stop the step and hold the rest`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender(capacity: 1) { request, number in
            number == 0 ? .accepted(request) : .unregistered
        }
        let report = try await laboratory.run(laboratory.plan(.send(.sample(1...200))), sender)
        let step = report.steps[0]
        #expect(step.accepted == 1)
        #expect(step.rejected == 0, "it believes none of them")
        #expect(step.held == 199)
        #expect(sender.requests.count == 100, "a hundred outcomes tell enough")
        let ledger = laboratory.memory.state().occurrences.values.map(\.byEntry)
        #expect(ledger == [[.accepted: [1]]], "whom it does not believe dead was not tried")
        #expect(laboratory.memory.state().dead.isEmpty)
        #expect(step.pending == 0)
        #expect(report.result == .refused)
        let stopped = try #require(step.stopped).words
        #expect(
            stopped.contains("max_forget_percent") && stopped.contains("99 of 100") && stopped.contains("--override"))
        #expect(report.refusals.map(\.override) == ["--override max_forget_percent=send:tide@once"])
        #expect(RecordedRun(report)?.refusals == [], "the plan says that the send is held")
        let text = ReportDocument(report).text(.plain)
        #expect(text.contains("99 × UNREGISTERED: Requested entity was not found. (said to be dead, not believed)"))
        #expect(!text.contains("left out from now on"))
    }

    @Test func `where nobody is believed dead, the run names the code`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender { _, _ in .unregistered }
        let report = try await laboratory.run(laboratory.plan(.send(.sample(1...4))), sender)
        #expect(report.failings == ["tide@once: 4 rejected, UNREGISTERED"])
        #expect(report.mainCode == "UNREGISTERED")
    }

    /// FCM may have delivered what it refused for now.
    @Test(arguments: Campaign.OnUnknown.allCases)
    func `whom it does not believe dead counts as before that request`(_ onUnknown: Campaign.OnUnknown) async throws {
        let laboratory = Laboratory(population: 20)
        let sends = [DesiredSend(campaign: .tide(onUnknown: onUnknown), members: RecipientSet(1...20))]
        let first = ScriptedSender {
            $0 == 1 ? [.lost(reason: "cut")] : [.error(429, "", retryAfter: "9999")]
        }
        _ = try await laboratory.run(laboratory.plan(sends: sends), first)
        let second = ScriptedSender {
            switch $0 {
            case 2: []
            case 3: [.error(503, "UNAVAILABLE"), .unregistered]
            default: [.unregistered]
            }
        }
        let report = try await laboratory.run(laboratory.plan(sends: sends), second)
        #expect(report.result == .refused)
        #expect(second.recipients.contains(1) == (onUnknown == .resend))
        let ledger = laboratory.memory.state().occurrences.values.map(\.byEntry)
        #expect(ledger == [[.accepted: [2], .unknown: [1], .deferred: [3]]])
    }

    /// Dead registrations may stand at the beginning of a list, or at its end.
    @Test(arguments: [(9, 20, 0), (10, 99, 1), (10, 150, 0), (16, 150, 1)], [false, true])
    func `the share decides, and not the order`(_ world: (dead: Int, population: Int, refused: Int), isLast: Bool)
        async throws
    {
        let laboratory = Laboratory(population: world.population)
        let sender = ScriptedSender(capacity: 1) { request, number in
            (isLast ? number >= world.population - world.dead : 1...world.dead ~= number)
                ? .unregistered : .accepted(request, number)
        }
        let report = try await laboratory.run(
            laboratory.plan(.send(.sample(1...RecipientID(world.population)))), sender)
        #expect((report.result == .refused) == (world.refused == 1))
    }

    @Test func `a text tells the believed from the others`() async throws {
        let laboratory = Laboratory(population: 400)
        // Six of a hundred are believed. Then all the others look dead.
        let sender = ScriptedSender(capacity: 1) { request, number in
            number % 16 == 9 || number > 150 ? .unregistered : .accepted(request, number)
        }
        let report = try await laboratory.run(laboratory.plan(.send(.sample(1...400))), sender)
        #expect(report.result == .refused)
        let kinds = report.steps[0].failureKinds
        #expect(Set(kinds.map(\.action)) == [.forgotten, .kept])
        #expect(kinds.first { $0.action == .forgotten }?.count == laboratory.memory.state().dead.count)
        #expect(report.steps[0].parts.reduce(0, +) == 400)
    }

    @Test func `what a step that yielded has to say of dead registrations is in the report`() async throws {
        let laboratory = Laboratory(population: 20)
        let attempts = Attempts()
        let clock = laboratory.clock
        let sender = ScriptedSender(capacity: 1) { request, number in
            switch request.recipient {
            case 2: .unregistered
            // The step waits for it, so the next step begins.
            case 3 where attempts.next(of: 3) == 0: .error(429, "RESOURCE_EXHAUSTED", retryAfter: "30")
            default: .accepted(request, number)
            }
        }
        let failures = Log<Report.Failure.Action>()
        let report = try await laboratory.run(
            laboratory.plan(.subscribe("tides", [1, 2, 3]), .subscribe("winds", RecipientSet(4...20))), sender,
            stop: { clock.now.offset > .seconds(5) ? .machine : nil }, note: { failures.append($1.action) })
        #expect(report.result == .interrupted)
        #expect(report.steps[0].rejected == 1)
        #expect(report.steps[0].failures.map(\.action) == [.kept])
        #expect(failures.entries == [.kept])
    }

    @Test(arguments: [(10, 100, 0), (11, 100, 1), (20, 200, 0)])
    func `a tenth may be dead and no more`(dead: Int, of population: Int, refused: Int) async throws {
        let laboratory = Laboratory(population: population)
        let sender = ScriptedSender(capacity: 1) { request, number in
            // Dead registrations come last, so that the percentage is that of the whole step.
            number >= population - dead ? .unregistered : .accepted(request, number)
        }
        let report = try await laboratory.run(
            laboratory.plan(.send(.sample(1...RecipientID(population)))), sender)
        #expect((report.result == .refused) == (refused == 1))
    }

    @Test(arguments: ["max_forget_percent", "max_forget_percent=send:tide@once"])
    func `an override lets them all be forgotten`(override: String) async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender(capacity: 1) { request, number in
            number == 0 ? .accepted(request) : .unregistered
        }
        let report = try await laboratory.run(
            laboratory.plan(.send(.sample(1...100))), sender, overrides: try #require(Overrides([override])))
        #expect(report.steps[0].forgotten == 99)
        #expect(laboratory.memory.state().dead.count == 99)
        #expect(report.result == .ok)
    }

    @Test func `an override stands for the success that nobody had`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender(capacity: 1) { _, _ in .unregistered }
        let report = try await laboratory.run(
            laboratory.plan(.send(.sample(1...50))), sender,
            overrides: try #require(Overrides(["max_forget_percent=send:tide@once"])))
        #expect(report.steps[0].forgotten == 50)
        #expect(laboratory.memory.state().dead.count == 50)
        #expect(report.result == .ok)
    }

    @Test func `an override for another step does not`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender(capacity: 1) { request, number in
            number == 0 ? .accepted(request) : .unregistered
        }
        let report = try await laboratory.run(
            laboratory.plan(.send(.sample(1...100))), sender,
            overrides: try #require(Overrides(["max_forget_percent=send:ebb@once"])))
        #expect(report.result == .refused)
    }

    @Test func `the guard watches memberships too`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender(capacity: 1) { request, number in
            number == 0 ? .accepted(request) : .unregistered
        }
        let report = try await laboratory.run(laboratory.plan(.subscribe("tides", RecipientSet(1...50))), sender)
        #expect(report.steps[0].held == 49)
        #expect(report.result == .refused)
        #expect(laboratory.memory.state().topics["tides"]?.managed == [1])
    }
}
