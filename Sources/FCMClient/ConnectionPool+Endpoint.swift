internal import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

extension ConnectionPool {
    /// The pool for as many exchanges as one HTTP/2 connection carries.
    ///
    /// - Parameter certificateAuthorities: The path of a PEM file with authorities to trust besides the system's. Not
    ///   used for `http`.
    init(to endpoint: Endpoint, timeout: Duration, certificateAuthorities: String?, logger: Logger) throws {
        let security = endpoint.scheme == .https ? try NIOSSLContext(trusting: certificateAuthorities) : nil
        try self.init(
            to: endpoint, security: security, timeout: timeout, maxInFlight: StreamTable.mostStreams, logger: logger)
    }

    /// The pool that fits an endpoint: HTTP/2 connections with 50 exchanges each for `https`, HTTP/1.1 connections with
    /// one exchange each for `http`.
    ///
    /// - Parameters:
    ///   - security: Needed for `https`, not used for `http`.
    ///   - maxInFlight: How many exchanges may be in flight at once, at least 1. `http` allows 32 at most.
    ///   - idleLimit: A connection that was unused for longer is replaced. The default is shorter for `http`.
    ///   - beat: After one to two beats without data from the server, a PING asks whether it is alive. After one more
    ///     beat the connection counts as dead. The default is a third of the timeout.
    init(
        to endpoint: Endpoint, security: NIOSSLContext?, timeout: Duration, maxInFlight: Int,
        idleLimit: TimeAmount? = nil, beat: TimeAmount? = nil, mayWrite: (@Sendable () -> Bool)? = nil, logger: Logger
    ) throws {
        guard timeout > .zero else { throw FCMClientError.timeout(timeout) }
        let state: PoolState
        var security = security
        switch endpoint.scheme {
        case .http:
            security = nil
            state = PoolState(
                maximumConnections: min(maxInFlight, 32), exchangesPerConnection: 1,
                idleLimit: idleLimit ?? .seconds(5))
        case .https:
            let each = StreamTable.mostStreams
            state = PoolState(
                maximumConnections: (maxInFlight + each - 1) / each, exchangesPerConnection: min(maxInFlight, each),
                idleLimit: idleLimit ?? .seconds(60))
        }
        let timeout = TimeAmount(timeout)
        let connector = Connector(
            endpoint: endpoint, security: security, timeout: min(timeout, .seconds(10)), mayWrite: mayWrite)
        self.init(
            state: state, connector: connector, timeout: timeout,
            beat: beat ?? .nanoseconds(max(timeout.nanoseconds / 3, 1)),
            on: MultiThreadedEventLoopGroup.singleton.next(), logger: logger)
    }
}

extension NIOSSLContext {
    /// The settings of a client that speaks HTTP/2.
    ///
    /// - Parameter authorities: The path of a PEM file with authorities to trust besides the system's.
    convenience init(trusting authorities: String?) throws {
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
