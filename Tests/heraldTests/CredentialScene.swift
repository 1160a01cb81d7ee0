import FCM
import FCMEmulator
import Foundation
import HeraldTestSupport
import Testing

/// A workspace, a credential, and an emulator in this process that wants a sign-in.
struct CredentialScene {
    static let recipients = 40
    /// One to each recipient, and one to a topic.
    static let messages = recipients + 1

    let sandbox: Sandbox
    let kind: CredentialKind
    /// Where credential files send herald.
    let host: String
    let control: Control
    private let serving: Task<Void, any Error>

    /// What differs between scenes.
    struct Setting: Sendable {
        /// How far the emulator's clock is ahead, in seconds.
        var lead: Double = 0
        /// Whether only the recipients exist at FCM, as in earnest.
        var isStrict = false
        /// Whether all tokens end in mid-run.
        var endsTokens = true
        var timeout = "15s"
        /// What happens in mid-run, given the path of the scene's folder.
        var midRun: @Sendable (_ folder: String) -> Void = { _ in }
        /// The service accounts that may sign in. If it is empty, every one may.
        var accounts: [String: String] = [:]
    }

    /// The caller must end it.
    ///
    /// - Parameter relay: Gives the port of something between herald and the emulator, whose port it gets.
    init(
        _ kind: CredentialKind, _ setting: Setting = Setting(), through relay: (Int) throws -> Int = { $0 }
    ) async throws {
        let sandbox = try Sandbox(Sandbox.small(count: Self.recipients, subscribers: 5))
        let folder = sandbox.folder.path
        let ledger = "\(folder)/ledger.ndjson"
        let point = TurningPoint(ledger: ledger, lead: setting.lead) { setting.midRun(folder) }
        var configuration = Emulator.Configuration(
            tls: kind.isSecure, ledger: ledger, strict: setting.isStrict, requiresAuthorization: true,
            serviceAccounts: setting.accounts)
        if setting.endsTokens { configuration.tokenAccepted = TurningPoint.tokenLife }
        let emulator = Emulator(configuration, now: { point.now() })
        let (endpoints, listening) = AsyncStream<Emulator.Endpoint>.makeStream()
        serving = Task { try await emulator.run { listening.yield($0) } }
        let endpoint = try #require(await endpoints.first { _ in true })
        let place = "\(kind.isSecure ? "https" : "http")://127.0.0.1"
        (self.sandbox, self.kind) = (sandbox, kind)
        host = "\(place):\(try relay(endpoint.port))"
        control = try Control("\(place):\(endpoint.port)", trusting: endpoint.certificate)
        let ca = endpoint.certificate.map { ", ca: '\($0)'" } ?? ""
        try sandbox.folder.write(
            """
            herald: 1
            project: demo-project
            fcm: {endpoint: '\(host)'\(ca), rate: 1000/s, ramp: 0s, max_in_flight: 8, timeout: \(setting.timeout)}

            """, to: "workspace/herald.yaml")
        try sandbox.folder.write(CredentialKind.subjectToken + "\n", to: "subject.txt")
        if kind.file != nil {
            try sandbox.folder.write(kind.text(host, folder), to: "credential.json")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: "\(folder)/credential.json")
        }
        if setting.isStrict { try await control.put((1...Self.recipients).map { .fid($0) }, state: "active") }
    }

    func end() async {
        serving.cancel()
        _ = try? await serving.value
    }

    func apply() async throws -> ChildProcess.Result {
        try await HeraldProcess.run(
            ["-w", sandbox.workspace, "apply", "--auto-approve", "--report", "\(sandbox.folder.path)/report.json"],
            environment: sandbox.environment(nil).merging(kind.environment(host, sandbox.folder.path)) { $1 })
    }

    /// Expects that everybody is accounted for, and that nobody was sent to twice.
    ///
    /// - Parameter isComplete: Whether nobody may be left.
    func expectAccount(isComplete: Bool, _ comment: Comment) throws {
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.values.allSatisfy { $0 == 1 }, comment)
        #expect(isComplete ? accepted.count == Self.messages : accepted.count < Self.messages, comment)
        let account = Account(try sandbox.report(), steps: "send:")
        #expect(account.addsUp && account.unknown == 0, comment)
        #expect(account.pending == Self.messages - accepted.count, comment)
    }
}
