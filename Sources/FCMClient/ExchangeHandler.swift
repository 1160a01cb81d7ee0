internal import NIOCore
internal import NIOHTTP1

/// Writes an exchange's request and reads its response, at the end of an HTTP/1.1 connection's pipeline or of an
/// HTTP/2 stream's.
final class ExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// Called when the channel is ready for another exchange; a stream never is, and has none.
    private let becameFree: (() -> Void)?
    private var context: ChannelHandlerContext?
    private var attempt: Attempt?
    private var requestWasWritten = false

    init(becameFree: (() -> Void)?) {
        self.becameFree = becameFree
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Writes the request, or says `false`: the channel is closed and nothing was written.
    func carry(_ attempt: Attempt) -> Bool {
        guard let context, context.channel.isActive, self.attempt == nil else { return false }
        self.attempt = attempt
        requestWasWritten = false
        attempt.willBeSent(on: context.channel)
        context.write(wrapOutboundOut(.head(attempt.call.head)), promise: nil)
        if attempt.call.body.readableBytes > 0 {
            context.write(wrapOutboundOut(.body(.byteBuffer(attempt.call.body))), promise: nil)
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { [self] result in
            switch result {
            case .success:
                requestWasWritten = true
            case .failure(let error):
                attempt.end(error)
                context.close(promise: nil)
            }
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
        return true
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let attempt else { return context.close(promise: nil) }
        switch attempt.read(unwrapInboundIn(data)) {
        case .more:
            break
        case .tooLong:
            self.attempt = nil
            attempt.end(.tooLong)
        case .complete(let response, let reusable):
            self.attempt = nil
            attempt.end(.answered(response))
            release(context, reusable: reusable)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        attempt?.end(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        attempt?.end(.cut)
        attempt = nil
        context.fireChannelInactive()
    }

    private func release(_ context: ChannelHandlerContext, reusable: Bool) {
        guard let becameFree else {
            // The stream closes by itself once both ends are done, which may be a moment after the last part; only
            // one whose request is stuck behind flow control needs a reset.
            return context.eventLoop.execute { [channel = context.channel] in
                if channel.isActive { channel.close(promise: nil) }
            }
        }
        if reusable, requestWasWritten { becameFree() } else { context.close(promise: nil) }
    }
}
