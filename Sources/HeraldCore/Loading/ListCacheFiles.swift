internal import Crypto

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The two cache files beside a state. With them the next plan need not read lists that did not change. A file with
/// anything wrong in it counts as absent.
package struct ListCacheFiles: Sendable {
    /// The paths of the cache of lists and of the cache of the state's numbers.
    private let lists: String
    private let numbers: String
    /// SHA-256 of everything that must be the same for the writer and the reader of the files.
    private let maker: [UInt8]
    private let isRead: Bool
    /// In nanoseconds since 1970.
    let now: @Sendable () -> Int64

    /// Larger files are neither read nor written.
    private static let maximumSize = 256 << 20

    /// - Parameters:
    ///   - state: The state's path.
    ///   - host: Identifies the machine; stays the same after a restart.
    ///   - version: The program's version: another may read lists differently.
    ///   - isRead: `false` to read every list and only write the cache.
    ///   - now: In nanoseconds since 1970, on the clock that sets files' times.
    package init(
        beside state: String, host: String, version: String, isRead: Bool = true,
        now: @escaping @Sendable () -> Int64
    ) {
        (lists, numbers) = Self.paths(beside: state)
        maker = Array(SHA256.hash(data: Array("\(ListCache.format)\0\(version)\0\(host)".utf8)))
        (self.isRead, self.now) = (isRead, now)
    }

    private static func paths(beside state: String) -> (lists: String, numbers: String) {
        // Two paths to one state share one cache.
        let path = state.resolvingSymlinks
        return ("\(path).cache", "\(path).cache-numbers")
    }

    package static func remove(beside state: String) {
        let (lists, numbers) = paths(beside: state)
        unlink(lists)
        unlink(numbers)
    }

    func cache() -> ListCache? {
        guard isRead, let file = OwnFile(at: lists), file.size <= Self.maximumSize else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: file.size) { buffer, filled in
            filled = file.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
        return ListCache(bytes, by: maker)
    }

    func numbers(for numbering: Numbering) -> RecipientNumbers? {
        guard let file = OwnFile(at: numbers), file.size <= Self.maximumSize else { return nil }
        return RecipientNumbers(size: file.size, by: maker, for: numbering) { file.read(into: $0) }
    }

    /// `keep(_:for:)` as a value.
    package var keeper: @Sendable (ResolvedLists, Numbering) -> Void { { keep($0, for: $1) } }

    /// Writes both files, each replaced at once. If that fails there is no cache, which costs only time.
    func keep(_ resolved: ResolvedLists, for numbering: Numbering) {
        let kept = resolved.numbers { numbering in self.numbers(for: numbering) }
        switch kept {
        case .asBefore: break
        case .none: unlink(numbers)
        case .new(let new):
            OwnFile.write(to: numbers) { write in try new.write(by: maker, for: numbering, to: write) }
        }
        let bytes = resolved.cache(for: numbering).encoded(by: maker)
        guard bytes.count <= Self.maximumSize else {
            unlink(lists)
            return
        }
        OwnFile.write(to: lists) { write in try bytes.withUnsafeBytes(write) }
    }
}

/// A file that only its owner may have written. Links are not followed, and other users' files are not read.
private final class OwnFile {
    struct Failure: Error {}

    let size: Int
    private let descriptor: Int32

    init?(at path: String) {
        guard !path.utf8.contains(0) else { return nil }
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o022 == 0
        else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        size = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// Fills the buffer. Returns less than its size at the end of the file, or if the file cannot be read.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = Self.readSome(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            filled += count
        }
        return filled
    }

    /// Not synced: a file that a power cut damaged does not match the digest at its end.
    static func write(to path: String, _ content: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) {
        let draft = "\(path).new"
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let isWritten = (try? content { try write($0, to: descriptor) }) != nil
        close(descriptor)
        if !isWritten || rename(draft, path) != 0 { unlink(draft) }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = writeSome(descriptor, part.baseAddress, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure() }
            rest = rest.dropFirst(count)
        }
    }

    #if canImport(Glibc)
        private static let (readSome, writeSome) = (Glibc.read, Glibc.write)
    #elseif canImport(Musl)
        private static let (readSome, writeSome) = (Musl.read, Musl.write)
    #else
        private static let (readSome, writeSome) = (Darwin.read, Darwin.write)
    #endif
}
