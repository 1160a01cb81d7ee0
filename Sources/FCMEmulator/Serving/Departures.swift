import NIOCore
import NIOHTTP2
import Synchronization

/// Which streams were let in on the connections that are to say `GOAWAY`, so that it is true: what comes after the last
/// stream it names was not looked at.
final class Departures: Sendable {
    private let connections = Mutex<[ObjectIdentifier: Progress]>([:])

    private struct Progress {
        /// The highest stream that was let in.
        var last = HTTP2StreamID.rootStream
        var isLeaving = false
    }

    /// Whether the request may be looked at. Each request must be asked for before that.
    func admits(_ stream: Connection.Stream) -> Bool {
        let key = ObjectIdentifier(stream.connection)
        let (isNew, isAdmitted) = connections.withLock { connections in
            let isNew = connections[key] == nil
            let progress = connections[key, default: Progress()]
            if progress.isLeaving, stream.id > progress.last { return (isNew, false) }
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

    /// Lets no stream in any more that comes after those that were. The last of them; `nil` when that was done before.
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
