import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Promises 1, 2 and 4 of docs/explanation/promises.md#promises, with random faults. Failures print their seeds.
@Suite struct PromiseTests {
    /// Random faults, always the same for the same seed, recipient and attempt.
    private static func faults(seed: UInt64, share: Double) -> @Sendable (RecipientID, Int) -> Exchange? {
        { recipient, attempt in
            var random = SeededRandom(seed: seed &* 1_000_003 &+ UInt64(recipient) &* 64 &+ UInt64(min(attempt, 63)))
            guard Double.random(in: 0..<1, using: &random) < share else { return nil }
            let faults: [Exchange] = [
                .error(503, "UNAVAILABLE"), .json(429, "", retryAfter: "3"), .error(500, "INTERNAL"),
                .lost(reason: "cut"),
                .notSent(reason: "GOAWAY"), .unregistered, .error(400, "INVALID_ARGUMENT", fcm: "INVALID_ARGUMENT"),
                .json(502, ""), .json(200, "?"), .error(409, "ALREADY_EXISTS"),
                .error(403, "PERMISSION_DENIED", fcm: "SENDER_ID_MISMATCH"),
            ]
            let rare: [Exchange] = [
                .error(401, "UNAUTHENTICATED"), .json(404, "<html>"), .json(429, "", retryAfter: "9999"),
            ]
            let isRare = Double.random(in: 0..<1, using: &random) < 0.01
            return (isRare ? rare : faults).randomElement(using: &random)
        }
    }

    /// A sender whose answers take simulated time and sometimes fail.
    private static func sender(
        _ capacity: Int, seed: UInt64, share: Double, clock: ManualClock, sent: @escaping @Sendable (Request) -> Void
    ) -> ScriptedSender {
        let faults = faults(seed: seed, share: share)
        let attempts = Attempts()
        return ScriptedSender(capacity: capacity) { request, number in
            sent(request)
            let attempt = attempts.next(of: request.recipient)
            try? await clock.sleep(for: .milliseconds((number &* 37) % 400))
            return faults(request.recipient, attempt) ?? .accepted(request, number)
        }
    }

