import FCM
import Foundation
import HeraldCore
import HeraldStore
import HeraldTestSupport
import Testing

/// `run`: what cron calls, without a person to ask.
@Suite struct RunTests {
    @Test func `without a state it makes none, and does nothing`() async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 5, subscribers: 2))
        let (_, host) = try await sandbox.startEmulator()
        let metrics = "\(sandbox.folder.path)/herald.prom"
        let result = try await sandbox.herald("run", "--metrics", metrics, host: host)
        #expect(result.status == 1)
        #expect(result.errors.contains("state init"), "\(result.errors)")
        #expect(try await Control(host).requests().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: sandbox.statePath))
        await sandbox.end()
    }

    @Test func `it does what is due, then nothing, and its report and figures say so`() async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 20, subscribers: 12))
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state", "init", host: host).status == 0)
        let metrics = "\(sandbox.folder.path)/herald.prom"
        let report = "\(sandbox.folder.path)/report.json"
        let first = try await sandbox.herald("run", "--metrics", metrics, "--report", report, host: host)
        #expect(first.status == 0, "\(first.output)\(first.errors)")
        #expect(first.errors.contains(" requests in flight: that many outcomes could become unknown"))
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).count == 21)
        #expect(Account(try sandbox.report()).accepted == 33)
        let figures = try sandbox.folder.read("herald.prom")
        #expect(figures.contains("\nherald_run_accepted{project=\"demo-project\"} 33\n"))
        #expect(figures.contains("\nherald_run_ok{project=\"demo-project\"} 1\n"))

        let second = try await sandbox.herald("run", "--metrics", metrics, "--report", report, host: host)
        #expect(second.status == 0, "\(second.output)\(second.errors)")
        #expect(second.output == "")
        #expect(second.errors == "Nothing to do: the state matches the files.\n")
        #expect(Account(try sandbox.report()).planned == 0)
        #expect(try sandbox.report()["result"] == "ok")
        #expect(try sandbox.folder.read("herald.prom").contains("herald_run_accepted{project=\"demo-project\"} 0\n"))
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).count == 21)
        await sandbox.end()
    }

    @Test func `what a guard refuses is left out and told, and the rest is done`() async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 20, subscribers: 12))
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        // Seven leave, three are new, and another message is due.
        let five = ((1...5).map { $0 } + [13, 14, 15]).map { Registration.fid($0).rawValue }.joined(separator: "\n")
        try sandbox.folder.write(five, to: "workspace/some.txt")
        try sandbox.folder.write(
            "kind: campaign\nname: more\ntarget: {audience: all}\nmessage: {data: {a: b}}\n", to: "workspace/more.yaml")
        let report = "\(sandbox.folder.path)/report.json"
        let result = try await sandbox.herald("run", "--report", report, host: host)
        #expect(result.status == 3, "\(result.output)\(result.errors)")
        #expect(
            result.errors.contains(
                "left out\n  help: complete the list; to let it through: herald apply --override max_unsubscribe_percent=news\n"
            ))
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.filter { $0.key != "news" }.values.allSatisfy { $0 == 2 })
        let members = Set(try await Control(host).members(ofTopic: "news"))
        // Nobody joins either: then the same leaves would be a smaller share at the next run.
        #expect(members == Set((1...12).map { Registration.fid($0).rawValue }))
        let account = try sandbox.report()
        #expect(account["result"] == "refused")
        #expect(Account(account).addsUp)
        #expect(account["summary"]?["held"] == 10)
        await sandbox.end()
    }

    @Test func `a state in use is waited for, passed by, or a failure`() async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 5, subscribers: 2))
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state", "init", host: host).status == 0)
        var lock: RunLock? = try RunLock(for: sandbox.statePath, run: "the-other-one")
        let skipped = try await sandbox.herald("run", "--if-locked", "skip", host: host)
        #expect(skipped.status == 0)
        #expect(skipped.errors.contains("another run works on the state"))
        #expect(try await sandbox.herald("run", "--if-locked", "fail", host: host).status == 5)
        #expect(try await sandbox.herald("run", host: host).status == 5)
        #expect(try await Control(host).requests().isEmpty)

        let waiting = try HeraldProcess.start(
            ["-w", sandbox.workspace, "run", "--if-locked", "wait=60s"], environment: sandbox.environment(host))
        #expect(await waiting.errorLine() == "herald: another run works on the state; waiting")
        withExtendedLifetime(lock) {}
        lock = nil
        #expect(await waiting.wait().status == 0)
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).count == 6)
        await sandbox.end()
    }

    /// A text is corrected, a person leaves the list, sends get a lower rate.
    @Test(arguments: [
        ("resources.yaml", "To each of you", "Something else"), ("all.txt", Registration.fid(5).rawValue, ""),
        ("herald.yaml", "rate: unlimited, s", "rate: 10/s, s"),
    ])
    func `a run that waited begins nothing with files that changed meanwhile`(
        _ file: String, _ before: String, _ after: String
    ) async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 5, subscribers: 2))
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state", "init", host: host).status == 0)
        var lock: RunLock? = try RunLock(for: sandbox.statePath, run: "the-other-one")
        let waiting = try HeraldProcess.start(
            ["-w", sandbox.workspace, "run", "--if-locked", "wait=10m"], environment: sandbox.environment(host))
        #expect(await waiting.errorLine() == "herald: another run works on the state; waiting")
        let text = try sandbox.folder.read("workspace/\(file)")
        try sandbox.folder.write(text.replacing(before, with: after), to: "workspace/\(file)")
        withExtendedLifetime(lock) {}
        lock = nil
        let ended = await waiting.wait()
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.errors.contains("changed while this run waited"), "\(ended.errors)")
        #expect(try await Control(host).requests().isEmpty)
        // The next run has the lock, and the files as they are.
        try sandbox.folder.write(text, to: "workspace/\(file)")
        #expect(try await sandbox.herald("run", host: host).status == 0)
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).count == 6)
        await sandbox.end()
    }

    @Test func `who waits for a state in use can be told to stop`() async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 5, subscribers: 2))
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state", "init", host: host).status == 0)
        let lock = try RunLock(for: sandbox.statePath, run: "the-other-one")
        let waiting = try HeraldProcess.start(
            ["-w", sandbox.workspace, "run", "--if-locked", "wait=10m"], environment: sandbox.environment(host))
        #expect(await waiting.errorLine() == "herald: another run works on the state; waiting")
        waiting.signal(SIGTERM)
        #expect(await waiting.wait().status == 143)
        withExtendedLifetime(lock) {}
        await sandbox.end()
    }

    @Test func `what is held is told at every run, and is no failure of it`() async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 5, subscribers: 2))
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state", "init", host: host).status == 0)
        let proxy = try LossyProxy(serverPort: try Sandbox.port(of: host), losing: 2)
        let metrics = "\(sandbox.folder.path)/nowhere/herald.prom"
        // Metrics that cannot be written must not hide how the run ended.
        let first = try await sandbox.herald("run", "--metrics", metrics, host: proxy.host)
        proxy.stop()
        #expect(first.status == 6, "\(first.output)\(first.errors)")
        #expect(first.errors.contains("the metrics could not be written"))
        let second = try await sandbox.herald("run", host: host)
        #expect(second.status == 0)
        let words = "herald: to-all@once is held: 1 recipient may or may not have got it"
        #expect(second.errors.contains(words), "\(second.errors)")
        #expect(second.errors.contains("; herald state resolve to-all@once --accept"), "\(second.errors)")
        await sandbox.end()
    }

    @Test(arguments: [(SIGTERM, Int32(143)), (SIGINT, Int32(130))])
    func `with --every it stays and does what comes, until a signal ends it`(
        _ signal: Int32, _ status: Int32
    ) async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 5, subscribers: 2))
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state", "init", host: host).status == 0)
        try sandbox.folder.write("kind: [\n", to: "workspace/more.yaml")
        let process = try HeraldProcess.start(
            ["-w", sandbox.workspace, "run", "--every", "1s", "--quiet"], environment: sandbox.environment(host))
        // A file that is wrong now may be right the next time.
        #expect(await process.errorLine().contains("[yaml-syntax]"))
        try sandbox.folder.write("", to: "workspace/more.yaml")
        try await eventually { try sandbox.accepted(in: ["ledger.ndjson"]).count == 6 }
        try sandbox.folder.write(
            "kind: campaign\nname: more\ntarget: {topic: news}\nmessage: {data: {a: b}}\n", to: "workspace/more.yaml")
        try await eventually { try sandbox.accepted(in: ["ledger.ndjson"])["news"] == 2 }
        process.signal(signal)
        let result = await process.wait()
        #expect(result.status == status, "\(result.output)\(result.errors)")
        #expect(result.output == "")
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).count == 6)
        #expect(try await sandbox.state()["paused"] == ["everything": false, "campaigns": []])
        await sandbox.end()
    }

    @Test func `a send that comes due during long membership work goes out before that ends`() async throws {
        var files = Sandbox.small(count: 3, subscribers: 0)
        let followers = (1...480).map { Registration.fid($0).rawValue }.joined(separator: "\n")
        files["workspace/herald.yaml"] = """
            herald: 1
            project: demo-project
            fcm: {rate: unlimited, subscription_rate: 40/s, ramp: 0s}

            """
        files["workspace/followers.txt"] = followers
        files["workspace/resources.yaml"] = """
            kind: audience
            name: all
            source: {file: all.txt}
            ---
            kind: audience
            name: followers
            source: {file: followers.txt}
            ---
            kind: topic
            name: news
            subscribers: [followers]

            """
        let sandbox = try Sandbox(files)
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state", "init", host: host).status == 0)
        // By then the run has begun, and it is half done.
        let due = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + 6).rounded(.up)).rfc3339
        try sandbox.folder.write(
            """
            kind: campaign
            name: timed
            target: {audience: all}
            message: {data: {a: b}}
            schedule: {at: "\(due)"}

            """, to: "workspace/timed.yaml")
        let result = try await sandbox.herald("run", host: host)
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        let paths = try await Control(host).requests().compactMap { $0["path"]?.string }
        let isSend = paths.map { $0.hasSuffix("messages:send") }
        #expect(isSend.filter(\.self).count == 3)
        #expect(paths.count == 483)
        #expect(isSend.first == false)
        #expect(isSend.last == false)
        let times = try await Control(host).ledger().compactMap { $0["time"]?.string }
        #expect(times.allSatisfy { $0 >= due.dropLast() })
        await sandbox.end()
    }

    /// A campaign to one recipient, by a cron.
    private static func files(_ campaign: String, cron: String) -> [String: String] {
        [
            "workspace/herald.yaml": Sandbox.settings,
            "workspace/resources.yaml": """
            kind: audience
            name: one
            fids: [\(Registration.fid(1).rawValue)]
            ---
            kind: campaign
            name: \(campaign)
            target: {audience: one}
            message: {data: {a: b}}
            schedule: {cron: "\(cron)"}

            """,
        ]
    }

    @Test func `a campaign of every minute is sent once for each, whatever is applied in between`() async throws {
        let sandbox = try Sandbox(Self.files("minutely", cron: "* * * * *"))
        let (_, host) = try await sandbox.startEmulator()
        // The first run sees it, and it is not due. Then each minute is due. Then the last of three is
        // made up for, and supersedes the others.
        let moments: [(at: String, status: Int32, sent: Int)] = [
            ("08:00:30", 0, 0), ("08:00:59", 0, 0), ("08:01:00", 0, 1), ("08:01:40", 0, 1), ("08:02:10", 0, 2),
            ("08:02:10", 0, 2), ("08:01:30", 0, 2), ("08:05:10", 0, 3), ("08:05:50", 0, 3),
        ]
        for moment in moments {
            let result = try await sandbox.herald(
                "apply", "--auto-approve", "--at", "2026-12-01T\(moment.at)Z", host: host)
            #expect(result.status == moment.status, "\(moment) \(result.output)\(result.errors)")
            let sent = try sandbox.accepted(in: ["ledger.ndjson"]).values.first ?? 0
            #expect(sent == moment.sent, "\(moment) \(result.output)")
        }
        let occurrences = try await sandbox.state()["occurrences"]?.array?.compactMap { $0["occurrence"]?.string }
        #expect(
            occurrences == [
                "minutely@2026-12-01T08:01:00Z", "minutely@2026-12-01T08:02:00Z", "minutely@2026-12-01T08:05:00Z",
            ])
        await sandbox.end()
    }

    @Test(arguments: ["apply --auto-approve", "run"])
    func `a campaign that a fast clock silenced is an error until it is rewound, and nothing is sent again`(
        _ command: String
    ) async throws {
        let sandbox = try Sandbox(Self.files("yearly", cron: "0 0 1 1 *"))
        let (_, host) = try await sandbox.startEmulator()
        for at in ["2098-12-31T23:59:00Z", "2099-01-01T00:00:00Z"] {
            #expect(try await sandbox.herald("apply --auto-approve --at \(at)", host: host).status == 0)
        }
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).values.reduce(0, +) == 1)
        let silenced = try await sandbox.herald(command, host: host)
        #expect(silenced.status == 4, "\(silenced.output)\(silenced.errors)")
        #expect((silenced.output + silenced.errors).contains("'herald state rewind yearly'"))
        for wrong in ["state rewind early", "state rewind one"] {
            #expect(try await sandbox.herald(wrong, host: host).status == 1)
        }
        let rewound = try await sandbox.herald("state rewind yearly", host: host)
        #expect(rewound.status == 0, "\(rewound.errors)")
        #expect(try await sandbox.herald(command, host: host).status == 0)
        let again = try await sandbox.herald("state rewind yearly", host: host)
        #expect(again.status == 1)
        #expect(again.errors.contains("nothing is to be set back"), "\(again.errors)")
        #expect(try await sandbox.herald("apply --auto-approve --at 2099-01-01T00:30:00Z", host: host).status == 4)
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).values.reduce(0, +) == 1)
        await sandbox.end()
    }

    @Test func `a run says that a list is empty, and sends when it is filled`() async throws {
        var files = Sandbox.small(count: 5, subscribers: 2)
        files["workspace/all.txt"] = "# nobody yet\n"
        let sandbox = try Sandbox(files)
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state init", host: host).status == 0)
        for _ in 0..<2 {
            let empty = try await sandbox.herald("run", host: host)
            #expect(empty.status == 0, "\(empty.errors)")
            #expect((empty.output + empty.errors).contains("'to-all' is due and has nobody to send to (audience all)"))
        }
        try sandbox.folder.write(Registration.fid(1).rawValue, to: "workspace/all.txt")
        #expect(try await sandbox.herald("run", host: host).status == 0)
        #expect(try sandbox.accepted(in: ["ledger.ndjson"])[Registration.fid(1).rawValue] == 1)
        await sandbox.end()
    }
}
