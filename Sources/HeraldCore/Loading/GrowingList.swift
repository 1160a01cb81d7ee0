internal import Dispatch
internal import Synchronization

/// A file that is read while it is written, by one reader and one writer.
package final class GrowingList: Sendable {
    private struct Progress {
        var size = 0
        var isWhole = false
    }

    private let progress = Mutex(Progress())
    private let bell = DispatchSemaphore(value: 0)

    package init() {}

    /// The file has so many bytes now.
    package func grew(to size: Int) {
        progress.withLock { $0.size = size }
        bell.signal()
    }

    /// Nothing more is written.
    package func end() {
        progress.withLock { $0.isWhole = true }
        bell.signal()
    }

    /// Waits until the file has more than so many bytes. Returns `false` if it never will.
    func waits(beyond position: Int) -> Bool {
        while true {
            let now = progress.withLock(\.self)
            if now.size > position { return true }
            if now.isWhole { return false }
            bell.wait()
        }
    }
}
