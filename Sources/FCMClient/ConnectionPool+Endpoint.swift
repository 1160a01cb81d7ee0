internal import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

extension ConnectionPool {
    /// The pool for as many exchanges as one connection of HTTP/2 carries.
    ///
    /// - Parameter certificateAuthorities: The path of a PEM file with authorities to trust besides the system's; `http`
    ///   has no use for it.
    init(to endpoint: Endpoint, timeout: Duration, certificateAuthorities: String?, logger: Logger) throws {
        let security = endpoint.scheme == .https ? try NIOSSLContext(trusting: certificateAuthorities) : nil
        try self.init(
            to: endpoint, security: security, timeout: timeout, maxInFlight: StreamTable.mostStreams, logger: logger)
    }

    /// The pool that fits an endpoint: connections of HTTP/2 with 50 exchanges each to `https`, of HTTP/1.1 with one each
    /// to `http`.
    ///
    /// - Parameters:
    ///   - security: What `https` needs; `http` has no use for it.
    ///   - maxInFlight: How many exchanges there may be at once, from 1 on; `http` has at most 32.
    ///   - idleLimit: A connection unused for longer is replaced; by default sooner for `http`.
    ///   - beat: After one to two of these without a word from the server it is asked whether it lives, and after one
    ///     more it is taken for dead; by default a third of the timeout.
    init(
        to endpoint: Endpoint, security: NIOSSLContext?, timeout: Duration, maxInFlight: Int,
        idleLimit: TimeAmount? = nil, beat: TimeAmount? = nil, logger: Logger
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
        let connector = Connector(endpoint: endpoint, security: security, timeout: min(timeout, .seconds(10)))
        self.init(
            state: state, connector: connector, timeout: timeout,
            beat: beat ?? .nanoseconds(max(timeout.nanoseconds / 3, 1)),
            on: MultiThreadedEventLoopGroup.singleton.next(), logger: logger)
    }
}

extension NIOSSLContext {
    /// What a client needs that speaks HTTP/2.
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
