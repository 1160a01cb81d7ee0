internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL

/// An open connection.
enum Connection: Sendable {
    case http1(any Channel)
    /// `streamLimit` is the server's at the time of opening.
    case http2(any Channel, NIOHTTP2Handler.StreamMultiplexer, streamLimit: Int)

    var channel: any Channel {
        switch self {
        case .http1(let channel), .http2(let channel, _, _): channel
        }
    }
}

/// Opens connections to one endpoint.
struct Connector: Sendable {
    let endpoint: Endpoint
    /// Present for `https`.
    let security: NIOSSLContext?
    /// For the name, the TCP connection, the handshake and the server's first word together.
    let timeout: TimeAmount

    /// Opens a connection whose handlers run on `loop`; `report` is called there with news of an HTTP/2 connection.
    func open(
        on loop: any EventLoop, report: @escaping @Sendable (HTTP2Watch.Event) -> Void
    ) -> EventLoopFuture<Connection> {
        guard let security else { return openPlain(on: loop) }
        return openSecure(on: loop, security, report: report)
    }

    private func openPlain(on loop: any EventLoop) -> EventLoopFuture<Connection> {
        ClientBootstrap(group: loop)
            .connectTimeout(timeout)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHTTPClientHandlers() }
            }
            .connect(host: endpoint.host, port: endpoint.port)
            .map { .http1($0) }
            .flatMapErrorThrowing { throw ConnectError($0) }
    }

    private func openSecure(
        on loop: any EventLoop, _ security: NIOSSLContext, report: @escaping @Sendable (HTTP2Watch.Event) -> Void
    ) -> EventLoopFuture<Connection> {
        let preface = loop.makePromise(of: Int.self)
        let serverName = endpoint.isAddress ? nil : endpoint.host
        let connecting = ClientBootstrap(group: loop)
            .connectTimeout(timeout)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
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
                negotiate(on: channel, preface: preface, report: report)
                    .and(preface.futureResult)
                    .map { .http2(channel, $0, streamLimit: $1) }
            }
            .always { result in
                deadline.cancel()
                guard case .failure(let error) = result else { return }
                preface.fail(error)
                connecting.whenSuccess { $0.close(promise: nil) }
            }
    }

    private func negotiate(
        on channel: any Channel, preface: EventLoopPromise<Int>, report: @escaping @Sendable (HTTP2Watch.Event) -> Void
    ) -> EventLoopFuture<NIOHTTP2Handler.StreamMultiplexer> {
        guard channel.isActive else { return channel.eventLoop.makeFailedFuture(ConnectError.closed) }
        return channel.configureHTTP2AsyncSecureUpgrade(
            http1ConnectionInitializer: { $0.eventLoop.makeFailedFuture(ConnectError.notHTTP2) },
            http2ConnectionInitializer: { channel in
                channel.eventLoop.makeCompletedFuture {
                    let operations = channel.pipeline.syncOperations
                    let multiplexer = try operations.configureHTTP2Pipeline(
                        mode: .client, connectionConfiguration: .herald, streamConfiguration: .herald
                    ) { $0.close() }
                    try operations.addHandler(HTTP2Watch(preface: preface, report: report))
                    return multiplexer
                }
            }
        )
        .flatMap { $0 }
        .flatMapThrowing { (negotiated: NIONegotiatedHTTPVersion<Never, NIOHTTP2Handler.StreamMultiplexer>) in
            switch negotiated {
            case .http2(let multiplexer): multiplexer
            }
        }
        .flatMapErrorThrowing { throw $0 as? ConnectError ?? ConnectError.insecure }
    }
}

extension NIOHTTP2Handler.ConnectionConfiguration {
    /// No server push; the peer is trusted with more PING and SETTINGS frames than NIO's default for strangers.
    fileprivate static var herald: Self {
        var configuration = Self()
        configuration.initialSettings = nioDefaultSettings + [HTTP2Setting(parameter: .enablePush, value: 0)]
        configuration.controlFrameRateLimit.maximumCount = 10_000
        configuration.targetWindowSize = 1 << 20
        return configuration
    }
}

extension NIOHTTP2Handler.StreamConfiguration {
    /// A server under load may refuse many streams; to close the connection for it would lose those it took.
    fileprivate static var herald: Self {
        var configuration = Self()
        configuration.streamResetFrameRateLimit.maximumCount = 10_000
        return configuration
    }
}