    @Test(arguments: 0..<200)
    func `after every report planned is the sum of its parts and none is negative`(seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        var laboratory = Laboratory(population: 40)
        laboratory.random = SeededRandom(seed: UInt64(seed) + 1)
        if Bool.random(using: &random) { laboratory.fcm.rate = .limited(Int.random(in: 5...200, using: &random)) }
        let share = Double.random(in: 0...0.5, using: &random)
        let stopAfter = seed % 5 == 0 ? Int.random(in: 1...60, using: &random) : .max
        let refusesFrom = seed % 7 == 0 ? Int.random(in: 0...20, using: &random) : .max
        laboratory.store = ProbedStore(laboratory.memory, refusesFrom: refusesFrom)
        let sent = Log<RecipientID>()
        let expiry: Duration? = seed % 3 == 0 ? .milliseconds(.random(in: 1...60_000, using: &random)) : nil
        let sender = Self.sender(
            Int.random(in: 1...16, using: &random), seed: UInt64(seed), share: share, clock: laboratory.clock
        ) { request in
            sent.append(request.recipient)
            // With a lifetime of zero it would have left too late.
            #expect(request.json["message"]?["android"]?["ttl"] != "0s", "seed \(seed)")
        }
        var sends = [
            Plan.Send.sample([0], campaign: "topic", target: .topic("tides"), due: laboratory.now), .sample(1...40),
        ]
        for index in sends.indices { sends[index].delivery.expiresAfter = expiry }
        let plan = laboratory.plan(
            .unsubscribe("old", RecipientSet(1...7)), .subscribe("tides", RecipientSet(1...20)), .send(sends[0]),
            .send(sends[1]))
        let observed = Log<Report>()
        let (memory, isDry) = (laboratory.memory, seed % 11 == 0)
        let isDated: @Sendable (Report) -> Bool = { $0.state == (isDry ? nil : memory.state().version) }
        let report = try await laboratory.run(
            plan, sender, dryRunSample: isDry ? 10 : nil,
            stop: { sent.entries.count >= stopAfter ? .machine : nil },
            observe: {
                #expect(isDated($0), "seed \(seed): it names what was committed last")
                observed.append($0)
            })
        #expect(isDated(report), "seed \(seed)")
        for report in observed.entries + [report] {
            for (step, planned) in zip(report.steps, [7, 20, 1, 40]) {
                #expect(step.planned == planned, "seed \(seed)")
                #expect(step.parts.reduce(0, +) == planned, "seed \(seed): \(step)")
                #expect(step.parts.allSatisfy { $0 >= 0 }, "seed \(seed): \(step)")
                #expect(step.forgotten <= step.rejected, "seed \(seed)")
            }
        }
        #expect(report.result != .running, "seed \(seed)")
        #expect(report.finished != nil, "seed \(seed)")
        // Every request after a recipient's first is a retry, and there are no other retries.
        #expect(
            report.steps.reduce(0) { $0 + $1.retries } == sent.entries.count - distinct(sender.requests),
            "seed \(seed)")
    }

    private func distinct(_ requests: [Request]) -> Int {
        Set(
            requests.map { request in
                switch request {
                case .send: "send \(request.recipient)"
                case .subscribe: "subscribe \(request.recipient)"
                case .unsubscribe: "unsubscribe \(request.recipient)"
                case .batch(let operation, _, _): "\(operation) \(request.recipient)"
                case .group(let operation): "group \(operation.name)"
                case .read(let query): "\(query)"
                }
            }
        ).count
    }

    @Test(arguments: 0..<60)
    func `an intent is durable before its request leaves and at most capacity have no outcome`(seed: Int)
        async throws
    {
        var random = SeededRandom(seed: UInt64(seed))
        let capacity = Int.random(in: 1...12, using: &random)
        var laboratory = Laboratory(population: 80)
        let mostIntended = Log<Int>()
        laboratory.store = ProbedStore(laboratory.memory) { _, state in
            mostIntended.append(state.occurrences["tide@once"]?.intended.count ?? 0)
        }
        let unwritten = Log<RecipientID>()
        let memory = laboratory.memory
        let sender = Self.sender(
            capacity, seed: UInt64(seed), share: 0.4, clock: laboratory.clock
        ) { request in
            let intended = memory.state().occurrences["tide@once"]?.intended
            if intended?.contains(request.recipient) != true { unwritten.append(request.recipient) }
        }
        _ = try await laboratory.run(laboratory.plan(.send(.sample(1...80))), sender)
        #expect(unwritten.entries == [], "seed \(seed)")
        #expect(try #require(mostIntended.entries.max()) <= capacity, "seed \(seed)")
        #expect(mostIntended.entries.last == 0, "a run that ends leaves no intent behind, seed \(seed)")
    }

    @Test(arguments: [Plan.Work.subscribe("tides", RecipientSet(1...50)), .unsubscribe("tides", RecipientSet(1...50))])
    func `a membership's intent is durable before its request leaves`(work: Plan.Work) async throws {
        let laboratory = Laboratory()
        let memory = laboratory.memory
        let unwritten = Log<RecipientID>()
        let sender = ScriptedSender { request, number in
            if memory.state().topics["tides"]?.subscribing.contains(request.recipient) != true {
                unwritten.append(request.recipient)
            }
            return .accepted(request, number)
        }
        _ = try await laboratory.run(laboratory.plan(work), sender)
        #expect(unwritten.entries == [])
        #expect(sender.requests.count == 50)
    }

    /// A slow disk delays requests after they were granted. They count from when they start.
    @Test(arguments: [
        // How long a commit takes, and every how many commits that happens.
        (Duration.zero, 1), (.milliseconds(3), 1), (.milliseconds(150), 1), (.seconds(2), 1), (.milliseconds(970), 150),
        (.milliseconds(500), 40),
    ])
    func `no sliding second sees more requests than the rate however slow the state is`(
        commit: Duration, every: Int
    ) async throws {
        let (instants, intents, commits) = (Log<Duration>(), Log<Int>(), Log<Void>())
        // Time passes only when every request that may start has started.
        let clock = ManualClock { instants.entries.count >= intents.entries.reduce(0, +) }
        var laboratory = Laboratory(population: 300, clock: clock)
        laboratory.fcm.rate = .limited(50)
        laboratory.fcm.ramp = .zero
        laboratory.store = ProbedStore(
            laboratory.memory,
            committed: { changes, _ in
                for case .outcome(_, let members, .intended?) in changes { intents.append(members.count) }
            },
            holdUp: {
                commits.append(())
                if commits.entries.count % every == 0 { try? await clock.sleep(for: commit) }
            })
        let sender = ScriptedSender(capacity: 1000) { request, number in
            instants.append(clock.now.offset)
            return .accepted(request, number)
        }
        _ = try await laboratory.run(laboratory.plan(.send(.sample(1...300))), sender)
        let starts = instants.entries.sorted()
        #expect(starts.count == 300)
        for (index, start) in starts.enumerated().dropFirst(50) {
            #expect(start - starts[index - 50] >= .seconds(1))
        }
    }

    @Test func `a send keeps to its own rate and the workspace's`() async throws {
        var laboratory = Laboratory(population: 100)
        laboratory.fcm.rate = .limited(20)
        let clock = laboratory.clock
        var slow = Plan.Send.sample(1...50, campaign: "slow")
        slow.delivery.rate = .limited(5)
        var eager = Plan.Send.sample(51...100, campaign: "eager")
        eager.delivery.rate = .limited(1000)
        laboratory.fcm.ramp = .zero
        let ends = Log<Duration>()
        let sender = ScriptedSender(capacity: 50) { request, number in
            if request.recipient == 50 || request.recipient == 100 { ends.append(clock.now.offset) }
            return .accepted(request, number)
        }
        _ = try await laboratory.run(laboratory.plan(.send(slow), .send(eager)), sender)
        // 49 gaps of a fifth of a second, then 50 of a twentieth.
        #expect(abs(ends.entries[0].seconds - 9.8) < 0.3)
        #expect(abs(ends.entries[1].seconds - 9.8 - 2.5) < 0.3)
    }

    @Test(arguments: [(1, 1), (2, 4), (5, 3)])
    func `all sends of a campaign in a run keep to its rate together`(rate: Int, each: Int) async throws {
        var laboratory = Laboratory(population: 12)
        laboratory.fcm.ramp = .zero
        let (clock, instants) = (laboratory.clock, Log<Duration>())
        let sends = (0..<3).map { number in
            let first = RecipientID(number * each + 1)
            var send = Plan.Send.sample(
                first..<first + RecipientID(each), due: Laboratory.start.adding(.seconds(60 * (number - 3))))
            send.delivery.rate = .limited(rate)
            return Plan.Work.send(send)
        }
        let sender = ScriptedSender(capacity: 50, isPrompt: true) { request, number in
            instants.append(clock.now.offset)
            return .accepted(request, number)
        }
        let report = try await laboratory.run(laboratory.plan(sends), sender)
        #expect(report.steps.map(\.accepted) == [each, each, each])
        let starts = instants.entries.sorted()
        for place in starts.indices.dropFirst(rate) { #expect(starts[place] - starts[place - rate] >= .seconds(1)) }
    }
}
