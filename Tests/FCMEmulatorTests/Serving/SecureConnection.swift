import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

typealias SecureInput = NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
typealias SecureOutput = NIOAsyncChannelOutboundWriter<ByteBuffer>

/// Opens a TLS connection for HTTP written by hand. It trusts only the given certificate file, or the system's
/// authorities if there is none.
///
/// - Parameters:
///   - name: the name that the certificate must cover. `nil` means the address 127.0.0.1.
///   - body: its argument is the protocol chosen by ALPN.
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

/// Reports how the handshake ends.
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
