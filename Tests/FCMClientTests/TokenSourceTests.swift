import HeraldTestSupport
import Synchronization
import Testing

@testable import FCMClient

/// Answers requests for a token as the test says, and records when they came.
private final class ScriptedTokens: Sendable {
    private let clock: ManualClock
    private let log = Mutex<[Duration]>([])
    private let answer: @Sendable (Int) async throws(TokenError) -> TokenGrant

    /// - Parameter answer: called with the number of each request, from 1.
    init(_ clock: ManualClock, _ answer: @escaping @Sendable (Int) async throws(TokenError) -> TokenGrant) {
        self.clock = clock
        self.answer = answer
    }

    /// Gives tokens `t1`, `t2`, … with this lifetime.
    convenience init(_ clock: ManualClock, lifetime: Duration) {
        self.init(clock) { (number) async throws(TokenError) in try .sample("t\(number)", lifetime) }
    }

    var times: [Duration] { log.withLock { $0 } }

    func source(seed: UInt64 = 1) -> TokenSource {
        TokenSource(clock: clock, random: SeededRandom(seed: seed)) { () async throws(TokenError) in
            let number = self.log.withLock { log in
                log.append(self.clock.now.offset)
                return log.count
            }
            return try await self.answer(number)
        }
    }
}

extension TokenGrant {
    fileprivate static func sample(_ text: String, _ lifetime: Duration) throws(TokenError) -> TokenGrant {
        guard let token = AccessToken(rawValue: text) else { throw .unusableKey }
        return TokenGrant(token: token, lifetime: lifetime)
    }
}

private let passing = TokenError.unavailable(reason: "HTTP 503", isWorthRepeating: true)
private let lasting = TokenError.refused(code: "invalid_grant", detail: nil, clockLead: nil)

@Suite(.timeLimit(.minutes(5)))
struct TokenSourceTests {
    private let clock = ManualClock()

