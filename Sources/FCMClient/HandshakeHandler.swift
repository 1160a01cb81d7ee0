internal import NIOCore
internal import NIOTLS

/// Tells when a TLS handshake is done, or that it failed.
final class HandshakeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Told once.
    private var isDone: EventLoopPromise<Void>?

    init(isDone: EventLoopPromise<Void>) { self.isDone = isDone }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { tell(.success(())) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        tell(.failure(ConnectError.insecure))
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        tell(.failure(ConnectError.closed))
        context.fireChannelInactive()
    }

    private func tell(_ result: Result<Void, any Error>) {
        isDone?.completeWith(result)
        isDone = nil
    }
}
