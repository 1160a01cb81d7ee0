import Hummingbird
import NIOCore
import NIOHTTP2

/// The connection of a request, for answers that end the connection.
struct Connection: InitializableFromSource {
    /// The connection or one of its HTTP/2 streams.
    private let channel: any Channel

    init(source: ApplicationRequestContextSource) { channel = source.channel }

    var eventLoop: any EventLoop { channel.eventLoop }

    /// Whether the request has an HTTP/2 stream of its own. Only a connection has socket options.
    var isStream: Bool { !(channel is any SocketOptionProvider) }

    /// The connection that carries all streams. The parent of a connection is the listening socket.
    private var whole: any Channel { isStream ? channel.parent ?? channel : channel }

    /// Closes the connection with all its streams, after earlier writes have left.
    func cut() async {
        let whole = whole
        try? await whole.eventLoop.flatSubmit { whole.close() }.get()
    }

    /// Closes the sending side of an HTTP/1.1 connection.
    func finish() async {
        let channel = channel
        try? await channel.eventLoop.flatSubmit { channel.close(mode: .output) }.get()
    }

    /// The request's stream, which gives the order of requests on one connection. `nil` over HTTP/1.1.
    func stream() async throws -> Stream? {
        guard isStream else { return nil }
        let id = try await channel.getOption(HTTP2StreamChannelOptions.streamID).get()
        return Stream(id: id, channel: channel, connection: whole)
    }

    /// Ignores the protocol errors that NIO reports for frames of streams that cross a `GOAWAY`. Otherwise Hummingbird
    /// would close the connection before the pending answers are sent.
    private final class LateFrames: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame

        func errorCaught(context: ChannelHandlerContext, error: any Error) {}
    }

    struct Stream: Sendable {
        let id: HTTP2StreamID
        let channel: any Channel
        let connection: any Channel

        /// Tells the client that streams after `last` were not processed, and refuses new ones.
        func goAway(after last: HTTP2StreamID) async throws {
            let frame = HTTP2Frame(
                streamID: .rootStream, payload: .goAway(lastStreamID: last, errorCode: .noError, opaqueData: nil))
            try await connection.eventLoop.flatSubmit { [connection] () -> EventLoopFuture<Void> in
                do {
                    let pipeline = connection.pipeline.syncOperations
                    let http2 = try pipeline.handler(type: NIOHTTP2Handler.self)
                    try pipeline.addHandler(LateFrames(), position: .after(http2))
                } catch {
                    return connection.eventLoop.makeFailedFuture(error)
                }
                return connection.writeAndFlush(frame)
            }.get()
        }
    }
}
