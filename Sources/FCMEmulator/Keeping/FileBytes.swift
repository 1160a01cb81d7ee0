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

    init(_ description: String) { self.description = description }

    /// The last call's failure.
    init() { self.init(String(cString: strerror(errno))) }
}

extension [UInt8] {
    /// All of a file.
    init(contentsOf path: String) throws(FileError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError() }
        defer { close(descriptor) }
        try self.init(readingFrom: descriptor)
    }

    /// Writes it in one call; the kernel takes less only when the disk is full or a signal comes.
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
