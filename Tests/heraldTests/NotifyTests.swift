import FCM
import Foundation
import HeraldStore
import HeraldTestSupport
import Synchronization
import Testing

/// `notify` in herald.yaml: each change is told once, and once when it is well again, whatever the receiver does.
@Suite(.timeLimit(.minutes(10))) struct NotifyTests {
    static let secret = "s3cret-of-the-hook"

    struct Scene {
        let sandbox: Sandbox
        let host: String
        var variables: [String: String]

        /// - Parameter notify: the entries, each on a line.
        init(
            _ notify: String, _ receivers: [Receiver],
            _ files: [String: String] = Sandbox.small(count: 20, subscribers: 12)
        ) async throws {
            sandbox = try Sandbox(files)
            try sandbox.folder.write(
                "herald: 2\n" + Sandbox.settings.dropFirst("herald: 1\n".count) + "notify:\n\(notify)\n",
                to: "workspace/herald.yaml")
            host = try await sandbox.startEmulator().host
            variables = sandbox.environment(host)
            variables["HERALD_SOURCE_VARS"] = "HOOK_0,HOOK_1,HOOK_SECRET"
            variables["HOOK_SECRET"] = NotifyTests.secret
            for (place, receiver) in receivers.enumerated() {
                variables["HOOK_\(place)"] = "\(receiver.url)/hook-\(place)-address"
            }
        }

        @discardableResult
        func done(_ command: String, _ status: Int32 = 0) async throws -> ChildProcess.Result {
            let result = try await HeraldProcess.run(
                ["-w", sandbox.workspace] + command.split(separator: " ").map(String.init), environment: variables)
            try #require(result.status == status, "\(command): \(result.status) \(result.output)\(result.errors)")
            #expect(!result.errors.contains("-address") && !result.errors.contains(NotifyTests.secret))
            return result
        }

        /// A run of which the answer to the second send is lost.
        func loseOne() async throws {
            let proxy = try LossyProxy(serverPort: try Sandbox.port(of: host), losing: 2)
            var lossy = self
            lossy.variables["FCM_EMULATOR_HOST"] = proxy.host
            try await lossy.done("run", 6)
            proxy.stop()
        }
    }

    private static let both = """
        - {webhook: "${HOOK_0}", secret: "${HOOK_SECRET}", report_url: "https://reports.example/{run}.html"}
        - {webhook: "${HOOK_1}", format: slack, when: [held, sent]}
        """

    static func notices(_ receiver: Receiver) throws -> [JSONValue] {
        try receiver.posts.map { try JSONValue(parsing: Array($0.body.utf8)) }
    }

    /// `held to-all@once`, `well(held) to-all@once`
    static func news(_ receiver: Receiver) throws -> [String] {
        try notices(receiver).map { notice in
            let change = notice["change"]?.string ?? ""
            let word = notice["ended"]?.string.map { "\(change)(\($0))" } ?? change
            return ([word] + [notice["occurrence"]?.string].compactMap(\.self)).joined(separator: " ")
        }
    }

    @Test func `each change is told once, and once when it is well again`() async throws {
        let (json, slack) = (try Receiver(), try Receiver())
        let scene = try await Scene(Self.both, [json, slack])
        try await scene.done("state init")
        try await scene.loseOne()
        #expect(Set(try Self.news(json)) == ["held to-all@once", "sent to-all@once", "sent to-topic@once"])
        #expect(slack.posts.count == 3)
        // The same news is not told again.
        try await scene.done("run")
        try await scene.done("run")
        #expect(json.posts.count == 3 && slack.posts.count == 3)
        try await scene.done("state resolve to-all@once --accept")
        try await scene.done("run")
        #expect(try Self.news(json).dropFirst(3) == ["well(held) to-all@once"])
        #expect(slack.posts.count == 4)
        try await scene.done("run")
        #expect(json.posts.count == 4)

        let notices = try Self.notices(json)
        #expect(Set(notices.map { $0["id"] }).count == 4)
        let held = try #require(notices.first { $0["change"] == "held" })
        #expect(held["schema"] == "herald.notice/1" && held["campaign"] == "to-all")
        #expect(held["command"] == "herald state resolve to-all@once --accept")
        #expect(held["figures"]?["unknown"] == 1 && held["figures"]?["accepted"] == 19)
        let run = try #require(held["run"]?.string)
        #expect(held["report_url"] == .string("https://reports.example/\(run).html"))
        // That run had nothing to do, so it has no report.
        #expect(notices.last?["change"] == "well" && notices.last?["report_url"] == nil)
        for post in json.posts + slack.posts {
            #expect(!post.body.contains("cTEST") && !post.body.contains("Hello") && !post.body.contains(Self.secret))
            #expect(post.headers["content-type"] == "application/json")
        }
        await scene.sandbox.end()
    }

    @Test func `nothing is well again for whoever did not take that it was not`() async throws {
        let isUp = Flag()
        let receiver = try Receiver { post, _ in
            .status(isUp.isSet || !post.body.contains("\"change\":\"held\"") ? 200 : 422)
        }
        let scene = try await Scene("- {webhook: \"${HOOK_0}\", when: [held]}", [receiver])
        try await scene.done("state init")
        try await scene.loseOne()
        try await scene.done("state resolve to-all@once --accept")
        try await scene.done("run")
        #expect(Set(try Self.news(receiver)) == ["held to-all@once"])
        let before = receiver.posts.count
        isUp.set()
        try await scene.done("run")
        #expect(try Self.news(receiver).dropFirst(before) == ["held to-all@once", "well(held) to-all@once"])
        await scene.sandbox.end()
    }

    @Test func `who knows of a new trouble is not told that the one before is over`() async throws {
        let isUp = Flag()
        let receiver = try Receiver { post, _ in
            .status(isUp.isSet || !post.body.contains("\"change\":\"well\"") ? 200 : 422)
        }
        let scene = try await Scene("- {webhook: \"${HOOK_0}\", when: [failed]}", [receiver])
        func write(_ text: String) throws { try scene.sandbox.folder.write(text, to: "workspace/more.yaml") }
        try await scene.done("state init")
        try await scene.done("run")
        try write("kind: [\n")
        try await scene.done("run", 1)
        try write("")
        try await scene.done("run")
        #expect(try Self.news(receiver) == ["failed", "well(failed)"])
        try write("kind: [\n")
        try await scene.done("run", 1)
        #expect(try Self.news(receiver).dropFirst(2) == ["well(failed)", "failed"])
        isUp.set()
        try await scene.done("run", 1)
        #expect(receiver.posts.count == 4)
        try write("")
        try await scene.done("run")
        #expect(try Self.news(receiver).dropFirst(4) == ["well(failed)"])
        let ids = try Self.notices(receiver).map { $0["id"]?.string }
        #expect(ids[1] == ids[2] && Set(ids).count == 4)
        await scene.sandbox.end()
    }

    @Test func `what a message says is shown where it is asked for, and only what was sent`() async throws {
        let (json, slack) = (try Receiver(), try Receiver())
        let entries = """
            - {webhook: "${HOOK_0}", show_text: true, when: [sent]}
            - {webhook: "${HOOK_1}", format: slack, show_text: true, when: [sent]}
            """
        let scene = try await Scene(entries, [json, slack])
        let path = "workspace/resources.yaml"
        let text = try #require(Sandbox.small(count: 20, subscribers: 12)[path])
        try scene.sandbox.folder.write(text.replacing("title: Hello", with: "title: \"<!channel> Hello\""), to: path)
        try await scene.done("state init")
        try await scene.done("run")
        let notice = try #require(try Self.notices(json).first { $0["campaign"] == "to-all" })
        #expect(notice["texts"] == ["<!channel> Hello. To each of you"])
        let post = try #require(slack.posts.first { $0.body.contains("to-all@once") })
        #expect(post.body.contains("> &lt;!channel&gt; Hello. To each of you") && !post.body.contains("<!channel>"))
        #expect(!(json.posts + slack.posts).contains { $0.body.contains("cTEST") })
        await scene.sandbox.end()
    }

    @Test func `who is told after the file was changed is not shown what was never sent`() async throws {
        let isUp = Flag()
        let receiver = try Receiver { _, _ in .status(isUp.isSet ? 200 : 500) }
        let scene = try await Scene("- {webhook: \"${HOOK_0}\", show_text: true, when: [sent]}", [receiver])
        try await scene.done("state init")
        try await scene.done("run")
        let before = receiver.posts.count
        #expect(receiver.posts.contains { $0.body.contains("Hello. To each of you") })
        let path = "workspace/resources.yaml"
        let text = try #require(Sandbox.small(count: 20, subscribers: 12)[path])
        try scene.sandbox.folder.write(text.replacing("title: Hello", with: "title: Never sent"), to: path)
        isUp.set()
        try await scene.done("run")
        let told = try Self.notices(receiver).dropFirst(before)
        let notice = try #require(told.first { $0["campaign"] == "to-all" })
        #expect(notice["change"] == "sent" && notice["texts"] == nil)
        #expect(!receiver.posts.contains { $0.body.contains("Never sent") })
        await scene.sandbox.end()
    }

    @Test func `a document is signed, so that its receiver knows who sent it`() async throws {
        let receiver = try Receiver()
        let scene = try await Scene("- {webhook: \"${HOOK_0}\", secret: \"${HOOK_SECRET}\"}", [receiver])
        try await scene.done("notify --test")
        let post = try #require(receiver.posts.first)
        let notice = try #require(try Self.notices(receiver).first)
        #expect(post.headers["x-herald-id"] == notice["id"]?.string && notice["test"] == true)
        let signature = try #require(post.headers["x-herald-signature"])
        let match = try #require(signature.wholeMatch(of: #/t=([0-9]+),v1=([0-9a-f]{64})/#))
        try scene.sandbox.folder.write("\(match.1).\(post.body)", to: "signed")
        let found = try await ChildProcess.run(
            "/usr/bin/env",
            ["openssl", "dgst", "-sha256", "-hmac", Self.secret, "\(scene.sandbox.folder.path)/signed"],
            environment: ["PATH": "/usr/bin:/bin:/usr/local/bin"])
        #expect(found.output.hasSuffix(" \(match.2)\n"), "\(found.output)\(found.errors)")
        await scene.sandbox.end()
    }

    @Test func `a receiver that fails changes no exit code, and is told by the next run, with the same id`()
        async throws
    {
        let isUp = Flag()
        let (flaky, steady) = (try Receiver { _, _ in .status(isUp.isSet ? 200 : 500) }, try Receiver())
        let scene = try await Scene(
            "- {webhook: \"${HOOK_0}\", when: [sent]}\n- {webhook: \"${HOOK_1}\", when: [sent]}", [flaky, steady])
        try await scene.done("state init")
        let first = try await scene.done("run")
        #expect(first.errors.contains("webhook 1 was not told: the server answered HTTP 500"), "\(first.errors)")
        let runs = "\(scene.sandbox.folder.path)/runs"
        let names = try FileManager.default.contentsOfDirectory(atPath: runs).filter { $0.hasSuffix(".json") }
        let report = try scene.sandbox.report("runs/\(try #require(names.first))")
        #expect(report["result"] == "ok")
        #expect(report["notes"]?.array?.contains { $0.string?.contains("webhook 1 was not told") == true } == true)
        // One message was tried three times, then the others were left to the next run.
        #expect(flaky.posts.count == 3 && Set(flaky.posts.map { $0.headers["x-herald-id"] }).count == 1)
        #expect(steady.posts.count == 2)
        isUp.set()
        try await scene.done("run")
        #expect(
            Set(flaky.posts.map { $0.headers["x-herald-id"] }) == Set(steady.posts.map { $0.headers["x-herald-id"] }))
        #expect(flaky.posts.count == 5 && steady.posts.count == 2)
        try await scene.done("run")
        #expect(flaky.posts.count == 5)
        await scene.sandbox.end()
    }

    @Test func `a run that dies before it told anybody leaves that to the next one`() async throws {
        let isUp = Flag()
        let receiver = try Receiver { _, _ in isUp.isSet ? .status(200) : .silence }
        let scene = try await Scene("- {webhook: \"${HOOK_0}\"}", [receiver])
        try await scene.done("state init")
        let run = try HeraldProcess.start(["-w", scene.sandbox.workspace, "run"], environment: scene.variables)
        try await eventually { !receiver.posts.isEmpty }
        run.signal(SIGKILL)
        _ = await run.wait()
        // What is told is in the state by then, and the lock is free.
        isUp.set()
        let told = receiver.posts.count
        try await scene.done("run")
        let ids = receiver.posts.dropFirst(told).map { $0.headers["x-herald-id"] }
        #expect(ids.count == 2 && Set(ids).count == 2)
        #expect(ids.contains(receiver.posts.first?.headers["x-herald-id"]))
        try await scene.done("run")
        #expect(receiver.posts.count == told + 2)
        await scene.sandbox.end()
    }

    @Test func `a run that cannot work is told once, and when it can again`() async throws {
        let receiver = try Receiver()
        let scene = try await Scene("- {webhook: \"${HOOK_0}\", when: [failed]}", [receiver])
        try await scene.done("state init")
        try await scene.done("run")
        try scene.sandbox.folder.write("kind: [\n", to: "workspace/more.yaml")
        try await scene.done("run", 1)
        try await scene.done("run", 1)
        #expect(try Self.news(receiver) == ["failed"])
        #expect(try Self.notices(receiver).first?["command"] == "herald validate")
        try scene.sandbox.folder.write("", to: "workspace/more.yaml")
        try await scene.done("run")
        #expect(try Self.news(receiver) == ["failed", "well(failed)"])
        // FCM that cannot be reached is the same kind of trouble, and other news.
        try scene.sandbox.folder.write(
            "kind: campaign\nname: more\ntarget: {audience: all}\nmessage: {data: {a: b}}\n", to: "workspace/more.yaml")
        var away = scene
        away.variables["FCM_EMULATOR_HOST"] = "127.0.0.1:9"
        try await away.done("run", 4)
        try await away.done("run", 4)
        #expect(try Self.news(receiver).dropFirst(2) == ["failed"])
        try await scene.done("run")
        #expect(try Self.news(receiver).dropFirst(3) == ["well(failed)"])
        #expect(Set(try Self.notices(receiver).map { $0["id"] }).count == 4)
        await scene.sandbox.end()
    }

    @Test func `what a guard refuses is told under its name, and apply tells, too`() async throws {
        let receiver = try Receiver()
        let scene = try await Scene(
            "- {webhook: \"${HOOK_0}\", when: [held, missed, sent], min_recipients: 15}", [receiver])
        try await scene.done("apply --auto-approve")
        // The send to the topic is for one recipient, as far as herald knows.
        #expect(try Self.news(receiver) == ["sent to-all@once"])
        try scene.sandbox.folder.write(
            (1...5).map { "\(Registration.fid($0).rawValue)\n" }.joined(), to: "workspace/some.txt")
        try await scene.done("run", 3)
        try await scene.done("run", 3)
        #expect(try Self.news(receiver).dropFirst() == ["held"])
        let held = try #require(try Self.notices(receiver).last)
        #expect(held["command"] == "herald apply --override max_unsubscribe_percent=news")
        try await scene.done("apply --auto-approve --override max_unsubscribe_percent=news")
        #expect(try Self.news(receiver).dropFirst(2) == ["well(held)"])
        let late = ISO8601DateFormatter().string(from: Date().addingTimeInterval(-7200))
        try scene.sandbox.folder.write(
            "kind: campaign\nname: late\ntarget: {audience: all}\nmessage: {data: {a: b}}\n"
                + "schedule: {at: \"\(late)\", max_lateness: 1h}\n", to: "workspace/late.yaml")
        try await scene.done("run", 4)
        try await scene.done("run")
        let missed = try Self.news(receiver).dropFirst(3)
        #expect(missed.count == 1 && missed.first?.hasPrefix("missed late@") == true, "\(missed)")
        await scene.sandbox.end()
    }

    @Test func `a test reaches every webhook, and says which does not take it`() async throws {
        let (refusing, slack) = (try Receiver { _, _ in .status(404) }, try Receiver())
        let scene = try await Scene(Self.both, [refusing, slack])
        let result = try await scene.done("notify --test", 4)
        #expect(result.output == "webhook 2 (slack) took it\n")
        #expect(result.errors.contains("webhook 1 was not told: the server answered HTTP 404"))
        // What is refused for good is not tried again.
        #expect(refusing.posts.count == 1 && slack.posts.count == 1)
        let body = try JSONValue(parsing: Array(try #require(slack.posts.first).body.utf8))
        #expect(body["text"]?.string?.contains("test") == true && body["blocks"]?.array?.isEmpty == false)
        var other = scene
        other.variables["HERALD_SOURCE_VARS"] = "HOOK_1"
        #expect(try await other.done("notify --test", 4).errors.contains("does not allow the variable 'HOOK_"))
        await scene.sandbox.end()
    }
}

/// Something that was set for good.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .sequentiallyConsistent) }
    func set() { value.store(true, ordering: .sequentiallyConsistent) }
}
