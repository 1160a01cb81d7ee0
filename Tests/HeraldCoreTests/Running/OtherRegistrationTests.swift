import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// An installation that lists name by several registrations is dead only if all of them are
/// (docs/explanation/promises.md#registrations).
@Suite struct OtherRegistrationTests {
    /// Recipients 3 and 4 are listed with one token and with two tokens besides their fids.
    private static let others: [RecipientID: [Registration]] = [
        3: [.token(3)], 4: [.token(4, version: 2), .token(4)],
    ]

    private static func answering(dead: Set<Registration>) -> ScriptedSender {
        ScriptedSender(capacity: 1) { request, number in
            guard let registration = request.registration else { return .accepted(request, number) }
            return dead.contains(registration) ? .unregistered : .accepted(request, number)
        }
    }

    private func run(
        _ work: Plan.Work, in laboratory: Laboratory, _ sender: ScriptedSender,
        _ find: @escaping @Sendable (RecipientSet) async -> [RecipientID: [Registration]] = { ids in
            others.filter { ids.contains($0.key) }
        }
    ) async throws -> StepReport {
        let report = try await laboratory.run(
            laboratory.plan(work), sender, others: OtherRegistrations(of: [3, 4], find: find))
        let step = report.steps[0]
        let sum = step.accepted + step.rejected + step.unknown + step.skipped + step.held + step.pending
        #expect(step.planned == sum)
        return step
    }

    @Test func `the other registration is tried in the same step, and stays`() async throws {
        let laboratory = Laboratory()
        let sender = Self.answering(dead: [.fid(3)])
        let step = try await run(.send(.sample(1...5)), in: laboratory, sender)
        #expect((step.accepted, step.rejected, step.forgotten) == (5, 0, 1))
        #expect(step.failures.map(\.action) == [.forgotten])
        let state = laboratory.memory.state()
        #expect(state.dead == [])
        #expect(laboratory.memory.registrations(of: [3]) == [3: .token(3)])
        #expect(laboratory.memory.tombstones(after: nil, limit: 9).map(\.registration) == [.fid(3)])
        #expect(state.occurrences.values.map(\.byEntry) == [[.accepted: RecipientSet(1...5)]])
        #expect(state.occurrences.values.allSatisfy { $0.finished != nil })
        #expect(sender.requests.compactMap(\.registration).count == 6)
    }

    @Test func `one after the other is tried, the best first`() async throws {
        let laboratory = Laboratory()
        let sender = Self.answering(dead: [.fid(4), .token(4, version: 2)])
        let step = try await run(.send(.sample(1...5)), in: laboratory, sender)
        #expect((step.accepted, step.forgotten) == (5, 2))
        #expect(laboratory.memory.registrations(of: [4]) == [4: .token(4)])
        let asked = sender.requests.compactMap(\.registration).filter {
            $0.recipientKey == Registration.fid(4).recipientKey
        }
        #expect(asked == [.fid(4), .token(4, version: 2), .token(4)])
    }

    @Test func `a recipient is dead when all its registrations are`() async throws {
        let laboratory = Laboratory()
        let sender = Self.answering(dead: [.fid(4), .token(4), .token(4, version: 2)])
        let step = try await run(.send(.sample(1...5)), in: laboratory, sender)
        #expect((step.accepted, step.rejected, step.forgotten) == (4, 1, 3))
        #expect(laboratory.memory.state().dead == [4])
        let deaths = laboratory.memory.tombstones(after: nil, limit: 9).map(\.registration)
        #expect(Set(deaths) == [.fid(4), .token(4), .token(4, version: 2)])
    }

    @Test func `the only recipient is reached by the other registration`() async throws {
        let laboratory = Laboratory()
        let step = try await run(.send(.sample([3])), in: laboratory, Self.answering(dead: [.fid(3)]))
        #expect((step.accepted, step.rejected, step.forgotten) == (1, 0, 1))
        #expect(laboratory.memory.registrations(of: [3]) == [3: .token(3)])
        #expect(laboratory.memory.tombstones(after: nil, limit: 9).map(\.registration) == [.fid(3)])
    }

    @Test func `the only one who joins a topic joins with the other registration`() async throws {
        let laboratory = Laboratory()
        let step = try await run(.subscribe("tides", [3]), in: laboratory, Self.answering(dead: [.fid(3)]))
        #expect((step.accepted, step.rejected, step.forgotten) == (1, 0, 1))
        #expect(laboratory.memory.state().topics["tides"]?.managed == [3])
        #expect(laboratory.memory.state().dead == [])
    }

