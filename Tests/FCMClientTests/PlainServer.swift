import FCMClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// An HTTP/1.1 server on loopback, with or without TLS, that answers each request as the test says.
struct PlainServer: Sendable {
    enum Answer: Sendable {
        case reply(HTTPResponseStatus = .ok, HTTPHeaders = [:], [UInt8] = [])
        /// Closes the connection after a complete answer without having announced it.
        case replyThenClose([UInt8] = [])
        /// Announces ten bytes, sends three and closes.
        case cutBody
        /// Sends three bytes of a chunked body and closes.
        case cutChunks
        case close
        case reset
        case silence
        case noise
    }

    let arrivals: Arrivals
    let endpoint: Endpoint
    private let channel: any Channel

    /// Runs `body` with a server on a free port.
    ///
    /// - Parameter certificate: With one, the server speaks TLS.
    static func with(
        certificate: Certificate? = nil,
        _ answer: @escaping @Sendable (Arrivals.Request) -> Answer,
        _ body: (PlainServer) async throws -> Void
    ) async throws {
        let server = try await PlainServer(certificate, answer)
        defer { server.channel.close(promise: nil) }
        try await body(server)
    }

    private init(
        _ certificate: Certificate?, _ answer: @escaping @Sendable (Arrivals.Request) -> Answer
    ) async throws {
        let arrivals = Arrivals()
        let security = try certificate.map { certificate in
            try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: NIOSSLCertificate.fromPEMFile(certificate.certificatePath)
                        .map(NIOSSLCertificateSource.certificate),
                    privateKey: .privateKey(NIOSSLPrivateKey(file: certificate.keyPath, format: .pem))))
        }
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1024)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let operations = channel.pipeline.syncOperations
                    if let security { try operations.addHandler(NIOSSLServerHandler(context: security)) }
                    try operations.configureHTTPServerPipeline(withErrorHandling: false)
                    try operations.addHandler(Handler(arrivals: arrivals, answer: answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        endpoint = try Endpoint(
            scheme: security == nil ? .http : .https, host: "127.0.0.1", port: channel.localAddress?.port ?? 0)
        self.arrivals = arrivals
    }
}

/// Collects one request after the other and answers each.
private final class Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let arrivals: Arrivals
    private let answer: (Arrivals.Request) -> PlainServer.Answer
    private let connection: Int
    private var request: Arrivals.Request?

    init(arrivals: Arrivals, answer: @escaping (Arrivals.Request) -> PlainServer.Answer) {
        self.arrivals = arrivals
        self.answer = answer
        connection = arrivals.recordConnection()
    }

    func channelInactive(context: ChannelHandlerContext) { arrivals.recordClose() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            request = Arrivals.Request(
                method: head.method.rawValue, path: head.uri,
                headers: Dictionary(head.headers.map { ($0.name, $0.value) }) { $0 + ", " + $1 }, body: [],
                connection: connection)
        case .body(let bytes):
            request?.body += Array(bytes.readableBytesView)
        case .end:
            guard let request else { return }
            arrivals.record(request)
            give(answer(request), context)
        }
    }

    private func give(_ answer: PlainServer.Answer, _ context: ChannelHandlerContext) {
        switch answer {
        case .reply(let status, let headers, let body):
            write(status, headers, promising: body.count, body, context)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        case .replyThenClose(let body):
            write(.ok, [:], promising: body.count, body, context)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            context.close(promise: nil)
        case .cutBody:
            write(.ok, [:], promising: 10, [1, 2, 3], context)
            context.flush()
            context.close(promise: nil)
        case .cutChunks:
            write(.ok, [:], promising: nil, [1, 2, 3], context)
            context.flush()
            context.close(promise: nil)
        case .close:
            context.close(promise: nil)
        case .reset:
            _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            context.close(promise: nil)
        case .silence:
            break
        case .noise:
            let encoder = try? context.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
            encoder?.writeAndFlush(NIOAny(ByteBuffer(string: "220 smtp.example ESMTP\r\n\r\n")), promise: nil)
        }
    }

    private func write(
        _ status: HTTPResponseStatus, _ headers: HTTPHeaders, promising length: Int?, _ body: [UInt8],
        _ context: ChannelHandlerContext
    ) {
        var headers = headers
        if let length {
            headers.add(name: "content-length", value: String(length))
        } else {
            headers.add(name: "transfer-encoding", value: "chunked")
        }
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
    }
}
