import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

@Suite struct RetryPolicyTests {
    private let policy = RetryPolicy()
    /// Sun, 06 Nov 1994 08:49:37 GMT, the example of RFC 9110 §5.6.7.
    private let example = 784_111_777.0

    /// What an answer asks for, as the verdict on a send gives it.
    private func asked(_ status: Int, retryAfter: String? = nil) throws -> Verdict.Repeat {
        let exchange = Exchange.error(status, "W", retryAfter: retryAfter)
        guard case .again(_, let asked) = Verdict(send: exchange, to: .registration(.fid(1))) else {
            throw NotRepeated()
        }
        return asked
    }

    private func notSent() throws -> Verdict.Repeat {
        guard case .again(_, let asked) = Verdict(send: .notSent(reason: "refused"), to: .registration(.fid(1))) else {
            throw NotRepeated()
        }
        return asked
    }

    private struct NotRepeated: Error {}

    private func wait(_ decision: RetryPolicy.Decision) -> Duration? {
        if case .wait(let wait, _, _) = decision { wait } else { nil }
    }

    /// The waits of many draws after one attempt.
    private func waits(_ asked: Verdict.Repeat, attempt: Int) -> [Duration] {
        var random = SeededRandom(seed: 5)
        return (0..<2000).compactMap { _ in
            wait(policy.decide(asked, attempt: attempt, unanswered: 0, elapsed: .zero, now: 0, using: &random))
        }
    }

    /// The wait is at least 10 s after a 5xx and 60 s after a 429. The window doubles, up to 10 minutes
    /// (docs/reference/fcm-errors.md#quotas-and-retries).
    @Test(arguments: [
        (503, 1, 10, 20), (503, 2, 10, 40), (503, 3, 10, 80), (503, 6, 10, 600), (503, 40, 10, 600),
        (500, 1, 10, 20), (429, 1, 60, 120), (429, 2, 60, 240), (429, 4, 60, 600), (429, 63, 60, 600),
    ])
    func `waits at least the floor and at most the window`(status: Int, attempt: Int, floor: Int, end: Int) throws {
        let waits = waits(try asked(status), attempt: attempt)
        #expect(waits.allSatisfy { $0 >= .seconds(floor) && $0 <= .seconds(end) })
        let width = Duration.seconds(end - floor)
        #expect(try #require(waits.min()) < .seconds(floor) + width * 0.01, "the window's beginning is used")
        #expect(try #require(waits.max()) > .seconds(end) - width * 0.01, "the window's end is used")
    }

