import FCM
import Foundation
import HeraldCore
import HeraldStore
import HeraldTestSupport
import Testing

/// `herald doctor` on set-ups that are broken in one way each: it names the one thing to do, and sends nothing.
@Suite struct DoctorTests {
    /// A set-up, and what doctor must say of it.
    struct SetUp: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What goes wrong at the emulator.
        var faults: JSONValue = []
        var credentials = "../key.json"
        /// A change to the workspace before doctor looks.
        var change: @Sendable (Sandbox) throws -> Void = { _ in }
        let check: String
        let result: String
        let found: String
        let fix: String

        init(
            _ name: String, faults: JSONValue = [], credentials: String = "../key.json",
            change: @escaping @Sendable (Sandbox) throws -> Void = { _ in }, _ check: String, _ result: String,
            found: String, fix: String
        ) {
            (testDescription, self.faults, self.credentials, self.change) = (name, faults, credentials, change)
            (self.check, self.result, self.found, self.fix) = (check, result, found, fix)
        }
    }

    private static func send(_ code: String) -> JSONValue {
        [["match": ["service": "send"], "do": ["code": .string(code)]]]
    }

    private static let setUps: [SetUp] = [
        SetUp(
            "no key file", credentials: "../nowhere.json", "credential", "error", found: "cannot be read",
            fix: "who may read it"),
        SetUp(
            "a key file that is no JSON", credentials: "../broken.json",
            change: { try $0.folder.write("{", to: "broken.json") }, "credential", "error", found: "not a JSON object",
            fix: "from Google anew"),
        SetUp(
            "a revoked key", faults: [["match": ["service": "oauth"], "do": ["code": "invalid_grant"]]], "credential",
            "error", found: "Invalid JWT Signature.", fix: "make a new key"),
        SetUp(
            "a clock that Google does not accept",
            faults: [["match": ["service": "oauth"], "do": ["clock_off_ms": -7_200_000]]], "credential", "error",
            found: "invalid_grant", fix: "Set the clock of this machine: it is 2 h ahead"),
        SetUp(
            "a clock that is off by ten minutes",
            faults: [["match": ["service": "send"], "do": ["clock_off_ms": -600_000]]], "clock", "error",
            found: "10 min ahead", fix: "Set the clock"),
        SetUp(
            "a clock that is off by two minutes",
            faults: [["match": ["service": "send"], "do": ["clock_off_ms": 120_000]]], "clock", "warning",
            found: "2 min behind", fix: "Set the clock"),
        SetUp(
            "an API that is not enabled", faults: send("SERVICE_DISABLED"), "message_permission", "error",
            found: "SERVICE_DISABLED", fix: "Enable the Firebase Cloud Messaging API"),
        SetUp(
            "an account without the permission", faults: send("IAM_PERMISSION_DENIED"), "message_permission", "error",
            found: "cloudmessaging.messages.create", fix: "Give the account a role"),
        SetUp(
            "a quota project that is missing", faults: send("QUOTA_PROJECT_MISSING"), "message_permission", "error",
            found: "requires a quota project", fix: "GOOGLE_CLOUD_QUOTA_PROJECT"),
        SetUp(
            "a quota project that may not be used", faults: send("USER_PROJECT_DENIED"), "message_permission", "error",
            found: "USER_PROJECT_DENIED", fix: "serviceUsageConsumer"),
        SetUp(
            "another project", faults: [["match": ["service": "send"], "do": ["status": 404, "body": "html"]]],
            "project", "error", found: "does not know the project 'tide-app-prod'", fix: "Set `project` in herald.yaml"),
        SetUp(
            "an access token that is refused",
            faults: [["match": ["service": "oauth"], "do": ["accepted_ms": 0]]], "message_permission", "error",
            found: "UNAUTHENTICATED", fix: "Make a new key"),
        SetUp(
            "a project without the topic API",
            faults: [["match": ["service": "topics"], "do": ["status": 404, "body": "html"]]], "topic_api", "warning",
            found: "until 2027-09-29", fix: "Enable the Firebase Cloud Messaging API"),
        SetUp(
            "an account that may not read subscriptions",
            faults: [["match": ["service": "topics"], "do": ["code": "IAM_PERMISSION_DENIED"]]], "topic_permission",
            "error", found: "IAM_PERMISSION_DENIED", fix: "Give the account a role"),
        SetUp(
            "a state that is gone", change: { try FileManager.default.removeItem(atPath: $0.statePath) }, "state",
            "warning", found: "there is no state", fix: "herald state init"),
        SetUp(
            "a state that is damaged", change: { try $0.folder.write("no database", to: "state.sqlite") }, "state",
            "error", found: "state.sqlite", fix: "Restore the newest backup"),
        SetUp(
            "a state of another project",
            change: {
                let settings = try $0.folder.read("workspace/herald.yaml")
                try $0.folder.write(
                    settings.replacing("project: tide-app-prod", with: "project: other-app"),
                    to: "workspace/herald.yaml")
            }, "state", "error", found: "belongs to", fix: "Set 'state' or HERALD_STATE to another place"),
        SetUp(
            "a file with a mistake", change: { try $0.folder.write("kind: [\n", to: "workspace/more.yaml") }, "files",
            "error", found: "1 mistake; the first is in more.yaml:2: ", fix: "herald validate"),
        SetUp(
            "a list that nobody exported for long",
            change: {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -45 * 86_400)],
                    ofItemAtPath: "\($0.workspace)/all.txt")
            }, "lists", "warning", found: "45 days ago", fix: "Export all.txt again"),
        SetUp(
            "a list that is gone",
            change: { try FileManager.default.removeItem(atPath: "\($0.workspace)/all.txt") }, "lists", "error",
            found: "all.txt cannot be read", fix: "Export all.txt again"),
    ]

    /// One emulator is enough for all of them, and a new workspace for each.
    @Test func `doctor names the one thing to do`() async throws {
        let house = try Sandbox([:])
        let (_, host) = try await house.startEmulator("--require-sign-in")
        let control = try Control(host)
        for setUp in Self.setUps {
            let sandbox = try Self.sandbox(host, credentials: setUp.credentials)
            _ = try await sandbox.herald("state", "init", host: nil)
            try setUp.change(sandbox)
            try await control.put(faults: setUp.faults)
            let (status, checks) = try await Self.doctor(sandbox)
            let name = setUp.testDescription
            let check = try #require(checks.first { $0["check"]?.string == setUp.check }, "\(name)")
            #expect(check["result"]?.string == setUp.result, "\(name): \(check)")
            #expect(check["found"]?.string?.contains(setUp.found) == true, "\(name): \(check)")
            #expect(check["fix"]?.string?.contains(setUp.fix) == true, "\(name): \(check)")
            let hasErrors = checks.contains { $0["result"]?.string == "error" }
            #expect(status == (hasErrors ? 1 : 0), "\(name)")
        }
        #expect(try await control.ledger().isEmpty)
        await house.end()
    }

    @Test func `a set-up that is right has nothing to do`() async throws {
        let house = try Sandbox([:])
        let (_, host) = try await house.startEmulator("--require-sign-in")
        let sandbox = try Self.sandbox(host)
        _ = try await sandbox.herald("state", "init", host: nil)
        let (status, checks) = try await Self.doctor(sandbox)
        #expect(status == 0)
        #expect(
            checks.compactMap { $0["check"]?.string } == [
                "credential", "endpoint", "project", "message_permission", "topic_permission", "topic_api",
                "group_permission", "clock", "proxy", "quota", "state", "time_zones", "drift", "files",
                "lists",
            ])
        for check in checks where !["quota", "group_permission", "drift"].contains(check["check"]?.string) {
            #expect(check["result"] == "ok", "\(check)")
            #expect(check["fix"] == .null)
        }
        let account = try #require(checks.first?["found"]?.string)
        #expect(account.contains("service_account of \(ServiceAccountKey.email), from fcm.credentials: "))
        // Nothing was sent, and nothing was changed.
        let control = try Control(host)
        #expect(try await control.ledger().isEmpty)
        let methods = try await control.requests().filter { $0["path"] != "/token" }.compactMap { $0["method"]?.string }
        #expect(methods == ["POST", "GET"])
        let text = try await sandbox.herald("doctor", host: nil)
        #expect(text.output.contains("0 errors, 0 warnings"))
        #expect(text.output.contains("ok       credential"))
        for secret in try ServiceAccountKey.secrets { #expect(!text.output.contains(secret)) }
        await house.end()
    }

    @Test func `without a credential nothing is asked`() async throws {
        let sandbox = try Self.sandbox("x")
        try sandbox.folder.write(
            "herald: 1\nproject: tide-app-prod\nfcm: {endpoint: 'https://fcm.googleapis.com'}\n",
            to: "workspace/herald.yaml")
        let (status, checks) = try await Self.doctor(sandbox)
        #expect(status == 1)
        #expect(checks[0]["found"] == "there are no credentials for https://fcm.googleapis.com")
        #expect(checks[0]["fix"]?.string?.hasPrefix("Set GOOGLE_APPLICATION_CREDENTIALS or fcm.credentials") == true)
        #expect(checks[1]["result"] == "skipped")
    }

    @Test func `an endpoint that is down is named`() async throws {
        let sandbox = try Self.sandbox("x")
        try sandbox.folder.write(
            "herald: 1\nproject: tide-app-prod\nfcm: {endpoint: 'http://127.0.0.1:9', timeout: 1s}\n",
            to: "workspace/herald.yaml")
        let (status, checks) = try await Self.doctor(sandbox)
        #expect(status == 1)
        let endpoint = try #require(checks.first { $0["check"] == "endpoint" })
        #expect(endpoint["result"] == "error")
        #expect(endpoint["found"]?.string?.hasPrefix("http://127.0.0.1:9 cannot be used: NOT_SENT") == true)
        #expect(endpoint["fix"]?.string?.contains("fcm.endpoint") == true)
    }

    @Test func `a state that a run works on is named`() async throws {
        let house = try Sandbox([:])
        let (_, host) = try await house.startEmulator("--require-sign-in")
        let sandbox = try Self.sandbox(host)
        _ = try await sandbox.herald("state", "init", host: nil)
        let binding = StateBinding(project: "tide-app-prod", endpoint: .emulator, workspace: nil)
        let lock = try await StateFile(path: sandbox.statePath, binding, note: { _ in }).lock(for: "another run")
        let (status, checks) = try await lock.hold { try await Self.doctor(sandbox) }
        #expect(status == 0)
        let state = try #require(checks.first { $0["check"] == "state" })
        #expect(state["result"] == "warning")
        #expect(state["found"]?.string?.contains("another run") == true)
        #expect(state["fix"]?.string?.hasPrefix("Wait until that run ends") == true)
        await house.end()
    }

    // MARK: Before the first message

    @Test(arguments: [
        (#"{"match":{"service":"send"},"do":{"code":"SERVICE_DISABLED"}}"#, "Enable the Firebase Cloud Messaging API"),
        (#"{"match":{"service":"send"},"do":{"status":404,"body":"html"}}"#, "does not know the project"),
        (#"{"match":{"service":"send"},"do":{"clock_off_ms":-600000}}"#, "10 min ahead"),
    ])
    func `a first apply with a wrong set-up sends nothing`(_ fault: String, _ words: String) async throws {
        let house = try Sandbox([:])
        let (_, host) = try await house.startEmulator("--require-sign-in")
        let control = try Control(host)
        let sandbox = try Self.sandbox(host)
        let script = try JSONValue.array([JSONValue(parsing: fault.utf8)])
        try await control.put(faults: script)
        let apply = try await sandbox.herald("apply", "--auto-approve", host: nil)
        #expect(apply.status == 1, "\(apply.output)\(apply.errors)")
        #expect(apply.errors.contains(words), "\(apply.errors)")
        #expect(apply.errors.contains("nothing was sent"))
        #expect(try await control.ledger().isEmpty)
        #expect(try await Self.sends(control) == 1)

        // It is asked once more, then three are sent to; a later run asks nothing.
        try await control.put(faults: [])
        let second = try await sandbox.herald("apply", "--auto-approve", host: nil)
        #expect(second.status == 0, "\(second.output)\(second.errors)")
        #expect(try await Self.sends(control) == 1 + 1 + 3)
        try sandbox.folder.write(
            try sandbox.folder.read("workspace/resources.yaml") + "revision: 2\n", to: "workspace/resources.yaml")
        let third = try await sandbox.herald("apply", "--auto-approve", host: nil)
        #expect(third.status == 0, "\(third.output)\(third.errors)")
        #expect(try await Self.sends(control) == 1 + 1 + 3 + 3)
        await house.end()
    }

    /// FCM answers 401 now and then to a token that is good.
    @Test(arguments: [["status": 401], ["status": 401, "body": "html"]] as [JSONValue])
    func `a first apply whose token is refused once gets another and sends`(_ refusal: JSONValue) async throws {
        let house = try Sandbox([:])
        let (_, host) = try await house.startEmulator("--require-sign-in")
        let control = try Control(host)
        let sandbox = try Self.sandbox(host)
        try await control.put(faults: [["match": ["service": "send", "first": 1], "do": refusal]])
        let apply = try await sandbox.herald("apply", "--auto-approve", host: nil)
        #expect(apply.status == 0, "\(apply.output)\(apply.errors)")
        #expect(try await Self.sends(control) == 2 + 3)
        #expect(try await control.requests().filter { $0["path"] == "/token" }.count == 2)
        await house.end()
    }

    private static func sends(_ control: Control) async throws -> Int {
        try await control.requests().filter { $0["path"]?.string?.hasSuffix("messages:send") == true }.count
    }

    // MARK: Set-ups

    private static func sandbox(_ host: String, credentials: String = "../key.json") throws -> Sandbox {
        let fids = (1...3).map { Registration.fid($0).rawValue }
        let sandbox = try Sandbox([
            "workspace/herald.yaml": """
            herald: 1
            project: tide-app-prod
            fcm: {endpoint: 'http://\(host)', credentials: \(credentials), ramp: 0s, timeout: 5s}

            """,
            "workspace/all.txt": fids.joined(separator: "\n") + "\n",
            "workspace/resources.yaml": """
            kind: audience
            name: all
            source: {file: all.txt}
            ---
            kind: campaign
            name: to-all
            target: {audience: all}
            message: {data: {spot: ostia}}

            """,
            "key.json": try ServiceAccountKey.file(tokens: "http://\(host)/token"),
        ])
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: "\(sandbox.folder.path)/key.json")
        return sandbox
    }

    private static func doctor(_ sandbox: Sandbox) async throws -> (status: Int32, checks: [JSONValue]) {
        var environment = sandbox.environment(nil)
        (environment["HOME"], environment["NO_GCE_CHECK"]) = (sandbox.folder.path, "true")
        let result = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "doctor", "--format", "json"], environment: environment)
        let document = try JSONValue(parsing: result.output.utf8)
        #expect(document["schema"] == "herald.doctor/1")
        return (result.status, try #require(document["checks"]?.array))
    }
}
