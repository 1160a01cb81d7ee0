import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// A TLS connection that trusts nothing but one certificate file, on which tests write HTTP by hand.
struct SecureConnection: Sendable {
    /// What ALPN has chosen.
    let negotiated: String?
    private let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// - Parameter name: what the certificate must be good for; the address 127.0.0.1 where absent.
    static func with<Result: Sendable>(
        port: Int, trusting certificate: String?, offering protocols: [String] = [], name: String? = "localhost",
        _ body:
            @Sendable (
                SecureConnection, inout NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
                NIOAsyncChannelOutboundWriter<ByteBuffer>
            ) async throws -> Result
    ) async throws -> Result {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = certificate.map(NIOSSLTrustRoots.file) ?? .default
        configuration.applicationProtocols = protocols
        let context = try NIOSSLContext(configuration: configuration)
        let (channel, handshake) = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handshake = channel.eventLoop.makePromise(of: String?.self)
                    try channel.pipeline.syncOperations.addHandlers([
                        try NIOSSLClientHandler(context: context, serverHostname: name),
                        HandshakeListener(handshake),
                    ])
                    return (
                        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel),
                        handshake.futureResult
                    )
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            let connection = SecureConnection(negotiated: try await handshake.get(), channel: channel)
            var input = inbound.makeAsyncIterator()
            return try await body(connection, &input, outbound)
        }
    }
}

/// Tells how the handshake ends.
private final class HandshakeListener: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let promise: EventLoopPromise<String?>

    init(_ promise: EventLoopPromise<String?>) { self.promise = promise }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiated) = event as? TLSUserEvent { promise.succeed(negotiated) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise.fail(error)
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise.fail(ChannelError.eof)
        context.fireChannelInactive()
    }
}
