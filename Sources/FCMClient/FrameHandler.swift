internal import FCM
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOSSL

/// Carries many exchanges over an HTTP/2 connection. NIO's handler before it splits bodies to fit the server's windows
/// and answers SETTINGS and PINGs. `StreamTable` decides what frames mean for exchanges.
final class FrameHandler: ChannelInboundHandler, Carrier {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// How much the server may send on all streams together. The window is opened again when half of it is used.
    private static let window = 1 << 24

    var report: (CarrierEvent) -> Void = { _ in }
    /// Succeeds when the server's SETTINGS arrive, its half of the connection preface.
    private let preface: EventLoopPromise<Void>
    private var table = StreamTable()
    private var pulse = Pulse()
    private var context: ChannelHandlerContext?
    /// How much the server may send at the moment.
    private var openWindow = 65_535
    /// Whether NIO or the server has just reset a stream. An error that follows belongs to that stream.
    private var hasReset = false
    private var isReady = false
    private var isUnflushed = false

    init(preface: EventLoopPromise<Void>) {
        self.preface = preface
    }

    var limit: Int { table.limit }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func start(_ attempt: AttemptID, _ call: HTTPCall) -> Bool {
        guard let context, context.channel.isActive, case .http2(let fields) = call.head,
            let stream = table.open(attempt)
        else { return false }
        write(.headers(.init(headers: fields, endStream: call.body.isEmpty)), on: stream, context)
        if !call.body.isEmpty {
            write(.data(.init(data: .byteBuffer(ByteBuffer(bytes: call.body)), endStream: true)), on: stream, context)
        }
        if table.isRetired { report(.retired) }
        return true
    }

    func flush() {
        guard isUnflushed else { return }
        isUnflushed = false
        context?.flush()
    }

    func giveUp(_ attempt: AttemptID, for ending: Ending) {
        tell(table.giveUp(attempt, for: ending))
        tidyUp()
        flush()
    }

    func close(for ending: Ending) {
        let wasBusy = table.isBusy
        for ended in table.endAll(ending) { tell(ended) }
        guard let context else { return }
        // TLS waits for the server's goodbye, which may never come from a server that does not answer. A connection
        // with open exchanges is therefore closed below TLS.
        let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self)
        (wasBusy ? tls ?? context : context).close(promise: nil)
    }

    func beat() {
        switch pulse.beat(isBusy: table.isBusy) {
        case .nothing:
            break
        case .ping:
            guard let context else { return }
            write(.ping(HTTP2PingData(), ack: false), on: .rootStream, context)
            flush()
        case .dead:
            close(for: .silent)
        }
    }

    private func write(_ payload: HTTP2Frame.FramePayload, on stream: HTTP2StreamID, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: payload)), promise: nil)
        isUnflushed = true
    }

    private func tell(_ ended: StreamTable.Ended?) {
        if let ended { report(.ended(ended.attempt, ended.exchange)) }
    }

    /// Resets streams that are not needed any more, opens the server's window, and reports the room for new exchanges.
    private func tidyUp() {
        guard let context else { return }
        for stream in table.takeLeftOver() { write(.rstStream(.cancel), on: stream, context) }
        if isReady, openWindow < Self.window / 2 {
            write(.windowUpdate(windowSizeIncrement: Self.window - openWindow), on: .rootStream, context)
        }
        hasReset = false
        let closed = table.takeClosed()
        if closed > 0 { report(.freed(closed)) }
    }
}

// MARK: What comes in

extension FrameHandler {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        hasReset = false
        pulse.heard()
        switch frame.payload {
        case .headers(let headers):
            tell(table.receive(headers.headers, isLast: headers.endStream, on: frame.streamID))
        case .data(let data):
            guard case .byteBuffer(let bytes) = data.data else { break }
            tell(table.receive(bytes, isLast: data.endStream, on: frame.streamID))
        case .rstStream(let code):
            tell(table.receiveReset(code, on: frame.streamID))
        case .settings(.settings(let settings)):
            read(settings)
        case .goAway(let last, _, _):
            for ended in table.receiveGoAway(last: last) { tell(ended) }
            report(.retired)
        default:
            break
        }
    }

    private func read(_ settings: HTTP2Settings) {
        if let limit = settings.last(where: { $0.parameter == .maxConcurrentStreams })?.value { table.allow(limit) }
        report(.limit(table.limit))
        if !isReady {
            isReady = true
            preface.succeed()
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let event as NIOHTTP2WindowUpdatedEvent:
            if event.streamID == .rootStream, let window = event.inboundWindowSize { openWindow = window }
        case let event as StreamClosedEvent:
            hasReset = event.reason != nil
            tell(table.receiveClosed(event.streamID))
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        tidyUp()
        flush()
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        table.retire()
        report(.retired)
        if !hasReset { close(for: Ending(error)) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        preface.fail(ConnectError.closed)
        for ended in table.endAll(.cut) { tell(ended) }
        context.fireChannelInactive()
    }
}
