#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Reads files that have an end: a pipe would keep herald waiting, and a device may never stop.
enum RegularFile {
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

    /// What stands at a path, links not followed; `nil` when nothing does.
    static func kind(of path: String) -> Kind? {
        var status = stat()
        guard !path.utf8.contains(0), lstat(path, &status) == 0 else { return nil }
        return Kind(status)
    }

    /// - Parameter limit: in bytes; not one more is read.
    static func bytes(at path: String, limit: Int) throws(Problem) -> [UInt8] {
        // C would take what stands before a NUL for the whole path.
        guard !path.utf8.contains(0) else { throw .missing }
        // A device is not even opened: that alone may set something going.
        var status = stat()
        guard stat(path, &status) == 0 else { throw Problem(errno) }
        try check(status, limit)
        // What it is may change in between; a pipe must then not block.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Problem(errno) }
        defer { close(descriptor) }
        guard fstat(descriptor, &status) == 0 else { throw Problem(errno) }
        try check(status, limit)
        var bytes: [UInt8] = []
        while true {
            // One more than there should be: a regular file gives less than it is asked for only at its end.
            let wanted = bytes.isEmpty ? Int(status.st_size) + 1 : 65536
            let chunk = try chunk(of: descriptor, upTo: wanted)
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

    private static func chunk(of descriptor: Int32, upTo count: Int) throws(Problem) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count < 0 { code = errno }
                filled = max(count, 0)
                return
            }
        }
        guard code == 0 else { throw Problem(code) }
        return bytes
    }
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
    /// An absolute path without links. What is not there has none; the folders it would be in may.
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
