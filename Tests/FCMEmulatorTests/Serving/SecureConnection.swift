import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

typealias SecureInput = NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
typealias SecureOutput = NIOAsyncChannelOutboundWriter<ByteBuffer>

/// Opens a TLS connection on which tests write HTTP by hand. It trusts nothing but one certificate file, or, where that
/// is absent, what the world trusts.
///
/// - Parameters:
///   - name: what the certificate must be good for; the address 127.0.0.1 where absent.
///   - body: is told what ALPN has chosen.
func withSecureConnection<Result: Sendable>(
    port: Int, trusting certificate: String?, offering protocols: [String] = [], name: String? = "localhost",
    _ body: @Sendable (_ negotiated: String?, inout SecureInput, SecureOutput) async throws -> Result
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
                    try NIOSSLClientHandler(context: context, serverHostname: name), HandshakeListener(handshake),
                ])
                return (
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel),
                    handshake.futureResult
                )
            }
        }
    return try await channel.executeThenClose { inbound, outbound in
        let negotiated = try await handshake.get()
        var input = inbound.makeAsyncIterator()
        return try await body(negotiated, &input, outbound)
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
