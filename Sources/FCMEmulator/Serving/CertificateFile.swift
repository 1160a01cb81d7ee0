#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file with the emulator's certificate for clients to trust. It is deleted when its owner ends.
struct CertificateFile: ~Copyable {
    let path: String

    /// The path where clients on this machine look for the certificate of the emulator on a port.
    static func defaultPath(port: Int) -> String {
        FileManager.default.temporaryDirectory.appending(path: "herald-emulator-\(port).pem").path
    }

    /// Writes a new file that everyone can read. A file that a killed emulator left is replaced.
    ///
    /// The file must not exist when it is created. So nobody with access to the folder can redirect the writing with a
    /// link, or keep a handle to the file.
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
