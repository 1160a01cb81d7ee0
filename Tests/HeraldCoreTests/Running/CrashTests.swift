import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What a crash leaves, and what the next run does with it.
@Suite struct CrashTests {
    private static let population = 24
    private static let capacity = 4
    private static let everybody = RecipientSet(1...RecipientID(population))

    /// FCM. It keeps, over several runs, the recipients whose push it accepted, and rejects some first.
    private final class Service: Sendable {
        let accepted = Log<RecipientID>()
        private let deferred = Log<RecipientID>()

        func sender() -> ScriptedSender {
            ScriptedSender(capacity: capacity) { [self] request, number in
                let recipient = request.recipient
                if recipient % 5 == 0, !deferred.entries.contains(recipient) {
                    deferred.append(recipient)
                    return .error(503, "UNAVAILABLE")
                }
                accepted.append(recipient)
                return .accepted(request, number)
            }
        }

        var pushes: [RecipientID: Int] { Dictionary(accepted.entries.map { ($0, 1) }, uniquingKeysWith: +) }
    }

    private func sends(_ onUnknown: Campaign.OnUnknown = .hold) -> [DesiredSend] {
        var campaign = Campaign.tide()
        campaign.delivery.onUnknown = onUnknown
        return [DesiredSend(campaign: campaign, members: Self.everybody)]
    }

    /// A run that crashes at that commit, followed by runs until nothing is left to do.
    private func crash(
        at commit: Int, _ service: Service, _ sends: [DesiredSend]
    ) async throws -> (state: RecordedOccurrence?, first: Report, second: Report, wentThrough: Bool) {
        var laboratory = Laboratory(population: Self.population)
        let store = ProbedStore(laboratory.memory, refusesFrom: commit)
        laboratory.store = store
        let first = try await laboratory.run(laboratory.plan(sends: sends), service.sender())
        laboratory.store = laboratory.memory
        let second = try await laboratory.run(laboratory.plan(sends: sends), service.sender())
        let state = laboratory.memory.state().occurrences["tide@once"]
        return (state, first, second, store.commits <= commit)
    }

    @Test func `wherever it dies nobody is pushed twice and nobody is forgotten`() async throws {
        var commit = 0
        while true {
            let service = Service()
            let (state, _, second, wentThrough) = try await crash(at: commit, service, sends())
            let occurrence = try #require(state, "commit \(commit)")
            #expect(service.pushes.values.allSatisfy { $0 == 1 }, "commit \(commit)")
            #expect(occurrence.unknown.count <= Self.capacity, "commit \(commit)")
            #expect(occurrence.accepted.union(occurrence.unknown) == Self.everybody, "commit \(commit)")
            #expect(occurrence.intended.isEmpty, "commit \(commit)")
            // Every recipient without a push is among the unknown.
            let missed = Self.everybody.subtracting(RecipientSet(service.pushes.keys))
            #expect(missed.subtracting(occurrence.unknown).isEmpty, "commit \(commit)")
            #expect(second.result == (occurrence.unknown.isEmpty ? .ok : .unknown), "commit \(commit)")
            if wentThrough { break }
            commit += 1
        }
        #expect(commit > Self.population / Self.capacity, "the sweep went over a whole run")
    }

    @Test func `wherever it dies 'on_unknown: resend' reaches everybody`() async throws {
        var commit = 0
        while true {
            let service = Service()
            let (state, _, second, wentThrough) = try await crash(at: commit, service, sends(.resend))
            #expect(state?.accepted == Self.everybody, "commit \(commit)")
            #expect(Set(service.pushes.keys).count == Self.population, "commit \(commit)")
            let twice = service.pushes.values.count { $0 > 1 }
            #expect(twice <= Self.capacity, "commit \(commit)")
            #expect(second.result == .ok, "commit \(commit)")
            if wentThrough { break }
            commit += 1
        }
    }

    @Test func `wherever it dies the report is honest`() async throws {
        for commit in 0..<8 {
            let service = Service()
            let (_, first, _, _) = try await crash(at: commit, service, sends())
            let step = try #require(first.steps.first)
            #expect(step.parts.reduce(0, +) == Self.population)
            #expect(step.pending > 0)
            #expect(step.stopped?.words == "the state state.sqlite cannot be used: SQLite says: disk I/O error")
            #expect(first.result == .failed)
            #expect(step.accepted <= service.pushes.count)
        }
    }

    @Test func `what a crash left unknown is reported once`() async throws {
        let service = Service()
        var laboratory = Laboratory(population: Self.population)
        // The occurrence begins and one request goes ahead. Then one commit writes its outcome and the intents for a
        // full window.
        laboratory.store = ProbedStore(laboratory.memory, refusesFrom: 3)
        _ = try await laboratory.run(laboratory.plan(sends: sends()), service.sender())
        laboratory.store = laboratory.memory
        let second = try await laboratory.run(laboratory.plan(sends: sends()), service.sender())
        #expect(second.steps.map(\.unknown) == [Self.capacity])
        #expect(second.steps[0].failures.prefix(Self.capacity).allSatisfy { $0.code == "INTERRUPTED" })
        #expect(laboratory.plan(sends: sends()).steps.isEmpty, "a third run has nothing to do")
    }

    @Test func `memberships survive a crash anywhere and stay ours`() async throws {
        var commit = 0
        while true {
            var laboratory = Laboratory(population: Self.population)
            let subscribed = Log<RecipientID>()
            let fcm = ScriptedSender(capacity: Self.capacity) { request, _ in
                if subscribed.entries.contains(request.recipient) { return .error(409, "ALREADY_EXISTS") }
                subscribed.append(request.recipient)
                return .accepted(request)
            }
            let topics = [DesiredTopic(name: "tides", members: Self.everybody)]
            let store = ProbedStore(laboratory.memory, refusesFrom: commit)
            laboratory.store = store
            _ = try await laboratory.run(laboratory.plan(topics: topics), fcm)
            laboratory.store = laboratory.memory
            _ = try await laboratory.run(laboratory.plan(topics: topics), fcm)
            #expect(laboratory.memory.state().topics["tides"]?.managed == Self.everybody, "commit \(commit)")
            if store.commits <= commit { break }
            commit += 1
        }
        #expect(commit > 3)
    }

    /// A state that can no longer be read is no reason to count recipients as rejected.
    @Test func `recipients that cannot be read are pending, not rejected`() async throws {
        // More recipients than one read returns.
        var laboratory = Laboratory(population: 3000)
        let store = ProbedStore(laboratory.memory)
        laboratory.store = store
        let sender = ScriptedSender(capacity: 100) { request, number in
            if number == 5 { store.refuseReading() }
            return .accepted(request, number)
        }
        let report = try await laboratory.run(laboratory.plan(.send(.sample(1...3000))), sender)
        let step = try #require(report.steps.first)
        #expect(step.rejected == 0)
        #expect(step.pending == 3000 - step.accepted)
        #expect(step.pending > 0)
        let recorded = laboratory.memory.state().occurrences["tide@once"]?.byEntry
        #expect(recorded == [.accepted: RecipientSet(sender.recipients)])
    }

    @Test func `a recipient without a registration is rejected and stops nobody`() async throws {
        let laboratory = Laboratory(population: 3)
        let report = try await laboratory.run(laboratory.plan(.send(.sample(1...5))), ScriptedSender())
        #expect(report.steps[0].accepted == 3)
        #expect(report.steps[0].rejected == 2)
        #expect(report.steps[0].failures.map(\.code) == ["NO_REGISTRATION", "NO_REGISTRATION"])
    }
}
