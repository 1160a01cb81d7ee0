import Foundation
import Synchronization

/// The terminal's last line. It is drawn over, and removed before anything else is written.
final class StatusLine: Sendable {
    private let isDrawn = Mutex(false)

    private static let erasure = "\r\u{1B}[K"

    func draw(_ text: String) {
        isDrawn.withLock { isDrawn in
            Self.write(Self.erasure + text, to: STDERR_FILENO)
            isDrawn = true
        }
    }

    func write(_ text: String, to descriptor: Int32) {
        isDrawn.withLock { isDrawn in
            if isDrawn { Self.write(Self.erasure, to: STDERR_FILENO) }
            isDrawn = false
            Self.write(text, to: descriptor)
        }
    }

    func erase() { write("", to: STDERR_FILENO) }

    /// A closed pipe is no reason to crash, and there is nobody left to tell.
    private static func write(_ text: String, to descriptor: Int32) { _ = writeAll(text, to: descriptor) }
}
