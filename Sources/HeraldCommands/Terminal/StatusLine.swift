import Foundation
import Synchronization

/// The terminal's last line. It is drawn over, and removed before anything else is written.
final class StatusLine: Sendable {
    private let isDrawn = Mutex(false)
    private let output: @Sendable (_ text: String, _ descriptor: Int32) -> Void

    init(write: @escaping @Sendable (_ text: String, _ descriptor: Int32) -> Void) { output = write }

    private static let erasure = "\r\u{1B}[K"

    func draw(_ text: String) {
        isDrawn.withLock { isDrawn in
            output(Self.erasure + text, STDERR_FILENO)
            isDrawn = true
        }
    }

    func write(_ text: String, to descriptor: Int32) {
        isDrawn.withLock { isDrawn in
            if isDrawn { output(Self.erasure, STDERR_FILENO) }
            isDrawn = false
            output(text, descriptor)
        }
    }

    func erase() { write("", to: STDERR_FILENO) }
}
