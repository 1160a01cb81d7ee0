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
        let report = try await laboratory.run(laboratory.plan(.send(.sample(1...100))), sender)
        let step = report.steps[0]
        #expect(step.accepted == 1)
        #expect(step.rejected == 9, "the guard speaks from ten on, and does not believe the tenth")
        #expect(step.held == 90)
        let ledger = laboratory.memory.state().occurrences.values.map(\.byEntry)
        #expect(
            ledger == [[.accepted: [1], .rejected: RecipientSet(2...10)]], "whom it does not believe dead was not tried"
        )
        #expect(step.pending == 0)
        #expect(report.result == .refused)
        let stopped = try #require(step.stopped)
        #expect(
            stopped.contains("max_forget_percent") && stopped.contains("10 of 11") && stopped.contains("--override"))
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
        #expect(report.steps[0].held == 40)
        #expect(report.result == .refused)
        #expect(laboratory.memory.state().topics["tides"]?.managed == [1])
    }
}
