import FCM
import Foundation
import HeraldStore
import HeraldTestSupport
import Testing

/// `heartbeat` in herald.yaml: a monitor learns when a run begins and how it ended, and can never disturb it.
@Suite(.timeLimit(.minutes(5))) struct HeartbeatTests {
    private static let secret = "9f6a1c2e-ping"

    private struct Scene {
        let sandbox: Sandbox
        let host: String
        var variables: [String: String]

        init(_ address: String, pingURL: String) async throws {
            sandbox = try Sandbox(Sandbox.small(count: 5, subscribers: 2))
            try sandbox.folder.write(
                "herald: 2\n" + Sandbox.settings.dropFirst("herald: 1\n".count) + "heartbeat: \"\(address)\"\n",
                to: "workspace/herald.yaml")
            host = try await sandbox.startEmulator().host
            variables = sandbox.environment(host)
            variables["HERALD_SOURCE_VARS"] = "PING_URL"
            variables["PING_URL"] = pingURL
            #expect(try await herald("state", "init").status == 0)
        }

        func herald(_ arguments: String...) async throws -> ChildProcess.Result {
            try await HeraldProcess.run(["-w", sandbox.workspace] + arguments, environment: variables)
        }
    }

    @Test func `a monitor gets the start and the end of every run, with the summary`() async throws {
        let receiver = try Receiver()
        let scene = try await Scene("${PING_URL}", pingURL: "\(receiver.url)/\(Self.secret)?rid=1")
        let first = try await scene.herald("run", "--reveal-registrations")
        #expect(first.status == 0, "\(first.errors)")
        #expect(receiver.posts.map(\.path) == ["/\(Self.secret)/start?rid=1", "/\(Self.secret)/0?rid=1"])
        let summary = try #require(receiver.posts.last).body
        #expect(summary.contains("send:to-all@once"))
        #expect(summary.contains(": ok."))
        // A run with nothing to do beats, too.
        #expect(try await scene.herald("run").status == 0)
        #expect(receiver.posts.map(\.path).suffix(2) == ["/\(Self.secret)/start?rid=1", "/\(Self.secret)/0?rid=1"])
        // Nothing else does.
        for command in ["plan", "validate", "apply"] { #expect(try await scene.herald(command).status == 0) }
        #expect(receiver.posts.count == 4)
        await scene.sandbox.end()
    }

    @Test func `a run that fails tells its exit code, and nobody's registration`() async throws {
        let receiver = try Receiver()
        let scene = try await Scene("${PING_URL}/\(Self.secret)", pingURL: receiver.url)
        let proxy = try LossyProxy(serverPort: try Sandbox.port(of: scene.host), losing: 2)
        var lossy = scene
        lossy.variables["FCM_EMULATOR_HOST"] = proxy.host
        #expect(try await lossy.herald("run", "--reveal-registrations").status == 6)
        proxy.stop()
        let end = try #require(receiver.posts.last)
        #expect(end.path == "/\(Self.secret)/6")
        #expect(end.body.contains("herald: some recipients may or may not have got their message"))
        for number in 1...5 { #expect(!end.body.contains(Registration.fid(number).rawValue)) }
        // A file that cannot be read stops the run before it begins.
        try scene.sandbox.folder.write("kind: [\n", to: "workspace/more.yaml")
        #expect(try await scene.herald("run").status == 1)
        #expect(receiver.posts.last?.path == "/\(Self.secret)/1")
        await scene.sandbox.end()
    }

    @Test(arguments: [
        ("refuses", Receiver.Answer.status(500), "HTTP 500"), ("redirects", .redirect(to: "/other"), "redirects"),
        ("hangs up", .close, "help"),
    ])
    func `a monitor that does not take it changes nothing`(
        _ name: String, _ answer: Receiver.Answer, _ words: String
    ) async throws {
        let receiver = try Receiver { _, _ in answer }
        let scene = try await Scene("${PING_URL}", pingURL: "\(receiver.url)/\(Self.secret)")
        let result = try await scene.herald("run")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("the heartbeat was not sent"))
        #expect(result.errors.contains(words))
        #expect(!result.errors.contains(Self.secret))
        // The start once, the end twice. A redirect leads nowhere.
        #expect(receiver.posts.map(\.path) == ["start", "0", "0"].map { "/\(Self.secret)/\($0)" })
        await scene.sandbox.end()
    }

    @Test func `a monitor that does not answer delays a run by seconds only`() async throws {
        let receiver = try Receiver { _, _ in .silence }
        let scene = try await Scene("${PING_URL}", pingURL: receiver.url)
        let begin = ContinuousClock.now
        let result = try await scene.herald("run")
        #expect(result.status == 0, "\(result.errors)")
        #expect(ContinuousClock.now - begin < .seconds(60))
        #expect(Account(try await lastReport(scene)).accepted > 0)
        await scene.sandbox.end()
    }

    private func lastReport(_ scene: Scene) async throws -> JSONValue {
        let folder = "\(scene.sandbox.folder.path)/runs"
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".json") })
        return try scene.sandbox.report("runs/\(name)")
    }

    @Test(arguments: [
        ("${OTHER}", "'OTHER'"), ("${PING_URL", "a $"), ("https://hc.example/x", "must not stand in a file"),
    ])
    func `only a listed variable is used`(_ address: String, _ words: String) async throws {
        let receiver = try Receiver()
        let sandbox = try Sandbox(Sandbox.small(count: 5, subscribers: 2))
        try sandbox.folder.write(
            "herald: 2\nproject: demo-project\nheartbeat: \"\(address)\"\n", to: "workspace/herald.yaml")
        var variables = sandbox.environment("127.0.0.1:9")
        variables.merge(["OTHER": "\(receiver.url)/s3cret", "HERALD_SOURCE_VARS": "PING_URL"]) { $1 }
        let result = try await HeraldProcess.run(["-w", sandbox.workspace, "run"], environment: variables)
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(!result.errors.contains("s3cret"))
        #expect(receiver.posts.isEmpty)
    }

    @Test func `a run that another one keeps from working has no end`() async throws {
        let receiver = try Receiver()
        let scene = try await Scene("${PING_URL}", pingURL: receiver.url)
        let lock = try RunLock(for: scene.sandbox.statePath, run: "the-other-one")
        #expect(try await scene.herald("run", "--if-locked", "skip").status == 0)
        #expect(receiver.posts.map(\.path) == ["/start"])
        #expect(try await scene.herald("run").status == 5)
        #expect(receiver.posts.map(\.path) == ["/start", "/start", "/5"])
        withExtendedLifetime(lock) {}
        await scene.sandbox.end()
    }
}
