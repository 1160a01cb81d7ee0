import FCM
import HTTPTypes
import Hummingbird
import NIOCore

/// Passes requests from Hummingbird to the backend and its answers back, with the faults of a script.
struct EmulatorResponder: HTTPResponder {
    let backend: Backend
    let rules: AccessRules
    let isSecure: Bool
    private let drain: Drain
    private let departures = Departures()

    /// FCM accepts far less than this. Google's front end would stop reading here.
    private static let maximumBody = 1 << 20
    /// Enough for a batch of 1,000 registrations of maximum length.
    private static let maximumBatchBody = 1 << 23
    /// Enough for 100,000 registrations in one call.
    private static let maximumControlBody = 1 << 26

    init(backend: Backend, rules: AccessRules, isSecure: Bool, drain: Drain) {
        self.backend = backend
        self.rules = rules
        self.isSecure = isSecure
        self.drain = drain
    }

    func respond(to request: Hummingbird.Request, context connection: Connection) async throws -> Hummingbird.Response {
        var response = try await answer(request, over: connection)
        if response.headers[.date] == nil { response.headers[.date] = backend.now.httpDate }
        return response
    }

    private func answer(
        _ request: Hummingbird.Request, over connection: Connection
    ) async throws -> Hummingbird.Response {
        let call = try await Self.call(of: request)
        switch rules.decide(on: call, from: AccessRules.Caller(request), isSecure: isSecure) {
        case .refused(let error):
            return Self.response(backend.refuse(call, with: error), isHead: request.method == .head)
        case .admitted(let cookie):
            var response = try await answer(call, to: request, over: connection)
            if let cookie { response.headers[.setCookie] = cookie }
            return response
        }
    }

    private func answer(
        _ call: Call, to request: Hummingbird.Request, over connection: Connection
    ) async throws -> Hummingbird.Response {
        if drain.isUnderWay { return Self.finishing(Self.goodbye, connection) }
        if let events = EventStream(call, from: backend) { return events.response }
        let stream = backend.mayGoAway ? try await connection.stream() : nil
        if let stream, !departures.admits(stream) {
            // The stream ends with the GOAWAY that is being sent. It gets no answer.
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

    /// The answer to a request that arrives after the end has begun.
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
        // Before a header `host` over HTTP/2, which counts for nothing.
        if let authority = request.head.authority { fields.insert((name: "host", value: authority), at: 0) }
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

    /// Announces the whole body, writes half of it and closes the connection.
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

    /// Answers with `Connection: close` and closes an HTTP/1.1 connection.
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

extension AccessRules.Caller {
    fileprivate init(_ request: Hummingbird.Request) {
        host = request.head.authority
        origin = request.headers[.origin]
        fetchSite = HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] }
        cookie = request.headers[.cookie]
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
