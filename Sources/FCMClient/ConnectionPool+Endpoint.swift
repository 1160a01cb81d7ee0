internal import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

extension ConnectionPool {
    /// The pool for as many exchanges as one HTTP/2 connection carries.
    ///
    /// - Parameters:
    ///   - version: The version of HTTP. `nil`: the one that calls to Google and to an emulator have.
    ///   - certificateAuthorities: The path of a PEM file with authorities to trust besides the system's. Not used for
    ///     `http`.
    init(
        to endpoint: Endpoint, version: WireVersion? = nil, proxies: ProxySettings = .none, timeout: Duration,
        certificateAuthorities: String?, logger: Logger
    ) throws {
        let version = version ?? endpoint.version
        let security =
            endpoint.scheme == .https ? try NIOSSLContext(trusting: certificateAuthorities, for: version) : nil
        try self.init(
            to: endpoint, version: version, proxies: proxies, security: security, timeout: timeout,
            maxInFlight: StreamTable.mostStreams, logger: logger)
    }

    /// The pool that fits an endpoint: HTTP/2 connections with 50 exchanges each, or HTTP/1.1 connections with one
    /// exchange each.
    ///
    /// - Parameters:
    ///   - version: `https` has both versions, `http` only 1.1.
    ///   - proxies: Asked whether the endpoint is called through a proxy.
    ///   - security: Needed for `https`, not used for `http`.
    ///   - maxInFlight: How many exchanges may be in flight at once, at least 1. HTTP/1.1 allows 32 at most.
    ///   - idleLimit: A connection that was unused for longer is replaced. The default is shorter for HTTP/1.1.
    ///   - beat: After one to two beats without data from the server, a PING asks whether it is alive. After one more
    ///     beat the connection counts as dead. The default is a third of the timeout.
    init(
        to endpoint: Endpoint, version: WireVersion, proxies: ProxySettings = .none, security: NIOSSLContext?,
        timeout: Duration, maxInFlight: Int,
        idleLimit: TimeAmount? = nil, beat: TimeAmount? = nil, mayWrite: (@Sendable () -> Bool)? = nil, logger: Logger
    ) throws {
        guard timeout > .zero else { throw FCMClientError.timeout(timeout) }
        let state: PoolState
        switch version {
        case .http1:
            state = PoolState(
                maximumConnections: min(maxInFlight, 32), exchangesPerConnection: 1,
                idleLimit: idleLimit ?? .seconds(5))
        case .http2:
            let each = StreamTable.mostStreams
            state = PoolState(
                maximumConnections: (maxInFlight + each - 1) / each, exchangesPerConnection: min(maxInFlight, each),
                idleLimit: idleLimit ?? .seconds(60))
        }
        let timeout = TimeAmount(timeout)
        let connector = Connector(
            endpoint: endpoint, version: version, proxy: proxies.proxy(for: endpoint),
            security: endpoint.scheme == .https ? security : nil, timeout: min(timeout, .seconds(10)),
            mayWrite: mayWrite)
        self.init(
            state: state, connector: connector, timeout: timeout,
            beat: beat ?? .nanoseconds(max(timeout.nanoseconds / 3, 1)),
            on: MultiThreadedEventLoopGroup.singleton.next(), logger: logger)
    }
}

extension NIOSSLContext {
    /// The settings of a client that speaks one version of HTTP.
    ///
    /// - Parameter authorities: The path of a PEM file with authorities to trust besides the system's.
    convenience init(trusting authorities: String?, for version: WireVersion) throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = version == .http2 ? ["h2"] : ["http/1.1"]
        if let authorities {
            guard let certificates = try? NIOSSLCertificate.fromPEMFile(authorities), !certificates.isEmpty else {
                throw FCMClientError.unreadableAuthorities(path: authorities)
            }
            configuration.additionalTrustRoots = [.certificates(certificates)]
        }
        try self.init(configuration: configuration)
    }
}
