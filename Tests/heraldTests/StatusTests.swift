import FCM
import Foundation
import HeraldStore
import HeraldTestSupport
import Testing

/// `herald status`: what needs somebody, and that the command which it names, typed in a shell, mends it.
@Suite(.timeLimit(.minutes(15))) struct StatusTests {
    /// A workspace, and a shell in it.
    fileprivate struct Scene {
        let sandbox: Sandbox
        let host: String
        var variables: [String: String]

        init(_ files: [String: String] = Sandbox.small(count: 20, subscribers: 12)) async throws {
            sandbox = try Sandbox(files)
            host = try await sandbox.startEmulator().host
            variables = sandbox.environment(host)
            variables["USER"] = "anna"
            let program = "\(sandbox.folder.path)/bin/herald"
            try sandbox.folder.write("", to: "bin/x")
            try FileManager.default.createSymbolicLink(atPath: program, withDestinationPath: HeraldProcess.program)
            variables["PATH"] = "\(sandbox.folder.path)/bin:/usr/bin:/bin"
            variables["NO_GCE_CHECK"] = "true"
        }

        func type(_ command: String) async throws -> ChildProcess.Result {
            try await ChildProcess(
                "/bin/sh", ["-c", "cd \"$1\" && eval \"$2\"", "sh", sandbox.workspace, command],
                environment: variables
            ).wait()
        }

        @discardableResult
        func done(_ command: String, _ status: Int32 = 0) async throws -> ChildProcess.Result {
            let result = try await type(command)
            try #require(result.status == status, "\(command): \(result.status) \(result.output)\(result.errors)")
            return result
        }

        /// What needs somebody, and whether the exit code says so.
        func needs(_ options: String = "") async throws -> [(kind: String, command: String)] {
            let result = try await type("herald status --format json \(options)")
            let json = try JSONValue(parsing: Array(result.output.utf8))
            #expect(json["schema"] == "herald.status/1")
            let needs = try #require(json["needs"]?.array)
            #expect(json["calm"] == .bool(needs.isEmpty))
            #expect(result.status == (needs.isEmpty ? 0 : 4), "\(result.errors)")
            return needs.map { ($0["kind"]?.string ?? "", $0["command"]?.string ?? "") }
        }

        func write(_ text: String, to name: String) throws { try sandbox.folder.write(text, to: "workspace/\(name)") }
    }

    private static func campaign(_ name: String, _ rest: String) -> String {
        "kind: campaign\nname: \(name)\ntarget: {audience: all}\nmessage: {notification: {title: Hello}}\n\(rest)\n"
    }

    /// A set-up, what it needs, and the command that mends it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: String
        let command: String
        fileprivate let prepare: @Sendable (inout Scene) async throws -> Void
        /// What `apply` needs besides without a terminal.
        var approves = false

        fileprivate init(
            _ name: String, _ kind: String, _ command: String, approves: Bool = false,
            _ prepare: @escaping @Sendable (inout Scene) async throws -> Void
        ) {
            (testDescription, self.kind, self.command, self.prepare) = (name, kind, command, prepare)
            self.approves = approves
        }
    }

    private static func ago(_ seconds: Double) -> String {
        ISO8601DateFormatter().string(from: Date().addingTimeInterval(-seconds))
    }

    private static func halt(_ scene: Scene) async throws {
        try await Control(scene.host).put((2...300).map { Registration.fid($0) }, state: "other_sender")
        try await scene.done("herald state init")
        try await scene.done("herald run", 4)
    }

    static let cases: [Case] = [
        Case("no state", "no_state", "herald state init") { _ in },
        Case("unknown outcomes", "unknown", "herald state resolve to-all@once --accept") { scene in
            try await scene.done("herald state init")
            let proxy = try LossyProxy(serverPort: try Sandbox.port(of: scene.host), losing: 2)
            var lossy = scene
            lossy.variables["FCM_EMULATOR_HOST"] = proxy.host
            try await lossy.done("herald run", 6)
            proxy.stop()
        },
        Case("halted by rejections", "halted", "herald state resolve to-all@once --continue") { scene in
            scene = try await Scene(Sandbox.small(count: 300, subscribers: 1))
            try await halt(scene)
            // The next run holds it, and is no failure itself.
            try await scene.done("herald run")
        },
        Case("half done, and at another revision", "held", "herald state resolve to-all@once --abandon") { scene in
            scene = try await Scene(Sandbox.small(count: 300, subscribers: 1))
            try await halt(scene)
            let text = try scene.sandbox.folder.read("workspace/resources.yaml")
            try scene.write(text.replacing("name: to-all\n", with: "name: to-all\nrevision: 2\n"), to: "resources.yaml")
            try await Control(scene.host).put((1...300).map { Registration.fid($0) }, state: "active")
            try await scene.done("herald run")
        },
        Case("a list that lost rows", "refused", "herald apply --override max_unsubscribe_percent=news", approves: true)
        { scene in
            try await scene.done("herald apply --auto-approve")
            try scene.write((1...5).map { "\(Registration.fid($0).rawValue)\n" }.joined(), to: "some.txt")
        },
        Case("two lists that lost rows", "refused", "herald apply --override max_unsubscribe_percent", approves: true) {
            scene in
            let more = "---\nkind: topic\nname: other\nsubscribers: [some]\n"
            try scene.write(
                try scene.sandbox.folder.read("workspace/resources.yaml") + more, to: "resources.yaml")
            try await scene.done("herald apply --auto-approve")
            try scene.write((1...5).map { "\(Registration.fid($0).rawValue)\n" }.joined(), to: "some.txt")
        },
        Case("an older copy of the state", "refused", "herald apply --override state_went_back", approves: true) {
            scene in
            try await scene.done("herald state init && herald state backup ../old.sqlite && herald run")
            try await scene.done("rm -f ../state.sqlite-wal ../state.sqlite-shm && cp ../old.sqlite ../state.sqlite")
        },
        Case(
            "a definition that nobody approved", "unapproved",
            "herald plan --out plan.json && herald approve plan.json --by \"$USER\""
        ) { scene in
            try scene.write(
                "herald: 2\n" + Sandbox.settings.dropFirst("herald: 1\n".count) + "approval: required\n",
                to: "herald.yaml")
            try await scene.done("herald state init")
        },
        Case("a clock that was fast", "silenced", "herald state rewind yearly") { scene in
            try scene.write(campaign("yearly", "schedule: {cron: \"0 0 1 1 *\"}"), to: "yearly.yaml")
            for at in ["2098-12-31T23:59:00Z", "2099-01-01T00:00:00Z"] {
                try await scene.done("herald apply --auto-approve --at \(at)")
            }
        },
        Case("no run for an hour", "overdue", "herald run") { scene in
            try await scene.done("herald state init && herald run")
            try scene.write(
                campaign("late", "schedule: {at: \"\(ago(3600))\", max_lateness: 1d}"), to: "late.yaml")
        },
        Case("too late", "missed", "herald run || [ $? = 4 ]") { scene in
            try await scene.done("herald state init && herald run")
            try scene.write(
                campaign("late", "schedule: {at: \"\(ago(7200))\", max_lateness: 1h}"), to: "late.yaml")
        },
        Case("a run that could not reach FCM", "failed", "herald run") { scene in
            try await scene.done("herald state init")
            var away = scene
            away.variables["FCM_EMULATOR_HOST"] = "127.0.0.1:9"
            try await away.done("herald run", 4)
        },
    ]

    @Test(arguments: cases)
    func `the command that it names, typed, mends it`(_ test: Case) async throws {
        var scene = try await Scene()
        try await test.prepare(&scene)
        let needs = try await scene.needs()
        let command = test.command.replacing(" || [ $? = 4 ]", with: "")
        #expect(needs.map(\.kind) == [test.kind], "\(needs)")
        try #require(needs.first?.command == command, "\(needs)")
        let text = try await scene.type("herald status")
        #expect(text.output.contains("\n  \(command)\n"), "\(text.output)")
        try await scene.done(test.command + (test.approves ? " --auto-approve" : ""))
        let after = try await scene.needs()
        #expect(after.isEmpty, "\(after)")
        await scene.sandbox.end()
    }

    @Test func `an old list is told with its age, and fetching it mends that`() async throws {
        let list = "fid\\n\(Registration.fid(1).rawValue)\\n"
        for limit in ["warn_after", "error_after"] {
            var scene = try await Scene([
                "workspace/herald.yaml": "herald: 2\nproject: demo-project\n",
                "workspace/all.yaml": """
                kind: audience
                name: all
                source:
                  command: [printf, "\(list)"]
                  fetch: {\(limit): 1h}
                ---
                \(Self.campaign("to-all", ""))
                """,
            ])
            scene.variables["HERALD_ALLOW_COMMANDS"] = "/usr/bin/printf"
            try await scene.done("herald fetch && herald state init && herald run")
            #expect(try await scene.needs().isEmpty)
            let note = try scene.sandbox.folder.read("workspace/.herald/lists/all.json")
            let fetched = try #require(note.firstMatch(of: #/"fetched":"([^"]*)"/#)).1
            try scene.write(note.replacing(fetched, with: Self.ago(4000)), to: ".herald/lists/all.json")
            let needs = try await scene.needs()
            #expect(needs.map(\.kind) == ["stale"] && needs.first?.command == "herald fetch all", "\(needs)")
            try await scene.done(try #require(needs.first).command)
            #expect(try await scene.needs().isEmpty)
            await scene.sandbox.end()
        }
    }

    @Test func `when nothing needs anybody it says how things stand`() async throws {
        let scene = try await Scene()
        try scene.write(Self.campaign("daily", "schedule: {cron: \"0 9 * * *\"}"), to: "daily.yaml")
        try await scene.done("herald state init && herald run && herald pause daily")
        #expect(try await scene.needs().isEmpty)
        let text = try await scene.done("herald status").output
        for words in [
            "Nothing needs you.", "daily, to audience all", "daily; 'herald resume daily'", "ok, ", "33 accepted",
            "nobody",
            "herald doctor",
        ] {
            #expect(text.contains(words), "\(words): \(text)")
        }
        let last = try JSONValue(parsing: Array(try await scene.done("herald status --format json").output.utf8))[
            "last_run"]
        #expect(last?["result"] == "ok" && last?["figures"]?["accepted"] == 33)
        // A run with nothing to do is the last one, too.
        try await scene.done("herald run")
        #expect(try await scene.done("herald status").output.contains("nothing to do"))
        await scene.sandbox.end()
    }

    @Test func `a snapshot tells the same, as far as it knows`() async throws {
        let scene = try await Scene()
        try await scene.done("herald state init")
        let proxy = try LossyProxy(serverPort: try Sandbox.port(of: scene.host), losing: 2)
        var lossy = scene
        lossy.variables["FCM_EMULATOR_HOST"] = proxy.host
        try await lossy.done("herald run", 6)
        proxy.stop()
        try await scene.done("herald state snapshot --out ../snapshot.json")
        let needs = try await scene.needs()
        var without = scene
        without.variables["HERALD_STATE"] = "\(scene.sandbox.folder.path)/nowhere/state.sqlite"
        let known = try await without.needs("--snapshot ../snapshot.json")
        #expect(known.map(\.command) == needs.map(\.command) && known.map(\.kind) == ["unknown"], "\(known)")
        let text = try await without.type("herald status --snapshot ../snapshot.json").output
        #expect(text.contains("unknown, ") && text.contains("the snapshot of "), "\(text)")
        await scene.sandbox.end()
    }

    @Test func `what doctor found last is told until it looks again or a run goes well`() async throws {
        let scene = try await Scene()
        try await scene.done("herald state init && herald run")
        #expect(try await scene.done("herald status").output.contains("never looked here; 'herald doctor' does"))
        var away = scene
        away.variables["FCM_EMULATOR_HOST"] = "127.0.0.1:9"
        try await away.done("herald doctor", 1)
        let needs = try await scene.needs()
        #expect(needs.map(\.kind) == ["doctor"] && needs.first?.command == "herald doctor", "\(needs)")
        try await scene.done("herald state snapshot --out ../snapshot.json")
        #expect(try await scene.needs("--snapshot ../snapshot.json").map(\.kind) == ["doctor"])
        // Both are noted in whole seconds.
        let second = Date().timeIntervalSince1970.rounded(.down)
        try await scene.sandbox.eventually { Date().timeIntervalSince1970 >= second + 1 }
        try await scene.done("herald run")
        #expect(try await scene.needs().isEmpty)
        try await away.done("herald doctor", 1)
        try await scene.done(try #require(try await scene.needs().first).command)
        #expect(try await scene.needs().isEmpty)
        // Anybody may delete the file, and what makes no sense is nothing.
        let file = "\(scene.sandbox.statePath).doctor"
        for text in ["", "[]", "{\"at\": \"2026-12-01T08:00:00Z\", \"errors\": [\"<b>\"], \"warnings\": []}"] {
            try Data(text.utf8).write(to: URL(filePath: file))
            #expect(try await scene.needs().isEmpty)
        }
        await scene.sandbox.end()
    }

    @Test func `it is a page, too`() async throws {
        let scene = try await Scene()
        let page = try await scene.done("herald status --format html", 4).output
        #expect(page.contains("<pre>herald state init</pre>") && page.contains("1 thing needs you"), "\(page)")
        #expect(!page.contains("<script") && page.contains("default-src &#39;none&#39;") == false)
        await scene.sandbox.end()
    }

    @Test func `while a run works, what is due is under way`() async throws {
        let scene = try await Scene()
        try await scene.done("herald state init")
        try scene.write(
            Self.campaign("late", "schedule: {at: \"\(Self.ago(3600))\", max_lateness: 1d}"),
            to: "late.yaml")
        #expect(try await scene.needs().map(\.kind) == ["overdue"])
        let lock = try RunLock(for: scene.sandbox.statePath, run: "the-other-one")
        #expect(try await scene.needs().isEmpty)
        #expect(try await scene.type("herald status").output.contains("At work"))
        withExtendedLifetime(lock) {}
        await scene.sandbox.end()
    }
}
