#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A regular file, read from start to end. Pipes and devices are refused: herald could wait for a pipe forever, and a
/// device may have no end.
final class RegularFile {
    private let descriptor: Int32
    /// The size in bytes when the file was opened.
    let size: Int

    enum Kind { case file, folder, link, other }

    enum Problem: Error {
        case missing, folder, notRegular, tooLarge, noPermission, linkedInCircle, failed

        fileprivate init(_ code: Int32) {
            self =
                switch code {
                case ENOENT, ENOTDIR, ENAMETOOLONG: .missing
                case EACCES, EPERM: .noPermission
                case ELOOP: .linkedInCircle
                default: .failed
                }
        }
    }

    /// The kind of file at a path, without following links. `nil` if there is none.
    static func kind(of path: String) -> Kind? {
        var status = stat()
        guard !path.utf8.contains(0), lstat(path, &status) == 0 else { return nil }
        return Kind(status)
    }

    /// What is at a path, after links. `nil` if there is nothing.
    static func identity(of path: String) -> FileIdentity? {
        var status = stat()
        return !path.utf8.contains(0) && stat(path, &status) == 0 ? FileIdentity(status) : nil
    }

    /// - Parameter limit: in bytes. A larger file is refused.
    init(at path: String, limit: Int) throws(Problem) {
        // C functions would end the path at a NUL.
        guard !path.utf8.contains(0) else { throw .missing }
        // A device is not even opened, because that alone may have an effect.
        var status = stat()
        guard stat(path, &status) == 0 else { throw Problem(errno) }
        try Self.check(status, limit)
        // The file may be replaced between the two calls. `O_NONBLOCK` keeps `open` from waiting for a pipe.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Problem(errno) }
        do throws(Problem) {
            guard fstat(descriptor, &status) == 0 else { throw Problem(errno) }
            try Self.check(status, limit)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        size = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// The file's identity as it is now. `nil` if the system does not tell.
    var identity: FileIdentity? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? FileIdentity(status) : nil
    }

    /// Fills the buffer. Fewer bytes mean that the end of the file was reached.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = Self.readSome(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Problem(errno) }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    /// - Parameter limit: in bytes. More is never read into the result.
    static func bytes(at path: String, limit: Int) throws(Problem) -> [UInt8] {
        let file = try RegularFile(at: path, limit: limit)
        var bytes: [UInt8] = []
        while true {
            // Reading one byte more than the size shows whether the file has grown.
            let wanted = bytes.isEmpty ? file.size + 1 : 65536
            var problem: Problem?
            let chunk = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
                do throws(Problem) { filled = try file.read(into: UnsafeMutableRawBufferPointer(buffer)) } catch {
                    problem = error
                }
            }
            if let problem { throw problem }
            guard bytes.count + chunk.count <= limit else { throw .tooLarge }
            if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
            if chunk.count < wanted { return bytes }
        }
    }

    private static func check(_ status: stat, _ limit: Int) throws(Problem) {
        switch Kind(status) {
        case .file: if Int(status.st_size) > limit { throw .tooLarge }
        case .folder: throw .folder
        case .link, .other: throw .notRegular
        }
    }

    /// Calls the system's function, which a method here hides by its name.
    private static func readSome(_ descriptor: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.read(descriptor, start, count)
        #elseif canImport(Musl)
            Musl.read(descriptor, start, count)
        #else
            Darwin.read(descriptor, start, count)
        #endif
    }
}

extension FileIdentity {
    fileprivate init(_ status: stat) {
        #if canImport(Darwin)
            let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
            let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        self.init(
            device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino),
            size: Int64(status.st_size), modified: modified.nanoseconds, changed: changed.nanoseconds)
    }
}

extension timespec {
    /// Since 1970. A time that is too large overflows, which does no harm: it is only compared.
    fileprivate var nanoseconds: Int64 { Int64(tv_sec) &* 1_000_000_000 &+ Int64(tv_nsec) }
}

extension RegularFile.Kind {
    fileprivate init(_ status: stat) {
        self =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            default: .other
            }
    }
}

extension String {
    /// An absolute path without links. If the file does not exist, the links in its existing folders are resolved.
    var resolvingSymlinks: String {
        guard !utf8.contains(0) else { return self }
        var folder = self
        var rest = ""
        while true {
            if let real = realpath(folder, nil) {
                defer { free(real) }
                let path = String(cString: real)
                return rest.isEmpty ? path : path == "/" ? rest : path + rest
            }
            guard let slash = folder.lastIndex(of: "/"), slash > folder.startIndex else { return self }
            rest = folder[slash...] + rest
            folder = String(folder[..<slash])
        }
    }
}
