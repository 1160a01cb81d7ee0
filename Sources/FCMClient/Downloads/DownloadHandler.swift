internal import NIOCore
internal import NIOHTTP1

/// Sends one request over a connection that is ready, and passes on the body of its answer.
final class DownloadHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    enum Outcome: Hashable, Sendable {
        case answer(Download.Answer)
        case redirect(String)
    }

    private let call: HTTPRequestHead
    private let take: (UnsafeRawBufferPointer) -> Bool
    /// Told once.
    private var outcome: EventLoopPromise<Outcome>?
    /// What the answer is once its end has come. `nil` before its head.
    private var found: Result<Outcome, Download.Problem>?
    private var isTaking = false
    /// Until it is, whoever opens the connection tells why there is none.
    private var isSent = false
    private var context: ChannelHandlerContext?

    init(
        _ call: HTTPRequestHead, _ take: @escaping (UnsafeRawBufferPointer) -> Bool,
        _ outcome: EventLoopPromise<Outcome>
    ) {
        (self.call, self.take, self.outcome) = (call, take, outcome)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Sends the request. Call it once, when the connection is ready.
    func send() {
        isSent = true
        guard let context else { return tell(.failure(.cut)) }
        context.write(wrapOutboundOut(.head(call)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head) where head.status.code < 200: break
        case .head(let head): begin(head)
        case .body(let bytes):
            guard isTaking, outcome != nil else { break }
            if !bytes.withUnsafeReadableBytes({ take($0) }) { tell(.failure(.refused)) }
        case .end: if let found { tell(found) }
        }
    }

    private func begin(_ head: HTTPResponseHead) {
        switch head.status.code {
        case 200:
            let packing = head.headers["content-encoding"].joined(separator: ",").lowercased()
            guard ["", "identity", "gzip", "x-gzip"].contains(packing) else { return tell(.failure(.packing)) }
            guard head.headers.contains(name: "content-length") || head.headers.contains(name: "transfer-encoding")
            else { return tell(.failure(.endless)) }
            isTaking = true
            let version = Download.Version(
                tag: head.headers.first(name: "etag"), modified: head.headers.first(name: "last-modified"))
            found = .success(.answer(.whole(version)))
        case 304: found = .success(.answer(.unchanged))
        case 301, 302, 303, 307, 308:
            guard let location = head.headers.first(name: "location"), !location.isEmpty else {
                return tell(.failure(.status(Int(head.status.code))))
            }
            found = .success(.redirect(location))
        case let status: tell(.failure(.status(Int(status))))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { if isSent { tell(.failure(.cut)) } }

    func channelInactive(context: ChannelHandlerContext) { if isSent { tell(.failure(.cut)) } }

    private func tell(_ result: Result<Outcome, Download.Problem>) {
        outcome?.completeWith(result.mapError { $0 })
        outcome = nil
    }
}
