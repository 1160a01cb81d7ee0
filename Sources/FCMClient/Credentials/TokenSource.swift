package import Logging

/// Keeps an access token and renews it before it expires. Whoever asks meanwhile waits for the one request under way.
package actor TokenSource {
    /// How long before its end a token is renewed, or after half of its life when that is later.
    static let margin = Duration.seconds(300)
    /// Up to so much is added to the margin, so that many machines do not ask at once.
    static let jitter = Duration.seconds(30)
    static let attempts = 3
    static let firstPause = Duration.seconds(1)
    /// While the old token is good, a renewal that failed is tried again after this.
    static let patience = Duration.seconds(30)

    private typealias Waiter = CheckedContinuation<Result<AccessToken, TokenError>, Never>

    private struct Current {
        var token: AccessToken
        var renewAt: Duration
        var expiresAt: Duration
    }

    private let request: @Sendable () async throws(TokenError) -> TokenGrant
    /// Since the source was made.
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let end: @Sendable () async -> Void
    private var random: any RandomNumberGenerator & Sendable

    private var current: Current?
    /// The request under way. No caller owns it: one that is cancelled must not take it from the others.
    private var renewal: Task<Void, Never>?
    private var waiting: [Int: Waiter] = [:]
    private var lastCaller = 0

    /// - Parameters:
    ///   - request: Asks for a token, once.
    ///   - end: Closes what `request` uses.
    init<C: Clock>(
        clock: C, random: any RandomNumberGenerator & Sendable,
        end: @escaping @Sendable () async -> Void = {},
        request: @escaping @Sendable () async throws(TokenError) -> TokenGrant
    ) where C.Duration == Duration {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
        self.random = random
        self.end = end
        self.request = request
    }

    /// What a client asks.
    package nonisolated var authorization: Authorization {
        Authorization(
            token: { () async throws(TokenError) in try await self.token() }, reject: { await self.reject($0) })
    }

    package func token() async throws(TokenError) -> AccessToken {
        if let current {
            let now = elapsed()
            if now < current.renewAt || renewal != nil && now < current.expiresAt { return current.token }
        }
        lastCaller += 1
        let caller = lastCaller
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Waiter) in
                if Task.isCancelled { return continuation.resume(returning: .failure(.cancelled)) }
                waiting[caller] = continuation
                if renewal == nil { renewal = Task { await self.renew() } }
            }
        } onCancel: {
            Task { await self.forget(caller) }
        }
        return try result.get()
    }

    /// Google refused that token: it is not handed out again.
    package func reject(_ token: AccessToken) {
        if current?.token == token { current = nil }
    }

    /// Ends the request under way and closes the connection.
    package func shutdown() async {
        renewal?.cancel()
        await end()
    }

    private func forget(_ caller: Int) {
        waiting.removeValue(forKey: caller)?.resume(returning: .failure(.cancelled))
    }

    private func renew() async {
        let result = await fetch()
        renewal = nil
        var answer = result.map(\.token)
        switch result {
        case .success(let renewed):
            current = renewed
        case .failure:
            // An old token is better than none, as long as it lasts.
            let now = elapsed()
            guard let old = current, now < old.expiresAt else { break }
            current?.renewAt = min(now + Self.patience, old.expiresAt)
            answer = .success(old.token)
        }
        for caller in waiting.values { caller.resume(returning: answer) }
        waiting = [:]
    }

    private func fetch() async -> Result<Current, TokenError> {
        var pause = Self.firstPause
        var attempt = 0
        while true {
            attempt += 1
            let begun = elapsed()
            do throws(TokenError) {
                let grant = try await request()
                let margin = Self.margin + Self.jitter * Double.random(in: 0...1, using: &random)
                return .success(
                    Current(
                        token: grant.token, renewAt: begun + max(grant.lifetime - margin, grant.lifetime / 2),
                        expiresAt: begun + grant.lifetime))
            } catch {
                guard error.isWorthRepeating, attempt < Self.attempts else { return .failure(error) }
            }
            do { try await sleep(pause * Double.random(in: 0.9...1.1, using: &random)) } catch {
                return .failure(.cancelled)
            }
            pause *= 2
        }
    }
}

extension TokenSource {
    /// Signs in as a service account.
    ///
    /// - Parameters:
    ///   - timeout: The longest one request for a token may take.
    ///   - certificateAuthorities: The path of a PEM file with authorities to trust besides the system's.
    package init(
        _ account: ServiceAccount,
        timeout: Duration = .seconds(15),
        certificateAuthorities: String? = nil,
        clock: some Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        logger: Logger
    ) throws {
        let pool = try ConnectionPool(
            to: account.tokenEndpoint.endpoint, timeout: timeout, certificateAuthorities: certificateAuthorities,
            logger: logger)
        let tokens = ServiceAccountTokens(account: account, pool: pool, now: now)
        self.init(
            clock: clock, random: random, end: { await pool.shutdown() },
            request: { () async throws(TokenError) in try await tokens.request() })
    }
}

extension TokenError {
    fileprivate static let cancelled = TokenError.unavailable(reason: "it was cancelled", isWorthRepeating: false)
}
