import Foundation
import HeraldTestSupport

/// A self-signed certificate made with the `openssl` program. It is its own authority. Its files are deleted with it.
final class Certificate: Sendable {
    private let folder: URL

    var certificatePath: String { folder.appending(path: "certificate.pem").path }
    var keyPath: String { folder.appending(path: "key.pem").path }

    init(for names: String = "DNS:localhost,IP:127.0.0.1") throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "herald-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let openssl = try ChildProcess(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-keyout",
                keyPath, "-out", certificatePath, "-days", "2", "-subj", "/CN=herald test", "-addext",
                "subjectAltName=\(names)",
            ], environment: ProcessInfo.processInfo.environment)
        guard openssl.waitUntilEnd() == 0 else { throw CocoaError(.fileReadUnknown) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}