    @Test(arguments: [
        ("120", 120), ("0", 0), (" 7 ", 7), ("007", 7), ("86400", 86_400),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("Sun, 06 Nov 1994 08:51:37 GMT", 120),
        ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
    ])
    func `takes the server's word, in seconds or as a date`(header: String, seconds: Int) throws {
        var random = SeededRandom(seed: 6)
        let decision = policy.decide(
            try asked(429, retryAfter: header), attempt: 1, unanswered: 0, elapsed: .zero, now: example, using: &random)
        #expect(
            decision
                == .wait(.seconds(seconds), pause: .init(length: .seconds(seconds)), isTooLong: seconds > 3600))
    }

    @Test(arguments: [
        "", "-1", "+5", "1.5", "soon", "NaN", "1e9", "٣", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994",
        "Sun, 06 Foo 1994 08:49:37 GMT", "120, 60", "\u{0}", String(repeating: "x", count: 100_000),
    ])
    func `falls back on its own wait when the header makes no sense`(header: String) throws {
        var random = SeededRandom(seed: 7)
        let decision = policy.decide(
            try asked(503, retryAfter: header), attempt: 1, unanswered: 0, elapsed: .zero, now: example, using: &random)
        guard case .wait(let wait, pause: nil, isTooLong: false) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(wait >= .seconds(10) && wait <= .seconds(20))
    }

    @Test(arguments: ["3601", "999999999999", "99999999999999999999999999", "Sun, 06 Nov 9999 08:49:37 GMT"])
    func `leaves to the next run what the server puts off beyond the horizon`(header: String) throws {
        var random = SeededRandom(seed: 8)
        let decision = policy.decide(
            try asked(429, retryAfter: header), attempt: 1, unanswered: 0, elapsed: .zero, now: example, using: &random)
        guard case .wait(_, pause: .some, isTooLong: true) = decision else {
            Issue.record("\(decision)")
            return
        }
    }

    /// The quota's subject, `Retry-After`, and how long which other requests wait.
    @Test(
        arguments: [
            (nil, nil, RetryPolicy.Pause(length: .seconds(60))),
            (nil, "7", .init(length: .seconds(7))),
            ("project:tide-app", nil, .init(length: .seconds(60))),
            ("project:tide-app", "7", .init(length: .seconds(7))),
            ("topic", nil, .init(length: .seconds(60), isOfStep: true)),
            ("topic:tides", "7", .init(length: .seconds(7), isOfStep: true)),
            ("device", nil, nil), ("Device:x", "7", nil),
        ] as [(String?, String?, RetryPolicy.Pause?)])
    func `an exceeded quota holds up whom it is about`(
        subject: String?, retryAfter: String?, pause: RetryPolicy.Pause?
    ) throws {
        let details = subject.map {
            #"{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"\#($0)","description":"d"}]}"#
        }
        let exchange = Exchange.json(
            429, #"{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[\#(details ?? "")]}}"#,
            retryAfter: retryAfter)
        guard case .again(_, let asked) = Verdict(send: exchange, to: .registration(.fid(1))) else {
            throw NotRepeated()
        }
        var random = SeededRandom(seed: 11)
        let decision = policy.decide(asked, attempt: 1, unanswered: 0, elapsed: .zero, now: 0, using: &random)
        guard case .wait(let wait, pause: let found, isTooLong: false) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(found == pause)
        #expect(wait >= .seconds(retryAfter == nil ? 60 : 7))
    }

    @Test func `a server that always says zero is asked less and less often`() throws {
        var random = SeededRandom(seed: 9)
        let asked = try asked(503, retryAfter: "0")
        let waits = (1...8).map {
            wait(policy.decide(asked, attempt: $0, unanswered: 0, elapsed: .zero, now: example, using: &random))
        }
        #expect(waits == [0, 10, 20, 40, 80, 160, 320, 600].map { .seconds($0) })
    }

    @Test func `starts no attempt later than an hour after the first`() throws {
        var random = SeededRandom(seed: 10)
        let asked = try asked(503, retryAfter: "60")
        let within = policy.decide(asked, attempt: 1, unanswered: 0, elapsed: .seconds(3540), now: 0, using: &random)
        let beyond = policy.decide(asked, attempt: 1, unanswered: 0, elapsed: .seconds(3541), now: 0, using: &random)
        #expect(within == .wait(.seconds(60), pause: .init(length: .seconds(60)), isTooLong: false))
        #expect(beyond == .wait(.seconds(60), pause: .init(length: .seconds(60)), isTooLong: true))
    }

    @Test func `gives up on a server that cannot be reached five times`() throws {
        var random = SeededRandom(seed: 11)
        let asked = try notSent()
        let decisions = (1...5).map {
            policy.decide(asked, attempt: $0, unanswered: $0, elapsed: .zero, now: 0, using: &random)
        }
        #expect(decisions.map { $0 == .unreachable } == [false, false, false, false, true])
        #expect(decisions.compactMap(wait).reduce(.zero, +) < .seconds(10), "it does not take long")
    }

    @Test func `goes on with a server that answers others`() throws {
        var random = SeededRandom(seed: 12)
        let decision = policy.decide(
            try notSent(), attempt: 9, unanswered: 1, elapsed: .zero, now: 0, using: &random)
        #expect(decision != .unreachable)
    }
}
