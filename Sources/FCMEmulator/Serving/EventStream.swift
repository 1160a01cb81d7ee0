import FCM
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

/// `GET /emulator/v1/events`: changes as server-sent events, as they happen. A client that reconnects with
/// `Last-Event-ID` misses nothing, or is told that it did.
struct EventStream: Sendable {
    private let backend: Backend
    private let last: Int?

    /// `nil` for any other call.
    init?(_ call: Call, from backend: Backend) {
        guard call.method == "GET", call.path == ["emulator", "v1", "events"] else { return nil }
        self.backend = backend
        last = call.header(.lastEventID).flatMap { Int($0) }
    }

    var response: Response {
        Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                try await write(to: &writer)
                try await writer.finish(nil)
            })
    }

    /// Returns when its task is cancelled or the server ends. A signal without news is sent as a comment, because only
    /// a write shows that the client is gone.
    @concurrent private func write(to writer: inout any ResponseBodyWriter) async throws {
        let rings = backend.bell.listen()
        var number = last ?? backend.read { (world, _) in world.eventLog.number }
        // This tells the client at once that its request was accepted.
        try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
        for await _ in rings {
            let (events, latest) = backend.read { (world, _) in
                (world.eventLog.events(after: number), world.eventLog.number)
            }
            let text = events?.map(\.text).joined() ?? EventLog.Event.lost(upTo: latest)
            number = latest
            try await writer.write(ByteBuffer(string: text.isEmpty ? ":\n\n" : text))
        }
    }
}

extension Backend {
    var bell: Bell { read { (world, _) in world.eventLog.bell } }

    /// Signals event streams at intervals while nothing happens, until its task is cancelled.
    func beat(every interval: Duration) async throws {
        while true {
            try await Task.sleep(for: interval)
            bell.ring()
        }
    }
}
