import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Sends to a condition: which devices they reach, and what they wait for.
@Suite struct ConditionSendTests {
    private static let names: [TopicName] = ["a", "b", "c"]

    private func send(_ text: String) throws -> DesiredSend {
        DesiredSend(campaign: .tide("tide", to: .condition(try Condition(parsing: text))), members: .target)
    }

    // MARK: Recipients

    /// Topic a has 1–4, b has 3–6, c has 4 and 7. Recipient 8 follows nothing, and 9 is dead.
    @Test(arguments: [
        ("'a' in topics", 4), ("'a' in topics && 'b' in topics", 2), ("'a' in topics || 'b' in topics", 6),
        ("'a' in topics && !('b' in topics)", 2), ("!('a' in topics)", 4), ("!('a' in topics || 'b' in topics)", 2),
        ("('c' in topics || 'a' in topics) && 'b' in topics", 2),
        ("'c' in topics || ('a' in topics && 'b' in topics)", 3), ("'unknown' in topics", 0),
        ("'a' in topics && !('unknown' in topics)", 4),
    ])
    func `count those whose topics meet the condition`(_ condition: String, _ count: Int) throws {
        let laboratory = Laboratory(population: 9)
        try laboratory.memory.commit([.register([9: .fid(9)]), .forget([9], at: Laboratory.start)])
        let topics = [
            DesiredTopic(name: "a", members: [1, 2, 3, 4]), DesiredTopic(name: "b", members: [3, 4, 5, 6, 9]),
            DesiredTopic(name: "c", members: [4, 7]),
        ]
        let plan = laboratory.plan(sends: [try send(condition)], topics: topics)
        #expect(plan.sends.map(\.recipients) == [count])
        #expect(plan.sends.map(\.members) == [[0]])
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `agree with asking of each device what it follows`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        func some() -> RecipientSet { RecipientSet((1...20).filter { _ in Bool.random(using: &random) }) }
        func some(of names: [TopicName], _ most: Int) -> [TopicName] {
            Array(names.shuffled(using: &random).prefix(.random(in: 0...most, using: &random)))
        }
        let condition = Condition(
            any: some(of: Self.names, 2), all: some(of: Self.names, 1), none: some(of: Self.names, 2))
        guard let condition else { return }
        let laboratory = Laboratory(population: 20)
        try laboratory.memory.commit([.register([20: .fid(20)])])
        let topics = Self.names.map { DesiredTopic(name: $0, members: some()) }
        let follows = Dictionary(uniqueKeysWithValues: topics.map { ($0.name, $0.members) })
        let send = DesiredSend(campaign: .tide("tide", to: .condition(condition)), members: .target)
        let expected = (1...20 as ClosedRange<RecipientID>).count { device in
            condition.matches { follows[$0]?.contains(device) ?? false }
        }
        #expect(laboratory.plan(sends: [send], topics: topics).sends.map(\.recipients) == [expected], "seed \(seed)")
    }

    // MARK: What they wait for

    @Test func `wait for all their topics' steps, and for the last of them to settle`() async throws {
        var laboratory = Laboratory()
        laboratory.fcm.propagationDelay = .seconds(60)
        laboratory.fcm.subscriptionRate = .limited(1)
        let clock = laboratory.clock
        let log = Log<(name: String, at: Duration)>()
        let sender = ScriptedSender { request, number in
            switch request {
            case .subscribe(_, let topic): log.append((topic.rawValue, clock.now.offset))
            default: log.append(("send", clock.now.offset))
            }
            return .accepted(request, number)
        }
        let topics = Self.names.map { DesiredTopic(name: $0, members: RecipientSet(1...5)) }
        let plan = laboratory.plan(sends: [try send("'a' in topics && !('b' in topics)")], topics: topics)
        #expect(plan.steps.map(\.id) == ["subscribe:a", "subscribe:b", "send:tide@once", "subscribe:c"])
        _ = try await laboratory.run(plan, sender)
        let last = try #require(log.entries.last { $0.name == "b" }).at
        let sent = try #require(log.entries.first { $0.name == "send" }).at
        #expect(sent >= last + .seconds(60) && sent < last + .seconds(63))
        #expect(log.entries.contains { $0.name == "c" && $0.at < sent }, "others go on meanwhile")
    }

    /// The recipients that each step rejects, and whether the send is held.
    @Test(arguments: [
        ("'a' in topics", "subscribe:a", false), ("'a' in topics", "unsubscribe:a", true),
        ("'a' in topics", "unsubscribe:b", false), ("'a' in topics && !('b' in topics)", "subscribe:b", true),
        ("'a' in topics && !('b' in topics)", "subscribe:a", false),
        ("'a' in topics && !('b' in topics)", "unsubscribe:b", true), ("!('a' in topics)", "subscribe:a", true),
    ])
    func `are held when somebody would get it who is to be left out`(
        _ condition: String, _ failing: String, _ isHeld: Bool
    ) async throws {
        let laboratory = Laboratory()
        for name in Self.names {
            try laboratory.memory.commit([.members(name, [1, 2], .managed, at: .utc("2026-01-01 00:00"))])
        }
        let topics = Self.names.map { DesiredTopic(name: $0, members: [2, 3]) }
        let sender = ScriptedSender { request, number in
            switch request {
            case .subscribe(_, let topic) where failing == "subscribe:\(topic)": .error(400, "INVALID_ARGUMENT")
            case .unsubscribe(_, let topic) where failing == "unsubscribe:\(topic)": .error(400, "INVALID_ARGUMENT")
            default: .accepted(request, number)
            }
        }
        let report = try await laboratory.run(laboratory.plan(sends: [try send(condition)], topics: topics), sender)
        let step = try #require(report.steps.first { $0.action == .send })
        #expect(step.held == (isHeld ? 1 : 0))
        #expect(step.accepted == (isHeld ? 0 : 1))
        #expect((step.stopped != nil) == isHeld)
        let isNoted = !isHeld && condition.contains("'\(failing.suffix(1))'")
        #expect((step.note != nil) == isNoted, "who could not join is told of")
        #expect(report.result == .failed, "a membership failed")
    }
}
