import FCM
import Foundation
import HeraldTestSupport
import Synchronization
import Testing

/// `herald drift` against the emulator, whose apps leave and join by themselves.
@Suite struct DriftTests {
    private static let size = 120

    /// Everybody is in the audience `all`, and follows `news`. The first half is in `half`, and follows `surf` and `tides`.
    private static func files(_ settings: String = "", topics: String = "") -> [String: String] {
        let all = (1...size).map { Registration.fid($0).rawValue }
        return [
            "workspace/herald.yaml": """
            herald: 1
            project: demo-project
            fcm: {rate: unlimited, subscription_rate: 2000/s, ramp: 0s, max_in_flight: 16\(settings)}

            """,
            "workspace/all.txt": all.joined(separator: "\n") + "\n",
            "workspace/half.txt": all.prefix(size / 2).joined(separator: "\n") + "\n",
            "workspace/resources.yaml": """
            {kind: audience, name: all, source: {file: all.txt}}
            ---
            {kind: audience, name: half, source: {file: half.txt}}
            ---
            {kind: topic, name: news, subscribers: [all]}
            ---
            {kind: topic, name: surf, subscribers: [half]\(topics)}
            ---
            {kind: topic, name: tides, subscribers: [half]}

            """,
        ]
    }

    private func applied(
        _ files: [String: String] = files(), _ options: String...
    ) async throws -> (sandbox: Sandbox, host: String, control: Control) {
        let sandbox = try Sandbox(files)
        let (_, host) = try await sandbox.startEmulator(
            arguments: ["emulator", "--ledger", "\(sandbox.folder.path)/ledger.ndjson"] + options)
        let applied = try await sandbox.herald("apply", "--auto-approve", host: host)
        try #require(applied.status == 0, "\(applied.output)\(applied.errors)")
        return (sandbox, host, try Control(host))
    }

