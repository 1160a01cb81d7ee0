import NIOCore
import NIOHTTP2
import Synchronization

/// Tracks which streams were admitted on connections that will send `GOAWAY`. The GOAWAY must be true: no stream after
/// the last one that it names was processed.
final class Departures: Sendable {
    private let connections = Mutex<[ObjectIdentifier: Progress]>([:])

    private struct Progress {
        /// The highest stream that was admitted.
        var last = HTTP2StreamID.rootStream
        var isLeaving = false
    }

    /// Whether the request may be processed. Ask this before processing any request.
    func admits(_ stream: Connection.Stream) -> Bool {
        let key = ObjectIdentifier(stream.connection)
        let (isNew, isAdmitted) = connections.withLock { connections in
            let isNew = connections[key] == nil
            let progress = connections[key, default: Progress()]
            if progress.isLeaving, stream.id > progress.last { return (isNew, false) }
            // A connection is forgotten when it closes. What comes of it after that may be what a GOAWAY left out.
            if isNew, !stream.connection.isActive { return (false, false) }
            connections[key, default: progress].last = max(progress.last, stream.id)
            return (isNew, true)
        }
        if isNew {
            stream.connection.closeFuture.whenComplete { [self] _ in
                connections.withLock { $0[key] = nil }
            }
        }
        return isAdmitted
    }

    /// Stops admitting newer streams. Returns the last admitted stream, or `nil` if this was done before.
    func leave(_ stream: Connection.Stream) -> HTTP2StreamID? {
        connections.withLock { connections in
            guard let progress = connections[ObjectIdentifier(stream.connection)], !progress.isLeaving else {
                return nil
            }
            connections[ObjectIdentifier(stream.connection)]?.isLeaving = true
            return progress.last
        }
    }
}
