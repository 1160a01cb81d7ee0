import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file that restores the world after a restart: every call that changed it, in order. The kernel has a record
/// before its call is answered, so a killed emulator loses nothing that it confirmed.
///
/// Each line begins with a checksum over itself and all lines before it.
final class Journal: Sendable {
    private let file: Mutex<JournalFile>

    /// Opens the file, or makes one that only its owner can read.
    ///
    /// - Parameter replay: called with each record in order. It may return one record that replaces this one and all
    ///   before it.
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

    /// The path with symbolic links resolved, so that replacing the file does not replace a link.
    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}
