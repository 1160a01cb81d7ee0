import FCM
import Foundation
import HeraldTestSupport
import Testing

/// A send that herald stopped stays stopped, however often cron calls `run`, until a person decides.
@Suite struct StoppedSendTests {
    private static let recipients = 300
    private static let occurrence = "to-all@once"

    /// Why a send stopped.
    enum Cause: CaseIterable {
        case rejected, dead

        /// What the emulator has in the place of active registrations.
        var state: String { self == .rejected ? "other_sender" : "unregistered" }

        var status: Int32 { self == .rejected ? 4 : 3 }

        var words: String {
            self == .rejected ? "were rejected" : "more registrations looked dead than guard max_forget_percent allows"
        }
    }

    /// Where the state is, and what is sent.
    enum Setting: CaseIterable {
        case file, personal, database
    }

    private static func files(isPersonal: Bool, recipients: Int = recipients) -> [String: String] {
        let fids = (1...recipients).map { Registration.fid($0).rawValue }
        let campaign =
            isPersonal
            ? "personal: {fields: [name]}\nmessage: {notification: {title: 'Hi {{ name }}', body: Tide}}\n"
            : "message: {notification: {title: Hello, body: To each of you}}\n"
        return [
            "workspace/herald.yaml": Sandbox.settings,
            "workspace/all.csv": "fid,name\n" + fids.map { "\($0),Ada\n" }.joined(),
            "workspace/resources.yaml": """
            kind: audience
            name: all
            source: {file: all.csv}
            fields: {name: {max: 40}}
            ---
            kind: campaign
            name: to-all
            target: {audience: all}

            """ + campaign,
        ]
    }

    private static func sandbox(_ setting: Setting) async throws -> Sandbox {
        let files = files(isPersonal: setting == .personal)
        return setting == .database ? try await Sandbox.shared(files).sandbox : try Sandbox(files)
    }

    private static let everybody = (1...recipients).map { Registration.fid($0) }

    private func sends(_ host: String) async throws -> Int {
        try await Control(host).requests().count { $0["path"]?.string?.hasSuffix("messages:send") == true }
    }

    /// Runs until it stops, and twice more, as cron does.
    private func stop(_ sandbox: Sandbox, _ host: String, _ cause: Cause) async throws {
        try await Control(host).put(Self.everybody, state: cause.state)
        try #require(try await sandbox.herald("state init", host: host).status == 0)
        let first = try await sandbox.herald("run", host: host)
        #expect(first.status == cause.status, "\(first.output)\(first.errors)")
        let sent = try await sends(host)
        #expect((100..<Self.recipients).contains(sent))
        for number in 2...3 {
            let run = try await sandbox.herald("run", host: host)
            #expect(run.status == 0, "run \(number): \(run.output)\(run.errors)")
            #expect(run.errors.contains("\(Self.occurrence) is held"), "run \(number): \(run.errors)")
            #expect(run.errors.contains(cause.words), "run \(number): \(run.errors)")
            #expect(run.errors.contains("herald state resolve \(Self.occurrence) --continue or --abandon"))
            #expect(try await sends(host) == sent, "run \(number)")
        }
    }

    private func halted(_ sandbox: Sandbox) async throws -> JSONValue? {
        try await sandbox.state()["occurrences"]?.array?.first?["halted"]
    }

    // MARK: Each way to go on

