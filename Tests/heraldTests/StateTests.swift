import FCM
import Foundation
import HeraldCore
import HeraldStore
import HeraldTestSupport
import Testing

/// The state, as people read and repair it.
@Suite struct StateTests {
    /// A campaign to five recipients, a topic with two of them, and a group of two tokens.
    private static func files() -> [String: String] {
        var files = Sandbox.small(count: 5, subscribers: 2)
        files["workspace/herald.yaml"] = """
            herald: 1
            project: demo-project
            sender_id: "123456789012"
            fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s}

            """
        files["workspace/group.yaml"] = """
            kind: group
            name: family
            members: {tokens: ['\(Registration.token(8).rawValue)', '\(Registration.token(9).rawValue)']}

            """
        return files
    }

    private func applied() async throws -> (Sandbox, host: String) {
        let sandbox = try Sandbox(Self.files())
        let (_, host) = try await sandbox.startEmulator()
        let apply = try await sandbox.herald("apply", "--auto-approve", host: host)
        try #require(apply.status == 0, "\(apply.output)\(apply.errors)")
        return (sandbox, host)
    }

    private static let first = Registration.fid(1).rawValue

    @Test func `init makes a state once, for its owner's eyes`() async throws {
        let sandbox = try Sandbox(Self.files())
        let made = try await sandbox.herald("state init")
        #expect(made.status == 0)
        #expect(made.errors.contains("for project 'demo-project' at emulator"))
        let mode = try FileManager.default.attributesOfItem(atPath: sandbox.statePath)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let before = try Data(contentsOf: URL(filePath: sandbox.statePath))
        let again = try await sandbox.herald("state init")
        #expect(again.status == 1)
        #expect(try Data(contentsOf: URL(filePath: sandbox.statePath)) == before)
    }

    @Test func `show tells figures of all or of one, and no registration`() async throws {
        let (sandbox, host) = try await applied()
        let all = try await sandbox.state()
        #expect(all["schema"] == "herald.state/1")
        #expect(all["registrations"] == 7)
        #expect(all["topics"]?.array?.map { $0["owned"] } == [2])
        #expect(all["groups"]?.array?.map { $0["members"] } == [2])
        #expect(all["occurrences"]?.array?.map { $0["accepted"] } == [5, 1])
        for name in ["news", "family", "to-all", "to-all@once"] {
            let one = try await sandbox.herald("state", "show", name, host: host)
            #expect(one.status == 0, "\(one.errors)")
            #expect(one.output.contains(name))
            #expect(!one.output.contains("to-topic"))
            #expect(!one.output.contains(Self.first))
        }
        let none = try await sandbox.herald("state show nothing", host: host)
        #expect(none.status == 1)
        #expect(none.errors.contains("no topic, group, campaign or occurrence 'nothing'"))
        await sandbox.end()
    }

    @Test func `show counts locales and variants, of a finished occurrence when it is asked for that one`() async throws
    {
        let sandbox = try Sandbox(Self.files())
        try #require(try await sandbox.herald("state init").status == 0)
        let id = OccurrenceID(rawValue: "points@once")
        let occurrence = RecordedOccurrence(
            campaign: "points", revision: 1, due: nil, contentDigest: "sha256:1", target: "audience:all")
        let classes = Partition<MessageClass>(disjoint: [
            MessageClass(locale: "it", variant: "a"): [1, 2], MessageClass(variant: "none"): [3],
        ])
        let store = try SQLiteStore.open(at: sandbox.statePath)
        try await store.commit([.open(id, occurrence), .assign(id, classes)])
        let counts = "    locales: it 2, message 1\n    variants: a 2, none 1\n"
        #expect(try await sandbox.herald("state show").output.contains(counts))
        try await store.commit([.finish(id, at: Date(timeIntervalSince1970: 0))])
        #expect(try await !sandbox.herald("state show").output.contains("locales"))
        #expect(try await sandbox.herald("state show points@once").output.contains(counts))
    }