    /// The numbers of the registrations that were asked for, in order.
    private func asked(_ control: Control) async throws -> [Int] {
        try await control.questions().compactMap { $0.firstMatch(of: #/cTEST(\d{17})/#).flatMap { Int($0.1) } }
    }

    private func json(_ result: ChildProcess.Result) throws -> JSONValue {
        try JSONValue(parsing: Array(result.output.utf8))
    }

    /// `same`, `left`, `foreign`, `dead`, `not_asked` and `failed` of a topic.
    private func figures(_ topic: String, in document: JSONValue) -> [Int64?] {
        let row = document["topics"]?.array?.first { $0["topic"]?.string == topic }
        return ["same", "left", "foreign", "dead", "not_asked", "failed"].map { row?[$0]?.int }
    }

    // MARK: What is found

    @Test func `every difference is found and named, and none is invented`() async throws {
        let (sandbox, host, control) = try await applied()
        let agreed = try await sandbox.herald("drift --format json --detailed-exitcode", host: host)
        #expect(agreed.status == 0, "\(agreed.output)\(agreed.errors)")
        #expect(try json(agreed)["result"] == "agreement")
        #expect(figures("news", in: try json(agreed)) == [120, 0, 0, 0, 0, 0])
        #expect(figures("surf", in: try json(agreed)) == [60, 0, 0, 0, 0, 0])
        #expect(try await asked(control).count == Self.size)

        for number in 1...5 { try await control.change(.fid(number), ["unsubscribe": ["surf"]]) }
        for number in 6...8 { try await control.change(.fid(number), ["unsubscribe": ["surf", "news", "tides"]]) }
        for number in 100...101 { try await control.change(.fid(number), ["subscribe": ["surf", "others"]]) }
        try await control.put([.fid(9), .fid(110)], state: "unregistered")
        let drifted = try await sandbox.herald("drift --format json --detailed-exitcode", host: host)
        #expect(drifted.status == 2, "\(drifted.output)\(drifted.errors)")
        let document = try json(drifted)
        #expect(document["result"] == "drift")
        #expect(figures("news", in: document) == [115, 3, 0, 2, 0, 0])
        #expect(figures("surf", in: document) == [51, 8, 2, 1, 0, 0])
        #expect(figures("tides", in: document) == [56, 3, 0, 1, 0, 0])
        #expect(document["registrations"]?["drifted"] == 10)
        // Each once, and those that differ once more.
        #expect(document["requests"] == ["all": 130, "again": 10, "pages": 0, "retries": 0])
        #expect(try await asked(control).count == Self.size + 130)

        // Nothing of it is in the state, and nothing has changed at FCM.
        #expect(try await sandbox.herald("plan --detailed-exitcode", host: host).status == 0)
        #expect(try await control.members(ofTopic: "surf").count == 53)
        let text = try await sandbox.herald("drift --topic surf", host: host)
        #expect(text.status == 0)
        #expect(text.output.contains("With --record the state learns who has left."))
        let markdown = try await sandbox.herald("drift --topic surf --format markdown", host: host)
        #expect(markdown.output.contains("| surf | 51 | 8 | 0 | 1 | 0 | 0 | now |"))
        #expect(!(text.output + markdown.output + drifted.output).contains("cTEST"))
        await sandbox.end()
    }

    @Test func `memberships that take a while are no drift`() async throws {
        let (sandbox, host, control) = try await applied(Self.files(", settle: 5s"), "--membership-delay", "1h")
        // FCM does not show the memberships yet, nor that this app has left.
        try await control.change(.fid(1), ["unsubscribe": ["surf"]])
        async let drift = sandbox.herald("drift --format json", host: host)
        try await eventually { try await asked(control).count >= Self.size }
        try await control.advance("2h")
        let result = try await drift
        let document = try json(result)
        #expect(figures("news", in: document) == [120, 0, 0, 0, 0, 0], "\(result.output)\(result.errors)")
        #expect(figures("surf", in: document) == [59, 1, 0, 0, 0, 0])
        await sandbox.end()
    }

    @Test func `the Instance ID service tells the same`() async throws {
        let (sandbox, host, control) = try await applied(Self.files(", topic_api: iid"))
        for number in 1...3 {
            try await control.change(.fid(number), ["unsubscribe": ["surf"], "subscribe": ["others"]])
        }
        try await control.put([.fid(4)], state: "unregistered")
        let result = try await sandbox.herald("drift --format json", host: host)
        #expect(figures("surf", in: try json(result)) == [56, 3, 0, 1, 0, 0], "\(result.output)\(result.errors)")
        let paths = try await control.requests().compactMap { $0["path"]?.string }
        #expect(paths.contains { $0.hasPrefix("/iid/info/") } && !paths.contains { $0.contains("topicSubscriptions") })
        await sandbox.end()
    }

    @Test func `recording lets the next plan leave out who has left, and restore subscribes them again`() async throws {
        let (sandbox, host, control) = try await applied()
        for number in 1...4 { try await control.change(.fid(number), ["unsubscribe": ["surf"]]) }
        try await control.put([.fid(9)], state: "unregistered")
        let recorded = try await sandbox.herald("drift --record", host: host)
        #expect(recorded.status == 0, "\(recorded.output)\(recorded.errors)")
        #expect(recorded.output.contains("surf: 4 recorded as left. The next plan leaves them out (drift: keep)."))
        #expect(recorded.output.contains("1 dead registration forgotten"))
        #expect(try await sandbox.herald("apply --auto-approve", host: host).status == 0)
        #expect(try await control.members(ofTopic: "surf").count == 55)
        let again = try json(try await sandbox.herald("drift --format json", host: host))
        #expect(figures("surf", in: again) == [55, 0, 0, 0, 0, 0])
        #expect(again["registrations"]?["all"] == 119)

        try sandbox.folder.write(
            Self.files(topics: ", drift: restore")["workspace/resources.yaml"] ?? "", to: "workspace/resources.yaml")
        #expect(try await sandbox.herald("apply --auto-approve", host: host).status == 0)
        #expect(try await control.members(ofTopic: "surf").count == 59)
        await sandbox.end()
    }

    // MARK: Exit codes

    @Test func `more dead than the guard allows are not forgotten`() async throws {
        let (sandbox, host, control) = try await applied()
        try await control.put((1...13).map { Registration.fid($0) }, state: "unregistered")
        let result = try await sandbox.herald("drift --record --format json", host: host)
        #expect(result.status == 3, "\(result.output)\(result.errors)")
        #expect(result.errors.contains("13 of 120 registrations look dead"))
        #expect(try json(result)["result"] == "refused")
        #expect(try json(result)["recorded"]?["forgotten"] == 0)
        let again = try json(try await sandbox.herald("drift --format json", host: host))
        #expect(again["registrations"]?["dead"] == 13)
        await sandbox.end()
    }

    @Test func `who cannot be asked for is told, and the rest is done`() async throws {
        let (sandbox, host, control) = try await applied()
        try await control.put([.fid(1), .fid(2)], state: "other_sender")
        let result = try await sandbox.herald("drift --format json --detailed-exitcode", host: host)
        #expect(result.status == 4, "\(result.output)\(result.errors)")
        #expect(figures("surf", in: try json(result)) == [58, 0, 0, 0, 0, 2])
        #expect(try json(result)["failures"]?.array?.first?["code"] == "SENDER_ID_MISMATCH")
        await sandbox.end()
    }

    @Test func `FCM out of reach asks nobody, and names that do not exist are refused`() async throws {
        let (sandbox, host, _) = try await applied()
        try await Control(host).put(faults: [["match": ["service": "topics"], "do": ["status": 403]]])
        let refused = try await sandbox.herald("drift --format json", host: host)
        #expect(refused.status == 4, "\(refused.output)\(refused.errors)")
        #expect(try json(refused)["registrations"]?["asked"] == 0)
        let mistakes: [(String, Int32, String)] = [
            ("drift --topic surff", 1, "did you mean 'surf'?"),
            ("drift --topic /topics/surf", 64, "no topic name"),
            ("drift --audience everyone", 1, "no file declares audience"),
            ("drift --seed x", 64, "--sample"), ("drift --sample 0", 64, "--sample"),
            ("drift --budget 0", 64, "budget"),
        ]
        for (arguments, status, words) in mistakes {
            let result = try await sandbox.herald(arguments, host: host)
            #expect(result.status == status && result.errors.contains(words), "\(arguments): \(result.errors)")
        }
        await sandbox.end()
    }

    @Test func `without a state there is nothing to compare`() async throws {
        let sandbox = try Sandbox(Self.files())
        let result = try await sandbox.herald("drift")
        #expect(result.status == 1, "\(result.output)\(result.errors)")
    }

    // MARK: Going on

    @Test func `a budget asks for a part, and the next call goes on`() async throws {
        let (sandbox, host, control) = try await applied()
        for part in 1...3 {
            let result = try json(try await sandbox.herald("drift --budget 50 --format json", host: host))
            #expect(result["registrations"]?["asked"] == .int(part == 3 ? 20 : 50))
            #expect(result["pass"]?["complete"] == .bool(part == 3))
        }
        #expect(try await asked(control).sorted() == Array(1...Self.size))
        // The next pass begins with those who were asked for first.
        _ = try await sandbox.herald("drift --budget 10", host: host)
        #expect(try await Set(asked(control).dropFirst(Self.size)).count == 10)
        await sandbox.end()
    }

    @Test func `an audience and a sample limit who is asked for`() async throws {
        let (sandbox, host, control) = try await applied()
        let half = try json(try await sandbox.herald("drift --audience half --topic news --format json", host: host))
        #expect(figures("news", in: half) == [60, 0, 0, 0, 0, 0])
        #expect(try await asked(control).sorted() == Array(1...60))
        var samples: [[Int]] = []
        for seed in ["a", "a", "b"] {
            let before = try await asked(control).count
            let result = try await sandbox.herald("drift --sample 30 --seed \(seed) --format json", host: host)
            let document = try json(result)
            #expect(document["sample"] == ["size": 30, "seed": .string(seed)], "\(result.errors)")
            let share = document["topics"]?.array?.first { $0["topic"] == "news" }?["shares"]?["same"]
            #expect(share?["share"] == .double(1) || share?["share"] == .int(1))
            samples.append(try await asked(control).dropFirst(before).sorted())
        }
        #expect(samples[0].count == 30 && samples[0] == samples[1] && samples[0] != samples[2])
        await sandbox.end()
    }

    @Test func `after ten kills everybody was asked for, and hardly anybody twice`() async throws {
        var files = Self.files()
        files["workspace/herald.yaml"] = """
            herald: 1
            project: demo-project
            fcm: {rate: unlimited, subscription_rate: 60/s, ramp: 0s, max_in_flight: 4}

            """
        let sandbox = try Sandbox(files)
        let (_, host) = try await sandbox.startEmulator()
        // As if others had subscribed them, so that the slow rate costs no time.
        let control = try Control(host)
        try await control.put((1...Self.size).map { .fid($0) }, state: "active", topics: ["news"])
        try await control.put((1...60).map { .fid($0) }, state: "active", topics: ["news", "surf", "tides"])
        #expect(try await sandbox.herald("apply --auto-approve", host: host).status == 0)
        let port = try Sandbox.port(of: host)
        var kills = 0
        while kills < 10 {
            let process = Later<ChildProcess>()
            let proxy = try InterruptingProxy(serverPort: port, trigger: (.afterAnswer, 8)) {
                process.value.signal(SIGKILL)
            }
            proxy.start()
            process.value = try HeraldProcess.start(
                ["-w", sandbox.workspace, "drift"], environment: sandbox.environment("127.0.0.1:\(proxy.port)"))
            _ = await process.value.wait()
            proxy.stop()
            kills += 1
        }
        let last = try await sandbox.herald("drift --format json", host: host)
        #expect(last.status == 0, "\(last.output)\(last.errors)")
        #expect(try json(last)["pass"]?["complete"] == true)
        let counts = Dictionary(grouping: try await asked(control)) { $0 }.mapValues(\.count)
        #expect(Set(counts.keys) == Set(1...Self.size))
        // At most those are asked for again whose answer was not written: a second's worth, and those under way.
        let again = counts.values.reduce(0) { $0 + $1 - 1 }
        #expect(again <= 10 * 12, "\(again) questions were asked again")
        await sandbox.end()
    }

    @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
    func `a signal ends it in order, and nobody is asked for twice`(_ signal: Int32, _ status: Int32) async throws {
        let (sandbox, host, control) = try await applied(Self.files())
        let process = Later<ChildProcess>()
        let port = try Sandbox.port(of: host)
        let answers = Mutex(0)
        let relay = try Relay(serverPort: port)
        relay.start { piece, forward in
            let isAnswer = piece.isHead && !piece.isRequest
            let count = answers.withLock { answers in
                if isAnswer { answers += 1 }
                return answers
            }
            if isAnswer, count == 40 { process.value.signal(signal) }
            return forward()
        }
        process.value = try HeraldProcess.start(
            ["-w", sandbox.workspace, "drift", "--format", "json"],
            environment: sandbox.environment("127.0.0.1:\(relay.port)"))
        let stopped = await process.value.wait()
        relay.stop()
        #expect(stopped.status == status, "\(stopped.output)\(stopped.errors)")
        let document = try json(stopped)
        #expect(document["result"] == "interrupted")
        let next = try json(try await sandbox.herald("drift --format json", host: host))
        #expect(next["pass"]?["asked_before"] == document["registrations"]?["asked"])
        #expect(try await asked(control).sorted() == Array(1...Self.size))
        await sandbox.end()
    }

    // MARK: Who asks

    @Test func `no other command asks for subscriptions`() async throws {
        let (sandbox, host, control) = try await applied()
        let review = "review --out \(sandbox.folder.path)/review"
        for command in ["validate", "plan", "status", review, "state show", "run", "apply --auto-approve"] {
            _ = try await sandbox.herald(command, host: host)
        }
        #expect(try await asked(control).isEmpty)
        #expect(try await sandbox.herald("drift", host: host).status == 0)
        let doctor = try await sandbox.herald("doctor", host: host)
        #expect(doctor.output.contains("0 of 120 registrations differed (0.0 %)"), "\(doctor.output)")
        let metrics = "\(sandbox.folder.path)/metrics.prom"
        #expect(try await sandbox.herald("run", "--metrics", metrics, host: host).status == 0)
        #expect(try sandbox.folder.read("metrics.prom").contains(#"herald_drift_share{project="demo-project"} 0.0"#))
        #expect(try await asked(control).count == Self.size)
        await sandbox.end()
    }

    // MARK: Importing

    @Test func `an import records who follows a topic, and plans leave it alone until a file declares it`() async throws
    {
        let (sandbox, host, control) = try await applied()
        try await control.put((31...90).map { .fid($0) }, state: "active", topics: ["news", "old"])
        try await control.put([.fid(120)], state: "unregistered")
        let imported = try await sandbox.herald("import topic old --audience all", host: host)
        #expect(imported.status == 0, "\(imported.output)\(imported.errors)")
        #expect(
            imported.output.hasPrefix(
                "60 of 120 registrations follow 'old' and are recorded as pre-existing; 59 do not follow it, 1 dead"))
        #expect(imported.output.contains("kind: topic\nname: \"old\"\nsubscribers: [\"all\"]\n"))
        #expect(try await control.members(ofTopic: "old").count == 60)
        #expect(try await asked(control).count == Self.size)
        #expect(try await sandbox.herald("plan --detailed-exitcode", host: host).status == 0)
        let again = try await sandbox.herald("import topic old --audience half --as managed", host: host)
        #expect(again.status == 0, "\(again.output)\(again.errors)")
        #expect(again.output.hasPrefix("30 of 60 registrations follow 'old' and are recorded as managed"))
        let third = try await sandbox.herald("import topic old --audience all", host: host)
        #expect(third.output.contains("as pre-existing, but for 30 that are managed already and stay so; 59 do not"))
        await sandbox.end()
    }
}
