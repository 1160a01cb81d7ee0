import Foundation

/// Writes all of a text to an open file; `false` if that fails.
func writeAll(_ text: String, to descriptor: Int32) -> Bool {
    Array(text.utf8).withUnsafeBytes { writeAll($0, to: descriptor) }
}

/// Writes all of some bytes to an open file; `false` if that fails.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
        let count = write(descriptor, rest.baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return true
}
