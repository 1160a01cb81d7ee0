import FCMClient
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL

/// An HTTP/2 server on loopback that writes the frames it is told, and holds its answers back until told to.
struct SecureServer: Sendable {
    /// What to write when a request has arrived, on its stream unless another is named.
    enum Action: Sendable {
        case reply(status: Int = 200, retryAfter: String = "0", [UInt8] = [], on: HTTP2StreamID? = nil)
        /// The head and three bytes of a response that goes on.
        case beginReply
        case reset(HTTP2ErrorCode)
        case goAway(last: HTTP2StreamID)
        case settings(HTTP2Settings)
        case close
    }

    typealias Answer = @Sendable (_ request: Arrivals.Request, _ stream: HTTP2StreamID) -> [Action]

    let arrivals: Arrivals
    /// By address.
    let endpoint: Endpoint
    let certificate: Certificate
    private let channel: any Channel

    /// Runs `body` with a server on a free port.
    static func with(
        certificate: Certificate? = nil,
        protocols: [String] = ["h2"],
        settings: HTTP2Settings = [],
        _ answer: @escaping Answer,
        _ body: (SecureServer) async throws -> Void
    ) async throws {
        let certificate = try certificate ?? Certificate()
        let server = try await SecureServer(certificate, protocols, settings, answer)
        defer { server.channel.close(promise: nil) }
        try await body(server)
    }

    private init(
        _ certificate: Certificate, _ protocols: [String], _ settings: HTTP2Settings, _ answer: @escaping Answer
    ) async throws {
        let arrivals = Arrivals()
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificate.certificatePath)
                .map(NIOSSLCertificateSource.certificate),
            privateKey: .privateKey(try NIOSSLPrivateKey(file: certificate.keyPath, format: .pem)))
        configuration.applicationProtocols = protocols
        let security = try NIOSSLContext(configuration: configuration)
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let operations = channel.pipeline.syncOperations
                    try operations.addHandler(NIOSSLServerHandler(context: security))
                    try operations.addHandler(NIOHTTP2Handler(mode: .server, initialSettings: settings))
                    try operations.addHandler(FrameHandler(arrivals: arrivals, answer: answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        endpoint = try Endpoint(scheme: .https, host: "127.0.0.1", port: channel.localAddress?.port ?? 0)
        self.arrivals = arrivals
        self.certificate = certificate
    }

    /// The same server by another name.
    func endpoint(host: String) throws -> Endpoint { try Endpoint(scheme: .https, host: host, port: endpoint.port) }
}

/// Reads whole requests off the streams of one connection.
private final class FrameHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let arrivals: Arrivals
    private let answer: SecureServer.Answer
    private let connection: Int
    private var streams: [HTTP2StreamID: Arrivals.Request] = [:]

    init(arrivals: Arrivals, answer: @escaping SecureServer.Answer) {
        self.arrivals = arrivals
        self.answer = answer
        connection = arrivals.recordConnection()
    }

    func channelInactive(context: ChannelHandlerContext) { arrivals.recordClose() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        var isWhole = false
        switch frame.payload {
        case .headers(let headers):
            isWhole = headers.endStream
            let fields = Dictionary(headers.headers.map { ($0.name, $0.value) }) { $0 + ", " + $1 }
            streams[frame.streamID] = Arrivals.Request(
                method: fields[":method"] ?? "", path: fields[":path"] ?? "", headers: fields, body: [],
                connection: connection)
        case .data(let data):
            isWhole = data.endStream
            if case .byteBuffer(let bytes) = data.data {
                streams[frame.streamID]?.body += Array(bytes.readableBytesView)
            }
        case .rstStream:
            arrivals.recordReset()
        default:
            break
        }
        guard isWhole, let request = streams.removeValue(forKey: frame.streamID) else { return }
        arrivals.record(request)
        for action in answer(request, frame.streamID) { perform(action, on: frame.streamID, context) }
        context.flush()
    }

    private func perform(_ action: SecureServer.Action, on stream: HTTP2StreamID, _ context: ChannelHandlerContext) {
        switch action {
        case .reply(let status, let retryAfter, let body, let other):
            let head = HTTP2Frame.FramePayload.Headers(
                headers: Self.fields(status: status, retryAfter: retryAfter))
            write(.headers(head), on: other ?? stream, context)
            let data = IOData.byteBuffer(ByteBuffer(bytes: body))
            write(.data(.init(data: data, endStream: true)), on: other ?? stream, context)
        case .beginReply:
            write(.headers(.init(headers: Self.fields(status: 200, retryAfter: "0"))), on: stream, context)
            write(.data(.init(data: .byteBuffer(ByteBuffer(bytes: [1, 2, 3])))), on: stream, context)
        case .reset(let code):
            write(.rstStream(code), on: stream, context)
        case .goAway(let last):
            write(.goAway(lastStreamID: last, errorCode: .noError, opaqueData: nil), on: .rootStream, context)
        case .settings(let settings):
            write(.settings(.settings(settings)), on: .rootStream, context)
        case .close:
            context.flush()
            context.close(promise: nil)
        }
    }

    /// HPACK headers, without a dependency on the module that names them.
    private static func fields<Fields: ExpressibleByDictionaryLiteral>(
        status: Int, retryAfter: String
    ) -> Fields where Fields.Key == String, Fields.Value == String {
        [":status": String(status), "retry-after": retryAfter]
    }

    private func write(_ payload: HTTP2Frame.FramePayload, on stream: HTTP2StreamID, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: payload)), promise: nil)
    }
}
