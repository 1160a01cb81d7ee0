import CryptoExtras
import FCM
import FCMEmulator
import Foundation
import HeraldTestSupport
import Testing

/// A service account's key: how it gets from its file to the last request, and where it must never appear.
@Suite struct SignInTests {
    private static let fids = (1...500).map { Registration.fid($0) }

    /// A workspace that sends a message to 500 recipients, at an endpoint with TLS.
    private static func files(_ endpoint: String, ca: String, credentials: String = "../key.json") -> [String: String] {
        var files = Sandbox.small(count: fids.count, subscribers: 20)
        files["workspace/herald.yaml"] = """
            herald: 1
            project: demo-project
            fcm:
              endpoint: \(endpoint)
              ca: \(ca)
              credentials: \(credentials)
              rate: 200/s
              ramp: 0s

            """
        return files
    }

    private static func showsNoSecret(_ texts: String...) throws -> Bool {
        let secrets = try ServiceAccountKey.secrets + ["ya29.", "PRIVATE KEY", fids[0].rawValue, fids[19].rawValue]
        return texts.allSatisfy { text in !secrets.contains { text.contains($0) } }
    }

    @Test(arguments: [[], ["--quiet"]])
    func `an apply over TLS signs in again when its token is refused, and everybody is reached once`(
        _ options: [String]
    ) async throws {
        let sandbox = try Sandbox([:])
        // The token says it is valid for an hour, but the emulator refuses it after a second, as if it was revoked.
        let (emulator, host) = try await sandbox.startEmulator("--tls", "--require-sign-in", "--token-accepted", "1s")
        let authority = try #require(await emulator.firstLine().split(separator: "=").last.map(String.init))
        for (name, text) in Self.files(host, ca: authority) { try sandbox.folder.write(text, to: name) }
        try sandbox.folder.write(try ServiceAccountKey.file(tokens: "\(host)/token"), to: "key.json")

        let report = "\(sandbox.folder.path)/report.json"
        let apply = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "apply", "--auto-approve", "--report", report] + options,
            environment: sandbox.environment(nil))
        #expect(apply.status == 0, "\(apply.output)\(apply.errors)")
        #expect(Account(try sandbox.report()).accepted == 20 + 500 + 1)
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.count == 501)
        #expect(accepted.values.allSatisfy { $0 == 1 })

        let requests = try await Control(host, trusting: authority).requests()
        #expect(requests.filter { $0["path"] == "/token" && $0["status"] == 200 }.count >= 2)
        let statuses = requests.filter { $0["path"]?.string?.hasSuffix("messages:send") == true }
            .compactMap { $0["status"]?.int }
        let refused = try #require(statuses.firstIndex(of: 401), "a token was to be refused in mid-run")
        #expect(statuses[..<refused].contains(200))
        #expect(statuses[refused...].contains(200))

        #expect(try Self.showsNoSecret(apply.output, apply.errors, try sandbox.folder.read("report.json")))
        if options == ["--quiet"] { #expect(apply.output + apply.errors == "") }
        await sandbox.end()
    }

    @Test func `a key that Google does not know ends the run with a sentence, and nothing is sent`() async throws {
        let stranger = try _RSA.Signing.PrivateKey(keySize: .bits2048).publicKey.pemRepresentation
        let emulator = Emulator(
            .init(tls: true, requiresAuthorization: true, serviceAccounts: [ServiceAccountKey.email: stranger]),
            now: { Date() })
        let (endpoints, listening) = AsyncStream<Emulator.Endpoint>.makeStream()
        let serving = Task { try await emulator.run { listening.yield($0) } }
        let endpoint = try #require(await endpoints.first { _ in true })
        let host = "https://127.0.0.1:\(endpoint.port)"
        let authority = try #require(endpoint.certificate)
        let sandbox = try Sandbox(Self.files(host, ca: authority))
        try sandbox.folder.write(try ServiceAccountKey.file(tokens: "\(host)/token"), to: "key.json")
        let report = "\(sandbox.folder.path)/report.json"
        let apply = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "apply", "--auto-approve", "--report", report],
            environment: sandbox.environment(nil))
        #expect(apply.status == 1)
        #expect(apply.errors.contains("Google refused the credential: invalid_grant, Invalid JWT Signature."))
        #expect(try await Control(host, trusting: authority).ledger().isEmpty)
        #expect(try Self.showsNoSecret(apply.output, apply.errors))
        serving.cancel()
        _ = try? await serving.value
    }

    @Test(arguments: [
        ("https://fcm.googleapis.com", "there are no credentials for https://fcm.googleapis.com"),
        ("https://other-fcm.googleapis.com", "there are no credentials for https://other-fcm.googleapis.com"),
        ("http://192.0.2.1:8080", "'endpoint' is not on this machine, so http is not allowed"),
        ("http://fcm.googleapis.com", "'endpoint' is not on this machine, so http is not allowed"),
        ("ftp://127.0.0.1", "'endpoint' is not the address of a server"),
    ])
    func `without credentials nothing goes anywhere but to this machine, and never in clear`(
        _ endpoint: String, _ sentence: String
    ) async throws {
        let sandbox = try Sandbox([
            "workspace/herald.yaml": "herald: 1\nproject: demo-project\nfcm: {endpoint: '\(endpoint)'}\n",
            "workspace/resources.yaml": """
            kind: audience
            name: some
            fids: [\(Registration.fid(1).rawValue)]
            ---
            kind: topic
            name: news
            subscribers: [some]

            """,
        ])
        for command in [["apply", "--auto-approve"], ["run"]] {
            if command == ["run"] { _ = try await HeraldProcess.run(["-w", sandbox.workspace, "state", "init"]) }
            let result = try await HeraldProcess.run(
                ["-w", sandbox.workspace] + command, environment: ["HOME": sandbox.folder.path])
            #expect(result.status == 1, "\(result.output)\(result.errors)")
            #expect(result.errors.contains(sentence), "\(result.errors)")
        }
    }

    @Test func `a key in a git work tree is refused, and one that is no key, without a word of it`() async throws {
        let host = "https://127.0.0.1:9"
        let sandbox = try Sandbox(Self.files(host, ca: "ca.pem", credentials: "../repository/secrets/key.json"))
        try sandbox.folder.write("", to: "workspace/ca.pem")
        let file = try ServiceAccountKey.file(tokens: "\(host)/token")
        let refused = { (sentence: String) in
            let result = try await HeraldProcess.run(
                ["-w", sandbox.workspace, "apply", "--auto-approve"], environment: sandbox.environment(nil))
            #expect(result.status == 1)
            #expect(result.errors.contains(sentence), "\(result.errors)")
            #expect(try Self.showsNoSecret(result.output, result.errors))
        }
        try await refused("cannot be read")
        try sandbox.folder.write(file, to: "repository/secrets/key.json")
        try sandbox.folder.write("ref: refs/heads/main\n", to: "repository/.git/HEAD")
        try await refused("lies inside the git repository")
        try FileManager.default.removeItem(atPath: "\(sandbox.folder.path)/repository/.git")
        try sandbox.folder.write(
            file.replacing("/token", with: "/x").replacing("https:", with: "http:")
                .replacing("127.0.0.1", with: "192.0.2.1"), to: "repository/secrets/key.json")
        try await refused("'token_uri' is not an https address")
        let secret = try #require(try ServiceAccountKey.secrets.first)
        try sandbox.folder.write(file.replacing(secret, with: "AAAA"), to: "repository/secrets/key.json")
        try await refused("'private_key' is not an RSA key")
        #expect(!FileManager.default.fileExists(atPath: sandbox.statePath))
    }

    @Test func `an emulator is given no credential, whatever is configured`() async throws {
        let sandbox = try Sandbox(Self.files("https://fcm.googleapis.com", ca: "ca.pem"))
        let (_, host) = try await sandbox.startEmulator()
        let proxy = try RecordingProxy(serverPort: try Sandbox.port(of: host))
        try sandbox.folder.write(
            try ServiceAccountKey.file(tokens: "http://127.0.0.1:\(proxy.port)/token"), to: "key.json")
        var environment = sandbox.environment("127.0.0.1:\(proxy.port)")
        environment["GOOGLE_APPLICATION_CREDENTIALS"] = "\(sandbox.folder.path)/key.json"
        let apply = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "apply", "--auto-approve", "--campaign", "to-topic"], environment: environment)
        proxy.stop()
        #expect(apply.status == 0, "\(apply.output)\(apply.errors)")
        #expect(proxy.requests.count == 21)
        #expect(proxy.requests.allSatisfy { $0.headers["authorization"] == nil && $0.path != "/token" })
        await sandbox.end()
    }
}
