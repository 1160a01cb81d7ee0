import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What a step decides after each event, without a clock or tasks.
@Suite struct StepStateTests {
    private static let start = Moment(elapsed: .zero, date: Laboratory.start)

    private func written(_ request: Request, _ state: RecordedState) -> Bool {
        state.occurrences["tide@once"]?.intended.contains(request.recipient) ?? false
    }

    @Test func `requests leave after the commit that holds their intents, the first one alone`() throws {
        var world = StepWorld(try StepState.sample(.send(.sample(1...3))), .sample(), seed: 1)
        #expect(world.run(isWritten: written) == true)
        let words = world.effects.map(\.word)
        #expect(words.prefix(6) == ["commit", "look", "prepare", "read", "commit", "send"])
        #expect(words.suffix(2) == ["commit", "finish"])
        guard case .send(let first) = world.effects[5] else { throw Unexpected() }
        #expect(first.map(\.request.recipient) == [1])
        #expect(world.unwritten.isEmpty)
        #expect(world.step.report.accepted == 3)
        #expect(world.state.occurrences["tide@once"]?.finished != nil)
    }

    private struct Unexpected: Error {}

    @Test func `a commit that fails lets nothing leave`() throws {
        var context = RunContext.sample()
        var step = try StepState.sample(.send(.sample(1...3)))
        let events: [StepEvent] = [
            .begun, .committed, .looked(isPaused: false), .prepared, .read([1: .fid(1), 2: .fid(2), 3: .fid(3)]),
            .storeFailed("disk I/O error"), .storeFailed("disk I/O error"),
        ]
        let words = events.map { step.handle($0, at: Self.start, &context).word }
        #expect(words == ["commit", "look", "prepare", "read", "commit", "commit", "finish"])
        #expect(step.report.pending == 3)
        #expect(step.report.stopped?.words == "disk I/O error")
        #expect(context.fatal == "disk I/O error")
    }

    @Test func `a state that is slow to say whether the campaign is paused is not asked again at once`() throws {
        var context = RunContext.sample()
        var step = try StepState.sample(.send(.sample(1...3)))
        var now = Self.start
        var words: [String] = []
        for event: StepEvent in [.begun, .committed, .looked(isPaused: false)] {
            words.append(step.handle(event, at: now, &context).word)
            now.elapsed += .seconds(2)
        }
        #expect(words == ["commit", "look", "prepare"])
    }

    @Test func `where the rate lets nobody start it waits until it does, and wakes no sooner than is worth it`() throws
    {
        var context = RunContext.sample(rate: .limited(10))
        var step = try StepState.sample(.send(.sample(1...3)))
        var effect = StepEffect.finish
        let answer = { (effect: StepEffect) -> [Inbox.Answer] in
            guard case .send(let departures) = effect else { return [] }
            return departures.map { Inbox.Answer(asked: $0.asked, exchange: .accepted($0.request)) }
        }
        for event: StepEvent in [
            .begun, .committed, .looked(isPaused: false), .prepared, .read([1: .fid(1), 2: .fid(2), 3: .fid(3)]),
            .committed,
        ] {
            effect = step.handle(event, at: Self.start, &context)
        }
        let answers = answer(effect)
        #expect(answers.count == 1)
        _ = step.handle(.sent, at: Self.start, &context)
        // The first answer shows that the endpoint works. The second request is due a tenth of a second after it.
        #expect(step.handle(.woke(answers), at: Self.start, &context).word == "prepare")
        // With nothing in flight, the outcome is written meanwhile.
        #expect(step.handle(.prepared, at: Self.start, &context).word == "commit")
        guard case .wait(let until?, 0) = step.handle(.committed, at: Self.start, &context) else { throw Unexpected() }
        #expect((Duration.milliseconds(79)...Duration.milliseconds(101)).contains(until))
        // If it wakes up too early, it waits on until the same time.
        var early = Self.start
        early.elapsed = until - .milliseconds(3)
        guard case .wait(let again?, 0) = step.handle(.woke([]), at: early, &context) else { throw Unexpected() }
        #expect(again == until)
    }

