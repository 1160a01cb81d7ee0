#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The system's error text for a file that cannot be read or written.
struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// The error of the last system call.
    init() { self.init(String(cString: strerror(errno))) }
}

extension [UInt8] {
    /// The whole content of a file.
    init(contentsOf path: String) throws(FileError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError() }
        defer { close(descriptor) }
        try self.init(readingFrom: descriptor)
    }

    /// Writes all bytes, in one call if possible. The kernel writes fewer if the disk is full or a signal arrives.
    func write(to descriptor: CInt) throws(FileError) {
        var rest = self[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Self.write(descriptor, $0) }
            if written > 0 { rest = rest.dropFirst(written) } else if errno != EINTR { throw FileError() }
        }
    }

    private static func write(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
            Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #else
            Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }

    /// The rest of a file.
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
