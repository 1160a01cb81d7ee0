import FCMClient
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL

/// An HTTP/2 server on loopback. It writes the frames that the test wants, and can hold answers back.
struct SecureServer: Sendable {
    /// What to write when a request has arrived. It goes to the request's stream unless another one is named.
    enum Action: Sendable {
        case reply(status: Int = 200, retryAfter: String = "0", [UInt8] = [], on: HTTP2StreamID? = nil)
        /// The head and three bytes of a response that is not finished.
        case beginReply
        case reset(HTTP2ErrorCode)
        case goAway(last: HTTP2StreamID)
        case settings(HTTP2Settings)
        /// Answers when this many PINGs have come after the request.
        case replyAfterPings(Int)
        /// Stops reading, and therefore answers no PING.
        case stall
        case close
    }

    typealias Answer = @Sendable (_ request: Arrivals.Request, _ stream: HTTP2StreamID) -> [Action]

    /// When a request is answered.
    enum Moment { case head, end }

    let arrivals: Arrivals
    /// With the server's IP address.
    let endpoint: Endpoint
    let certificate: Certificate
    private let channel: any Channel

    /// Runs `body` with a server on a free port.
    static func with(
        certificate: Certificate? = nil,
        protocols: [String] = ["h2"],
        settings: HTTP2Settings = [],
        at moment: Moment = .end,
        _ answer: @escaping Answer,
        _ body: (SecureServer) async throws -> Void
    ) async throws {
        let certificate = try certificate ?? Certificate()
        let server = try await SecureServer(certificate, protocols, settings, moment, answer)
        defer { server.channel.close(promise: nil) }
        try await body(server)
    }

    private init(
        _ certificate: Certificate, _ protocols: [String], _ settings: HTTP2Settings, _ moment: Moment,
        _ answer: @escaping Answer
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
                    try operations.addHandler(FrameHandler(arrivals: arrivals, moment: moment, answer: answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        endpoint = try Endpoint(scheme: .https, host: "127.0.0.1", port: channel.localAddress?.port ?? 0)
        self.arrivals = arrivals
        self.certificate = certificate
    }

    /// The same server under another name.
    func endpoint(host: String) throws -> Endpoint { try Endpoint(scheme: .https, host: host, port: endpoint.port) }
}

/// Reads requests from the streams of one connection. It reopens the window by the size of each body.
private final class FrameHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let arrivals: Arrivals
    private let moment: SecureServer.Moment
    private let answer: SecureServer.Answer
    private let connection: Int
    private var streams: [HTTP2StreamID: Arrivals.Request] = [:]
    /// The streams that wait for PINGs, with the number that they wait for.
    private var waiting: [HTTP2StreamID: Int] = [:]

    init(arrivals: Arrivals, moment: SecureServer.Moment, answer: @escaping SecureServer.Answer) {
        self.arrivals = arrivals
        self.moment = moment
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
            guard case .byteBuffer(let bytes) = data.data else { break }
            streams[frame.streamID]?.body += Array(bytes.readableBytesView)
            guard bytes.readableBytes > 0 else { break }
            let update = HTTP2Frame.FramePayload.windowUpdate(windowSizeIncrement: bytes.readableBytes)
            write(update, on: .rootStream, context)
            if !isWhole { write(update, on: frame.streamID, context) }
            context.flush()
        case .rstStream:
            arrivals.recordReset()
        case .ping(_, ack: false):
            for (stream, count) in waiting {
                waiting[stream] = count - 1
                if count == 1 { perform(.reply(), on: stream, context) }
            }
            context.flush()
        default:
            break
        }
        guard isWhole || moment == .head, let request = streams.removeValue(forKey: frame.streamID) else { return }
        arrivals.record(request)
        for action in answer(request, frame.streamID) {
            perform(action, on: frame.streamID, context)
            // A reset would overtake the data before it.
            context.flush()
        }
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
        case .replyAfterPings(let count):
            waiting[stream] = count
        case .stall:
            do { try context.channel.syncOptions?.setOption(.autoRead, value: false) } catch {
                context.close(promise: nil)
            }
        case .close:
            context.flush()
            context.close(promise: nil)
        }
    }

    /// HPACK headers, without importing the module that declares them.
    private static func fields<Fields: ExpressibleByDictionaryLiteral>(
        status: Int, retryAfter: String
    ) -> Fields where Fields.Key == String, Fields.Value == String {
        [":status": String(status), "retry-after": retryAfter]
    }

    private func write(_ payload: HTTP2Frame.FramePayload, on stream: HTTP2StreamID, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: payload)), promise: nil)
    }
}
