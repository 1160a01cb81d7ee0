package import FCM

/// Whether and when a request is tried again (docs/reference/fcm-errors.md#quotas-and-retries): 10 s after a failure,
/// 60 s after a 429, doubling, with full jitter, at most 10 minutes.
package struct RetryPolicy: Sendable {
    package var ceiling: Duration = .seconds(600)
    /// No attempt starts later than this after the first attempt.
    package var horizon: Duration = .seconds(3600)
    /// How often herald tries to reach a server that does not answer.
    package var connectAttempts = 5

    package init() {}

    /// How long no request may start, for any recipient.
    package struct Pause: Hashable, Sendable {
        package var length: Duration
        /// Whether it applies only to the topic or target of this step.
        package var isOfStep = false
    }

    package enum Decision: Hashable, Sendable {
        /// - Parameters:
        ///   - pause: applies to other recipients too.
        ///   - isTooLong: this run does not wait that long, so the next run tries again.
        case wait(Duration, pause: Pause?, isTooLong: Bool)
        case unreachable
    }

    /// - Parameters:
    ///   - attempt: the number of the attempt that failed, from 1.
    ///   - elapsed: time since the first attempt began.
    ///   - unanswered: how many attempts in a row, up to this one, during which the server answered no request.
    package func decide(
        _ asked: Verdict.Repeat, attempt: Int, unanswered: Int, elapsed: Duration, now: Double,
        using random: inout some RandomNumberGenerator
    ) -> Decision {
        if !asked.effect.isAskedFor, unanswered >= connectAttempts { return .unreachable }
        let header = asked.retryAfter.flatMap { Self.wait($0, now: now) }
        // The server's own wait replaces the default for servers that say nothing.
        let least = header.map { max($0, attempt > 1 ? doubled(asked.floor, attempt - 2) : .zero) } ?? asked.floor
        let jitter = header == nil ? doubled(asked.floor, attempt) - asked.floor : .zero
        let wait = least + jitter * Double.random(in: 0...1, using: &random)
        return .wait(wait, pause: pause(asked, header.map { _ in least }), isTooLong: elapsed + wait > horizon)
    }

    /// - Parameter told: the wait that the server itself asks for.
    private func pause(_ asked: Verdict.Repeat, _ told: Duration?) -> Pause? {
        switch asked.quota {
        case .device?: nil
        case .topic?: Pause(length: told ?? asked.floor, isOfStep: true)
        case .project?: Pause(length: told ?? asked.floor)
        case nil: told.map { Pause(length: $0) }
        }
    }

    private func doubled(_ floor: Duration, _ times: Int) -> Duration {
        max(floor, min(ceiling, floor * (1 << min(times, 16))))
    }

    /// A day, in seconds. herald never waits longer anyway.
    private static let longest: Int64 = 86_400

    /// `Retry-After` as a wait from `now` (seconds since 1970): whole seconds, or an HTTP date.
    static func wait(_ header: String, now: Double) -> Duration? {
        let text = header.trimmingSpaces
        if !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return .seconds(min(Int64(text) ?? .max, longest))
        }
        guard let date = Date(httpDate: text) else { return nil }
        return .seconds(min(max(date.timeIntervalSince1970 - now, 0), Double(longest)))
    }
}

extension String {
    fileprivate var trimmingSpaces: Substring {
        var rest = self[...]
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return rest
    }
}
