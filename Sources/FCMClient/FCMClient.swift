package import FCM
package import Logging
internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// Carries calls to Google over HTTP/2 and TLS, or to a local emulator over plain HTTP/1.1.
///
/// Each call is sent at most once. Connections open when they are needed and stay open until `shutdown()`.
package final class FCMClient: Sender {
    /// The capacity for each server.
    package let capacity: Int
    private let endpoints: Endpoints
    private let project: Project
    private let authorization: Authorization?
    private let quotaProject: String?
    private let pools: [Endpoint: ConnectionPools]
    /// The request head that all sends with one token share.
    private let sendHead = Mutex<(token: AccessToken?, head: RequestHead)?>(nil)

    /// - Parameters:
    ///   - timeout: The limit for an exchange, from having a token to the last byte of the response.
    ///   - maxInFlight: How many exchanges may be in flight at once to each server. An emulator may get fewer.
    ///   - certificateAuthorities: The path of a PEM file with authorities to trust besides the system's.
    ///   - authorization: The source of access tokens. `nil` for an emulator.
    ///   - quotaProject: The project for quota and billing, if it is not the credential's own.
    ///   - proxies: Which proxy each server is called through.
    ///   - mayWrite: Whether this process may send. It is asked before each write to a socket. `nil` if it always may.
    package convenience init(
        endpoints: Endpoints,
        project: Project,
        timeout: Duration = .seconds(15),
        maxInFlight: Int = 1_000,
        certificateAuthorities: String? = nil,
        authorization: Authorization? = nil,
        quotaProject: String? = nil,
        proxies: ProxySettings = .none,
        mayWrite: (@Sendable () -> Bool)? = nil,
        logger: Logger
    ) throws {
        try self.init(
            endpoints: endpoints, project: project, timeout: timeout, maxInFlight: maxInFlight,
            certificateAuthorities: certificateAuthorities, authorization: authorization, quotaProject: quotaProject,
            proxies: proxies, idleLimit: nil, beat: nil, mayWrite: mayWrite, logger: logger)
    }

    /// - Parameters:
    ///   - idleLimit: Replaces the default of the endpoint's scheme.
    ///   - beat: Replaces the default, which is a part of the timeout.
    init(
        endpoints: Endpoints,
        project: Project,
        timeout: Duration,
        maxInFlight: Int,
        certificateAuthorities: String?,
        authorization: Authorization?,
        quotaProject: String? = nil,
        proxies: ProxySettings = .none,
        idleLimit: TimeAmount?,
        beat: TimeAmount?,
        mayWrite: (@Sendable () -> Bool)? = nil,
        logger: Logger
    ) throws {
        let distinct: Set = [endpoints.fcm, endpoints.iid]
        if certificateAuthorities != nil, distinct.allSatisfy({ $0.scheme == .http }) {
            throw FCMClientError.authoritiesWithoutTLS
        }
        guard maxInFlight > 0 else { throw FCMClientError.maxInFlight(maxInFlight) }
        // Reading the system's authorities takes a while, so both of Google's servers share one context.
        let isSecure = distinct.contains { $0.scheme == .https }
        let security = isSecure ? try NIOSSLContext(trusting: certificateAuthorities, for: .http2) : nil
        pools = try Dictionary(
            uniqueKeysWithValues: distinct.map { endpoint in
                let pools = try ConnectionPools(
                    to: endpoint, proxies: proxies, security: security, timeout: timeout, maxInFlight: maxInFlight,
                    idleLimit: idleLimit, beat: beat, mayWrite: mayWrite, logger: logger)
                return (endpoint, pools)
            })
        capacity = min(maxInFlight, pools.values.map(\.capacity).min() ?? 0)
        self.endpoints = endpoints
        self.project = project
        self.authorization = authorization
        self.quotaProject = quotaProject
    }

    /// Gets an access token and opens a connection for sends, if possible.
    package func prepare() async {
        _ = try? await authorization?.token()
        await pools[endpoints.fcm]?.prepare()
    }

    package func start(_ calls: [Call]) async {
        let token: AccessToken?
        do throws(TokenError) {
            token = try await authorization?.token()
        } catch {
            let exchange: Exchange =
                error.isPermanent ? .refused(reason: error.description) : .notSent(reason: error.description)
            for call in calls { call.answer(exchange) }
            return
        }
        let sendHead = sendHead(with: token)
        var batches = (fcm: [Attempt](), iid: [Attempt]())
        batches.fcm.reserveCapacity(calls.count)
        for call in calls {
            let answer = telling(call, of: token)
            switch call.request {
            case .send(let body):
                batches.fcm.append(Attempt(call: HTTPCall(sendHead, body: body), answer: answer))
            case .group where project.senderID == nil:
                answer(.refused(reason: Self.noSenderID))
            case .subscribe, .unsubscribe, .batch, .group, .read:
                let wire = wire(call.request)
                let http = HTTPCall(wire, to: endpoints[wire.service], bearer: token)
                switch wire.service {
                case .fcm: batches.fcm.append(Attempt(call: http, answer: answer))
                case .iid: batches.iid.append(Attempt(call: http, answer: answer))
                }
            }
        }
        if !batches.fcm.isEmpty { pools[endpoints.fcm]?.start(batches.fcm) }
        if !batches.iid.isEmpty { pools[endpoints.iid]?.start(batches.iid) }
    }

    /// Only a group that no file declares gets so far: what is declared without it is a mistake in the files.
    package static let noSenderID =
        "device groups need sender_id, the project's number: write it into herald.yaml, "
        + "or let herald forget the group with 'herald state rm group:NAME'"

    private func wire(_ request: Request) -> WireRequest {
        var wire = request.wire(project: project)
        if let quotaProject { wire.headers.append((name: "x-goog-user-project", value: quotaProject)) }
        return wire
    }

    private func sendHead(with token: AccessToken?) -> RequestHead {
        sendHead.withLock { known in
            if let known, known.token == token { return known.head }
            let wire = wire(.send(body: []))
            let head = RequestHead(wire, to: endpoints.fcm, bearer: token, isShared: true)
            known = (token, head)
            return head
        }
    }

    /// The closure that answers a call. If Google refused the token, it first drops that token, so that a retry gets a
    /// new one.
    private func telling(_ call: Call, of token: AccessToken?) -> @Sendable (Exchange) -> Void {
        guard let token, let authorization else { return call.answer }
        return { [answer = call.answer] exchange in
            guard case .response(let response) = exchange, response.rejectsToken else { return answer(exchange) }
            Task {
                await authorization.reject(token)
                answer(exchange)
            }
        }
    }

    package func withdraw() async {
        await authorization?.withdraw()
        for pool in pools.values { await pool.withdraw() }
    }

    /// Ends all exchanges, closes every connection and refuses later calls.
    package func shutdown() async {
        for pool in pools.values { await pool.shutdown() }
    }

    var openConnections: Int {
        get async {
            var count = 0
            for pool in pools.values { count += await pool.openConnections }
            return count
        }
    }
}
