import Dispatch
import Foundation
import HeraldCore
import Synchronization

/// Turns SIGINT and SIGTERM into a wish that can be asked for, instead of a sudden end. Only a third signal ends the
/// process at once.
final class Signals: Sendable {
    private let count = Mutex(SignalCount())

    /// The first signal that came; 0 before.
    var first: Int32 { count.withLock(\.first) }

    /// What the first signal asks of a run: an interrupt comes from a person, a termination from the machine.
    var stop: Stop? {
        switch first {
        case 0: nil
        case SIGINT: .person
        default: .machine
        }
    }

    /// Whether there was a second: what is under way is not to be waited for.
    var isInsistent: Bool { count.withLock(\.number) > 1 }

    /// Returns after a second signal, or when the task is cancelled.
    func insistence() async {
        while !isInsistent, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(100)) }
    }

    /// Listens until the process ends. `onFirst` runs once, on a queue of its own.
    static func listen(onFirst: @escaping @Sendable () -> Void = {}) -> Signals {
        let signals = Signals()
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { signals.receive(number, onFirst) }
            source.activate()
            // A source lives as long as somebody holds it, and this one is to live as long as the process.
            _ = Unmanaged.passRetained(source as AnyObject)
        }
        return signals
    }

    /// Listens for a run, and tells whoever sent the first signal what another would do.
    static func listen(on console: Console) -> Signals {
        listen {
            console.info("herald: stopping once what is under way has its answer; a second signal stops at once\n")
        }
    }

    private func receive(_ number: Int32, _ onFirst: () -> Void) {
        let elapsed = Duration.nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds))
        switch count.withLock({ $0.receive(number, at: elapsed) }) {
        case 1: onFirst()
        case 3: _exit(128 + first)
        default: break
        }
    }
}