    @Test func `find tells where one registration is, whichever of its names is given`() async throws {
        let (sandbox, host) = try await applied()
        let one = try await sandbox.herald("state", "find", Self.first, "--format", "json", host: host)
        #expect(one.status == 0)
        let trace = try JSONValue(parsing: Array(one.output.utf8))
        #expect(trace["topics"] == [["topic": "news", "relation": "subscribed"]])
        #expect(trace["dead"] == false)
        #expect(
            trace["occurrences"] == [
                [
                    "occurrence": "to-all@once", "outcome": "accepted", "code": .null, "locale": .null,
                    "variant": .null,
                ]
            ])
        #expect(trace["registration"]?.string?.wholeMatch(of: #/r_[0-9a-f]{16}/#) != nil)
        // A token of the same installation is the same recipient.
        let token = try await sandbox.herald("state", "find", Registration.token(1).rawValue, host: host)
        #expect(token.output.contains("topic news: subscribed"))
        let group = try await sandbox.herald(
            "state", "find", Registration.token(9).rawValue, "--reveal-registrations", host: host)
        #expect(group.output.hasPrefix(Registration.token(9).rawValue))
        #expect(group.output.contains("group family: member"))
        #expect(try await sandbox.herald("state", "find", Registration.fid(99).rawValue, host: host).status == 1)
        await sandbox.end()
    }

    @Test func `forget leaves one out from now on, and export lists the dead`() async throws {
        let (sandbox, host) = try await applied()
        #expect(try await sandbox.herald("state", "forget", Self.first, host: host).status == 0)
        // A registration that the state does not know can be forgotten too.
        #expect(try await sandbox.herald("state", "forget", Registration.fid(50).rawValue, host: host).status == 0)
        #expect(try await sandbox.state()["dead"] == 2)
        let plan = try await sandbox.herald("plan", "--detailed-exitcode", host: host)
        #expect(plan.status == 0, "\(plan.output)")
        try sandbox.folder.write(
            "kind: campaign\nname: more\ntarget: {audience: all}\nmessage: {data: {a: b}}\n", to: "workspace/more.yaml")
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted[Self.first] == 1)
        #expect(accepted[Registration.fid(2).rawValue] == 2)

        let lines = { (options: [String]) in
            let result = try await HeraldProcess.run(
                ["-w", sandbox.workspace, "state", "export"] + options, environment: sandbox.environment(host))
            #expect(result.status == 0, "\(result.errors)")
            return try result.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
        }
        #expect(try await lines([]).count == 8)
        #expect(try await lines([]).allSatisfy { $0["registration"]?.string?.hasPrefix("r_") == true })
        let dead = try await lines(["--dead", "--reveal-registrations"])
        #expect(dead.compactMap { $0["registration"]?.string } == [Self.first, Registration.fid(50).rawValue])
        #expect(dead.allSatisfy { $0["topics"] == [] && $0["dead"] == true })
        let second = try await lines(["--reveal-registrations"])
            .first { $0["registration"]?.string == Registration.fid(2).rawValue }
        #expect(second?["topics"] == ["news"])
        await sandbox.end()
    }

    @Test func `rm takes out one thing, which is done again where the files want it`() async throws {
        let (sandbox, host) = try await applied()
        for wrong in ["news", "topic:nothing", "campaign:nothing", "group:news", "to-all@twice"] {
            let result = try await sandbox.herald("state", "rm", wrong, host: host)
            #expect(result.status == 1, "\(wrong)")
        }
        #expect(try await sandbox.herald("state rm topic:news", host: host).status == 0)
        #expect(try await sandbox.herald("state rm to-topic@once", host: host).status == 0)
        let plan = try await sandbox.herald("plan", "--format", "json", host: host)
        let steps = try JSONValue(parsing: Array(plan.output.utf8))["steps"]?.array ?? []
        #expect(steps.compactMap { $0["id"]?.string } == ["subscribe:news", "send:to-topic@once"])
        #expect(try await sandbox.herald("state rm campaign:to-all", host: host).status == 0)
        #expect(try await sandbox.herald("state rm group:family", host: host).status == 0)
        // As far as the state knows, herald did not create this group.
        let apply = try await sandbox.herald("apply", "--auto-approve", host: host)
        #expect(apply.status == 3, "\(apply.output)\(apply.errors)")
        #expect(apply.output.contains("foreign_group"))
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted["news"] == 2)
        #expect(accepted[Self.first] == 2)
        let allowed = try await sandbox.herald(
            "apply", "--auto-approve", "--override", "foreign_group=family", host: host)
        #expect(allowed.status == 0, "\(allowed.output)\(allowed.errors)")
        #expect(try await sandbox.herald("plan", "--detailed-exitcode", host: host).status == 0)
        await sandbox.end()
    }

    // MARK: resolve

    /// For one of five recipients the outcome is unknown.
    private func uncertain() async throws -> (Sandbox, host: String) {
        let sandbox = try Sandbox(Self.files())
        let (_, host) = try await sandbox.startEmulator()
        let proxy = try LossyProxy(serverPort: try Sandbox.port(of: host), losing: 2)
        let result = try await sandbox.herald("apply", "--auto-approve", "--campaign", "to-all", host: proxy.host)
        proxy.stop()
        try #require(result.status == 6, "\(result.output)\(result.errors)")
        return (sandbox, host)
    }

    @Test(arguments: [("--accept", 5), ("--abandon", 5), ("--resend", 6)])
    func `who may or may not have got it stays so, or is sent it again`(_ how: String, _ sent: Int) async throws {
        let (sandbox, host) = try await uncertain()
        let held = try await sandbox.herald("plan --campaign to-all --detailed-exitcode", host: host)
        #expect(held.status == 0)
        #expect(held.output.contains("herald state resolve to-all@once --accept, --resend or --abandon"))
        let settled = try await sandbox.herald("state", "resolve", "to-all@once", how, host: host)
        #expect(settled.status == 0, "\(settled.errors)")
        let apply = try await sandbox.herald("apply", "--auto-approve", "--campaign", "to-all", host: host)
        #expect(apply.status == 0, "\(apply.output)\(apply.errors)")
        #expect(!apply.output.contains("may or may not"))
        // The emulator had accepted the send whose answer was lost: sending again takes that risk.
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).values.reduce(0, +) == sent)
        let again = try await sandbox.herald("state", "resolve", "to-all@once", how, host: host)
        #expect(again.status == 1)
        await sandbox.end()
    }

    @Test func `nothing is called settled that is too late to be sent again`() async throws {
        let due = "2026-01-01T09:00:00Z"
        let sandbox = try Sandbox(
            Self.files().merging([
                "workspace/late.yaml": """
                kind: campaign
                name: late
                target: {audience: all}
                message: {data: {a: b}}
                schedule: {at: \(due), timezone: UTC}

                """
            ]) { _, new in new })
        let (_, host) = try await sandbox.startEmulator()
        try await Control(host).put([.fid(3)], state: "other_sender")
        #expect(try await sandbox.herald("apply --auto-approve --at 2026-01-01T09:00:30Z", host: host).status == 4)
        let before = try await sandbox.state()
        let result = try await sandbox.herald("state resolve late@\(due) --retry SENDER_ID_MISMATCH", host: host)
        #expect(result.status == 1)
        #expect(result.errors.contains("max_lateness allows since 2026-01-01T11:00:00Z"), "\(result.errors)")
        #expect(try await sandbox.state() == before)
        await sandbox.end()
    }

    @Test func `an apply that nobody approved leaves nothing behind`() async throws {
        let sandbox = try Sandbox(Self.files())
        let folder = "\(sandbox.folder.path)/none"
        let result = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "apply"],
            environment: ["HERALD_STATE": "\(folder)/state.sqlite", "FCM_EMULATOR_HOST": "127.0.0.1:9"])
        #expect(result.status == 1)
        #expect(result.errors.contains("not approved"), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test func `who was refused is tried again when the reason is gone`() async throws {
        let sandbox = try Sandbox(Self.files())
        let (_, host) = try await sandbox.startEmulator()
        try await Control(host).put([.fid(3), .fid(4)], state: "other_sender")
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 4)
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        let wrong = try await sandbox.herald("state resolve to-all@once --retry UNREGISTERED", host: host)
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("help: name one of these codes: SENDER_ID_MISMATCH\n"))
        try await Control(host).put([.fid(3), .fid(4)], state: "active")
        #expect(
            try await sandbox.herald("state resolve to-all@once --retry SENDER_ID_MISMATCH", host: host).status == 0)
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.count == 6)
        #expect(accepted.values.allSatisfy { $0 == 1 })
        await sandbox.end()
    }

    /// A campaign to 100 recipients. Some were sent to before the machine went down, and the message has changed since.
    private func halfDone() async throws -> (Sandbox, host: String) {
        let sandbox = try Sandbox(Sandbox.small(count: 100, subscribers: 0))
        let (_, host) = try await sandbox.startEmulator()
        let process = Later<ChildProcess>()
        let proxy = try InterruptingProxy(serverPort: try Sandbox.port(of: host), trigger: (.afterAnswer, 40)) {
            process.value.signal(SIGTERM)
        }
        proxy.start()
        process.value = try HeraldProcess.start(
            ["-w", sandbox.workspace, "apply", "--auto-approve", "--campaign", "to-all"],
            environment: sandbox.environment("127.0.0.1:\(proxy.port)"))
        let stopped = await process.value.wait()
        proxy.stop()
        try #require(stopped.status == 143, "\(stopped.output)\(stopped.errors)")
        let text = try sandbox.folder.read("workspace/resources.yaml")
        try sandbox.folder.write(text.replacing("To each of you", with: "Now another"), to: "workspace/resources.yaml")
        return (sandbox, host)
    }

    @Test func `a half done occurrence whose message changed waits, and goes on when told so`() async throws {
        let (sandbox, host) = try await halfDone()
        let before = try sandbox.accepted(in: ["ledger.ndjson"])
        let held = try await sandbox.herald("apply --auto-approve --campaign to-all", host: host)
        #expect(held.output.contains("herald state resolve to-all@once --continue or --abandon"), "\(held.output)")
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]) == before)
        #expect(try await sandbox.herald("state resolve to-all@once --continue", host: host).status == 0)
        let apply = try await sandbox.herald("apply --auto-approve --campaign to-all", host: host)
        #expect(apply.status == 0, "\(apply.output)\(apply.errors)")
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.values.allSatisfy { $0 == 1 })
        let bodies = try await Control(host).ledger().compactMap { $0["message"]?["notification"]?["body"]?.string }
        #expect(bodies.filter { $0 == "To each of you" }.count == before.count)
        #expect(bodies.filter { $0 == "Now another" }.count == accepted.count - before.count)
        await sandbox.end()
    }

    @Test func `a half done occurrence can be abandoned, also when its file is gone`() async throws {
        let (sandbox, host) = try await halfDone()
        try sandbox.folder.write("", to: "workspace/resources.yaml")
        let plan = try await sandbox.herald("plan", host: host)
        #expect(plan.output.contains("no file declares campaign 'to-all' any more"), "\(plan.output)")
        let goOn = try await sandbox.herald("state resolve to-all@once --continue", host: host)
        #expect(goOn.status == 1)
        #expect(goOn.errors.contains("restore the campaign's file, or end the occurrence with --abandon"))
        #expect(try await sandbox.herald("state resolve to-all@once --abandon", host: host).status == 0)
        #expect(try await sandbox.herald("plan", host: host).output.contains("Nothing to do"))
        await sandbox.end()
    }
}
