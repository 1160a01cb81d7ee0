internal import NIOCore

/// Asks a proxy for a tunnel, and leaves the pipeline when there is one.
final class TunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let proxy: Proxy
    private let target: Endpoint
    private var answer = ProxyAnswer()
    private var hasAsked = false
    /// Told once.
    private var isOpen: EventLoopPromise<Void>?

    init(to target: Endpoint, through proxy: Proxy, isOpen: EventLoopPromise<Void>) {
        self.target = target
        self.proxy = proxy
        self.isOpen = isOpen
    }

    func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { ask(context) } }

    func channelActive(context: ChannelHandlerContext) {
        ask(context)
        context.fireChannelActive()
    }

    private func ask(_ context: ChannelHandlerContext) {
        // A connection may become active while this handler is added.
        guard !hasAsked else { return }
        hasAsked = true
        // A proxy wants the port even if it is the usual one.
        let name = target.host.contains(":") ? "[\(target.host)]:\(target.port)" : "\(target.host):\(target.port)"
        var head = "CONNECT \(name) HTTP/1.1\r\nHost: \(name)\r\nUser-Agent: herald\r\n"
        if let authorization = proxy.authorization {
            head += "Proxy-Authorization: \(authorization.rawValue)\r\n"
        }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: head + "\r\n")), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard isOpen != nil else { return }
        switch answer.read(unwrapInboundIn(data).readableBytesView) {
        case .more: break
        case .refused(let status): fail(ConnectError.proxyRefused(proxy: "\(proxy)", status: status), context)
        case .unreadable: fail(ConnectError.notAProxy(proxy: "\(proxy)"), context)
        case .tunnel:
            let isOpen = isOpen
            self.isOpen = nil
            context.pipeline.syncOperations.removeHandler(context: context, promise: isOpen)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(ConnectError.closed, context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(ConnectError.closed, context) }

    private func fail(_ error: ConnectError, _ context: ChannelHandlerContext) {
        isOpen?.fail(error)
        isOpen = nil
        context.close(promise: nil)
    }
}
