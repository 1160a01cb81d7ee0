import FCM
import NIOCore
import NIOSSL
import Testing

@testable import FCMEmulator

@Suite(.timeLimit(.minutes(5))) struct SecureServerTests {
    private static let tls = Emulator.Configuration(tls: true)

    /// The emulator uses the machine's clock here, because certificates are checked against it.
    private func withSecureEmulator(_ body: @Sendable (Emulator.Endpoint) async throws -> Void) async throws {
        try await withEmulator(Self.tls, now: Date(), body)
    }

    @Test(arguments: [
        (["h2", "http/1.1"], "h2"), (["http/1.1"], "http/1.1"), (["h2"], "h2"), ([], nil),
    ])
    func `a client that trusts the printed certificate chooses the protocol`(
        _ offered: [String], _ chosen: String?
    ) async throws {
        try await withSecureEmulator { endpoint in
            for name in ["localhost", nil] {
                let negotiated = try await withSecureConnection(
                    port: endpoint.port, trusting: endpoint.certificate, offering: offered, name: name
                ) { negotiated, _, _ in negotiated }
                #expect(negotiated == chosen)
            }
        }
    }

    @Test func `a client that trusts the world's certificates alone refuses this one`() async throws {
        try await withSecureEmulator { endpoint in
            await #expect(throws: NIOSSLError.self) {
                try await withSecureConnection(port: endpoint.port, trusting: nil) { _, _, _ in }
            }
        }
    }

    @Test(
        arguments: [
            ("127.0.0.1", []), ("localhost", []), ("::1", []), ("0.0.0.0", [[0, 0, 0, 0]]),
            ("é", []), ("10.1.2.3", [[10, 1, 2, 3]]), ("build-host", [Array("build-host".utf8)]),
        ] as [(String, [[UInt8]])])
    func `the certificate is for loopback and what the emulator listens on`(_ host: String, _ more: [[UInt8]]) throws {
        let pem = try ServerIdentity(hosts: [host], now: Date(timeIntervalSince1970: 1_796_112_000)).pem
        let certificate = try #require(try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)).first)
        let names = certificate._subjectAlternativeNames().map { Array($0.contents) }
        let loopback = [Array("localhost".utf8), [127, 0, 0, 1], Array(repeating: 0, count: 15) + [1]]
        #expect(names == loopback + more)
        #expect(certificate.notValidBefore == 1_796_025_600)
        #expect(certificate.notValidAfter == 1_798_704_000)
    }

    @Test func `the certificate's file holds no key, all may read it, and it goes at the end`() async throws {
        let path = Kept()
        try await withSecureEmulator { endpoint in
            let file = try #require(endpoint.certificate)
            #expect(file.hasSuffix("/herald-emulator-\(endpoint.port).pem"))
            let text = String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
            #expect(text.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
            #expect(text.hasSuffix("-----END CERTIFICATE-----\n"))
            #expect(text.split(separator: "-----BEGIN").count == 1)
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
            #expect(mode.map { "\($0)" } == String(0o644))
            path.value = file
        }
        #expect(!FileManager.default.fileExists(atPath: try #require(path.value)))
    }

    /// The body writes it once, and it is read after the body has returned.
    private final class Kept: @unchecked Sendable {
        var value: String?
    }

    @Test func `requests go over HTTP/1.1 and TLS`() async throws {
        try await withSecureEmulator { endpoint in
            try await withSecureConnection(
                port: endpoint.port, trusting: endpoint.certificate, offering: ["http/1.1"]
            ) { _, input, output in
                for _ in 1...2 {
                    let body = #"{"message":{"topic":"tides"}}"#
                    try await output.write(
                        ByteBuffer(
                            string: "POST /v1/projects/p/messages:send HTTP/1.1\r\nHost: localhost\r\n"
                                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"))
                    var answer = ""
                    while !answer.hasSuffix("}"), let piece = try await input.next(isolation: #isolation) {
                        answer += String(buffer: piece)
                    }
                    #expect(answer.hasPrefix("HTTP/1.1 200 "))
                    #expect(answer.contains("projects/p/messages/"))
                }
            }
        }
    }

    @Test func `a hundred streams run on one connection`() async throws {
        try await withSecureEmulator { endpoint in
            try await withSecureConnection(
                port: endpoint.port, trusting: endpoint.certificate, offering: ["h2"]
            ) { _, input, output in
                var connection = HTTP2Frames()
                var opening = HTTP2Frames.opening()
                for request in 0..<100 {
                    HTTP2Frames.writeGet("/iid/info/\(fid(request))", stream: 2 * request + 1, to: &opening)
                }
                try await output.write(opening)

                var (settings, answered): ([UInt8], Set<Int>) = ([], [])
                while answered.count < 100, let piece = try await input.next(isolation: #isolation) {
                    connection.received += Array(buffer: piece)
                    while let frame = connection.next() {
                        if frame.kind == .settings, !frame.isAcknowledgement { settings = frame.payload }
                        if frame.kind == .headers { answered.insert(frame.stream) }
                    }
                }
                // 3 is SETTINGS_MAX_CONCURRENT_STREAMS.
                #expect(settings.chunks(of: 6).contains([0, 3, 0, 0, 0, 100]))
                #expect(answered == Set((0..<100).map { 2 * $0 + 1 }))
            }
            let requests = try await withSecureConnection(
                port: endpoint.port, trusting: endpoint.certificate, offering: ["http/1.1"]
            ) { _, input, output in
                try await output.write(
                    ByteBuffer(
                        string: "GET /emulator/v1/requests HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
                var answer = ""
                while let piece = try await input.next(isolation: #isolation) { answer += String(buffer: piece) }
                // Without `access_token_auth` every call is refused.
                return answer.split(separator: "\n").count { $0.hasSuffix(#""status":401}"#) }
            }
            #expect(requests == 100)
        }
    }

    @Test func `an emulator ends although clients neither finish a handshake nor close`() async throws {
        let kept = KeptConnections()
        try await withSecureEmulator { endpoint in
            kept.silent = try RawConnection(port: endpoint.port)
            let (open, signal) = AsyncStream<Void>.makeStream()
            kept.idle = Task {
                try await withSecureConnection(
                    port: endpoint.port, trusting: endpoint.certificate, offering: ["h2"]
                ) { negotiated, input, _ in
                    signal.finish()
                    while try await input.next(isolation: #isolation) != nil {}
                    return negotiated
                }
            }
            for await _ in open {}
        }
        #expect(try await kept.silent?.read().isEmpty == true)
        #expect(try await kept.idle?.value == "h2")
    }

    /// The stream must be ended properly, and not with the connection after the emulator's grace period.
    @Test func `who looks on over HTTP/2 hears of changes, and of the end`() async throws {
        let kept = KeptConnections()
        try await withSecureEmulator { endpoint in
            let (heard, signal) = AsyncStream<Void>.makeStream()
            kept.listening = Task {
                try await withSecureConnection(
                    port: endpoint.port, trusting: endpoint.certificate, offering: ["h2"]
                ) { _, input, output in
                    defer { signal.finish() }
                    var (connection, opening) = (HTTP2Frames(), HTTP2Frames.opening())
                    HTTP2Frames.writeGet("/emulator/v1/events", stream: 1, to: &opening)
                    try await output.write(opening)
                    var text = ""
                    while let piece = try await input.next(isolation: #isolation) {
                        connection.received += Array(buffer: piece)
                        while let frame = connection.next() {
                            guard frame.kind == .data else { continue }
                            if text.isEmpty {
                                var request = ByteBuffer()
                                HTTP2Frames.writePost(
                                    "/v1/projects/p/messages:send", #"{"message":{"topic":"t"}}"#, stream: 3,
                                    to: &request)
                                try await output.write(request)
                            }
                            guard frame.stream == 1 else { continue }
                            text += String(decoding: frame.payload, as: UTF8.self)
                            if text.contains(#""change":"delivery""#) { signal.finish() }
                            if frame.isLast { return text }
                        }
                    }
                    return nil
                }
            }
            for await _ in heard {}
        }
        #expect(try await kept.listening?.value?.contains(#""target":{"topic":"t"}"#) == true)
    }

    /// Keeps connections open until the emulator has ended. The body writes it once, and it is read after the body has
    /// returned.
    private final class KeptConnections: @unchecked Sendable {
        var silent: RawConnection?
        var idle: Task<String?, any Error>?
        var listening: Task<String?, any Error>?
    }

    @Test func `a folder that takes no certificate is told`() {
        #expect(
            throws: EmulatorError.cannotWriteCertificate(
                path: "/nonexistent/c.pem", reason: "No such file or directory")
        ) {
            _ = try CertificateFile(path: "/nonexistent/c.pem", pem: "")
        }
    }

    @Test func `what lies where the certificate goes is replaced, not followed`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "certificate-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (target, link) = (folder + "/target", folder + "/link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        do {
            let file = try CertificateFile(path: link, pem: "certificate")
            #expect(try Data(contentsOf: URL(filePath: file.path)) == Data("certificate".utf8))
        }
        #expect(!FileManager.default.fileExists(atPath: target))
        #expect(!FileManager.default.fileExists(atPath: link))
    }

    @Test func `an account's key that is none is told`() async {
        let configuration = Emulator.Configuration(serviceAccounts: ["a@b": "none"])
        await #expect(throws: EmulatorError.cannotReadKey(account: "a@b")) {
            try await Emulator(configuration, now: { Date() }).run { _ in }
        }
    }
}

extension [UInt8] {
    fileprivate func chunks(of size: Int) -> [[UInt8]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
