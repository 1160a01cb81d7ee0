import Foundation
import HeraldTestSupport
import Testing

/// A state behind TLS: the server must show the right certificate for its name.
@Suite(.enabled(if: PostgresTestServer.isInstalled)) struct EncryptedStateTests {
    /// A certificate for some names that is its own authority, made by openssl.
    private static func certificate(
        for names: String, in folder: TemporaryFolder, _ name: String
    ) async throws -> (path: String, key: String, text: String) {
        let (key, path) = ("\(folder.path)/\(name).key", "\(folder.path)/\(name).crt")
        let made = try await ChildProcess(
            "/usr/bin/env",
            [
                "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=herald test",
                "-addext", "subjectAltName=\(names)", "-keyout", key, "-out", path,
            ], environment: ["PATH": "/usr/bin:/bin:/usr/local/bin"]
        ).wait()
        try #require(made.status == 0, "\(made.errors)")
        return (path, try folder.read("\(name).key"), try folder.read("\(name).crt"))
    }

    private static func freePort() throws -> Int {
        let relay = try Relay(serverPort: 1)
        defer { relay.stop() }
        return relay.port
    }

    @Test func `a checked connection works, and one to a server with another certificate or name is refused`()
        async throws
    {
        let folder = try TemporaryFolder()
        let right = try await Self.certificate(for: "IP:127.0.0.1", in: folder, "right")
        let other = try await Self.certificate(for: "IP:127.0.0.1", in: folder, "other")
        let port = try Self.freePort()
        let server = try await PostgresCluster(
            port: port,
            files: [
                "server.crt": right.text, "server.key": right.key,
                "pg_hba.conf": "local all all trust\nhostssl all all 127.0.0.1/32 trust\nhost all all all reject\n",
            ], "listen_addresses = '127.0.0.1'", "ssl = on")
        let (sandbox, _) = try await Sandbox.shared(
            Sandbox.small(count: 20, subscribers: 5),
            database: ("postgres", "postgresql://herald@/postgres?host=\(server.folder)&port=\(port)"))
        let (_, host) = try await sandbox.startEmulator()
        @Sendable func herald(_ arguments: String, _ parameters: String, host name: String = "127.0.0.1") async throws
            -> ChildProcess.Result
        {
            try await HeraldProcess.run(
                ["-w", sandbox.workspace] + arguments.split(separator: " ").map(String.init),
                environment: [
                    "HERALD_STATE": "postgresql://herald@\(name):\(port)/postgres?\(parameters)",
                    "FCM_EMULATOR_HOST": host,
                ])
        }
        let checked = "sslmode=verify-full&sslrootcert=\(right.path)"
        for arguments in ["state init", "apply --auto-approve", "run", "state show --check"] {
            let result = try await herald(arguments, checked)
            #expect(result.status == 0, "\(arguments): \(result.errors)")
        }
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).count == 21)
        let refusals = [
            ("sslmode=verify-full&sslrootcert=\(other.path)", "127.0.0.1", "certificate verify failed"),
            // The certificate is not for that name.
            (checked, "localhost", "does not match host name"),
            // The server wants TLS.
            ("sslmode=disable", "127.0.0.1", "no encryption"),
            // herald wants it towards another machine, and a check.
            ("sslmode=require", "192.0.2.1", "is not checked"), ("sslmode=verify-ca", "192.0.2.1", "is not checked"),
        ]
        // At the same time: each tries for a while.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (parameters, name, reason) in refusals {
                group.addTask {
                    let refused = try await herald("state show", parameters, host: name)
                    #expect(refused.status == 1, "\(parameters)")
                    #expect(refused.errors.contains(reason), "\(refused.errors)")
                }
            }
            try await group.waitForAll()
        }
        await sandbox.end()
    }
}
