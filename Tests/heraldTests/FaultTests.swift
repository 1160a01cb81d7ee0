import FCM
import Foundation
import HeraldTestSupport
import Testing

/// Promises 1 and 2 (docs/explanation/promises.md#promises) while FCM fails by a script. The emulator's ledger shows
/// what was accepted.
@Suite(.timeLimit(.minutes(10))) struct FaultTests {
    private static let recipients = 150
    private static let subscribers = 20
    /// Every recipient, and the topic.
    private static let everybody = recipients + 1

    /// The result of an apply against a script.
    private struct Outcome {
        let sandbox: Sandbox
        let host: String
        /// For the emulator's certificate.
        let authority: String?
        let result: ChildProcess.Result
        let report: JSONValue

        func figure(_ name: String) -> Int64? { report["summary"]?[name]?.int }

        /// The number of deliveries to each address.
        func accepted() throws -> [String: Int] { try sandbox.accepted(in: ["ledger.ndjson"]) }
    }

    private func apply(
        against script: String, _ options: String..., files: [String: String] = [:], isSecure: Bool = false
    ) async throws -> Outcome {
        let sandbox = try Sandbox(
            Sandbox.small(count: Self.recipients, subscribers: Self.subscribers).merging(files) { _, new in new })
        try sandbox.folder.write(script, to: "faults.json")
        let faults = "\(sandbox.folder.path)/faults.json"
        let (emulator, host) =
            isSecure
            ? try await sandbox.startEmulator("--faults", faults, "--tls")
            : try await sandbox.startEmulator("--faults", faults)
        let authority = isSecure ? await emulator.firstLine().split(separator: "=").last.map(String.init) : nil
        var environment = sandbox.environment(host)
        environment["FCM_EMULATOR_CA"] = authority
        let report = "\(sandbox.folder.path)/report.json"
        let result = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "apply", "--auto-approve", "--report", report] + options, environment: environment
        )
        let outcome = Outcome(
            sandbox: sandbox, host: host, authority: authority, result: result, report: try sandbox.report())
        #expect(Account(outcome.report).addsUp)
        return outcome
    }

    @Test(arguments: [503, 429, 500])
    func `a refusal with Retry-After is tried again, and everybody is reached once`(_ status: Int) async throws {
        let outcome = try await apply(
            against: """
                [{"match": {"service": "send", "topic": "news"}, "do": {}},
                 {"match": {"service": "send", "first": 5}, "do": {"status": \(status), "retry_after": "1"}}]
                """)
        #expect(outcome.result.status == 0, "\(outcome.result.output)\(outcome.result.errors)")
        #expect(outcome.figure("accepted") == Int64(Self.everybody + Self.subscribers))
        #expect(outcome.figure("retries") == 5)
        #expect(outcome.figure("possible_duplicates") == (status == 429 ? 0 : 5))
        let accepted = try outcome.accepted()
        #expect(accepted.count == Self.everybody)
        #expect(accepted.values.allSatisfy { $0 == 1 })
        await outcome.sandbox.end()
    }

    @Test func `who is met twice, because FCM delivers what it refuses, is counted as a possible duplicate`()
        async throws
    {
        let outcome = try await apply(
            against: """
                [{"match": {"service": "send", "topic": "news"}, "do": {}},
                 {"match": {"service": "send", "first": 4}, "do": {"status": 503, "retry_after": "0", "deliver": true}}]
                """)
        #expect(outcome.result.status == 0, "\(outcome.result.output)\(outcome.result.errors)")
        #expect(outcome.figure("possible_duplicates") == 4)
        let accepted = try outcome.accepted()
        // Several of them may be for one recipient, since a refused send is tried again at once.
        #expect(accepted.values.reduce(0) { $0 + $1 - 1 } == 4)
        let statuses = try await Control(outcome.host).ledger().map { $0["status"] }
        #expect(statuses.filter { $0 == 503 }.count == 4)
        await outcome.sandbox.end()
    }

    @Test func `whom FCM failed for before on_error became hold is not sent it again, and everybody else gets it`()
        async throws
    {
        // FCM delivers to the first one and asks for a longer wait than a run accepts.
        let outcome = try await apply(
            against: """
                [{"match": {"service": "send", "topic": "news"}, "do": {}},
                 {"match": {"service": "send", "first": 1},
                  "do": {"status": 503, "retry_after": "9999", "deliver": true}}]
                """)
        #expect(outcome.figure("unknown") == 0 && (outcome.figure("pending") ?? 0) > 0)
        let sandbox = outcome.sandbox
        let resources = try sandbox.folder.read("workspace/resources.yaml")
        try sandbox.folder.write(
            resources.replacing("target: {audience: all}", with: "target: {audience: all}\ndelivery: {on_error: hold}"),
            to: "workspace/resources.yaml")
        let again = try await sandbox.herald("apply", "--auto-approve", host: outcome.host)
        #expect(again.status == 6, "\(again.output)\(again.errors)")
        #expect(again.errors.contains("may or may not have got their message: to-all@once;"), "\(again.errors)")
        let accepted = try outcome.accepted()
        #expect(accepted.count == Self.everybody)
        #expect(accepted.values.allSatisfy { $0 == 1 })
        let last = try await sandbox.herald("apply", "--auto-approve", host: outcome.host)
        #expect(last.status == 0, "\(last.output)\(last.errors)")
        #expect(try outcome.accepted() == accepted)
        let resolved = try await sandbox.herald("state", "resolve", "to-all@once", "--accept")
        #expect(resolved.status == 0, "\(resolved.output)\(resolved.errors)")
        await sandbox.end()
    }

    @Test(arguments: [false, true])
    func `a 500 to a topic is unknown, whatever became of it, and not repeated`(_ deliver: Bool) async throws {
        let outcome = try await apply(
            against: """
                [{"match": {"service": "send", "topic": "news"}, "do": {"status": 500, "deliver": \(deliver)}}]
                """)
        #expect(outcome.result.status == 6, "\(outcome.result.output)\(outcome.result.errors)")
        #expect(outcome.figure("unknown") == 1)
        #expect(try outcome.accepted()["news"] == (deliver ? 1 : nil))
        let again = try await outcome.sandbox.herald("apply", "--auto-approve", host: outcome.host)
        #expect(again.status == 0, "\(again.output)\(again.errors)")
        #expect(try outcome.accepted()["news"] == (deliver ? 1 : nil))
        await outcome.sandbox.end()
    }

    /// In turn: nothing is delivered; everything is; everything is and the status arrived; nothing is and the status
    /// arrived.
    @Test(arguments: [
        (#"{"close": "before"}"#, 0), (#"{"close": "after"}"#, 3), (#"{"close": "mid_body"}"#, 3),
        (#"{"close": "mid_body", "status": 503}"#, 0), (#"{"status": 502}"#, 0),
        (#"{"status": 504, "deliver": true}"#, 3),
    ])
    func `what was cut is unknown and held, and the next apply does not send it again`(
        _ fault: String, _ delivered: Int
    ) async throws {
        let outcome = try await apply(
            against: """
                [{"match": {"service": "send", "topic": "news"}, "do": {}},
                 {"match": {"service": "send", "after": 20, "first": 23}, "do": \(fault)}]
                """)
        #expect(outcome.result.status == 6, "\(outcome.result.output)\(outcome.result.errors)")
        #expect(outcome.figure("unknown") == 3)
        #expect(outcome.result.errors.contains("may or may not have got their message: to-all@once;"))
        let accepted = try outcome.accepted()
        #expect(accepted.count == Self.everybody - 3 + delivered)
        #expect(accepted.values.allSatisfy { $0 == 1 })
        let again = try await outcome.sandbox.herald("apply", "--auto-approve", host: outcome.host)
        #expect(again.status == 0, "\(again.output)\(again.errors)")
        #expect(try outcome.accepted() == accepted)
        await outcome.sandbox.end()
    }

    @Test(arguments: ["before", "after", "mid_body"])
    func `a subscription whose answer was lost is made again`(_ close: String) async throws {
        let outcome = try await apply(
            against: #"[{"match": {"service": "topics", "first": 3}, "do": {"close": "\#(close)"}}]"#)
        #expect(outcome.result.status == 0, "\(outcome.result.output)\(outcome.result.errors)")
        #expect(try await Control(outcome.host).members(ofTopic: "news").count == Self.subscribers)
        #expect(try outcome.accepted().values.allSatisfy { $0 == 1 })
        await outcome.sandbox.end()
    }

    @Test func `streams that GOAWAY leaves out are sent elsewhere, and everybody is reached once`() async throws {
        let outcome = try await apply(
            against: #"[{"match": {"service": "send", "every": 20}, "do": {"goaway": true}}]"#, isSecure: true)
        #expect(outcome.result.status == 0, "\(outcome.result.output)\(outcome.result.errors)")
        let accepted = try outcome.accepted()
        #expect(accepted.count == Self.everybody)
        #expect(accepted.values.allSatisfy { $0 == 1 })
        #expect(outcome.figure("unknown") == 0)
        #expect(outcome.figure("possible_duplicates") == 0)
        await outcome.sandbox.end()
    }

    @Test(arguments: ["before", "after", "mid_body"])
    func `a connection of many streams that is cut leaves unknown what was under way on it`(
        _ close: String
    ) async throws {
        let outcome = try await apply(
            against: #"[{"match": {"service": "send", "after": 60, "first": 61}, "do": {"close": "\#(close)"}}]"#,
            isSecure: true)
        #expect(outcome.result.status == 6, "\(outcome.result.output)\(outcome.result.errors)")
        let unknown = Int(outcome.figure("unknown") ?? 0)
        #expect((1...100).contains(unknown))
        let accepted = try outcome.accepted()
        #expect(accepted.values.allSatisfy { $0 == 1 })
        #expect((Self.everybody - unknown...Self.everybody).contains(accepted.count))
        await outcome.sandbox.end()
    }

    @Test(arguments: [
        (#"{"match": {"service": "oauth", "first": 1}, "do": {"status": 503}}"#, Int32(0)),
        (#"{"match": {"service": "oauth", "first": 1}, "do": {"close": "mid_body"}}"#, 0),
        (#"{"match": {"service": "oauth"}, "do": {"status": 400, "code": "invalid_grant"}}"#, 1),
    ])
    func `a token endpoint that fails once is asked again, and one that refuses ends the run`(
        _ entry: String, _ status: Int32
    ) async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 20, subscribers: 5))
        try sandbox.folder.write("[\(entry)]", to: "faults.json")
        let (emulator, host) = try await sandbox.startEmulator(
            "--faults", "\(sandbox.folder.path)/faults.json", "--tls", "--require-sign-in")
        let authority = try #require(await emulator.firstLine().split(separator: "=").last.map(String.init))
        try sandbox.folder.write(
            """
            herald: 1
            project: demo-project
            fcm: {endpoint: "\(host)", ca: "\(authority)", credentials: ../key.json, rate: 200/s, ramp: 0s}

            """, to: "workspace/herald.yaml")
        try sandbox.folder.write(try ServiceAccountKey.file(tokens: "\(host)/token"), to: "key.json")
        let result = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "apply", "--auto-approve", "--report", "\(sandbox.folder.path)/report.json"],
            environment: sandbox.environment(nil))
        #expect(result.status == status, "\(result.output)\(result.errors)")
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.count == (status == 0 ? 21 : 0))
        #expect(accepted.values.allSatisfy { $0 == 1 })
        await sandbox.end()
    }

    @Test func `an emulator that is told to end answers the request under way, and ends with 0`() async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 1, subscribers: 1))
        try sandbox.folder.write(
            #"[{"match": {"service": "send", "topic": "news"}, "do": {"delay_ms": 600000}}]"#, to: "faults.json")
        let (emulator, host) = try await sandbox.startEmulator("--faults", "\(sandbox.folder.path)/faults.json")
        let report = "\(sandbox.folder.path)/report.json"
        let herald = try HeraldProcess.start(
            ["-w", sandbox.workspace, "apply", "--auto-approve", "--report", report],
            environment: sandbox.environment(host))
        let control = try Control(host)
        while try await control.faulted() == 0 { try await Task.sleep(for: .milliseconds(20)) }
        emulator.signal(SIGTERM)
        let end = await emulator.wait()
        #expect(end.status == 0 && !end.wasKilled, "\(end.errors)")
        let result = await herald.wait()
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(try sandbox.accepted(in: ["ledger.ndjson"])["news"] == 1)
        await sandbox.end()
    }

    @Test(arguments: [
        (#"[{"do":{"status":99}}]"#, "[0].do.status: not a whole number from 200 to 599"), ("{", "this is no JSON"),
    ])
    func `a wrong script ends the emulator with 1 and the place`(_ script: String, _ words: String) async throws {
        let sandbox = try Sandbox(["faults.json": script])
        let path = "\(sandbox.folder.path)/faults.json"
        let result = try await HeraldProcess.run(["emulator", "--faults", path])
        #expect(result.status == 1)
        #expect(result.errors.hasPrefix("herald: cannot read the faults in '\(path)': \(words)"))
        #expect(result.output.isEmpty)
    }
}