    @Test(
        .enabled(if: PostgresTestServer.isInstalled),
        arguments: Cause.allCases, Setting.allCases)
    func `it sends nothing more until --continue`(_ cause: Cause, _ setting: Setting) async throws {
        let sandbox = try await Self.sandbox(setting)
        let (_, host) = try await sandbox.startEmulator()
        try await stop(sandbox, host, cause)
        #expect(try await halted(sandbox) == .string(cause == .rejected ? "rejected" : "dead"))
        let before = try await sends(host)
        let retry = try await sandbox.herald("state resolve \(Self.occurrence) --retry SENDER_ID_MISMATCH", host: host)
        #expect(retry.status == 1)

        try await Control(host).put(Self.everybody, state: "active")
        let resolve = try await sandbox.herald("state resolve \(Self.occurrence) --continue", host: host)
        #expect(resolve.status == 0, "\(resolve.errors)")
        let last = try await sandbox.herald("run", host: host)
        #expect(last.status == 0, "\(last.output)\(last.errors)")
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.values.allSatisfy { $0 == 1 })
        // Who was rejected stays so; of the dead ones nobody is, since herald did not believe it.
        #expect(accepted.count == (cause == .rejected ? Self.recipients - before : Self.recipients))
        #expect(try await halted(sandbox) == .null)
        await sandbox.end()
    }

    @Test(arguments: Cause.allCases)
    func `what goes on is judged afresh, and --abandon ends it`(_ cause: Cause) async throws {
        let sandbox = try await Self.sandbox(.file)
        let (_, host) = try await sandbox.startEmulator()
        try await stop(sandbox, host, cause)
        let before = try await sends(host)
        #expect(try await sandbox.herald("state resolve \(Self.occurrence) --continue", host: host).status == 0)
        let again = try await sandbox.herald("run", host: host)
        #expect(again.status == cause.status, "\(again.output)\(again.errors)")
        let sent = try await sends(host)
        #expect((before + 100..<before + Self.recipients).contains(sent))
        #expect(try await sandbox.herald("run", host: host).errors.contains("\(Self.occurrence) is held"))
        #expect(try await sandbox.herald("state resolve \(Self.occurrence) --abandon", host: host).status == 0)
        let last = try await sandbox.herald("run", host: host)
        #expect(last.status == 0 && !last.errors.contains("is held"), "\(last.errors)")
        #expect(try await sends(host) == sent)
        await sandbox.end()
    }

    @Test(arguments: ["max_forget_percent", "max_forget_percent=send:to-all@once"])
    func `an override forgets those who look dead, and goes on`(_ override: String) async throws {
        let sandbox = try await Self.sandbox(.file)
        let (_, host) = try await sandbox.startEmulator()
        try await stop(sandbox, host, .dead)
        let other = try await sandbox.herald(
            "apply --auto-approve --override max_forget_percent=send:other@once", host: host)
        #expect(other.output.contains("1 occurrence held"), "\(other.output)")
        #expect(other.errors.contains("matches nothing in this plan; name a step, as in"), "\(other.errors)")
        let apply = try await sandbox.herald("apply --auto-approve --override \(override)", host: host)
        #expect(apply.status == 0, "\(apply.output)\(apply.errors)")
        #expect(!apply.errors.contains("matches nothing"))
        #expect(try await sandbox.state()["dead"]?.int == Int64(Self.recipients))
        #expect(try await halted(sandbox) == .null)
        let last = try await sandbox.herald("run", host: host)
        #expect(last.status == 0 && !last.errors.contains("is held"), "\(last.errors)")
        await sandbox.end()
    }

    @Test func `an override of that guard lets nothing go on that was rejected`() async throws {
        let sandbox = try await Self.sandbox(.file)
        let (_, host) = try await sandbox.startEmulator()
        try await stop(sandbox, host, .rejected)
        let sent = try await sends(host)
        _ = try await sandbox.herald("apply --auto-approve --override max_forget_percent", host: host)
        #expect(try await sends(host) == sent)
        await sandbox.end()
    }

    @Test func `a dry run stops nothing`() async throws {
        let sandbox = try await Self.sandbox(.file)
        let (_, host) = try await sandbox.startEmulator()
        try await Control(host).put(Self.everybody, state: "other_sender")
        try #require(try await sandbox.herald("state init", host: host).status == 0)
        #expect(try await sandbox.herald("apply --dry-run --sample 300", host: host).status == 4)
        try await Control(host).put(Self.everybody, state: "active")
        #expect(try await sandbox.herald("run", host: host).status == 0)
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).count == Self.recipients)
        await sandbox.end()
    }

    // MARK: Workers

    @Test(.enabled(if: PostgresTestServer.isInstalled), arguments: Cause.allCases)
    func `with workers, too, it sends nothing more`(_ cause: Cause) async throws {
        let recipients = 2000
        var files = Self.files(isPersonal: false, recipients: recipients)
        files["slow.json"] = #"[{"match":{"service":"send"},"do":{"delay_ms":40}}]"#
        files["workspace/herald.yaml"] = Sandbox.settings.replacing("{rate: unlimited", with: "{rate: 2000/s")
        let sandbox = try await Sandbox.shared(files).sandbox
        let (_, host) = try await sandbox.startEmulator("--faults", "\(sandbox.folder.path)/slow.json")
        // The first ones are taken, so that the send is shared.
        try await Control(host).put((21...recipients).map { .fid($0) }, state: cause.state)
        try #require(try await sandbox.herald("state init", host: host).status == 0)
        let environment = sandbox.environment(host).merging(["HERALD_LEASE_SPEED": "6"]) { $1 }
        let worker = try HeraldProcess.start(
            ["work", "--project", "demo-project", "--max-in-flight", "16"], environment: environment)
        let begin = ContinuousClock.now
        while try await sandbox.state()["processes"]?.array?.count != 1 {
            try #require(ContinuousClock.now - begin < .seconds(120), "the worker did not come")
            try await Task.sleep(for: .milliseconds(50))
        }
        let first = try await HeraldProcess.run(["-w", sandbox.workspace, "run"], environment: environment)
        #expect(first.status == cause.status, "\(first.output)\(first.errors)")
        let sent = try await sends(host)
        #expect(sent < recipients)
        for _ in 2...3 {
            let run = try await HeraldProcess.run(["-w", sandbox.workspace, "run"], environment: environment)
            #expect(run.errors.contains("\(Self.occurrence) is held"), "\(run.output)\(run.errors)")
        }
        #expect(try await sends(host) == sent)
        worker.signal(SIGTERM)
        _ = await worker.wait()
        await sandbox.end()
    }
}
