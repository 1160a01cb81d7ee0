import Dispatch
import Foundation
import HeraldCore
import Synchronization

/// Turns SIGINT and SIGTERM into a wish that can be asked for, instead of a sudden end.
final class Signals: Sendable {
    private let received = Atomic<Int32>(0)

    /// The first signal that came; 0 before.
    var first: Int32 { received.load(ordering: .relaxed) }

    /// What the first signal asks of a run: an interrupt comes from a person, a termination from the machine.
    var stop: Stop? {
        switch first {
        case 0: nil
        case SIGINT: .person
        default: .machine
        }
    }

    /// Listens until the process ends. `onFirst` runs once, on a queue of its own.
    static func listen(onFirst: @escaping @Sendable () -> Void = {}) -> Signals {
        let signals = Signals()
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                let (isFirst, _) = signals.received.compareExchange(
                    expected: 0, desired: number, ordering: .relaxed)
                if isFirst { onFirst() }
            }
            source.activate()
            // A source lives as long as somebody holds it, and this one is to live as long as the process.
            _ = Unmanaged.passRetained(source as AnyObject)
        }
        return signals
    }
}
