import NIOCore
import Synchronization

/// Lets a server stop only after all requests that it has begun to process are answered.
final class Drain: Sendable {
    private let state = Mutex(State())

    private struct State {
        var inFlight = 0
        var isUnderWay = false
        var whenDone: (@Sendable () -> Void)?
        /// Requests that are waiting because of a fault's delay.
        var pauses: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastPause = 0
    }

    /// Whether new requests are refused.
    var isUnderWay: Bool { state.withLock(\.isUnderWay) }

    /// Call this when a request arrives.
    func enter() { state.withLock { $0.inFlight += 1 } }

    /// Call this when its answer is on its way.
    func leave() {
        let whenDone = state.withLock { state -> (@Sendable () -> Void)? in
            state.inFlight -= 1
            guard state.inFlight == 0 else { return nil }
            defer { state.whenDone = nil }
            return state.whenDone
        }
        whenDone?()
    }

    /// Waits for this time, or until the drain begins.
    func pause(for duration: Duration, on loop: any EventLoop) async {
        let number = state.withLock { state in
            state.lastPause += 1
            return state.lastPause
        }
        await withCheckedContinuation { continuation in
            let isLate = state.withLock { state in
                if !state.isUnderWay { state.pauses[number] = continuation }
                return state.isUnderWay
            }
            if isLate { return continuation.resume() }
            loop.scheduleTask(in: TimeAmount(duration)) { [self] in
                state.withLock { $0.pauses.removeValue(forKey: number) }?.resume()
            }
        }
    }

    /// Ends all pauses. Calls `whenDone` once every request is answered.
    func begin(whenDone: @escaping @Sendable () -> Void) {
        let (pauses, isDone) = state.withLock { state in
            defer { state.pauses = [:] }
            state.isUnderWay = true
            state.whenDone = state.inFlight > 0 ? whenDone : nil
            return (state.pauses.values, state.inFlight == 0)
        }
        for pause in pauses { pause.resume() }
        if isDone { whenDone() }
    }
}
