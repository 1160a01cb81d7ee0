import FCM
import HTTPTypes
import Hummingbird
import NIOCore

/// Carries requests from Hummingbird to the backend and its answers back.
struct EmulatorResponder: HTTPResponder {
    let backend: Backend

    /// FCM takes far less; this is where Google's front end would stop reading.
    private static let maximumBody = 1 << 20
    /// A batch of a thousand registrations of the largest size.
    private static let maximumBatchBody = 1 << 23
    /// A hundred thousand registrations at once must be possible.
    private static let maximumControlBody = 1 << 26

    func respond(to request: Hummingbird.Request, context: BasicRequestContext) async throws -> Hummingbird.Response {
        let target = request.head.path ?? "/"
        let limit =
            if target.hasPrefix("/emulator/") {
                Self.maximumControlBody
            } else {
                target.hasPrefix("/iid/") ? Self.maximumBatchBody : Self.maximumBody
            }
        let body: [UInt8]?
        do {
            body = Array(try await request.body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            body = nil
        }
        var fields = request.headers.map { (name: $0.name.canonicalName, value: $0.value) }
        if let authority = request.head.authority { fields.append((name: "host", value: authority)) }
        let call = Call(request.method.rawValue, target, headers: fields, body: body)
        if let events = EventStream(call, from: backend) { return events.response }
        let answer = backend.answer(call)
        var headers: HTTPFields = [.contentType: answer.contentType]
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        return Hummingbird.Response(
            status: HTTPTypes.HTTPResponse.Status(code: answer.status), headers: headers,
            body: request.method == .head ? ResponseBody() : ResponseBody(answer.body))
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
