import NIOCore
import NIOPosix
import Synchronization

/// A proxy on loopback. Whatever server is asked for, it connects to the one that the test names.
struct ProxyServer: Sendable {
    enum Answer: Sendable {
        case tunnel(to: Int)
        case answer(String)
        case close
    }

    private final class Log: Sendable {
        let heads = Mutex<[String]>([])
    }

    let port: Int
    private let log: Log
    private let channel: any Channel

    /// What clients asked for, each head whole.
    var heads: [String] { log.heads.withLock(\.self) }

    /// Runs `body` with a proxy on a free port.
    static func with(_ answer: Answer, _ body: (ProxyServer) async throws -> Void) async throws {
        let server = try await ProxyServer(answer)
        do { try await body(server) } catch {
            try? await server.channel.close()
            throw error
        }
        try await server.channel.close()
    }

    private init(_ answer: Answer) async throws {
        let log = Log()
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        HeadHandler(answer: answer) { head in log.heads.withLock { $0.append(head) } })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
        self.log = log
    }
}

/// Reads the head of a request and answers it.
private final class HeadHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: ProxyServer.Answer
    private let record: (String) -> Void
    private var head = ""

    init(answer: ProxyServer.Answer, record: @escaping (String) -> Void) {
        self.answer = answer
        self.record = record
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        head += String(decoding: unwrapInboundIn(data).readableBytesView, as: UTF8.self)
        guard head.hasSuffix("\r\n\r\n") else { return }
        record(head)
        switch answer {
        case .close: context.close(promise: nil)
        case .answer(let text): context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        case .tunnel(let port): connect(to: port, context)
        }
    }

    private func connect(to port: Int, _ context: ChannelHandlerContext) {
        let client = context.channel
        // On the client's event loop, so that both ends may call each other.
        ClientBootstrap(group: context.eventLoop).connect(host: "127.0.0.1", port: port)
            .assumeIsolated().whenComplete { [self] result in
                guard case .success(let server) = result else { return client.close(promise: nil) }
                do {
                    try server.pipeline.syncOperations.addHandler(Pipe(to: client))
                    try client.pipeline.syncOperations.addHandler(Pipe(to: server))
                    client.pipeline.syncOperations.removeHandler(self, promise: nil)
                    client.writeAndFlush(
                        ByteBuffer(string: "HTTP/1.1 200 Connection established\r\n\r\n"), promise: nil)
                } catch {
                    client.close(promise: nil)
                }
            }
    }
}

/// Hands bytes on to another connection.
private final class Pipe: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel

    init(to other: any Channel) { self.other = other }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        other.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
