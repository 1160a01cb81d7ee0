internal import NIOCore
internal import NIOHTTP2

/// Reads what a server says about a whole HTTP/2 connection.
final class HTTP2Watch: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    enum Event: Hashable, Sendable {
        /// How many streams the server allows at once.
        case streamLimit(Int)
        /// The server takes no more streams, and did not look at those above `last` (RFC 9113 §6.8).
        case goAway(last: HTTP2StreamID)
        /// Something is wrong with the connection; it should carry nothing new.
        case failed
    }

    /// The server's SETTINGS, its half of the connection preface.
    private let preface: EventLoopPromise<Int>
    private let report: (Event) -> Void
    private var isReady = false

    init(preface: EventLoopPromise<Int>, report: @escaping (Event) -> Void) {
        self.preface = preface
        self.report = report
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data).payload {
        case .settings(.settings(let settings)):
            let limit = settings.last { $0.parameter == .maxConcurrentStreams }?.value
            if !isReady {
                isReady = true
                preface.succeed(limit ?? .max)
            } else if let limit {
                report(.streamLimit(limit))
            }
        case .goAway(let last, _, _):
            report(.goAway(last: last))
        default:
            break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A late answer to a stream that was given up is no fault of the connection.
        if error is NIOHTTP2Errors.NoSuchStream { return }
        report(.failed)
    }

    func channelInactive(context: ChannelHandlerContext) {
        preface.fail(ConnectError.closed)
        context.fireChannelInactive()
    }
}
