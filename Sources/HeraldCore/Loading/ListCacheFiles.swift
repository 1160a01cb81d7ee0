internal import Crypto

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The two files beside a state that spare the next plan its lists. Whatever is wrong with them, they count as absent.
package struct ListCacheFiles: Sendable {
    /// Of whom lists name, and of the state's numbers.
    private let lists: String
    private let numbers: String
    /// SHA-256 of what has to be the same for whoever reads them.
    private let maker: [UInt8]
    private let isRead: Bool
    /// In nanoseconds since 1970.
    let now: @Sendable () -> Int64

    /// Larger ones are neither read nor written.
    private static let maximumSize = 256 << 20

    /// - Parameters:
    ///   - state: the state's path.
    ///   - host: names the machine, the same after it was started anew.
    ///   - version: of the program: another may read lists in another way.
    ///   - isRead: `false` where everything is to be read anew, and they are only written.
    ///   - now: in nanoseconds since 1970, by the clock that files' times come from.
    package init(
        beside state: String, host: String, version: String, isRead: Bool = true,
        now: @escaping @Sendable () -> Int64
    ) {
        // Two names of one state have one cache.
        let path = state.resolvingSymlinks
        (lists, numbers) = ("\(path).cache", "\(path).cache-numbers")
        maker = Array(SHA256.hash(data: Array("\(ListCache.format)\0\(version)\0\(host)".utf8)))
        (self.isRead, self.now) = (isRead, now)
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

    /// Puts them into place, each at once; where that is not possible there are none, and nobody misses them.
    func keep(_ resolved: ResolvedLists, for numbering: Numbering) {
        switch resolved.numbers {
        case .asBefore: break
        case .none: unlink(numbers)
        case .new(let kept):
            OwnFile.write(to: numbers) { write in try kept.write(by: maker, for: numbering, to: write) }
        }
        let bytes = resolved.cache(for: numbering).encoded(by: maker)
        guard bytes.count <= Self.maximumSize else {
            unlink(lists)
            return
        }
        OwnFile.write(to: lists) { write in try bytes.withUnsafeBytes(write) }
    }
}

/// A file that only its owner may have written: no link is followed, and nobody else's file is read.
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

    /// Fills the buffer; less than its size at the end of the file, or where it cannot be read.
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

    /// It is not synced: what a power cut leaves of it does not have the digest that it ends with.
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