    @Test func `left while everything waits for another try, it yields, and goes on`() throws {
        var step = try StepState.sample(.send(.sample([1])))
        step.leave.whenIdle = true
        var world = StepWorld(step, .sample(), seed: 1)
        var attempts = 0
        world.answer = { request, _ in
            attempts += 1
            return attempts == 1 ? .error(503, "UNAVAILABLE") : .accepted(request)
        }
        #expect(world.run(isWritten: written) == false)
        #expect(world.step.isUnfinished)
        let idle = world.step.idleTime(at: world.now)
        #expect(idle > .seconds(9))
        world.advance(to: world.now.elapsed + idle)
        #expect(world.run(isWritten: written) == true)
        #expect(world.step.report.accepted == 1)
        #expect(world.context.fatal == nil)
    }

    /// Random answers, most of them good.
    private static func answer(_ request: Request, _ random: inout SeededRandom) -> Exchange {
        let faults: [Exchange] = [
            .error(503, "UNAVAILABLE"), .json(429, "", retryAfter: "3"), .error(500, "INTERNAL"), .lost(reason: "cut"),
            .notSent(reason: "GOAWAY"), .unregistered, .error(400, "INVALID_ARGUMENT", fcm: "INVALID_ARGUMENT"),
            .error(401, "UNAUTHENTICATED"), .json(200, "?"),
        ]
        let isFault = Int.random(in: 0..<4, using: &random) == 0
        return isFault ? faults.randomElement(using: &random) ?? .accepted(request) : .accepted(request)
    }

    @Test(arguments: 0..<150 as Range<UInt64>)
    func `whatever comes in whatever order, it ends, accounts for everybody, and sends to nobody unwritten`(
        seed: UInt64
    ) throws {
        var random = SeededRandom(seed: seed)
        let count = RecipientID.random(in: 1...40, using: &random)
        let isSend = seed % 3 > 0
        let members = RecipientSet(1...count)
        let rate: Rate = Bool.random(using: &random) ? .unlimited : .limited(.random(in: 1...500, using: &random))
        let membership: Plan.Work = seed % 2 == 0 ? .subscribe("tides", members) : .unsubscribe("tides", members)
        let step = try StepState.sample(isSend ? .send(.sample(1...count)) : membership)
        let capacity = Int.random(in: 1...20, using: &random)
        var world = StepWorld(step, .sample(rate: rate, capacity: capacity, seed: seed), seed: seed &+ 1)
        world.answer = Self.answer
        if seed % 4 == 0 { world.failsFrom = .random(in: 0...12, using: &random) }
        if seed % 5 == 0 { world.stopsAfter = .random(in: 0...80, using: &random) }
        world.isInsistent = seed % 2 == 0
        world.isPaused = seed % 7 == 0
        var isOver: Bool? = false
        while isOver == false {
            world.step.leave.at = seed % 6 == 0 ? world.now.date.adding(.seconds(2)) : nil
            world.step.leave.whenIdle = Bool.random(using: &random)
            isOver = world.run { request, state in
                isSend
                    ? written(request, state)
                    : state.topics["tides"]?.subscribing.contains(request.recipient) ?? false
            }
            world.advance(to: world.now.elapsed + world.step.idleTime(at: world.now))
        }
        let report = world.step.report
        #expect(isOver == true, "seed \(seed): it goes on for ever")
        #expect(world.endlessWaits == 0, "seed \(seed)")
        #expect(world.unwritten.isEmpty, "seed \(seed)")
        #expect(report.parts.reduce(0, +) == Int(count), "seed \(seed): \(report)")
        #expect(report.parts.allSatisfy { $0 >= 0 }, "seed \(seed): \(report)")
        if world.failsFrom == .max, isSend {
            let occurrence = try #require(world.state.occurrences["tide@once"])
            #expect(occurrence.intended.isEmpty, "seed \(seed): an intent is left")
            #expect(occurrence.accepted.count == report.accepted, "seed \(seed)")
            #expect(occurrence.unknown.count == report.unknown, "seed \(seed)")
        }
    }
}
