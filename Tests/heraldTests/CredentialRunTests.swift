import FCM
import Foundation
import HeraldTestSupport
import Testing

/// Whole runs with each kind of credential, against an emulator that wants a sign-in.
@Suite struct CredentialRunTests {
    /// A workspace, an emulator and a credential.
    private struct Scene {
        let sandbox: Sandbox
        let host: String
        /// `nil` without TLS.
        let authority: String?
        private let names: [String]

        init(_ options: [String], isSecure: Bool = true, count: Int, rate: Int) async throws {
            sandbox = try Sandbox(Sandbox.small(count: count, subscribers: 5))
            let tls = isSecure ? ["--tls"] : []
            let arguments = ["emulator", "--ledger", "\(sandbox.folder.path)/ledger.ndjson", "--require-sign-in"]
            let emulator = try await sandbox.startEmulator(arguments: arguments + tls + options)
            let address = emulator.host
            host = isSecure ? address : "http://\(address)"
            authority =
                isSecure ? await emulator.process.firstLine().split(separator: "=").last.map(String.init) : nil
            names = (1...count).map { Registration.fid($0).rawValue }
            let ca = authority.map { "  ca: \($0)\n" } ?? ""
            try sandbox.folder.write(
                "herald: 1\nproject: demo-project\nfcm:\n  endpoint: \(host)\n\(ca)  rate: \(rate)/s\n  ramp: 0s\n",
                to: "workspace/herald.yaml")
        }

        func use(_ kind: CredentialKind) throws {
            try sandbox.folder.write(CredentialKind.subjectToken + "\n", to: "subject.txt")
            try sandbox.folder.write(kind.text(host, sandbox.folder.path), to: "credential.json")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: "\(sandbox.folder.path)/credential.json")
        }

        func apply(_ environment: [String: String] = [:], options: [String] = []) async throws -> ChildProcess.Result {
            let files = ["--report", "\(sandbox.folder.path)/report.json"]
            return try await herald(["apply", "--auto-approve"] + files + options, environment)
        }

        func herald(
            _ arguments: [String], _ environment: [String: String] = [:]
        ) async throws -> ChildProcess.Result {
            var all = sandbox.environment(nil)
            all["GOOGLE_APPLICATION_CREDENTIALS"] = "\(sandbox.folder.path)/credential.json"
            return try await HeraldProcess.run(
                ["-w", sandbox.workspace] + arguments, environment: all.merging(environment) { $1 })
        }

        /// The paths of all requests for tokens that were answered, in order, with their statuses.
        func signIns() async throws -> [(path: String, status: Int64)] {
            try await Control(host, trusting: authority).requests().compactMap { request in
                guard let path = request["path"]?.string, let status = request["status"]?.int,
                    !path.contains("/projects/demo-project/"), !path.hasPrefix("/iid/")
                else { return nil }
                return (String(path.prefix { $0 != "?" }), status)
            }
        }

