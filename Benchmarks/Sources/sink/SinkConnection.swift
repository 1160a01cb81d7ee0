import NIOCore
import NIOHPACK
import NIOHTTP2
import Synchronization

/// Answers the requests of one connection frame by frame, without a channel for each stream or a task for each request.
final class SinkConnection: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// What all connections have in common.
    struct Behaviour: Sendable {
        /// The time between a complete request and its answer.
        var latency: TimeAmount
        /// The steady rate counts from this many nanoseconds after the first arrival.
        var offset: UInt64
    }

    /// Requests that were complete at the same time.
    private struct Batch {
        var due: NIODeadline
        var streams: [HTTP2StreamID]
    }

    private let behaviour: Behaviour
    private let arrivals: Shared
    /// Requests that were completed since the last answers were scheduled.
    private var complete: [HTTP2StreamID] = []
    /// Questions for the topics of a registration, which are answered as late as sends.
    private var questions: Set<HTTP2StreamID> = []
    /// Requests other than these, of which there are few.
    private var others: [HTTP2StreamID: Other] = [:]
    private var waiting = CircularBuffer<Batch>()
    private var isTimed = false
    private var received = 0
    private var lastMessage = 0

    private enum Other { case question, read, forget, mistaken }

    /// How much more than HTTP/2's default of 64 KiB a client may have in flight.
    private static let window = 1 << 20
    /// Answers that are due within this time leave together.
    private static let tick = TimeAmount.milliseconds(1)
    private static let accepted: HPACKHeaders = [
        ":status": "200", "content-type": "application/json; charset=UTF-8",
    ]

    init(_ behaviour: Behaviour, _ arrivals: Shared) {
        (self.behaviour, self.arrivals) = (behaviour, arrivals)
    }

    func channelActive(context: ChannelHandlerContext) {
        arrivals.value.withLock { $0.connect() }
        widen(context, by: Self.window)
        context.flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let headers):
            if let other = Self.other(headers.headers) {
                if other == .question { questions.insert(frame.streamID) } else { others[frame.streamID] = other }
            }
            if headers.endStream { end(frame.streamID, context) }
        case .data(let data):
            received += data.data.readableBytes
            if data.endStream { end(frame.streamID, context) }
        default: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if received >= Self.window / 2 {
            widen(context, by: received)
            received = 0
        }
        if !complete.isEmpty {
            let (now, streams) = (NIODeadline.now(), complete)
            complete.removeAll(keepingCapacity: true)
            arrivals.value.withLock { $0.arrive(streams.count, at: now.uptimeNanoseconds) }
            if behaviour.latency == .zero {
                answer(streams, context)
            } else {
                waiting.append(Batch(due: now + behaviour.latency, streams: streams))
                if !isTimed { wait(context) }
            }
        }
        context.flush()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    // MARK: Requests

    private static func other(_ headers: HPACKHeaders) -> Other? {
        let path = headers.first(name: ":path") ?? ""
        switch headers.first(name: ":method") {
        case "POST" where path.hasSuffix("/messages:send") || path.contains("/topicSubscriptions?"): return nil
        case "GET" where path.contains("/topicSubscriptions?"): return .question
        case "GET" where path == "/stats": return .read
        case "DELETE" where path == "/stats": return .forget
        default: return .mistaken
        }
    }

    private func end(_ stream: HTTP2StreamID, _ context: ChannelHandlerContext) {
        guard !others.isEmpty, let other = others.removeValue(forKey: stream) else { return complete.append(stream) }
        let text =
            switch other {
            case .read: arrivals.value.withLock { $0 }.json(after: behaviour.offset)
            case .forget: forget()
            case .mistaken, .question: "not found\n"
            }
        write(context, stream, .headers(.init(headers: [":status": other == .mistaken ? "404" : "200"])))
        write(context, stream, .data(.init(data: .byteBuffer(ByteBuffer(string: text)), endStream: true)))
    }

    private func forget() -> String {
        arrivals.value.withLock { $0.forget() }
        return ""
    }

    // MARK: Answers

    private func answer(_ streams: [HTTP2StreamID], _ context: ChannelHandlerContext) {
        arrivals.value.withLock { $0.answer(streams.count) }
        // One buffer for all of them.
        var bodies = context.channel.allocator.buffer(capacity: streams.count * 96)
        for stream in streams {
            if !questions.isEmpty, questions.remove(stream) != nil {
                bodies.writeStaticString("{\"topicSubscriptions\": [{\"topicName\": \"tides\"}]}")
                send(&bodies, stream, context)
                continue
            }
            lastMessage += 1
            bodies.writeStaticString("{\n  \"name\": \"projects/bench/messages/0:17")
            bodies.writeString(String(lastMessage))
            bodies.writeStaticString("%31bd1c9631bd1c96\"\n}\n")
            send(&bodies, stream, context)
        }
    }

    /// Sends what was written to the buffer last.
    private func send(_ bodies: inout ByteBuffer, _ stream: HTTP2StreamID, _ context: ChannelHandlerContext) {
        guard let body = bodies.readSlice(length: bodies.readableBytes) else { return }
        write(context, stream, .headers(.init(headers: Self.accepted)))
        write(context, stream, .data(.init(data: .byteBuffer(body), endStream: true)))
    }

    private func wait(_ context: ChannelHandlerContext) {
        guard let next = waiting.first else { return }
        isTimed = true
        let due = max(next.due, .now() + Self.tick)
        context.eventLoop.assumeIsolated().scheduleTask(deadline: due) {
            self.isTimed = false
            let now = NIODeadline.now()
            while let batch = self.waiting.first, batch.due <= now {
                self.waiting.removeFirst()
                self.answer(batch.streams, context)
            }
            context.flush()
            self.wait(context)
        }
    }

    private func widen(_ context: ChannelHandlerContext, by count: Int) {
        write(context, .rootStream, .windowUpdate(windowSizeIncrement: count))
    }

    private func write(_ context: ChannelHandlerContext, _ stream: HTTP2StreamID, _ payload: HTTP2Frame.FramePayload) {
        context.write(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: payload)), promise: nil)
    }
}

/// The figures of all connections.
final class Shared: Sendable {
    let value = Mutex(Arrivals())
}
