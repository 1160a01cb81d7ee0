import Foundation
import Synchronization

/// Relays between herald and the emulator, except the answer to one send, whose connection it cuts.
final class LossyProxy: Sendable {
    private let relay: Relay
    private let state = Mutex(State())

    private struct State {
        /// Connections with a send that waits for its answer.
        var sending: Set<Int> = []
        var answers = 0
    }

    /// - Parameters:
    ///   - serverPort: On 127.0.0.1.
    ///   - lost: Which answer to a send is lost, from 1.
    init(serverPort: Int, losing lost: Int = 5) throws {
        relay = try Relay(serverPort: serverPort)
        relay.start { [self] piece, forward in
            let isLost = state.withLock { state -> Bool in
                guard piece.isHead else { return false }
                if piece.isRequest {
                    if piece.text.contains("messages:send") { state.sending.insert(piece.connection) }
                    return false
                }
                guard state.sending.remove(piece.connection) != nil else { return false }
                state.answers += 1
                return state.answers == lost
            }
            return isLost ? false : forward()
        }
    }

    var host: String { "127.0.0.1:\(relay.port)" }

    func stop() { relay.stop() }
}
