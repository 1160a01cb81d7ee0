import Foundation

/// A value that one thread sets and another waits for.
///
/// It is `Sendable` because the condition guards its only state.
final class Later<Value: Sendable>: @unchecked Sendable {
    private let condition = NSCondition()
    private var content: Value?

    var value: Value {
        get {
            condition.withLock {
                while true {
                    if let content { return content }
                    condition.wait()
                }
            }
        }
        set {
            condition.withLock {
                content = newValue
                condition.broadcast()
            }
        }
    }
}
