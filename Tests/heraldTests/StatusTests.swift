import FCM
import Foundation
import HeraldStore
import HeraldTestSupport
import Testing

/// `herald status`: what needs somebody, and that the command which it names, typed in a shell, mends it.
@Suite(.timeLimit(.minutes(15))) struct StatusTests {
    static func campaign(_ name: String, _ rest: String) -> String {
        "kind: campaign\nname: \(name)\ntarget: {audience: all}\nmessage: {notification: {title: Hello}}\n\(rest)\n"
    }

    static func ago(_ seconds: Double) -> String {
        ISO8601DateFormatter().string(from: Date().addingTimeInterval(-seconds))
    }

    @Test(arguments: cases + otherCases)
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

    @Test func `from another folder the command names the workspace, quoted if a shell needs that`() async throws {
        let scene = try await Scene()
        try await scene.done("ln -s workspace '../my space'")
        let text = try await scene.type("cd .. && herald -w 'my space' status").output
        #expect(text.contains("\n  herald -w \"my space\" state init\n"), "\(text)")
        try await scene.done("cd .. && herald -w \"my space\" state init")
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

    @Test func `a fetch that fails is told once it is late, and fetching mends that`() async throws {
        var scene = try await Scene([
            "workspace/herald.yaml": "herald: 2\nproject: demo-project\n",
            "workspace/all.yaml": """
            kind: audience
            name: all
            source:
              command: [cat, "SOURCE"]
              fetch: {every: 1h}
            ---
            \(Self.campaign("to-all", ""))
            """,
        ])
        let source = "\(scene.sandbox.folder.path)/source.csv"
        let text = try scene.sandbox.folder.read("workspace/all.yaml")
        try scene.write(text.replacing("SOURCE", with: source), to: "all.yaml")
        let list = "fid\n\(Registration.fid(1).rawValue)\n"
        try scene.sandbox.folder.write(list, to: "source.csv")
        scene.variables["HERALD_ALLOW_COMMANDS"] = "/usr/bin/cat"
        try await scene.done("herald state init && herald run")
        try await scene.done("rm ../source.csv")
        let note = try scene.sandbox.folder.read("workspace/.herald/lists/all.json")
        let fetched = try #require(note.firstMatch(of: #/"fetched":"([^"]*)"/#)).1
        // It was due, and two runs should have come since.
        for (age, kinds) in [(3700.0, [String]()), (4500, ["stale"])] {
            try scene.write(note.replacing(fetched, with: Self.ago(age)), to: ".herald/lists/all.json")
            try await scene.done("herald run", 4)
            #expect(try await scene.needs().map(\.kind) == kinds)
        }
        try scene.sandbox.folder.write(list, to: "source.csv")
        try await scene.done(try #require(try await scene.needs().first).command)
        #expect(try await scene.needs().isEmpty)
        await scene.sandbox.end()
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
        try await eventually { Date().timeIntervalSince1970 >= second + 1 }
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

    @Test func `a run that was killed is told until another one ends`() async throws {
        let scene = try await Scene()
        try await scene.done("herald state init")
        try await scene.sandbox.applyAndDie(at: (.beforeAnswer, 5), of: scene.host)
        let killed = try await scene.type("herald status").output
        #expect(killed.contains("ago and did not come to its end"), "\(killed)")
        let known = try JSONValue(parsing: Array(try await scene.type("herald status --format json").output.utf8))
        #expect(known["unended_run"]?["run"]?.string?.isEmpty == false && known["last_run"] == .null, "\(known)")
        // Who holds the lock is at work.
        let working = try await RunLock(for: scene.sandbox.statePath, run: "the-next-one").hold {
            try await scene.type("herald status").output
        }
        #expect(!working.contains("did not come to its end"), "\(working)")
        _ = try await scene.type("herald run")
        let ended = try JSONValue(parsing: Array(try await scene.type("herald status --format json").output.utf8))
        #expect(ended["unended_run"] == nil && ended["last_run"] != .null, "\(ended)")
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

    @Test func `while a run works, what it waits for is not unknown, and what had ended before is`() async throws {
        let scene = try await Scene()
        try await scene.done("herald state init")
        let snapshot = "herald state snapshot --out ../snapshot.json"
        try await scene.sandbox.applyAndDie(at: (.beforeAnswer, 20), of: scene.host)
        #expect(try await scene.needs().map(\.kind).contains("unknown"))
        #expect(try await !scene.type("herald plan").output.contains("is at work"))
        try await RunLock(for: scene.sandbox.statePath, run: "the-other-one").hold {
            let plan = try await scene.type("herald plan").output
            #expect(plan.contains("is at work; whom it is sending to now shows as unknown"), "\(plan)")
            try await scene.done(snapshot)
            #expect(try await scene.needs().isEmpty)
        }
        // The snapshot knows that a run was at work, also when it is over.
        #expect(try await scene.needs("--snapshot ../snapshot.json").isEmpty)
        _ = try await scene.type("herald run")
        #expect(try await scene.needs().map(\.kind).contains("unknown"))
        try await RunLock(for: scene.sandbox.statePath, run: "the-other-one").hold {
            try await scene.done(snapshot)
            #expect(try await scene.needs().map(\.kind).contains("unknown"))
        }
        #expect(try await scene.needs("--snapshot ../snapshot.json").map(\.kind).contains("unknown"))
        await scene.sandbox.end()
    }

    @Test(arguments: [0, 1]) func `where two guards refuse something, either command lets both through`(
        _ typed: Int
    ) async throws {
        let scene = try await Scene()
        try await scene.done("herald apply --auto-approve")
        let text = try scene.sandbox.folder.read("workspace/resources.yaml")
        try scene.write(text.replacing("name: to-all\n", with: "name: to-everybody\n"), to: "resources.yaml")
        try scene.write((1...5).map { "\(Registration.fid($0).rawValue)\n" }.joined(), to: "some.txt")
        let needs = try await scene.needs()
        #expect(needs.map(\.kind) == ["refused", "refused"], "\(needs)")
        for guarded in ["max_unsubscribe_percent=news", "looks_renamed=to-everybody"] {
            #expect(needs.allSatisfy { $0.command.contains(" --override \(guarded)") }, "\(needs)")
        }
        try #require(needs.count == 2)
        try await scene.done("\(needs[typed].command) --auto-approve")
        #expect(try await scene.needs().isEmpty)
        await scene.sandbox.end()
    }
}
