import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Several steps of a run meet the same dead registration. The first one to ask the lists changes the recipient to
/// another registration; nothing that the others do may undo that (docs/explanation/promises.md#registrations).
@Suite struct ReplacedRegistrationTests {
    private static let others: [RecipientID: [Registration]] = [
        3: [.token(3)], 4: [.token(4, version: 2), .token(4)],
    ]

    /// FCM puts off the first request for each of these recipients, so that the first step yields to the second one.
    private static func answering(
        dead: Set<Registration>, puttingOff: Set<RecipientID> = [1]
    ) -> ScriptedSender {
        let attempts = Attempts()
        return ScriptedSender(capacity: 1) { request, number in
            let id = request.recipient
            if puttingOff.contains(id), attempts.next(of: id) == 0 { return .error(503, "UNAVAILABLE") }
            return dead.contains { request.names($0) } ? .unregistered : .accepted(request, number)
        }
    }

    private func run(_ works: [Plan.Work], in laboratory: Laboratory, _ sender: ScriptedSender) async throws -> Report {
        let report = try await laboratory.run(
            laboratory.plan(works), sender,
            others: OtherRegistrations(of: [3, 4]) { ids in Self.others.filter { ids.contains($0.key) } })
        for step in report.steps { #expect(step.parts.reduce(0, +) == step.planned, "\(step.id)") }
        return report
    }

    private static let send = Plan.Work.send(.sample([1, 2, 3, 4]))
    private static let otherSend = Plan.Work.send(.sample([1, 2, 3, 4], campaign: "wind"))
    private static let join = Plan.Work.subscribe("tides", [1, 2, 3, 4])
    private static let otherJoin = Plan.Work.subscribe("ebb", [1, 2, 3, 4])

    @Test(arguments: [[send, join], [join, send], [join, otherJoin], [send, otherSend]])
    func `what another step did with the new registration stays`(_ works: [Plan.Work]) async throws {
        let laboratory = Laboratory()
        let dead: Set<Registration> = [.fid(3), .fid(4), .token(4, version: 2)]
        let sender = Self.answering(dead: dead)
        let report = try await run(works, in: laboratory, sender)
        #expect(report.steps.map(\.accepted) == [4, 4])
        #expect(laboratory.memory.registrations(of: [3, 4]) == [3: .token(3), 4: .token(4)])
        let state = laboratory.memory.state()
        #expect(state.dead == [])
        #expect(Set(laboratory.memory.tombstones(after: nil, limit: 9).map(\.registration)) == dead)
        for case .subscribe(let topic, let members) in works {
            #expect(state.topics[topic]?.managed == members, "\(topic)")
        }
        #expect(state.occurrences.values.allSatisfy { $0.accepted == [1, 2, 3, 4] && $0.finished != nil })
        // The step that comes second takes what the first one found, and does not try the rest of the list.
        #expect(sender.requests.count { $0.names(.fid(3)) } == 2)
        #expect(sender.requests.count { $0.names(.token(4, version: 2)) } == 1)
    }

    @Test func `who has no living registration is dead, whoever asks`() async throws {
        let laboratory = Laboratory()
        let dead: Set<Registration> = [.fid(4), .token(4, version: 2), .token(4)]
        let report = try await run([Self.send, Self.join], in: laboratory, Self.answering(dead: dead))
        #expect(report.steps.map(\.accepted) == [3, 3])
        #expect(laboratory.memory.state().dead == [4])
        #expect(laboratory.memory.state().topics["tides"]?.managed == [1, 2, 3])
        #expect(Set(laboratory.memory.tombstones(after: nil, limit: 9).map(\.registration)) == dead)
    }

    /// The dead registration is reported before or after the other step has replaced it.
    @Test(arguments: [[1], [1, 3]] as [Set<RecipientID>])
    func `who was leaving a topic with it has left`(puttingOff: Set<RecipientID>) async throws {
        var state = RecordedState.blank
        state.apply([.members("ebb", [1, 2, 3], .managed, at: Laboratory.start.adding(.seconds(-9999)))])
        let laboratory = Laboratory(state: state)
        let sender = Self.answering(dead: [.fid(3)], puttingOff: puttingOff)
        let report = try await run(
            [.unsubscribe("ebb", [1, 2, 3]), .subscribe("tides", [1, 2, 3])], in: laboratory, sender)
        #expect(report.steps.map { $0.accepted + $0.forgotten } == [3, 4])
        #expect(laboratory.memory.state().topics["ebb"]?.isEmpty ?? true)
        #expect(laboratory.memory.state().topics["tides"]?.managed == [1, 2, 3])
        #expect(laboratory.memory.registrations(of: [3]) == [3: .token(3)])
        #expect(laboratory.memory.state().dead == [])
    }

    /// The run before tried to subscribe the registration that is dead now. The app subscribed the other one itself.
    @Test func `an intent of an earlier run says nothing about the new registration`() async throws {
        var state = RecordedState.blank
        state.apply([.members("tides", [3], .subscribing, at: Laboratory.start.adding(.seconds(-9999)))])
        let laboratory = Laboratory(state: state)
        let intents = Log<RecipientSet>()
        let sender = ScriptedSender(capacity: 1) { [memory = laboratory.memory] request, number in
            if request.names(.fid(3)) { return .unregistered }
            guard request.names(.token(3)) else { return .accepted(request, number) }
            intents.append(memory.state().topics["tides"]?.subscribing ?? [])
            return .error(409, "ALREADY_EXISTS")
        }
        _ = try await run([.subscribe("tides", [1, 3])], in: laboratory, sender)
        #expect(intents.entries == [[3]], "written before the request leaves")
        #expect(laboratory.memory.state().topics["tides"]?.managed == [1])
        #expect(laboratory.memory.state().topics["tides"]?.preexisting == [3])
    }

    /// Nothing shows that FCM is to be believed until recipient 3 is reached. By then one other registration of
    /// recipient 4 is dead, too.
    @Test func `the registration that works stays where another one was tried in doubt`() async throws {
        let laboratory = Laboratory()
        let sender = Self.answering(dead: [.fid(3), .fid(4), .token(4, version: 2)], puttingOff: [])
        let report = try await run([.send(.sample([3, 4]))], in: laboratory, sender)
        #expect(report.steps.map(\.accepted) == [2])
        #expect(report.steps.map(\.forgotten) == [3])
        #expect(report.steps.flatMap(\.failures).map(\.action) == [.forgotten, .forgotten, .forgotten])
        #expect(laboratory.memory.registrations(of: [3, 4]) == [3: .token(3), 4: .token(4)])
        #expect(laboratory.memory.state().dead == [])
    }
}

extension Request {
    /// Whether it is for that registration alone.
    fileprivate func names(_ registration: Registration) -> Bool {
        switch self {
        case .send(let body):
            let message = (try? JSONValue(parsing: body))?["message"]
            return (message?["fid"]?.string ?? message?["token"]?.string) == registration.rawValue
        case .subscribe(let one, _), .unsubscribe(let one, _): return one == registration
        case .batch, .group, .read: return false
        }
    }
}
