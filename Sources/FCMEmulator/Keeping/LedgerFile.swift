#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file that outlives a killed emulator: each line is in the kernel's hands before the answer leaves.
///
/// The owner must be the only one that appends at a time.
struct LedgerFile: ~Copyable, Sendable {
    private let descriptor: CInt

    /// Opens the file for appending; a new one is readable by its owner alone.
    init(path: String) throws(EmulatorError) {
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotOpenLedger(path: path, reason: FileError().description) }
    }

    deinit { close(descriptor) }

    func append(_ lines: [UInt8]) throws(EmulatorError) {
        do { try lines.write(to: descriptor) } catch { throw .cannotWriteLedger(reason: error.description) }
    }
}
