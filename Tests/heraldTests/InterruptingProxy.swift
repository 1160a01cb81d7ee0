import Foundation
import Synchronization

/// Relays between herald and the emulator, and does something at one exact moment. Tests use it to kill a process
/// between two requests, without guessing how long to wait.
final class InterruptingProxy: Sendable {
    enum Moment: CaseIterable, Sendable {
        /// A request has arrived and was not forwarded.
        case beforeRequest
        /// The server has answered, but the client does not know.
        case beforeAnswer
        /// The client has received the answer.
        case afterAnswer
    }

    private let relay: Relay
    private let trigger: (moment: Moment, number: Int)
    private let action: @Sendable () -> Void
    private let state = Mutex(State())

    private struct State {
        var requests = 0
        var answers = 0
        var hasActed = false
    }

    /// - Parameters:
    ///   - serverPort: On 127.0.0.1.
    ///   - trigger: The moment, and the number (from 1) of the request or answer at which it comes.
    ///   - action: Runs once, on the thread that moves the bytes. Nothing is forwarded after it.
    init(serverPort: Int, trigger: (moment: Moment, number: Int), action: @escaping @Sendable () -> Void) throws {
        relay = try Relay(serverPort: serverPort)
        self.trigger = trigger
        self.action = action
    }

    var port: Int { relay.port }

    var hasActed: Bool { state.withLock(\.hasActed) }

    func start() { relay.start { [self] piece, forward in pass(piece, forward) } }

    func stop() { relay.stop() }

    private func pass(_ piece: Relay.Piece, _ forward: () -> Bool) -> Bool {
        if piece.isHead, act(at: piece.isRequest ? .beforeRequest : .beforeAnswer) { return false }
        if hasActed { return false }
        guard forward() else { return false }
        return !(piece.isHead && !piece.isRequest && act(at: .afterAnswer))
    }

    /// Counts, and acts if this is the moment. Returns whether it was.
    private func act(at moment: Moment) -> Bool {
        let isNow = state.withLock { state -> Bool in
            if moment == .beforeRequest { state.requests += 1 }
            if moment == .beforeAnswer { state.answers += 1 }
            let number = moment == .beforeRequest ? state.requests : state.answers
            guard !state.hasActed, moment == trigger.moment, number >= trigger.number else { return false }
            state.hasActed = true
            return true
        }
        if isNow {
            action()
            relay.refuseOthers()
        }
        return isNow
    }
}
