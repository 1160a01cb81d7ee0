import Hummingbird
import NIOCore
import NIOHTTP2

/// The connection by which a request came, for those that are to end with it.
struct Connection: InitializableFromSource {
    /// The connection itself, or a stream of it.
    private let channel: any Channel

    init(source: ApplicationRequestContextSource) { channel = source.channel }

    var eventLoop: any EventLoop { channel.eventLoop }

    /// Whether the request has a stream of HTTP/2 to itself. What has options of a socket is a connection.
    var isStream: Bool { !(channel is any SocketOptionProvider) }

    /// The connection of all streams. A connection's parent is the socket that listens.
    private var whole: any Channel { isStream ? channel.parent ?? channel : channel }

    /// Ends the connection, and all of its streams, as soon as what was written before is on its way.
    func cut() async {
        let whole = whole
        try? await whole.eventLoop.flatSubmit { whole.close() }.get()
    }

    /// Says that nothing more will come over a connection of HTTP/1.1.
    func finish() async {
        let channel = channel
        try? await channel.eventLoop.flatSubmit { channel.close(mode: .output) }.get()
    }

    /// The request's stream, by which requests of one connection can be put in order. `nil` over HTTP/1.1.
    func stream() async throws -> Stream? {
        guard isStream else { return nil }
        let id = try await channel.getOption(HTTP2StreamChannelOptions.streamID).get()
        return Stream(id: id, channel: channel, connection: whole)
    }

    /// NIO takes the frames of a stream that crosses a `GOAWAY` for a violation of the protocol, upon which Hummingbird
    /// would close the connection, and with it the streams whose answers are still owed.
    private final class LateFrames: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame

        func errorCaught(context: ChannelHandlerContext, error: any Error) {}
    }

    struct Stream: Sendable {
        let id: HTTP2StreamID
        let channel: any Channel
        let connection: any Channel

        /// Tells the client that streams after `last` were not looked at, and takes no more of them.
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