    @Test func `if nothing succeeds, no registration counts as dead`() async throws {
        let laboratory = Laboratory()
        let sender = Self.answering(dead: [.fid(3), .token(3)])
        let step = try await run(.send(.sample([3])), in: laboratory, sender)
        #expect((step.accepted, step.rejected, step.forgotten) == (0, 1, 0))
        #expect(step.failures.map(\.action) == [.kept])
        #expect(laboratory.memory.tombstones(after: nil, limit: 9) == [])
        #expect(sender.requests.count == 2)
    }

    @Test func `if the lists cannot be read any more, the recipient is forgotten`() async throws {
        let laboratory = Laboratory()
        let step = try await run(
            .send(.sample(1...5)), in: laboratory, Self.answering(dead: [.fid(3)]), { _ in [:] })
        #expect((step.accepted, step.rejected, step.forgotten) == (4, 1, 1))
        #expect(laboratory.memory.state().dead == [3])
    }

    @Test func `joining a topic tries the other registration too`() async throws {
        let laboratory = Laboratory()
        let step = try await run(
            .subscribe("tides", RecipientSet(1...5)), in: laboratory, Self.answering(dead: [.fid(3)]))
        #expect((step.accepted, step.rejected, step.forgotten) == (5, 0, 1))
        #expect(laboratory.memory.state().topics["tides"]?.managed == RecipientSet(1...5))
        #expect(laboratory.memory.registrations(of: [3]) == [3: .token(3)])
    }

    @Test func `leaving a topic takes only the registration that joined`() async throws {
        var state = RecordedState.blank
        state.apply([.members("tides", [1, 2, 3], .managed, at: Laboratory.start.adding(.seconds(-9999)))])
        let laboratory = Laboratory(state: state)
        let sender = Self.answering(dead: [.fid(3)])
        let step = try await run(.unsubscribe("tides", [1, 2, 3]), in: laboratory, sender)
        #expect(step.accepted + step.rejected == 3)
        #expect(!sender.requests.compactMap(\.registration).contains(.token(3)))
    }

    @Test(arguments: 1...9)
    func `if the run dies before the other one is tried, the next run tries it`(commits: Int) async throws {
        var laboratory = Laboratory()
        laboratory.store = ProbedStore(laboratory.memory, refusesFrom: commits)
        _ = try await run(.send(.sample(1...5)), in: laboratory, Self.answering(dead: [.fid(3)]))
        #expect(laboratory.memory.state().occurrences.values.allSatisfy { $0.rejected.isEmpty })
    }

    /// The dead one left its topics by itself. Somebody else may have subscribed the other one.
    @Test func `a later step does not unsubscribe the registration that took a dead one's place`() async throws {
        var state = RecordedState.blank
        state.apply([.members("ebb", [1, 3], .managed, at: Laboratory.start.adding(.seconds(-9999)))])
        let laboratory = Laboratory(state: state)
        let sender = Self.answering(dead: [.fid(3)])
        let report = try await laboratory.run(
            laboratory.plan(.subscribe("tides", [1, 3]), .unsubscribe("ebb", [1, 3])), sender,
            others: OtherRegistrations(of: [3]) { _ in Self.others })
        #expect(report.steps.map(\.accepted) == [2, 2])
        #expect(report.result == .ok)
        let left = sender.requests.compactMap { if case .unsubscribe(let one, _) = $0 { one } else { nil } }
        #expect(left == [.fid(1)])
        #expect(laboratory.memory.state().topics["ebb"]?.isEmpty ?? true)
    }

