import Foundation
import Synchronization

/// The clock of an emulator in this process. In the middle of a run, at an exact moment, it goes ahead so far that all
/// access tokens have ended.
final class TurningPoint: Sendable {
    /// It comes with the first request after so many messages were accepted.
    static let messages = 10
    /// How long the emulator accepts its tokens.
    static let tokenLife = Duration.seconds(30)
    /// In seconds. It is so short that the clock is still right to the minute.
    private static let leap = 31.0

    /// The path of the emulator's ledger.
    private let ledger: String
    /// How far the emulator's clock is ahead, in seconds.
    private let lead: Double
    private let action: @Sendable () -> Void
    private let hasPassed = Mutex(false)

    /// - Parameter action: Runs once, before anything else is answered.
    init(ledger: String, lead: Double = 0, action: @escaping @Sendable () -> Void = {}) {
        (self.ledger, self.lead, self.action) = (ledger, lead, action)
    }

    func now() -> Date {
        let isLater = hasPassed.withLock { hasPassed -> Bool in
            if !hasPassed, accepted >= Self.messages {
                hasPassed = true
                action()
            }
            return hasPassed
        }
        return Date() + lead + (isLater ? Self.leap : 0)
    }

    private var accepted: Int {
        let lines = (try? Data(contentsOf: URL(filePath: ledger))) ?? Data()
        return lines.count { $0 == UInt8(ascii: "\n") }
    }
}
