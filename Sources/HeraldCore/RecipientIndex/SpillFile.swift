#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A file for what does not fit into memory. It has no name, so it disappears with the process, even after a crash.
/// Only its owner can read it.
final class SpillFile: Sendable {
    private let descriptor: Int32
    private let folder: String

    init(in folder: String) throws(RecipientIndexError) {
        var name = Array("\(folder)/herald-XXXXXX".utf8CString)
        descriptor = mkstemp(&name)
        self.folder = folder
        guard descriptor >= 0 else { throw Self.error(in: folder) }
        unlink(name)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(RecipientIndexError) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + written))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.error(in: folder) }
            written += count
        }
    }

    /// Fills the buffer from an offset. It returns less than the buffer's size only at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(RecipientIndexError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.error(in: folder) }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    private static func error(in folder: String) -> RecipientIndexError {
        .noRoom(folder: folder, detail: String(cString: strerror(errno)))
    }
}
