internal import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

extension ConnectionPool {
    /// The pool that fits an endpoint: one HTTP/2 connection to `https`, several of HTTP/1.1 to `http`.
    ///
    /// - Parameters:
    ///   - certificateAuthorities: The path of a PEM file with authorities to trust besides the system's; `http` has no
    ///     use for it.
    ///   - idleLimit: A connection unused for longer is replaced; by default sooner for `http`.
    init(
        to endpoint: Endpoint, timeout: Duration, certificateAuthorities: String?, idleLimit: TimeAmount? = nil,
        logger: Logger
    ) throws {
        guard timeout > .zero else { throw FCMClientError.timeout(timeout) }
        let state: PoolState
        var security: NIOSSLContext?
        switch endpoint.scheme {
        case .http:
            state = PoolState(maximumConnections: 32, exchangesPerConnection: 1, idleLimit: idleLimit ?? .seconds(5))
        case .https:
            state = PoolState(maximumConnections: 1, exchangesPerConnection: 100, idleLimit: idleLimit ?? .seconds(60))
            security = try NIOSSLContext(trusting: certificateAuthorities)
        }
        let timeout = TimeAmount(timeout)
        let connector = Connector(endpoint: endpoint, security: security, timeout: min(timeout, .seconds(10)))
        self.init(
            state: state, connector: connector, timeout: timeout, on: MultiThreadedEventLoopGroup.singleton.next(),
            logger: logger)
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
