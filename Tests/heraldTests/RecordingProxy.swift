import FCM
import Foundation
import Synchronization

/// Relays between herald and the emulator, and keeps every request as it went over the wire.
final class RecordingProxy: Sendable {
    struct Recorded: Sendable {
        var method: String
        var path: String
        /// By lower-case name.
        var headers: [String: String]
        var body: [UInt8]
    }

    private let relay: Relay
    private let state = Mutex(State())

    private struct State {
        var requests: [Recorded] = []
        /// The part of an incomplete request that has arrived, by connection.
        var partial: [Int: [UInt8]] = [:]
    }

    /// - Parameter serverPort: On 127.0.0.1.
    init(serverPort: Int) throws {
        relay = try Relay(serverPort: serverPort)
        relay.start { [self] piece, forward in
            if piece.isRequest { keep(piece) }
            return forward()
        }
    }

    var port: Int { relay.port }

    var requests: [Recorded] { state.withLock(\.requests) }

    func stop() { relay.stop() }

    private func keep(_ piece: Relay.Piece) {
        state.withLock { state in
            let bytes = state.partial[piece.connection, default: []] + piece.bytes
            if let request = Recorded(bytes) {
                state.requests.append(request)
                state.partial[piece.connection] = nil
            } else {
                state.partial[piece.connection] = bytes
            }
        }
    }
}

extension RecordingProxy.Recorded {
    /// `nil` while a part of the request is missing.
    fileprivate init?(_ bytes: [UInt8]) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            headers[line[..<colon].lowercased()] = line[colon...].dropFirst().trimmingCharacters(in: .whitespaces)
        }
        let body = Array(bytes[end.upperBound...])
        guard body.count >= headers["content-length"].flatMap({ Int($0) }) ?? 0 else { return nil }
        self.init(method: String(words[0]), path: String(words[1]), headers: headers, body: body)
    }
}
