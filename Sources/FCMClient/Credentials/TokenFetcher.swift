internal import FCM
internal import Logging

/// Carries out the steps from a credential to an access token.
actor TokenFetcher {
    private let credential: Credential
    private let quotaProject: String?
    private let timeout: Duration
    private let certificateAuthorities: String?
    private let proxies: ProxySettings
    private let now: @Sendable () -> Date
    private let logger: Logger
    private var pools: [Endpoint: ConnectionPool] = [:]
    private var isShutDown = false
    /// Whether there was a token before.
    private var isFound = false
    /// How far it came before a failure that may pass.
    private var unfinished: TokenDialog?

    init(
        _ credential: Credential, quotaProject: String?, timeout: Duration, certificateAuthorities: String?,
        proxies: ProxySettings, now: @escaping @Sendable () -> Date, logger: Logger
    ) {
        self.credential = credential
        self.quotaProject = quotaProject
        self.timeout = timeout
        self.certificateAuthorities = certificateAuthorities
        self.proxies = proxies
        self.now = now
        self.logger = logger
    }

    /// Goes the whole way once. After a failure that may pass, the next call repeats only the leg that failed, if what
    /// the legs before it found is still good.
    func grant() async throws(TokenError) -> TokenGrant {
        let begun = unfinished.flatMap { $0.canGoOn(at: time) ? $0 : nil }
        unfinished = nil
        var dialog = begun ?? credential.dialog(quotaProject: quotaProject, isFound: isFound)
        do throws(TokenError) {
            let grant = try await grant(by: &dialog)
            isFound = true
            return grant
        } catch {
            if error.isWorthRepeating { unfinished = dialog }
            throw error
        }
    }

    private func grant(by dialog: inout TokenDialog) async throws(TokenError) -> TokenGrant {
        var step = try dialog.step(at: time)
        while true {
            let answer: TokenAnswer
            switch step {
            case .done(let grant): return grant
            case .read(let path): answer = .bytes(try Self.read(path))
            case .sign(let assertion):
                guard let text = try? await assertion.signed() else { throw .unusableKey }
                answer = .signed(text)
            case .call(let call): answer = .response(try await carry(call))
            }
            step = try dialog.take(answer, at: time)
        }
    }

    /// The account that the credential does not name and its server does. `nil` if there is none, or no answer.
    func account() async -> String? {
        guard let server = credential.metadataServer, let response = try? await carry(server.accountCall) else {
            return nil
        }
        return MetadataServer.account(in: response)
    }

    func shutdown() async {
        isShutDown = true
        for pool in pools.values { await pool.shutdown() }
    }

    /// Seconds since 1970.
    private var time: Double { now().timeIntervalSince1970 }

    // MARK: Calls

    private func carry(_ call: TokenCall) async throws(TokenError) -> Response {
        let pool = try pool(for: call)
        var tries = 0
        while true {
            tries += 1
            switch await pool.carry(HTTPCall(call)) {
            case .response(var response):
                logger.debug(
                    "token request answered",
                    metadata: ["service": "\(call.service.rawValue)", "status": "\(response.status)"])
                if response.status != 200 { response.hide(call.secrets) }
                return response
            case .notSent(let reason), .lost(let reason), .refused(let reason):
                logger.debug(
                    "token request failed", metadata: ["service": "\(call.service.rawValue)", "reason": "\(reason)"])
                guard tries >= call.tries || Task.isCancelled else { continue }
                if let absence = call.absence, !Task.isCancelled { throw absence }
                throw .unavailable(reason: "\(call.url.endpoint): \(reason)", isWorthRepeating: !Task.isCancelled)
            }
        }
    }

    private func pool(for call: TokenCall) throws(TokenError) -> ConnectionPool {
        let endpoint = call.url.endpoint
        if let pool = pools[endpoint] { return pool }
        guard !isShutDown,
            let pool = try? ConnectionPool(
                to: endpoint, version: .http1, proxies: proxies, timeout: min(timeout, call.timeout ?? timeout),
                certificateAuthorities: certificateAuthorities, logger: logger)
        else { throw .unavailable(reason: "\(endpoint) cannot be called", isWorthRepeating: false) }
        pools[endpoint] = pool
        return pool
    }

    // MARK: Files

    private static func read(_ path: String) throws(TokenError) -> [UInt8] {
        // Where Kubernetes puts a token, its file is a link.
        let target = URL(filePath: path).resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: target)
        // Reading a pipe could take forever.
        guard attributes?[.type] as? FileAttributeType == .typeRegular,
            let size = attributes?[.size] as? Int, size <= 4 * SubjectSource.longestToken,
            let data = try? Data(contentsOf: URL(filePath: target))
        else { throw .unreadable(file: path) }
        return Array(data)
    }
}

extension Response {
    /// Hides texts that must not be shown, in case the server repeats them.
    fileprivate mutating func hide(_ secrets: [Secret]) {
        guard var text = String(validating: body, as: UTF8.self) else { return }
        for secret in secrets where !secret.rawValue.isEmpty { text = text.replacing(secret.rawValue, with: "(…)") }
        body = Array(text.utf8)
    }
}
