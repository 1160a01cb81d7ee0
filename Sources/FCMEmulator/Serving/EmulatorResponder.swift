import FCM
import HTTPTypes
import Hummingbird
import NIOCore

/// Carries requests from Hummingbird to the backend and its answers back.
struct EmulatorResponder: HTTPResponder {
    let backend: Backend

    /// FCM takes far less; this is where Google's front end would stop reading.
    private static let maximumBody = 1 << 20
    /// A hundred thousand registrations at once must be possible.
    private static let maximumControlBody = 1 << 26

    func respond(to request: Hummingbird.Request, context: BasicRequestContext) async throws -> Hummingbird.Response {
        let target = request.head.path ?? "/"
        let limit = target.hasPrefix("/emulator/") ? Self.maximumControlBody : Self.maximumBody
        let body: [UInt8]?
        do {
            body = Array(try await request.body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            body = nil
        }
        let answer = backend.answer(Call(request.method.rawValue, target, body: body))
        return Hummingbird.Response(
            status: HTTPTypes.HTTPResponse.Status(code: answer.status),
            headers: [.contentType: answer.contentType],
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