        /// Expects no secret in anything that the run printed or wrote, the state included.
        ///
        /// - Parameter files: What it wrote besides the report.
        func expectNoSecrets(in result: ChildProcess.Result, _ files: String...) throws {
            var texts = [("output", Data(result.output.utf8)), ("errors", Data(result.errors.utf8))]
            for file in ["report.json"] + files {
                texts.append((file, try Data(contentsOf: URL(filePath: "\(sandbox.folder.path)/\(file)"))))
            }
            // The state has registrations, and nothing of a credential.
            let state = ("the state", try Data(contentsOf: URL(filePath: sandbox.statePath)))
            let credentials = CredentialKind.secrets + ["ya29.", "PRIVATE KEY"] + (try ServiceAccountKey.secrets)
            for (secrets, places) in [(credentials, texts + [state]), (names, texts)] {
                for (secret, (name, bytes)) in secrets.flatMap({ secret in places.map { (secret, $0) } }) {
                    #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name) has a secret")
                }
            }
        }
    }

    @Test(arguments: CredentialKind.all)
    func `a run signs in over TLS once for all its requests, and shows nothing secret at any log level`(
        _ kind: CredentialKind
    ) async throws {
        let scene = try await Scene([], count: 30, rate: 1000)
        try scene.use(kind)
        let folder = scene.sandbox.folder.path
        let apply = try await scene.apply(
            options: ["--log-level", "trace", "--receipts", "\(folder)/receipts.ndjson"])
        #expect(apply.status == 0, "\(apply.output)\(apply.errors)")
        #expect(apply.errors.contains("herald: debug: token request answered"))
        let accepted = try scene.sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.count == 31)
        #expect(accepted.values.allSatisfy { $0 == 1 })
        let signIns = try await scene.signIns()
        #expect(signIns.map(\.status).allSatisfy { $0 == 200 })
        #expect(signIns.count == kind.legs.count)
        #expect(zip(signIns, kind.legs).allSatisfy { $0.path.hasSuffix($1.path) }, "\(signIns)")
        try scene.expectNoSecrets(in: apply, "receipts.ndjson")
        let run = try await scene.herald([
            "run", "--metrics", "\(folder)/metrics", "--report", "\(folder)/report.json", "--log-level", "trace",
        ])
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        try scene.expectNoSecrets(in: run, "metrics")
        await scene.sandbox.end()
    }

    @Test func `a token that expires is renewed before that, and no request is refused`() async throws {
        // It is renewed after three seconds. So a busy machine has three more for that.
        let scene = try await Scene(["--token-lifetime", "6s"], count: 320, rate: 40)
        try scene.use(CredentialKind.all[2])
        let apply = try await scene.apply()
        #expect(apply.status == 0, "\(apply.output)\(apply.errors)")
        let requests = try await Control(scene.host, trusting: scene.authority).requests()
        #expect(requests.allSatisfy { $0["status"]?.int == 200 })
        #expect(try await scene.signIns().count >= 2)
        await scene.sandbox.end()
    }

    @Test func `a machine of Google's signs in by its metadata server`() async throws {
        let scene = try await Scene([], isSecure: false, count: 30, rate: 1000)
        let port = try Sandbox.port(of: scene.host)
        let apply = try await scene.apply([
            "GOOGLE_APPLICATION_CREDENTIALS": "", "HOME": scene.sandbox.folder.path, "NO_GCE_CHECK": "",
            "GCE_METADATA_HOST": "127.0.0.1:\(port)",
        ])
        #expect(apply.status == 0, "\(apply.output)\(apply.errors)")
        #expect(try scene.sandbox.accepted(in: ["ledger.ndjson"]).count == 31)
        let paths = try await scene.signIns().map(\.path)
        #expect(paths == ["/", "/computeMetadata/v1/instance/service-accounts/default/token"])
        try scene.expectNoSecrets(in: apply)
        await scene.sandbox.end()
    }

    @Test func `a credential that is revoked before the run ends it with a sentence`() async throws {
        let scene = try await Scene([], count: 10, rate: 1000)
        try scene.use(CredentialKind.all[1])
        try await Control(scene.host, trusting: scene.authority).put(faults: [
            ["match": ["service": "oauth"], "do": ["status": 400, "code": "invalid_grant"]]
        ])
        let apply = try await scene.apply(options: ["--log-level", "trace"])
        #expect(apply.status == 1)
        #expect(apply.errors.contains("Google refused the credential: invalid_grant"))
        #expect(try await Control(scene.host, trusting: scene.authority).ledger().isEmpty)
        #expect(try await scene.signIns().count == 1)
        await scene.sandbox.end()
    }

    @Test func `a second 401 ends the run, and everybody who was not reached stays pending`() async throws {
        let scene = try await Scene([], count: 30, rate: 1000)
        try scene.use(CredentialKind.all[1])
        let control = try Control(scene.host, trusting: scene.authority)
        try await control.put(faults: [["match": ["service": "send", "after": 5], "do": ["status": 401]]])
        let first = try await scene.apply()
        #expect(first.status == 4, "\(first.output)\(first.errors)")
        // Requests that were under way may ask for another one while the run ends.
        #expect((2...4).contains(try await scene.signIns().count))
        try await control.put(faults: [])
        let second = try await scene.apply()
        #expect(second.status == 0, "\(second.output)\(second.errors)")
        let accepted = try scene.sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.count == 31)
        #expect(accepted.values.allSatisfy { $0 == 1 })
        await scene.sandbox.end()
    }

    @Test func `a proxy that herald cannot use ends the run before anything is called`() async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 5, subscribers: 1))
        try sandbox.folder.write(
            "herald: 1\nproject: demo-project\nfcm: {endpoint: 'https://fcm.example'}\n", to: "workspace/herald.yaml")
        let result = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "apply", "--auto-approve"],
            environment: ["HTTPS_PROXY": "https://user:s3cret@proxy.example:1"])
        #expect(result.status == 1)
        #expect(result.errors.contains("HTTPS_PROXY names an https:// proxy"), "\(result.errors)")
        #expect(!result.errors.contains("s3cret"))
    }

    @Test func `a kind that herald does not read is named, whatever the environment`() async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 5, subscribers: 1))
        try sandbox.folder.write("herald: 1\nproject: demo-project\n", to: "workspace/herald.yaml")
        let aws = """
            {"type": "external_account", "audience": "a", "subject_token_type": "b",
             "token_url": "https://sts.googleapis.com/v1/token", "credential_source": {"environment_id": "aws1"}}
            """
        for (file, name) in [
            (#"{"type": "gdch_service_account"}"#, "'gdch_service_account'"),
            (#"{"type": "external_account_authorized_user"}"#, "'external_account_authorized_user'"), (aws, "AWS"),
            (aws.replacing(#""environment_id": "aws1""#, with: #""executable": {"command": "x"}"#), "executable"),
        ] {
            try sandbox.folder.write(file, to: "credential.json")
            let result = try await HeraldProcess.run(
                ["-w", sandbox.workspace, "apply", "--auto-approve"],
                environment: [
                    "GOOGLE_APPLICATION_CREDENTIALS": "\(sandbox.folder.path)/credential.json",
                    "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES": "1",
                ])
            #expect(result.status == 1)
            #expect(result.errors.contains(name), "\(result.errors)")
        }
    }
}
