#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The lines of a ``Journal`` on disk.
struct JournalFile: ~Copyable {
    private let descriptor: CInt
    private var size = 0
    private var sum = Checksum()

    /// The first line. Its number is the version of the format.
    private static let header = Array("herald emulator data 1\n".utf8)
    private static let anyHeader = Array("herald emulator data ".utf8)

    /// - Parameter descriptor: of a file that nobody else uses. It is closed with this value.
    init(descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Whether a file is an emulator's data, of whatever version.
    static func isData(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: anyHeader.count)
        // Unlike `read`, it takes nothing out of a pipe.
        return pread(descriptor, &bytes, bytes.count, 0) == bytes.count && bytes == anyHeader
    }

    /// Replaces a file by one with these records, atomically.
    static func replacing(_ path: String, by lines: [[UInt8]]) throws(FileError) -> JournalFile {
        let temporary = path + ".new"
        let descriptor = open(temporary, O_RDWR | O_APPEND | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError() }
        var file = JournalFile(descriptor: descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw FileError() }
        try file.begin()
        for line in lines { try file.append(line) }
        guard fsync(descriptor) == 0, rename(temporary, path) == 0 else { throw FileError() }
        return file
    }

    /// Adds a record. A failed write is removed again.
    mutating func append(_ line: [UInt8]) throws(FileError) {
        let sum = sum.adding(line)
        try write(sum.text + [UInt8(ascii: " ")] + line)
        self.sum = sum
    }

    /// Reads the records of a file, removes an unfinished last line that a crash left, and writes the header into an
    /// empty file.
    ///
    /// - Parameter replay: called with each record. It may return one record that replaces this one and all before it.
    /// - Returns: a shorter list of records with the same effect. `nil` if the file has the shortest one already.
    mutating func load(_ replay: (JournalRecord) -> JournalRecord?) throws(FileError) -> [[UInt8]]? {
        let bytes = try [UInt8](readingFrom: descriptor)
        if bytes.count < Self.header.count, Self.header.starts(with: bytes) {
            try begin()
            return nil
        }
        guard bytes.starts(with: Self.header) else {
            let isOther = bytes.starts(with: Self.anyHeader)
            throw FileError(isOther ? "it is of another version of herald" : "it is not an emulator's data")
        }
        var (kept, isShorter): ([[UInt8]], Bool) = ([], false)
        var (rest, number) = (bytes.dropFirst(Self.header.count), 1)
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            number += 1
            let text = rest[rest.startIndex...end]
            let line = Array(text.dropFirst(Checksum.width + 1))
            let sum = sum.adding(line)
            guard text.starts(with: sum.text), let record = JournalRecord(parsing: line) else {
                throw FileError("line \(number) is damaged")
            }
            self.sum = sum
            rest = rest[(end + 1)...]
            if let short = replay(record) {
                isShorter = true
                kept = [short.line]
            } else {
                kept.append(line)
            }
        }
        size = bytes.count - rest.count
        if !rest.isEmpty, ftruncate(descriptor, off_t(size)) != 0 { throw FileError() }
        return isShorter ? kept : nil
    }

    private mutating func begin() throws(FileError) {
        guard ftruncate(descriptor, 0) == 0 else { throw FileError() }
        try write(Self.header)
    }

    private mutating func write(_ bytes: [UInt8]) throws(FileError) {
        do throws(FileError) { try bytes.write(to: descriptor) } catch {
            // Half a line in the middle would make the file unreadable.
            ftruncate(descriptor, off_t(size))
            throw error
        }
        size += bytes.count
    }
}

/// FNV-1a over all lines so far. It detects damage, not manipulation.
private struct Checksum {
    private var value: UInt64 = 0xcbf2_9ce4_8422_2325

    static let width = 16

    /// The checksum after one more line.
    func adding(_ line: some Sequence<UInt8>) -> Checksum {
        var sum = self
        for byte in line { sum.value = (sum.value ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return sum
    }

    var text: [UInt8] {
        let digits = String(value, radix: 16)
        return Array(String(repeating: "0", count: Self.width - digits.utf8.count).utf8) + Array(digits.utf8)
    }
}
