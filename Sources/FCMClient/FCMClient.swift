package import FCM
package import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// Carries calls to FCM over HTTP/2 and TLS, or to an emulator on this machine over plain HTTP/1.1.
///
/// Each call goes out at most once. Connections are opened when they are needed and stay open until `shutdown()`.
package final class FCMClient: Sender {
    /// A bearer token for one exchange; it is asked for every time, so it should remember what it knows.
    package typealias Authorization = @Sendable () async throws -> String

    package let capacity: Int
    private let endpoint: Endpoint
    private let project: String
    private let authorization: Authorization?
    private let pool: ConnectionPool

    /// - Parameters:
    ///   - project: The project's id, or its number.
    ///   - timeout: The longest an exchange may take, from having a token to the last byte of the response.
    ///   - certificateAuthorities: The path of a PEM file with authorities to trust besides the system's.
    package convenience init(
        endpoint: Endpoint,
        project: String,
        timeout: Duration = .seconds(15),
        certificateAuthorities: String? = nil,
        authorization: Authorization? = nil,
        logger: Logger
    ) throws {
        try self.init(
            endpoint: endpoint, project: project, timeout: timeout, certificateAuthorities: certificateAuthorities,
            authorization: authorization, idleLimit: endpoint.scheme == .http ? .seconds(5) : .seconds(60),
            logger: logger)
    }

    init(
        endpoint: Endpoint,
        project: String,
        timeout: Duration,
        certificateAuthorities: String? = nil,
        authorization: Authorization? = nil,
        idleLimit: TimeAmount,
        logger: Logger
    ) throws {
        guard timeout > .zero else { throw FCMClientError.timeout(timeout) }
        let state: PoolState
        switch endpoint.scheme {
        case .http:
            guard certificateAuthorities == nil else { throw FCMClientError.authoritiesWithoutTLS }
            state = PoolState(maximumConnections: 32, exchangesPerConnection: 1, idleLimit: idleLimit)
        case .https:
            state = PoolState(maximumConnections: 1, exchangesPerConnection: 100, idleLimit: idleLimit)
        }
        let timeout = TimeAmount(timeout)
        let connector = Connector(
            endpoint: endpoint,
            security: endpoint.scheme == .https ? try NIOSSLContext(trusting: certificateAuthorities) : nil,
            timeout: min(timeout, .seconds(10)))
        capacity = state.maximumConnections * state.exchangesPerConnection
        pool = ConnectionPool(
            state: state, connector: connector, timeout: timeout, on: MultiThreadedEventLoopGroup.singleton.next(),
            logger: logger)
        self.endpoint = endpoint
        self.project = project
        self.authorization = authorization
    }

    package func exchange(_ request: Request) async -> Exchange {
        var bearer: String?
        if let authorization {
            do { bearer = try await authorization() } catch {
                return .notSent(reason: "no access token could be obtained")
            }
            guard bearer?.isBearerToken == true else {
                return .notSent(reason: "the access token holds characters that no header may hold")
            }
        }
        return await pool.carry(HTTPCall(request.wire(project: project), to: endpoint, bearer: bearer))
    }

    /// Ends what is under way, closes every connection, and refuses what comes later.
    package func shutdown() async {
        await pool.shutdown()
    }

    /// How many connections are open now.
    var openConnections: Int {
        get async { await pool.openConnections }
    }
}

extension NIOSSLContext {
    fileprivate convenience init(trusting authorities: String?) throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["h2"]
        if let authorities {
            guard let certificates = try? NIOSSLCertificate.fromPEMFile(authorities), !certificates.isEmpty else {
                throw FCMClientError.unreadableAuthorities(path: authorities)
            }
            configuration.additionalTrustRoots = [.certificates(certificates)]
        }
        try self.init(configuration: configuration)
    }
}
