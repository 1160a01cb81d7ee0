import Dispatch
import Foundation
import HeraldCore
import Synchronization

/// Turns SIGINT, SIGTERM and SIGHUP into a request to stop, so that the run can end cleanly. Only a third signal ends the
/// process at once.
final class Signals: Sendable {
    private let count = Mutex(SignalCount())

    /// The first signal that came; 0 before that.
    var first: Int32 { count.withLock(\.first) }

    /// How a run ends after the first signal: a person sends an interrupt, the machine a termination or a hangup.
    var stop: Stop? {
        switch first {
        case 0: nil
        case SIGINT: .person
        default: .machine
        }
    }

    /// Whether a second signal came: the run then does not wait for requests in flight.
    var isInsistent: Bool { count.withLock(\.number) > 1 }

    /// Returns after a second signal, or when the task is cancelled.
    func insistence(by clock: any Clock<Duration>) async {
        while !isInsistent, !Task.isCancelled { try? await clock.sleep(for: .milliseconds(100)) }
    }

    /// Listens until the process ends, and from when it returns: a signal that comes before ends the process, as it does
    /// before anything has begun. `onFirst` runs once, on a queue of its own.
    static func listen(onFirst: @escaping @Sendable () -> Void = {}) -> Signals {
        let signals = Signals()
        // Where there is one core, the shared queues have one thread, and work may hold it for long.
        let queue = DispatchQueue(label: "herald.signals")
        // Under nohup the run is meant to outlive its terminal.
        for number in [SIGINT, SIGTERM, SIGHUP] where number != SIGHUP || !isIgnored(SIGHUP) {
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            let isRegistered = DispatchSemaphore(value: 0)
            source.setEventHandler { signals.receive(number, onFirst) }
            source.setRegistrationHandler { isRegistered.signal() }
            source.activate()
            // On a busy machine the queue may begin much later.
            isRegistered.wait()
            #if !os(Linux)
                // Here a source only watches; on Linux it catches the signal.
                signal(number, SIG_IGN)
            #endif
            // A source works only while something holds it, and this one must work until the process ends.
            _ = Unmanaged.passRetained(source as AnyObject)
        }
        return signals
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        let before = signal(number, SIG_IGN)
        if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { return true }
        signal(number, before)
        return false
    }

    /// Listens for a run, and after the first signal tells the user what another would do.
    static func listen(on console: Console) -> Signals {
        listen {
            console.info("herald: stopping once what is under way has its answer; a second signal stops at once\n")
        }
    }

    func receive(_ number: Int32, _ onFirst: () -> Void = {}) {
        let elapsed = Duration.nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds))
        switch count.withLock({ $0.receive(number, at: elapsed) }) {
        case 1: onFirst()
        case 3: _exit(128 + first)
        default: break
        }
    }
}
