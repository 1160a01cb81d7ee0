internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL

/// Opens connections to one endpoint.
struct Connector: Sendable {
    let endpoint: Endpoint
    /// Not `nil` for `https`.
    let security: NIOSSLContext?
    /// The limit for name lookup, TCP connection, TLS handshake and the server's SETTINGS together.
    let timeout: TimeAmount
    /// Whether this process may send. It is asked before each write to a socket. `nil` if it always may.
    let mayWrite: (@Sendable () -> Bool)?

    /// Opens a connection whose handlers run on `loop`. The last handler is the one that `carrier(of:)` returns.
    func open(on loop: any EventLoop) -> EventLoopFuture<any Channel> {
        guard let security else { return openPlain(on: loop) }
        return openSecure(on: loop, security)
    }

    /// The handler that carries exchanges over an open connection. Call this on the connection's event loop.
    func carrier(of channel: any Channel) throws -> any Carrier {
        let pipeline = channel.pipeline.syncOperations
        return security == nil
            ? try pipeline.handler(type: ExchangeHandler.self) : try pipeline.handler(type: FrameHandler.self)
    }

    private func addGate(to channel: any Channel) throws {
        if let mayWrite { try channel.pipeline.syncOperations.addHandler(WriteGate(mayWrite)) }
    }

    private func openPlain(on loop: any EventLoop) -> EventLoopFuture<any Channel> {
        ClientBootstrap(group: loop)
            .connectTimeout(timeout)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try addGate(to: channel)
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(ExchangeHandler())
                }
            }
            .connect(host: endpoint.host, port: endpoint.port)
            .flatMapErrorThrowing { throw ConnectError($0) }
    }

    private func openSecure(on loop: any EventLoop, _ security: NIOSSLContext) -> EventLoopFuture<any Channel> {
        let preface = loop.makePromise(of: Void.self)
        let serverName = endpoint.isAddress ? nil : endpoint.host
        let connecting = ClientBootstrap(group: loop)
            .connectTimeout(timeout)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try addGate(to: channel)
                    let tls = try NIOSSLClientHandler(context: security, serverHostname: serverName)
                    try channel.pipeline.syncOperations.addHandler(tls)
                }
            }
            .connect(host: endpoint.host, port: endpoint.port)
        let deadline = loop.scheduleTask(in: timeout) { preface.fail(ConnectError.timedOut) }
        return
            connecting
            .flatMapErrorThrowing { throw ConnectError($0) }
            .flatMap { channel in
                negotiate(on: channel, preface: preface).and(preface.futureResult).map { _ in channel }
            }
            .always { result in
                deadline.cancel()
                guard case .failure(let error) = result else { return }
                preface.fail(error)
                connecting.whenSuccess { $0.close(promise: nil) }
            }
    }

    private func negotiate(on channel: any Channel, preface: EventLoopPromise<Void>) -> EventLoopFuture<Void> {
        guard channel.isActive else { return channel.eventLoop.makeFailedFuture(ConnectError.closed) }
        return channel.configureHTTP2AsyncSecureUpgrade(
            http1ConnectionInitializer: { $0.eventLoop.makeFailedFuture(ConnectError.notHTTP2) },
            http2ConnectionInitializer: { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(WriteJoiner())
                    try pipeline.addHandler(
                        NIOHTTP2Handler(
                            mode: .client, connectionConfiguration: .herald, streamConfiguration: .herald))
                    try pipeline.addHandler(FrameHandler(preface: preface))
                }
            }
        )
        .flatMap { $0 }
        .map { (negotiated: NIONegotiatedHTTPVersion<Never, Void>) in }
        .flatMapErrorThrowing { throw $0 as? ConnectError ?? ConnectError.insecure }
    }
}

extension NIOHTTP2Handler.ConnectionConfiguration {
    /// No server push, and a window on each stream for the longest response that is kept.
    ///
    /// The limits for PING, SETTINGS, reset streams and protocol errors are higher than NIO's defaults, because FCM is
    /// a known peer.
    fileprivate static var herald: Self {
        var configuration = Self()
        configuration.initialSettings =
            nioDefaultSettings + [
                HTTP2Setting(parameter: .enablePush, value: 0),
                HTTP2Setting(parameter: .initialWindowSize, value: 2 * ResponseReader.longestBody),
            ]
        // Only the status of a response's head is used. Validating a 1 KiB token in each request would take a tenth of
        // the time.
        configuration.headerBlockValidation = .disabled
        configuration.controlFrameRateLimit.maximumCount = 10_000
        configuration.maximumRecentlyResetStreams = 1_000
        configuration.maximumConnectionGlitches = 10_000
        return configuration
    }
}

extension NIOHTTP2Handler.StreamConfiguration {
    /// A server under load may refuse many streams. Closing the connection for that would lose the requests that it
    /// accepted.
    fileprivate static var herald: Self {
        var configuration = Self()
        configuration.streamResetFrameRateLimit.maximumCount = 10_000
        return configuration
    }
}
