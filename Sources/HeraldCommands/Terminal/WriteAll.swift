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
        if count < 0, errno == EINTR || errno == EAGAIN && hasRoom(descriptor) { continue }
        guard count > 0 else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return true
}

/// Waits until a file that does not block can be written to again: another program that has the same terminal or pipe may
/// have made it so. `false` if nobody can tell.
private func hasRoom(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&entry, 1, -1) > 0 || errno == EINTR
}
