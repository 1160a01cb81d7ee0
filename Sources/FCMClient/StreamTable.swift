internal import FCM
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// The streams of one HTTP/2 connection: which exchange uses which stream, and how each one ends. It opens no socket,
/// writes no frame and reads no clock.
///
/// A stream stays here until it is closed, even if its exchange has ended, because the server may still count it.
struct StreamTable {
    /// The most streams at once, even if the server allows more; FCM allows 100. NIO searches all streams of a
    /// connection for each frame, and everything on a lost connection becomes unknown. More connections with fewer
    /// streams work better.
    static let mostStreams = 50

    /// The result of one exchange.
    struct Ended: Hashable {
        let attempt: AttemptID
        let exchange: Exchange
    }

    private struct Stream {
        /// `nil` after its exchange has ended.
        var attempt: AttemptID?
        var reader = ResponseReader()
    }

    /// How many streams may be open at once.
    private(set) var limit = mostStreams
    /// Whether no new streams may open, after GOAWAY or because the stream ids are used up.
    private(set) var isRetired = false
    private var streams: [HTTP2StreamID: Stream] = [:]
    /// Streams that are still open although their exchanges have ended.
    private var leftOver: [HTTP2StreamID] = []
    /// How many streams closed since `takeClosed()` was called last.
    private var closed = 0
    private var nextID: HTTP2StreamID

    /// - Parameter firstID: An odd number (RFC 9113 §5.1.1).
    init(firstID: HTTP2StreamID = 1) { nextID = firstID }

    var openStreams: Int { streams.count }

    /// Whether an exchange waits for its response.
    var isBusy: Bool { streams.count > leftOver.count }

    /// The stream for the next exchange. `nil` if no stream can be opened.
    mutating func open(_ attempt: AttemptID) -> HTTP2StreamID? {
        guard !isRetired, streams.count < limit else { return nil }
        let id = nextID
        streams[id] = Stream(attempt: attempt)
        if id < .maxID { nextID = id.advanced(by: 2) } else { isRetired = true }
        return id
    }

    /// The server changed the number of streams that it allows. Streams above it stay open.
    mutating func allow(_ serverLimit: Int) { limit = min(serverLimit, Self.mostStreams) }

    mutating func retire() { isRetired = true }

    /// Streams to reset: their exchanges ended before both sides had finished.
    mutating func takeLeftOver() -> [HTTP2StreamID] {
        defer { leftOver = [] }
        for id in leftOver { close(id) }
        return leftOver
    }

    /// How many streams closed since the last call. There is room for as many new ones.
    mutating func takeClosed() -> Int {
        defer { closed = 0 }
        return closed
    }

    private mutating func close(_ id: HTTP2StreamID) {
        if streams.removeValue(forKey: id) != nil { closed += 1 }
    }
}

// MARK: What the server says

extension StreamTable {
    mutating func receive(_ fields: HPACKHeaders, isLast: Bool, on id: HTTP2StreamID) -> Ended? {
        guard let index = streams.index(forKey: id) else { return nil }
        guard streams.values[index].reader.read(fields) else { return end(id, .unreadable) }
        return isLast ? finish(id, at: index) : nil
    }

    mutating func receive(_ bytes: ByteBuffer, isLast: Bool, on id: HTTP2StreamID) -> Ended? {
        guard let index = streams.index(forKey: id), streams.values[index].attempt != nil else { return nil }
        guard streams.values[index].reader.append(bytes) else { return end(id, .tooLong) }
        return isLast ? finish(id, at: index) : nil
    }

    private mutating func finish(_ id: HTTP2StreamID, at index: Dictionary<HTTP2StreamID, Stream>.Index) -> Ended? {
        guard let response = streams.values[index].reader.response else { return end(id, .unreadable) }
        return end(id, .answered(response))
    }

    mutating func receiveReset(_ code: HTTP2ErrorCode, on id: HTTP2StreamID) -> Ended? {
        end(id, code == .refusedStream ? .refused : .reset)
    }

    /// The server takes no new streams, and it did not process those above `last` (RFC 9113 §6.8).
    mutating func receiveGoAway(last: HTTP2StreamID) -> [Ended] {
        isRetired = true
        return streams.keys.filter { $0 > last }.sorted().compactMap { end($0, .refused) }
    }

    /// A stream closed. If its exchange has not ended, the response was incomplete or unreadable.
    mutating func receiveClosed(_ id: HTTP2StreamID) -> Ended? {
        let ended = end(id, .unreadable)
        if leftOver.last == id { leftOver.removeLast() } else { leftOver.removeAll { $0 == id } }
        close(id)
        return ended
    }
}

// MARK: What this side decides

extension StreamTable {
    /// Gives up an exchange. Its stream is left to be reset.
    mutating func giveUp(_ attempt: AttemptID, for ending: Ending) -> Ended? {
        guard let stream = streams.first(where: { $0.value.attempt == attempt }) else { return nil }
        return end(stream.key, ending)
    }

    /// The whole connection ends. No streams are left.
    mutating func endAll(_ ending: Ending) -> [Ended] {
        isRetired = true
        let ended = streams.keys.sorted().compactMap { end($0, ending) }
        _ = takeLeftOver()
        return ended
    }

    private mutating func end(_ id: HTTP2StreamID, _ ending: Ending) -> Ended? {
        guard let index = streams.index(forKey: id), let attempt = streams.values[index].attempt else { return nil }
        streams.values[index].attempt = nil
        leftOver.append(id)
        return Ended(attempt: attempt, exchange: Exchange(ending, after: streams.values[index].reader.progress))
    }
}
