import NIOCore

/// Joins all writes between two flushes into one, so that TLS makes a few large records instead of three small ones for
/// each answer.
final class WriteJoiner: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var pending = ByteBuffer()

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var data = unwrapOutboundIn(data)
        pending.writeBuffer(&data)
        // Nothing here waits for the result of a single write.
        promise?.succeed()
    }

    func flush(context: ChannelHandlerContext) {
        if pending.readableBytes > 0 {
            context.write(wrapOutboundOut(pending), promise: nil)
            pending = context.channel.allocator.buffer(capacity: 16 << 10)
        }
        context.flush()
    }
}
