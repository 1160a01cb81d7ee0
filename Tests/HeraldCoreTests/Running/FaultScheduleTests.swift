import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Promises 1, 2 and 4 (docs/explanation/promises.md#promises) over several runs of one workspace. Each run has faults
/// of its own: on the way to FCM, in the state, and from people and the machine.
@Suite struct FaultScheduleTests {
    private static let everybody = RecipientSet(1...40)
    private static let sends = ["each", "again"]

    /// A workspace, FCM, and a connection to it that takes time and has faults.
    private final class Setup: Sendable {
        let fcm: ModelFCM
        let desired: (sends: [DesiredSend], topics: [DesiredTopic])
        let rate: Int
        /// How many sends each commit granted, and when each granted send started.
        let granted = Log<Int>()
        let starts = Log<Duration>()
        /// Has an entry once there are no more faults.
        let calm = Log<Void>()

        private static let faults: [ModelFCM.Fault] = [
            .loseAnswer, .loseRequest, .answer(.error(503, "UNAVAILABLE")), .answer(.json(429, "", retryAfter: "3")),
            .answer(.error(500, "INTERNAL")), .answer(.json(502, "")),
            .replaceAnswer(.json(503, "<html>")), .replaceAnswer(.json(500, "")), .answer(.notSent(reason: "GOAWAY")),
            .answer(.json(200, "?")), .answer(.error(400, "INVALID_ARGUMENT", fcm: "INVALID_ARGUMENT")),
        ]

        init(seed: UInt64, _ random: inout SeededRandom) {
            rate = Int.random(in: 3...60, using: &random)
            let share = Double.random(in: 0...0.4, using: &random)
            let calm = calm
            fcm = ModelFCM(capacity: .random(in: 1...16, using: &random)) { _, number in
                var random = SeededRandom(seed: seed &* 1_000_003 &+ UInt64(number))
                guard calm.entries.isEmpty, Double.random(in: 0..<1, using: &random) < share else { return nil }
                return Self.faults.randomElement(using: &random)
            }
            fcm.change { $0.dead = [.fid(7)] }
            let sends = FaultScheduleTests.sends.map { name in
                var campaign = Campaign.tide(name, title: name)
                campaign.delivery.onUnknown = name == "again" ? .resend : .hold
                return DesiredSend(campaign: campaign, members: FaultScheduleTests.everybody)
            }
            let members = RecipientSet(FaultScheduleTests.everybody.filter { _ in Bool.random(using: &random) })
            let topic = Campaign.tide("topic", to: .topic("tides"), title: "topic")
            desired = (
                sends + [DesiredSend(campaign: topic, members: .target)],
                [DesiredTopic(name: "tides", members: members)]
            )
        }

        func sender(_ clock: ManualClock) -> ScriptedSender {
            ScriptedSender(capacity: fcm.capacity) { [self] request, number in
                if case .send = request { starts.append(clock.now.offset) }
                try? await clock.sleep(for: .milliseconds(number * 37 % 400))
                return await fcm.exchange(request)
            }
        }

        /// Notes the sends that may start after a commit.
        func note(_ changes: [StateChange]) {
            for case .outcome(_, let members, .intended?) in changes { granted.append(members.count) }
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `whatever befalls runs, nobody is sent to twice or forgotten, and no second sees too many`(
        seed: UInt64
    ) async throws {
        var random = SeededRandom(seed: seed)
        let setup = Setup(seed: seed, &random)
        // Time passes only when every send that may start has started.
        let clock = ManualClock { setup.starts.entries.count >= setup.granted.entries.reduce(0, +) }
        var laboratory = Laboratory(population: Self.everybody.count, clock: clock)
        laboratory.random = SeededRandom(seed: seed &+ 1)
        laboratory.guards.maxForgetPercent = 100
        laboratory.fcm.rate = .limited(setup.rate)
        laboratory.fcm.ramp = .zero
        let memory = laboratory.memory
        // How often each recipient may be sent to: once, and again after each unknown outcome if the campaign asks for
        // that.
        var limits: [RecipientID: Int] = [:]

        for run in 0..<12 {
            if run == 4 {
                setup.calm.append(())
                try memory.commit([.resume(nil)])
            }
            let isCalm = run >= 4
            for id in memory.state().occurrences["again@once"]?.uncertain ?? [] { limits[id, default: 1] += 1 }
            let plan = laboratory.plan(sends: setup.desired.sends, topics: setup.desired.topics)
            if isCalm, plan.steps.isEmpty { break }
            let dies = !isCalm && Bool.random(using: &random)
            laboratory.store = ProbedStore(
                memory, refusesFrom: dies ? .random(in: 0...30, using: &random) : .max,
                committed: { changes, _ in setup.note(changes) })
            let most = isCalm || Bool.random(using: &random) ? Int.max : .random(in: 0...60, using: &random)
            let stop: Stop = Bool.random(using: &random) ? .machine : .person
            let sender = setup.sender(clock)
            let reports = Log<Report>()
            let report = try await laboratory.run(
                plan, sender, stop: { sender.requests.count > most ? stop : nil }, observe: { reports.append($0) })
            for step in (reports.entries + [report]).flatMap(\.steps) {
                #expect(step.parts.reduce(0, +) == step.planned, "seed \(seed), run \(run): \(step.id)")
                #expect(step.parts.allSatisfy { $0 >= 0 }, "seed \(seed), run \(run): \(step.id)")
            }
            if !isCalm, Int.random(in: 0..<3, using: &random) == 0 { try memory.commit([.pause("each")]) }
            if !isCalm, Int.random(in: 0..<3, using: &random) == 0 { try memory.commit([.resume(nil)]) }
            clock.advance(by: .seconds(.random(in: 2...4000, using: &random)))
        }
        check(memory.state(), setup, limits, seed)
    }

    private func check(_ state: RecordedState, _ setup: Setup, _ limits: [RecipientID: Int], _ seed: UInt64) {
        let fcm = setup.fcm.now
        for name in Self.sends {
            guard let occurrence = state.occurrences[OccurrenceID(rawValue: "\(name)@once")] else {
                Issue.record("\(name) was never begun, seed \(seed)")
                continue
            }
            let pushes = Dictionary(
                fcm.pushes.filter { $0.title == name }.map { ($0.target, 1) }, uniquingKeysWith: +)
            for id in Self.everybody {
                let count = pushes[Registration.fid(Int(id)).rawValue] ?? 0
                let most = name == "again" ? limits[id] ?? 1 : 1
                #expect(count <= most, "\(name): \(id) got \(count), seed \(seed)")
                if occurrence.accepted.contains(id) { #expect(count > 0, "\(name): \(id) got none, seed \(seed)") }
                if count > 0, name == "each" {
                    #expect(!occurrence.rejected.contains(id), "\(name): \(id) got one, seed \(seed)")
                }
            }
            let missing = Self.everybody.subtracting(occurrence.tried).subtracting(state.dead)
            #expect(missing.isEmpty, "\(name), seed \(seed): \(Array(missing))")
        }
        #expect(fcm.pushes.count { $0.title == "topic" } <= 1, "seed \(seed)")
        let wanted = Set(setup.desired.topics[0].members.map { Registration.fid(Int($0)) })
        #expect(fcm.topics["tides"] == wanted.subtracting([.fid(7)]), "seed \(seed)")
        let starts = setup.starts.entries
        let early = starts.indices.dropFirst(setup.rate).filter { starts[$0] - starts[$0 - setup.rate] < .seconds(1) }
        #expect(early.isEmpty, "seed \(seed): \(early.count) sends are too early")
    }
}
