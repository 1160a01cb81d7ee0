#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file with the emulator's certificate, for clients to trust; it goes when its owner does.
struct CertificateFile: ~Copyable {
    let path: String

    /// Where clients on this machine look for the certificate of the emulator on a port.
    static func defaultPath(port: Int) -> String {
        FileManager.default.temporaryDirectory.appending(path: "herald-emulator-\(port).pem").path
    }

    /// Writes the file anew, readable by all; what an emulator left behind that was killed gives way.
    ///
    /// Whoever may write to the folder cannot have it written elsewhere or keep it open: it must not exist by then.
    init(path: String, pem: String) throws(EmulatorError) {
        try Self.keep(pem, at: path)
        self.path = path
    }

    deinit { unlink(path) }

    private static func keep(_ text: String, at path: String) throws(EmulatorError) {
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard fchmod(descriptor, 0o644) == 0, write(descriptor, bytes, bytes.count) == bytes.count else {
            let failure = failure(path)
            unlink(path)
            throw failure
        }
    }

    private static func failure(_ path: String) -> EmulatorError {
        .cannotWriteCertificate(path: path, reason: String(cString: strerror(errno)))
    }
}
