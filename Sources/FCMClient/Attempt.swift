internal import FCM
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2

/// One exchange under way. It ends once, whoever says so first. Lives on its pool's event loop.
final class Attempt {
    let id: AttemptID
    let call: HTTPCall
    /// The HTTP/1.1 connection or HTTP/2 stream that carries it.
    private(set) var channel: (any Channel)?
    /// The connection it was given to.
    var connection: ConnectionID?
    var timeout: Scheduled<Void>?

    private var continuation: CheckedContinuation<Exchange, Never>?
    private var wasSent = false
    private var isExcluded = false
    private var reader = ResponseReader()

    init(id: AttemptID, call: HTTPCall, continuation: CheckedContinuation<Exchange, Never>) {
        self.id = id
        self.call = call
        self.continuation = continuation
    }

    var isOver: Bool { continuation == nil }

    var progress: Progress {
        if reader.hasBegun { return .answering }
        return wasSent ? .sent : .waiting
    }

    /// Takes note of a GOAWAY. A stream above its last one is closed next, without a word that tells why.
    func heardGoAway(last: HTTP2StreamID) {
        guard let stream = try? channel?.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID) else { return }
        if stream > last { isExcluded = true }
    }

    /// Must be called before the first byte is written.
    func willBeSent(on channel: any Channel) {
        self.channel = channel
        wasSent = true
    }

    func read(_ part: HTTPClientResponsePart) -> ResponseReader.Step { reader.read(part) }

    /// Ends the exchange for an error of what carries it.
    func end(_ error: any Error) {
        end(isExcluded ? .refused : Ending(error))
    }

    /// Ends the exchange, if nothing else did.
    func end(_ ending: Ending) {
        guard let continuation else { return }
        self.continuation = nil
        timeout?.cancel()
        continuation.resume(returning: Exchange(ending, after: progress))
        if ending.isOurs { channel?.close(promise: nil) }
    }
}
