import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file from which a world is made again after a restart: every call that changed it, in order. A record is in the
/// kernel's hands before its call is answered, so that a killed emulator has lost nothing that it told.
///
/// Each line begins with a checksum over itself and all lines before it.
final class Journal: Sendable {
    private let file: Mutex<JournalFile>

    /// Opens the file, or makes one that its owner alone may read.
    ///
    /// - Parameter replay: is given each record in order, and gives the one that says as much as it and all before it.
    init(path: String, replay: (JournalRecord) -> JournalRecord?) throws(EmulatorError) {
        do throws(FileError) {
            let path = Self.resolved(path)
            let descriptor = try Self.openAlone(path)
            var file = JournalFile(descriptor: descriptor)
            if let shorter = try file.load(replay) { file = try .replacing(path, by: shorter) }
            self.file = Mutex(file)
        } catch {
            throw .cannotUseData(path: path, reason: error.description)
        }
    }

    func append(_ record: JournalRecord) throws(FileError) {
        let line = record.line
        try file.withLock { (file) throws(FileError) in try file.append(line) }
    }

    private static func openAlone(_ path: String) throws(FileError) -> CInt {
        let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw FileError() }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw FileError("it is no file")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw FileError("another emulator uses it")
        }
        return descriptor
    }

    /// Where links lead, so that what replaces the file does not replace a link.
    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}
