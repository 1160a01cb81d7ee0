import FCM
import HTTPTypes
import Hummingbird
import NIOCore

/// Carries requests from Hummingbird to the backend and its answers back, as faultily as a script wants it.
struct EmulatorResponder: HTTPResponder {
    let backend: Backend
    private let drain: Drain
    private let departures = Departures()

    /// FCM takes far less; this is where Google's front end would stop reading.
    private static let maximumBody = 1 << 20
    /// A batch of a thousand registrations of the largest size.
    private static let maximumBatchBody = 1 << 23
    /// A hundred thousand registrations at once must be possible.
    private static let maximumControlBody = 1 << 26

    init(backend: Backend, drain: Drain) {
        self.backend = backend
        self.drain = drain
    }

    func respond(to request: Hummingbird.Request, context connection: Connection) async throws -> Hummingbird.Response {
        let call = try await Self.call(of: request)
        if drain.isUnderWay { return Self.finishing(Self.goodbye, connection) }
        if let events = EventStream(call, from: backend) { return events.response }
        let stream = backend.mayGoAway ? try await connection.stream() : nil
        if let stream, !departures.admits(stream) {
            // It ends with the GOAWAY that is on its way: nothing is said on it.
            try await stream.channel.closeFuture.get()
            throw ChannelError.alreadyClosed
        }
        let fault = backend.fault(for: call)
        if let delay = fault?.delay, delay > .zero { await drain.pause(for: delay, on: connection.eventLoop) }
        let answer = backend.answer(call, with: fault)
        let response = Self.response(answer, isHead: request.method == .head)
        switch answer.ending {
        case .open: return response
        case .unanswered:
            await connection.cut()
            return response
        case .cut: return Self.cutting(response, answer, connection)
        case .goingAway:
            guard let stream else { return Self.finishing(answer, connection) }
            if let last = departures.leave(stream) { try await stream.goAway(after: last) }
            return response
        }
    }

    /// What a request hears that comes too late.
    private static let goodbye = GoogleError(status: .unavailable, message: "The emulator ends.").answer

    private static func call(of request: Hummingbird.Request) async throws -> Call {
        let target = request.head.path ?? "/"
        let limit =
            if target.hasPrefix("/emulator/") {
                maximumControlBody
            } else {
                target.hasPrefix("/iid/") ? maximumBatchBody : maximumBody
            }
        let body: [UInt8]?
        do {
            body = Array(try await request.body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            body = nil
        }
        var fields = request.headers.map { (name: $0.name.canonicalName, value: $0.value) }
        if let authority = request.head.authority { fields.append((name: "host", value: authority)) }
        return Call(request.method.rawValue, target, headers: fields, body: body)
    }

    private static func response(_ answer: Answer, isHead: Bool) -> Hummingbird.Response {
        var headers: HTTPFields = [.contentType: answer.contentType]
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        return Hummingbird.Response(
            status: HTTPTypes.HTTPResponse.Status(code: answer.status), headers: headers,
            body: isHead ? ResponseBody() : ResponseBody(answer.body))
    }

    /// Promises the whole body, writes half of it and ends the connection.
    private static func cutting(
        _ response: Hummingbird.Response, _ answer: Answer, _ connection: Connection
    ) -> Hummingbird.Response {
        var response = response
        let body = Array(answer.body.joined())
        response.body = ResponseBody(contentLength: body.count) { writer in
            try await writer.write(ByteBuffer(bytes: body.prefix(body.count / 2)))
            await connection.cut()
        }
        return response
    }

    /// Says that a connection of HTTP/1.1 ends with this answer, and ends it.
    private static func finishing(_ answer: Answer, _ connection: Connection) -> Hummingbird.Response {
        var response = response(answer, isHead: false)
        if connection.isStream { return response }
        response.headers[.connection] = "close"
        let body = Array(answer.body.joined())
        response.body = ResponseBody(contentLength: body.count) { writer in
            try await writer.write(ByteBuffer(bytes: body))
            try await writer.finish(nil)
            await connection.finish()
        }
        return response
    }
}

extension ResponseBody {
    fileprivate init(_ chunks: [[UInt8]]) {
        if chunks.count == 1 {
            self.init(byteBuffer: ByteBuffer(bytes: chunks[0]))
        } else {
            self.init(contentsOf: chunks.map { ByteBuffer(bytes: $0) })
        }
    }
}
