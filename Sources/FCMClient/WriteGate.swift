internal import NIOCore

/// Stands before the socket and lets bytes pass while this process may send. When it may not, the connection ends: what
/// is left of its requests must not follow later.
final class WriteGate: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let mayWrite: @Sendable () -> Bool

    init(_ mayWrite: @escaping @Sendable () -> Bool) { self.mayWrite = mayWrite }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard mayWrite() else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return context.close(promise: nil)
        }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        guard mayWrite() else { return context.close(promise: nil) }
        context.flush()
    }
}
