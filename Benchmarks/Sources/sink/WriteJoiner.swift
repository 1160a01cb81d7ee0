import NIOCore

/// Makes one write of all that is written between two flushes, so that TLS makes few large records instead of three
/// small ones an answer.
final class WriteJoiner: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var pending = ByteBuffer()

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var data = unwrapOutboundIn(data)
        pending.writeBuffer(&data)
        // Nobody here asks what became of a single write.
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
