#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The ledger file. The kernel has each line before the answer leaves, so the lines survive a killed emulator.
///
/// Only the owner may append, one line at a time.
struct LedgerFile: ~Copyable, Sendable {
    private let descriptor: CInt

    /// Opens the file for appending. Only the owner can read a new one.
    init(path: String) throws(EmulatorError) {
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotOpenLedger(path: path, reason: FileError().description) }
        // One foreign line would make the data unreadable.
        if JournalFile.isData(path) { throw .cannotOpenLedger(path: path, reason: "it is an emulator's data") }
    }

    deinit { close(descriptor) }

    func append(_ lines: [UInt8]) throws(EmulatorError) {
        do { try lines.write(to: descriptor) } catch { throw .cannotWriteLedger(reason: error.description) }
    }
}
