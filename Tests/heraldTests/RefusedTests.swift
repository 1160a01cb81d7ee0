import FCM
import Foundation
import HeraldTestSupport
import Testing

/// What was refused stays refused, and what was begun keeps its word, until a person changes something: the *second* run
/// is what counts.
@Suite struct RefusedTests {
    private static func rows(_ numbers: some Sequence<Int>) -> String {
        numbers.map { Registration.fid($0).rawValue + "\n" }.joined()
    }

    /// Runs twice without a change in between, and once more with the override.
    private func runTwice(
        _ sandbox: Sandbox, _ host: String, refused: String, _ count: () async throws -> Int
    ) async throws {
        for number in 1...2 {
            let run = try await sandbox.herald("run", host: host)
            #expect(run.status == 3, "run \(number): \(run.output)\(run.errors)")
            #expect(run.errors.contains("guard \(refused)"), "run \(number): \(run.errors)")
            #expect(try await count() == 0, "run \(number)")
        }
        let apply = try await sandbox.herald("apply", "--auto-approve", "--override", refused, host: host)
        #expect(apply.status == 0, "\(apply.output)\(apply.errors)")
        #expect(try await count() > 0)
        let last = try await sandbox.herald("run", host: host)
        #expect(last.status == 0, "\(last.output)\(last.errors)")
        await sandbox.end()
    }

    /// An opt-out list whose export failed, and a list that suddenly has everybody.
    @Test(arguments: [("audience_collapse", 200, 0), ("audience_growth", 10, 120)])
    func `a list that a guard refused is refused by every run until a person decides`(
        _ refused: String, _ before: Int, _ after: Int
    ) async throws {
        var files = Sandbox.small(count: 300, subscribers: 0)
        files["workspace/herald.yaml"] = Sandbox.settings + "suppress: [opted-out]\n"
        files["workspace/opted-out.txt"] = Self.rows(1...before)
        files["workspace/resources.yaml"] = """
            kind: audience
            name: everybody
            source: {file: all.txt}
            ---
            kind: audience
            name: opted-out
            source: {file: opted-out.txt}

            """
        let sandbox = try Sandbox(files)
        let (_, host) = try await sandbox.startEmulator()
        try #require(try await sandbox.herald("state init", host: host).status == 0)
        #expect(try await sandbox.herald("run", host: host).status == 0)
        try sandbox.folder.write(after == 0 ? "" : Self.rows(1...after), to: "workspace/opted-out.txt")
        try sandbox.folder.write(
            "kind: campaign\nname: promo\ntarget: {audience: everybody}\nmessage: {data: {a: b}}\n",
            to: "workspace/promo.yaml")
        try await runTwice(sandbox, host, refused: refused) {
            try sandbox.accepted(in: ["ledger.ndjson"]).values.reduce(0, +)
        }
    }

    /// Others who join would make the same leaves a smaller share.
    @Test(arguments: [(90, 0, 250), (100, 68, 10)])
    func `leaves that a guard refused stay refused, whoever joins`(
        _ members: Int, _ staying: Int, _ new: Int
    ) async throws {
        var files = Sandbox.small(count: 1, subscribers: 0)
        files["workspace/some.txt"] = Self.rows(1...members)
        files["workspace/resources.yaml"] = """
            kind: audience
            name: some
            source: {file: some.txt}
            ---
            kind: topic
            name: news
            subscribers: [some]

            """
        let sandbox = try Sandbox(files)
        let (_, host) = try await sandbox.startEmulator()
        try #require(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        let now = Array(1..<1 + staying) + Array(1000..<1000 + new)
        try sandbox.folder.write(Self.rows(now), to: "workspace/some.txt")
        try await runTwice(sandbox, host, refused: "max_unsubscribe_percent") {
            let following = Set(try await Control(host).members(ofTopic: "news"))
            return (1...members).count { !following.contains(Registration.fid($0).rawValue) }
        }
    }

