internal import NIOCore

/// Joins everything written between two flushes. HTTP/2 writes a request in three pieces, and TLS would make a record
/// of each one.
final class WriteJoiner: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var joined = ByteBuffer()
    /// Whether `joined` was passed on. It is cleared only at the next write, because nobody else uses the buffer by
    /// then.
    private var isPassedOn = true
    private var promise: EventLoopPromise<Void>?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if isPassedOn { joined.clear() }
        isPassedOn = false
        joined.writeImmutableBuffer(unwrapOutboundIn(data))
        guard let promise else { return }
        let shared = self.promise ?? context.eventLoop.makePromise()
        shared.futureResult.cascade(to: promise)
        self.promise = shared
    }

    func flush(context: ChannelHandlerContext) {
        pass(context)
        context.flush()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        pass(context)
        context.close(mode: mode, promise: promise)
    }

    func handlerRemoved(context: ChannelHandlerContext) { promise?.fail(ChannelError.ioOnClosedChannel) }

    private func pass(_ context: ChannelHandlerContext) {
        guard !isPassedOn else { return }
        isPassedOn = true
        context.write(wrapOutboundOut(joined), promise: promise)
        promise = nil
    }
}
