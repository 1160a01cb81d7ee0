package import Logging

/// Keeps an access token and renews it before it expires. There is one request at a time, and all callers wait for it.
package actor TokenSource {
    /// How long before its end a token is renewed. Short-lived tokens are renewed at half of their life, if that is
    /// later.
    static let margin = Duration.seconds(300)
    /// A random time up to this is added to the margin, so that many machines do not renew at once.
    static let jitter = Duration.seconds(30)
    static let attempts = 3
    static let firstPause = Duration.seconds(1)
    /// If a renewal failed and the old token is still good, or if Google refused the credential, the next try comes after
    /// this time.
    static let patience = Duration.seconds(30)

    private typealias Waiter = CheckedContinuation<Result<AccessToken, TokenError>, Never>

    private struct Current {
        var token: AccessToken
        var renewAt: Duration
        var expiresAt: Duration
    }

    private let request: @Sendable () async throws(TokenError) -> TokenGrant
    /// The time since the source was made.
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let end: @Sendable () async -> Void
    private let findAccount: @Sendable () async -> String?
    private var random: any RandomNumberGenerator & Sendable

    private var current: Current?
    /// The last token that Google refused.
    private var rejected: AccessToken?
    /// Why there is no token, if somebody has to change something first, and until when nobody asks again.
    private var refusal: (error: TokenError, until: Duration)?
    /// The request in progress. No caller owns it, so that a cancelled caller does not cancel it for the others.
    private var renewal: Task<Void, Never>?
    private var waiting: [Int: Waiter] = [:]
    private var lastCaller = 0
    private var isWithdrawn = false

    /// - Parameters:
    ///   - request: Sends one request for a token.
    ///   - account: Asks for the account that the tokens are of.
    ///   - end: Closes the connection that `request` uses.
    init<C: Clock>(
        clock: C, random: any RandomNumberGenerator & Sendable,
        account: @escaping @Sendable () async -> String? = { nil },
        end: @escaping @Sendable () async -> Void = {},
        request: @escaping @Sendable () async throws(TokenError) -> TokenGrant
    ) where C.Duration == Duration {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
        self.random = random
        self.end = end
        findAccount = account
        self.request = request
    }

    /// What a client needs to get tokens from here.
    package nonisolated var authorization: Authorization {
        Authorization(
            token: { () async throws(TokenError) in try await self.token() }, reject: { await self.reject($0) },
            withdraw: { await self.withdraw() })
    }

    package func token() async throws(TokenError) -> AccessToken {
        if isWithdrawn { throw .cancelled }
        if let current {
            let now = elapsed()
            if now < current.renewAt || renewal != nil && now < current.expiresAt { return current.token }
        }
        if let refusal, elapsed() < refusal.until { throw refusal.error }
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

    /// The account that the tokens are of, if only the server that gives them can tell. `nil` if it does not.
    package nonisolated func account() async -> String? { await findAccount() }

    /// Google refused this token, so another one is asked for. If the same one comes again, as it may from a metadata
    /// server, it stays until it is renewed: asking once more would bring nothing else.
    package func reject(_ token: AccessToken) {
        guard let current, current.token == token, rejected != token else { return }
        rejected = token
        self.current = nil
    }

    /// Cancels the request in progress. Everybody who asks for a token, now and later, is told so at once.
    package func withdraw() {
        isWithdrawn = true
        renewal?.cancel()
        tell(.failure(.cancelled))
    }

    /// Withdraws, and closes the connection.
    package func shutdown() async {
        withdraw()
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
            refusal = nil
        case .failure(let error):
            // An old token is used as long as it is valid.
            let now = elapsed()
            guard let old = current, now < old.expiresAt else {
                refusal = error.isPermanent ? (error: error, until: now + Self.patience) : nil
                break
            }
            current?.renewAt = min(now + Self.patience, old.expiresAt)
            answer = .success(old.token)
        }
        tell(answer)
    }

    private func tell(_ answer: Result<AccessToken, TokenError>) {
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
                let margin = grant.margin + Self.jitter * Double.random(in: 0...1, using: &random)
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
    /// Signs in with a credential.
    ///
    /// - Parameters:
    ///   - quotaProject: The project for quota and billing of calls that act for a service account.
    ///   - timeout: The limit for one request on the way to a token.
    ///   - certificateAuthorities: The path of a PEM file with authorities to trust besides the system's.
    ///   - proxies: Which proxy each server is called through.
    package init(
        _ credential: Credential,
        quotaProject: String? = nil,
        timeout: Duration = .seconds(15),
        certificateAuthorities: String? = nil,
        proxies: ProxySettings = .none,
        clock: some Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        logger: Logger
    ) {
        let fetcher = TokenFetcher(
            credential, quotaProject: quotaProject, timeout: timeout, certificateAuthorities: certificateAuthorities,
            proxies: proxies, now: now, logger: logger)
        self.init(
            clock: clock, random: random, account: { await fetcher.account() }, end: { await fetcher.shutdown() },
            request: { () async throws(TokenError) in try await fetcher.grant() })
    }
}

extension TokenError {
    fileprivate static let cancelled = TokenError.unavailable(reason: "it was cancelled", isWorthRepeating: false)
}