    /// The list broke on the day on which the topic got its name.
    @Test func `nothing goes to a topic's new name while a guard keeps its people under the old one`() async throws {
        var files = Sandbox.small(count: 1, subscribers: 0)
        let resources = { (topic: String) in
            "{kind: audience, name: some, source: {file: some.txt}}\n---\n{kind: topic, subscribers: [some], \(topic)}\n"
        }
        files["workspace/some.txt"] = Self.rows(1...40)
        files["workspace/resources.yaml"] = resources("name: news")
        let sandbox = try Sandbox(files)
        let (_, host) = try await sandbox.startEmulator()
        try #require(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        try sandbox.folder.write(Self.rows(1...10), to: "workspace/some.txt")
        let campaign =
            "---\nkind: campaign\nname: hello\ntarget: {topic: bulletin}\nmessage: {notification: {title: Hello}}\n"
        try sandbox.folder.write(
            resources("name: bulletin, previous_names: [news]") + campaign, to: "workspace/resources.yaml")
        let control = try Control(host)
        for number in 1...2 {
            let run = try await sandbox.herald("run", host: host)
            #expect(run.status == 3, "run \(number): \(run.output)\(run.errors)")
            #expect(run.errors.contains("guard max_unsubscribe_percent"), "run \(number): \(run.errors)")
            #expect(try await control.members(ofTopic: "bulletin").isEmpty, "run \(number)")
            #expect(try sandbox.accepted(in: ["ledger.ndjson"]).isEmpty, "run \(number)")
        }
        try sandbox.folder.write(Self.rows(1...40), to: "workspace/some.txt")
        let whole = try await sandbox.herald("run", host: host)
        #expect(whole.status == 0, "\(whole.output)\(whole.errors)")
        #expect(try await control.members(ofTopic: "bulletin").count == 40)
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]) == ["bulletin": 1])
        await sandbox.end()
    }

    @Test func `members of a group that a guard keeps are kept by the next run, whoever joins`() async throws {
        var files = Sandbox.small(count: 1, subscribers: 0)
        let group = { (numbers: [Int]) in
            "kind: group\nname: family\nmembers: {tokens: [\(numbers.map { "'\(Registration.token($0).rawValue)'" }.joined(separator: ", "))]}\n"
        }
        files["workspace/herald.yaml"] = Sandbox.settings + "sender_id: \"123456789012\"\n"
        files["workspace/resources.yaml"] = group(Array(1...10))
        let sandbox = try Sandbox(files)
        let (_, host) = try await sandbox.startEmulator()
        try #require(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        try sandbox.folder.write(group(Array(1...6) + Array(21...30)), to: "workspace/resources.yaml")
        try await runTwice(sandbox, host, refused: "max_unsubscribe_percent") {
            let members = Set(try await Control(host).members(ofGroup: "family") ?? [])
            return (7...10).count { !members.contains(Registration.token($0).rawValue) }
        }
    }

    // MARK: What was begun

    private func sandbox(_ count: Int) throws -> Sandbox {
        var files = Sandbox.small(count: count, subscribers: 0)
        files["workspace/resources.yaml"] = """
            kind: audience
            name: all
            source: {file: all.txt}
            ---
            kind: campaign
            name: to-all
            target: {audience: all}
            message: {notification: {title: Hello, body: To each of you}}

            """
        return try Sandbox(files)
    }

    /// One recipient's outcome is lost, or refused, and the list grows afterwards.
    @Test(arguments: ["--resend", "--retry SENDER_ID_MISMATCH"])
    func `whoever joined since gets nothing of what is sent again`(_ way: String) async throws {
        let sandbox = try sandbox(20)
        let (_, host) = try await sandbox.startEmulator()
        let proxy = try LossyProxy(serverPort: try Sandbox.port(of: host), losing: 1)
        if way != "--resend" { try await Control(host).put([.fid(3)], state: "other_sender") }
        let first = try await sandbox.herald(
            "apply", "--auto-approve", host: way == "--resend" ? proxy.host : host)
        proxy.stop()
        #expect(first.status == (way == "--resend" ? 6 : 4), "\(first.output)\(first.errors)")
        try await Control(host).put([.fid(3)], state: "active")
        let sent = try sandbox.accepted(in: ["ledger.ndjson"])
        try sandbox.folder.write(Self.rows(1...120), to: "workspace/all.txt")
        let resolve = try await sandbox.herald("state resolve to-all@once \(way)", host: host)
        try #require(resolve.status == 0, "\(resolve.errors)")
        let second = try await sandbox.herald("run", host: host)
        #expect(second.status == 0, "\(second.output)\(second.errors)")
        let now = try sandbox.accepted(in: ["ledger.ndjson"])
        let (before, after) = (sent.values.reduce(0, +), now.values.reduce(0, +))
        #expect(after == before + 1)
        let first20 = Set((1...20).map { Registration.fid($0).rawValue })
        #expect(Set(now.keys).isSubset(of: first20))
        await sandbox.end()
    }

    /// Ten of forty are sent, then the list is short for one run.
    @Test func `whom a send that is half done owes its message gets it when the list is whole again`() async throws {
        let sandbox = try sandbox(40)
        let (_, host) = try await sandbox.startEmulator()
        let settings = Sandbox.settings.replacing("{rate: unlimited", with: "{rate: 10/s")
        try sandbox.folder.write(settings, to: "workspace/herald.yaml")
        let process = try HeraldProcess.start(
            ["-w", sandbox.workspace, "apply", "--auto-approve"], environment: sandbox.environment(host))
        try await eventually { try sandbox.accepted(in: ["ledger.ndjson"]).count >= 10 }
        process.signal(SIGTERM)
        _ = await process.wait()
        try sandbox.folder.write(Sandbox.settings, to: "workspace/herald.yaml")
        let known = try await tried(sandbox)
        try #require(known >= 10 && known < 40)

        try sandbox.folder.write(Self.rows(1...4), to: "workspace/all.txt")
        let short = try await sandbox.herald("run", host: host)
        #expect(short.errors.contains("to-all@once is half done, and \(40 - known) recipients of it left the list"))
        try sandbox.folder.write(Self.rows(1...45), to: "workspace/all.txt")
        _ = try await sandbox.herald("run", host: host)
        #expect(try await tried(sandbox) == 40)
        #expect(try await sandbox.state()["occurrences"]?.array?.first?["finished"] != .null)
        await sandbox.end()
    }

    /// How many have an outcome of the only occurrence.
    private func tried(_ sandbox: Sandbox) async throws -> Int64 {
        let occurrence = try await sandbox.state()["occurrences"]?.array?.first
        let (accepted, unknown) = (occurrence?["accepted"]?.int ?? 0, occurrence?["unknown"]?.int ?? 0)
        return accepted + unknown
    }

    @Test func `a message that was changed after --resend is not sent in its place`() async throws {
        let sandbox = try sandbox(1)
        let (_, host) = try await sandbox.startEmulator()
        let proxy = try LossyProxy(serverPort: try Sandbox.port(of: host), losing: 1)
        #expect(try await sandbox.herald("apply", "--auto-approve", host: proxy.host).status == 6)
        proxy.stop()
        let sent = try sandbox.accepted(in: ["ledger.ndjson"]).values.reduce(0, +)
        try #require(try await sandbox.herald("state resolve to-all@once --resend", host: host).status == 0)
        let text = try sandbox.folder.read("workspace/resources.yaml")
        try sandbox.folder.write(
            text.replacing("To each of you", with: "Something else"), to: "workspace/resources.yaml")
        let run = try await sandbox.herald("run", host: host)
        #expect(run.errors.contains("to-all@once is held"), "\(run.errors)")
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).values.reduce(0, +) == sent)
        await sandbox.end()
    }

    /// A slow send works while the author corrects the text of the next one. What went wrong before that counts.
    @Test(arguments: [("", 0), ("SENDER_ID_MISMATCH", 4)])
    func `a run whose files change while it works leaves the rest to the next run`(
        _ fault: String, _ status: Int32
    ) async throws {
        let sandbox = try sandbox(400)
        let (_, host) = try await sandbox.startEmulator()
        try #require(try await sandbox.herald("state init", host: host).status == 0)
        let refusal: [JSONValue] =
            fault.isEmpty ? [] : [["match": ["service": "send", "first": 1], "do": ["code": .string(fault)]]]
        let slow: JSONValue = ["match": ["service": "send"], "do": ["delay_ms": 400]]
        try await Control(host).put(faults: .array(refusal + [slow]))
        let process = try HeraldProcess.start(
            ["-w", sandbox.workspace, "run"], environment: sandbox.environment(host))
        try await eventually { try sandbox.accepted(in: ["ledger.ndjson"]).count >= 16 }
        let text = try sandbox.folder.read("workspace/resources.yaml")
        try sandbox.folder.write(
            text + "---\nkind: campaign\nname: second\ntarget: {audience: all}\nmessage: {data: {a: b}}\n",
            to: "workspace/resources.yaml")
        let first = await process.wait()
        #expect(first.status == status, "\(first.output)\(first.errors)")
        #expect(first.errors.contains("files of the workspace changed while this run worked"), "\(first.errors)")
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).values.reduce(0, +) < 400)
        try await Control(host).put(faults: [])
        #expect(try await sandbox.herald("run", host: host).status == 0)
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"]).values
        #expect(accepted.count == 400 && accepted.count { $0 != 2 } == refusal.count)
        await sandbox.end()
    }
}
