internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL

/// Opens connections to one endpoint.
struct Connector: Sendable {
    let endpoint: Endpoint
    let version: WireVersion
    /// `nil`: the endpoint is called directly.
    let proxy: Proxy?
    /// Not `nil` for `https`.
    let security: NIOSSLContext?
    /// The limit for name lookup, TCP connection, TLS handshake and the server's SETTINGS together.
    let timeout: TimeAmount
    /// Whether this process may send. It is asked before each write to a socket. `nil` if it always may.
    let mayWrite: (@Sendable () -> Bool)?
    /// Makes the last handler of a connection with HTTP/1.1.
    var receiver: @Sendable () -> any ChannelHandler = { ExchangeHandler() }

    /// Opens a connection whose handlers run on `loop`. The last handler is the one that `carrier(of:)` returns.
    func open(on loop: any EventLoop) -> EventLoopFuture<any Channel> {
        let ready = loop.makePromise(of: Void.self)
        let connecting = connect(on: loop)
        let deadline = loop.scheduleTask(in: timeout) { ready.fail(ConnectError.timedOut) }
        return
            connecting
            .flatMap { channel in prepare(channel, ready).and(ready.futureResult).map { _ in channel } }
            .always { result in
                deadline.cancel()
                guard case .failure(let error) = result else { return }
                ready.fail(error)
                connecting.whenSuccess { $0.close(promise: nil) }
            }
    }

    /// The handler that carries exchanges over an open connection. Call this on the connection's event loop.
    func carrier(of channel: any Channel) throws -> any Carrier {
        let pipeline = channel.pipeline.syncOperations
        switch version {
        case .http1: return try pipeline.handler(type: ExchangeHandler.self)
        case .http2: return try pipeline.handler(type: FrameHandler.self)
        }
    }

    // MARK: The connection

    /// Opens a TCP connection to the endpoint or to its proxy.
    private func connect(on loop: any EventLoop) -> EventLoopFuture<any Channel> {
        ClientBootstrap(group: loop)
            .connectTimeout(timeout)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let mayWrite { try channel.pipeline.syncOperations.addHandler(WriteGate(mayWrite)) }
                }
            }
            .connect(host: proxy?.host ?? endpoint.host, port: proxy?.port ?? endpoint.port)
            .flatMapErrorThrowing { error in
                throw proxy.map { ConnectError.noProxy(proxy: "\($0)") } ?? ConnectError(error)
            }
    }

    /// Adds what makes a connection for requests of it. `ready` is told when requests may come.
    private func prepare(_ channel: any Channel, _ ready: EventLoopPromise<Void>) -> EventLoopFuture<Void> {
        tunnel(on: channel, ready)
            .flatMapThrowing { if let security { try secure(channel, security) } }
            .flatMap {
                switch version {
                case .http1: speakHTTP1(on: channel, ready)
                case .http2: negotiate(on: channel, preface: ready)
                }
            }
    }

    private func tunnel(on channel: any Channel, _ ready: EventLoopPromise<Void>) -> EventLoopFuture<Void> {
        guard let proxy else { return channel.eventLoop.makeSucceededVoidFuture() }
        let isOpen = channel.eventLoop.makePromise(of: Void.self)
        // The time limit ends the wait for the proxy, too.
        ready.futureResult.whenFailure(isOpen.fail)
        return channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
                TunnelHandler(to: endpoint, through: proxy, isOpen: isOpen))
        }
        .flatMap { isOpen.futureResult }
    }

    private func secure(_ channel: any Channel, _ security: NIOSSLContext) throws {
        let name = endpoint.isAddress ? nil : endpoint.host
        try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: security, serverHostname: name))
    }

    private func speakHTTP1(on channel: any Channel, _ ready: EventLoopPromise<Void>) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            if security != nil { try pipeline.addHandler(HandshakeHandler(isDone: ready)) } else { ready.succeed() }
            try pipeline.addHTTPClientHandlers()
            try pipeline.addHandler(receiver())
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
