#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What the system says of a file that it does not give.
struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    let description: String

    /// The last call's failure.
    init() { description = String(cString: strerror(errno)) }
}

extension [UInt8] {
    /// All of a file.
    init(contentsOf path: String) throws(FileError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError() }
        defer { close(descriptor) }
        try self.init(readingFrom: descriptor)
    }

    /// What is left to read.
    init(readingFrom descriptor: CInt) throws(FileError) {
        self = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count == 0 { return }
            if count > 0 { append(contentsOf: piece.prefix(count)) } else if errno != EINTR { throw FileError() }
        }
    }
}