    @Test func `after a stop the next plan takes the other registration`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender(capacity: 1) { request, number in
            if request.registration == .fid(3) { return .unregistered }
            return number == 4 ? .error(403, "PERMISSION_DENIED") : .accepted(request, number)
        }
        let step = try await run(.send(.sample(1...9)), in: laboratory, sender)
        #expect(step.rejected == 0)
        #expect(step.forgotten == 1)
        let ledger = laboratory.memory.state().occurrences.values.map(\.byEntry)
        #expect(ledger == [[.accepted: [1, 2, 4]]], "the recipient counts as not tried")
        #expect(laboratory.memory.state().dead == [3])
    }

    // MARK: Replaced, besides somebody who is refused

    /// Recipient 3 is reached by the other registration, and FCM refuses recipient 5.
    private static func refusing() -> ScriptedSender {
        ScriptedSender(capacity: 1) { request, number in
            switch (request, request.registration) {
            case (_, .fid(3)): .unregistered
            case (.send, .fid(5)): .error(403, "PERMISSION_DENIED", fcm: "SENDER_ID_MISMATCH")
            case (.subscribe, .fid(5)): .error(400, "INVALID_ARGUMENT")
            default: .accepted(request, number)
            }
        }
    }

    @Test func `a registration that was replaced makes up for no failure`() async throws {
        let laboratory = Laboratory()
        let report = try await laboratory.run(
            laboratory.plan(.send(.sample(1...5))), Self.refusing(),
            others: OtherRegistrations(of: [3]) { _ in Self.others })
        #expect(report.steps.map(\.parts) == [[4, 1, 0, 0, 0, 0]])
        #expect(report.steps.map(\.forgotten) == [1] && report.steps.map(\.dead) == [0])
        #expect(report.result == .failed)
        let document = ReportDocument(report)
        #expect(document.json["summary"]?["forgotten"] == 1)
        #expect(document.junit.contains(#"failures="1""#))
        let saved = try ReportDocument(reading: Array(document.json.compactText.utf8))
        #expect(saved.junit.contains(#"failures="1""#), "also where it is read again")
    }

    @Test func `a send is held that would reach whom a topic leaves out and could not get`() async throws {
        let laboratory = Laboratory()
        let condition = try Condition(parsing: "'tide' in topics && !('no-tide' in topics)")
        let sender = Self.refusing()
        let report = try await laboratory.run(
            laboratory.plan(.subscribe("no-tide", [3, 5]), .send(.sample([0], target: .condition(condition)))), sender,
            others: OtherRegistrations(of: [3]) { _ in Self.others })
        #expect(report.steps.map(\.parts) == [[1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0]])
        let reason = report.steps.last?.stopped?.words
        #expect(reason == "not everybody whom topic 'no-tide' is to leave out is in it")
        #expect(report.result == .failed)
        #expect(!sender.requests.contains { if case .send = $0 { true } else { false } })
    }

    @Test func `nobody leaves a renamed topic before all have joined the new one`() async throws {
        var state = RecordedState.blank
        state.apply([.members("ebb", [1, 3, 5], .managed, at: Laboratory.start.adding(.seconds(-9999)))])
        let laboratory = Laboratory(state: state)
        let topic = DesiredTopic(name: "tides", members: [1, 3, 5], prune: false, previousNames: ["ebb"])
        let report = try await laboratory.run(
            laboratory.plan(topics: [topic]), Self.refusing(),
            others: OtherRegistrations(of: [3]) { _ in Self.others })
        #expect(report.steps.map(\.id) == ["subscribe:tides", "unsubscribe:ebb"])
        #expect(report.steps.map(\.accepted) == [2, 0])
        #expect(report.steps.last?.held == 3)
        #expect(report.result == .failed)
    }

    /// FCM refuses the other registration for good, so the step stops.
    @Test func `whoever has another registration that is not in the topic holds the send, too`() async throws {
        let laboratory = Laboratory()
        let condition = try Condition(parsing: "'tide' in topics && !('no-tide' in topics)")
        let sender = ScriptedSender(capacity: 1) { request, number in
            if request.registration == .fid(3) { return .unregistered }
            return request.registration == .token(3) ? .error(403, "PERMISSION_DENIED") : .accepted(request, number)
        }
        let report = try await laboratory.run(
            laboratory.plan(.subscribe("no-tide", [1, 3]), .send(.sample([0], target: .condition(condition)))), sender,
            others: OtherRegistrations(of: [3]) { _ in Self.others })
        #expect(report.steps.map(\.accepted) == [1, 0] && report.steps.first?.pending == 1)
        #expect(report.result == .failed)
    }
}

extension Request {
    /// The registration that it is for.
    fileprivate var registration: Registration? {
        switch self {
        case .send(let body):
            let message = (try? JSONValue(parsing: body))?["message"]
            return (message?["fid"]?.string ?? message?["token"]?.string).flatMap(Registration.init)
        case .subscribe(let registration, _), .unsubscribe(let registration, _): return registration
        case .batch, .group, .read: return nil
        }
    }
}
