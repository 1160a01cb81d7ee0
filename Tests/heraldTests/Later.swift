import Foundation

/// A value that one thread sets and another waits for.
final class Later<Value: Sendable>: @unchecked Sendable {
    // The condition guards the only state.
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