    @Test func `a hundred who ask at once share one request`() async throws {
        let tokens = ScriptedTokens(clock) { (number) async throws(TokenError) in
            for _ in 0..<200 { await Task.yield() }
            return try .sample("t\(number)", .seconds(3600))
        }
        let source = tokens.source()
        let all = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await source.token().rawValue } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(all == Array(repeating: "t1", count: 100))
        #expect(tokens.times.count == 1)
    }

    @Test func `a hundred who ask at once share one failure`() async throws {
        let tokens = ScriptedTokens(clock) { (_) async throws(TokenError) in
            for _ in 0..<200 { await Task.yield() }
            throw lasting
        }
        let source = tokens.source()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask { await #expect(throws: lasting) { try await source.token() } }
            }
        }
        #expect(tokens.times.count == 1)
    }

    @Test(arguments: [
        (1, 3600, 3270, 3300), (2, 3600, 3270, 3300), (1, 700, 370, 400), (1, 600, 300, 300), (1, 10, 5, 5),
    ])
    func `a token is renewed five minutes early, a short-lived one at half of its life`(
        _ seed: UInt64, _ lifetime: Int, _ kept: Int, _ renewed: Int
    ) async throws {
        let tokens = ScriptedTokens(clock, lifetime: .seconds(lifetime))
        let source = tokens.source(seed: seed)
        #expect(try await source.token().rawValue == "t1")
        clock.advance(by: .seconds(kept) - .milliseconds(1))
        #expect(try await source.token().rawValue == "t1")
        clock.advance(by: .seconds(renewed - kept) + .milliseconds(1))
        #expect(try await source.token().rawValue == "t2")
    }

    @Test func `sources renew at different moments`() async throws {
        var renewed = 0
        for seed in 1...20 as ClosedRange<UInt64> {
            let clock = ManualClock()
            let source = ScriptedTokens(clock, lifetime: .seconds(3600)).source(seed: seed)
            _ = try await source.token()
            clock.advance(by: .seconds(3285))
            if try await source.token().rawValue == "t2" { renewed += 1 }
        }
        #expect((3...17).contains(renewed))
    }

    @Test func `a refused token is not handed out again`() async throws {
        let tokens = ScriptedTokens(clock, lifetime: .seconds(3600))
        let source = tokens.source()
        let first = try await source.token()
        await source.reject(first)
        #expect(try await source.token().rawValue == "t2")
        // Late answers to requests that used the old token.
        await source.reject(first)
        #expect(try await source.token().rawValue == "t2")
        #expect(tokens.times.count == 2)
    }

    @Test func `a refused token that comes again is not asked for once more`() async throws {
        let tokens = ScriptedTokens(clock) { (_) async throws(TokenError) in try .sample("same", .seconds(3600)) }
        let source = tokens.source()
        let first = try await source.token()
        for _ in 1...3 {
            await source.reject(first)
            #expect(try await source.token() == first)
        }
        #expect(tokens.times.count == 2)
    }

    @Test(arguments: [(3600, 3345, 3375), (400, 200, 200), (200, 100, 100)])
    func `a metadata server's token is renewed when the server has a new one, or at half of its rest`(
        _ rest: Int, _ kept: Int, _ renewed: Int
    ) async throws {
        let tokens = ScriptedTokens(clock) { (_) async throws(TokenError) in
            var grant = try TokenGrant.sample("same", .seconds(rest))
            grant.margin = TokenGrant.metadataMargin
            return grant
        }
        let source = tokens.source()
        _ = try await source.token()
        clock.advance(by: .seconds(kept) - .milliseconds(1))
        _ = try await source.token()
        #expect(tokens.times.count == 1)
        clock.advance(by: .seconds(renewed - kept) + .milliseconds(1))
        _ = try await source.token()
        #expect(tokens.times.count == 2)
    }

    @Test func `what passes is tried three times, one second and two apart`() async throws {
        let tokens = ScriptedTokens(clock) { (_) async throws(TokenError) in throw passing }
        await #expect(throws: passing) { try await tokens.source().token() }
        let times = tokens.times
        #expect(times.count == 3)
        #expect((Duration.milliseconds(900)...(.milliseconds(1100))).contains(times[1] - times[0]))
        #expect((Duration.milliseconds(1800)...(.milliseconds(2200))).contains(times[2] - times[1]))
    }

    @Test func `the second try may succeed, and a refusal holds for half a minute`() async throws {
        let tokens = ScriptedTokens(clock) { (number) async throws(TokenError) in
            if number != 2 { throw number == 1 ? passing : lasting }
            return try .sample("t\(number)", .seconds(10))
        }
        let source = tokens.source()
        #expect(try await source.token().rawValue == "t2")
        clock.advance(by: .seconds(10))
        await #expect(throws: lasting) { try await source.token() }
        clock.advance(by: .seconds(30) - .milliseconds(1))
        await #expect(throws: lasting) { try await source.token() }
        #expect(tokens.times.count == 3)
        clock.advance(by: .milliseconds(1))
        await #expect(throws: lasting) { try await source.token() }
        #expect(tokens.times.count == 4)
    }

    @Test func `after a failure that may pass the next caller begins anew`() async throws {
        let tokens = ScriptedTokens(clock) { (number) async throws(TokenError) in
            if number <= 3 { throw passing }
            return try .sample("t\(number)", .seconds(10))
        }
        let source = tokens.source()
        await #expect(throws: passing) { try await source.token() }
        #expect(try await source.token().rawValue == "t4")
    }

    @Test(arguments: [
        lasting, .unavailable(reason: "HTML", isWorthRepeating: false), .unexpected(status: 404, from: .token),
    ])
    func `what will not pass is tried once`(_ error: TokenError) async throws {
        let tokens = ScriptedTokens(clock) { (_) async throws(TokenError) in throw error }
        await #expect(throws: error) { try await tokens.source().token() }
        #expect(tokens.times.count == 1)
    }

    @Test func `while it lasts the old token serves when no new one can be had`() async throws {
        let tokens = ScriptedTokens(clock) { (number) async throws(TokenError) in
            if number > 1 { throw lasting }
            return try .sample("t1", .seconds(3600))
        }
        let source = tokens.source()
        _ = try await source.token()
        clock.advance(by: .seconds(3301))
        #expect(try await source.token().rawValue == "t1")
        #expect(tokens.times.count == 2)
        clock.advance(by: .seconds(29))
        #expect(try await source.token().rawValue == "t1")
        #expect(tokens.times.count == 2)
        clock.advance(by: .seconds(1))
        #expect(try await source.token().rawValue == "t1")
        #expect(tokens.times.count == 3)
        clock.advance(by: .seconds(269))
        await #expect(throws: lasting) { try await source.token() }
    }

    @Test func `after a withdrawal nobody waits for a token any more`() async throws {
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let tokens = ScriptedTokens(clock) { (number) async throws(TokenError) in
            beginning.finish()
            // Ends when its task is cancelled.
            for await _ in gate {}
            throw passing
        }
        let source = tokens.source()
        let first = Task { try await source.token() }
        for await _ in begun {}
        await source.withdraw()
        await #expect(throws: TokenError.self) { try await first.value }
        await #expect(throws: TokenError.self) { try await source.token() }
        #expect(tokens.times.count == 1)
        opening.finish()
    }

    @Test func `who is cancelled goes at once and takes nothing from the others`() async throws {
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let tokens = ScriptedTokens(clock) { (number) async throws(TokenError) in
            beginning.finish()
            for await _ in gate {}
            return try .sample("t\(number)", .seconds(3600))
        }
        let source = tokens.source()
        let first = Task { try await source.token() }
        for await _ in begun {}
        let second = Task { try await source.token() }
        first.cancel()
        second.cancel()
        let third = Task { try await source.token() }
        await #expect(throws: TokenError.self) { try await first.value }
        await #expect(throws: TokenError.self) { try await second.value }
        opening.finish()
        #expect(try await third.value.rawValue == "t1")
        #expect(tokens.times.count == 1)
    }
}
