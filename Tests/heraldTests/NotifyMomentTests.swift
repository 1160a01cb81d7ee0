import FCM
import Foundation
import HeraldTestSupport
import Testing

/// When people are told: at once where herald stops a send, and never before the state has it.
@Suite(.timeLimit(.minutes(10))) struct NotifyMomentTests {
    private typealias Scene = NotifyTests.Scene

    private static func campaign(_ name: String, to audience: String, _ more: String) -> String {
        """
        kind: campaign
        name: \(name)
        target: {audience: \(audience)}
        message: {notification: {title: Hello}}
        \(more)
        ---

        """
    }

    private static func list(_ numbers: ClosedRange<Int>) -> String {
        numbers.map { "\(Registration.fid($0).rawValue)\n" }.joined()
    }

    /// Twenty registrations that get it at once, and twenty that get it a few a second.
    private static func files(first: String, slow: String) -> [String: String] {
        [
            "workspace/herald.yaml": Sandbox.settings, "workspace/one.txt": list(1...20),
            "workspace/two.txt": list(101...120),
            "workspace/resources.yaml": """
            kind: audience
            name: one
            source: {file: one.txt}
            ---
            kind: audience
            name: two
            source: {file: two.txt}
            ---
            \(campaign("first", to: "one", "priority: 9\n\(first)"))\(campaign("slow", to: "two", slow))
            """,
        ]
    }

    @Test func `people are told that git tracks fetched lists, also when one is due`() async throws {
        let receiver = try Receiver()
        let query = "VALUES ('\(FetchScene.fid(1))')"
        let scene = try await Scene(
            "- {webhook: \"${HOOK_0}\", when: [failed]}", [receiver],
            [
                "workspace/app.sqlite": "", "workspace/.herald/lists/members.csv": "fid\n",
                "workspace/files.yaml": "kind: audience\nname: members\nsource: {sqlite: app.sqlite, "
                    + "query: \"\(query)\", columns: {fid: column1}, fetch: {every: 6h}}\n",
            ])
        try await scene.done("state init")
        try await scene.sandbox.git(["init", "-q"])
        try await scene.sandbox.git(["add", "-f", ".herald/lists/members.csv"])
        try await scene.done("run", 1)
        #expect(try NotifyTests.news(receiver) == ["failed"])
        try await scene.sandbox.git(["rm", "-q", "-r", "--cached", ".herald"])
        try await scene.done("run")
        #expect(try NotifyTests.news(receiver) == ["failed", "well(failed)"])
        await scene.sandbox.end()
    }

    @Test func `a stage that halts is told at once, and who does not answer holds nobody up`() async throws {
        let isUp = Flag()
        let receiver = try Receiver { _, _ in isUp.isSet ? .status(200) : .silence }
        let scene = try await Scene(
            "- {webhook: \"${HOOK_0}\", when: [halted, sent]}", [receiver],
            Self.files(first: "delivery: {stages: [50%, 100%]}", slow: "delivery: {rate: 4/s}"))
        let control = try Control(scene.host)
        try await control.put((1...20).map { Registration.fid($0) }, state: "other_sender")
        try await scene.done("state init")
        let run = try HeraldProcess.start(["-w", scene.sandbox.workspace, "run"], environment: scene.variables)
        try await eventually { !receiver.posts.isEmpty }
        // The other send has only begun.
        #expect(try await control.ledger().count < 20)
        #expect(try NotifyTests.news(receiver) == ["halted first@once"])
        #expect(
            try NotifyTests.notices(receiver).first?["command"] == "herald state resolve first@once --continue")
        try await eventually { try await control.ledger().count == 20 }
        // Then the run is over and its lock is free, although nobody has answered yet.
        try await eventually {
            let next = try await HeraldProcess.run(
                ["-w", scene.sandbox.workspace, "status", "--format", "json"], environment: scene.variables)
            return try JSONValue(parsing: Array(next.output.utf8))["running"] == false
        }
        #expect(receiver.posts.count < 3)
        isUp.set()
        #expect(await run.wait().status == 6)
        try await scene.done("run")
        let ids = receiver.posts.map { $0.headers["x-herald-id"] }
        #expect(Set(ids).count == 2, "\(receiver.posts)")
        #expect(try NotifyTests.news(receiver).last == "sent slow@once")
        await scene.sandbox.end()
    }

    @Test func `a run that is killed leaves to the next one what it had sent, and nobody hears of what was before`()
        async throws
    {
        let receiver = try Receiver()
        var files = Self.files(first: "", slow: "delivery: {rate: 4/s}")
        files["workspace/three.txt"] = Self.list(201...202)
        files["workspace/old.yaml"] = """
            kind: audience
            name: three
            source: {file: three.txt}
            ---
            \(Self.campaign("old", to: "three", ""))
            """
        let resources = files["workspace/resources.yaml"] ?? ""
        files["workspace/resources.yaml"] = ""
        let scene = try await Scene("- {webhook: \"${HOOK_0}\", when: [sent]}", [receiver], files)
        let settings = try scene.sandbox.folder.read("workspace/herald.yaml")
        try scene.sandbox.folder.write(Sandbox.settings, to: "workspace/herald.yaml")
        try await scene.done("state init")
        try await scene.done("run")
        try scene.sandbox.folder.write(settings, to: "workspace/herald.yaml")
        try scene.sandbox.folder.write(resources, to: "workspace/resources.yaml")
        let control = try Control(scene.host)
        let run = try HeraldProcess.start(["-w", scene.sandbox.workspace, "run"], environment: scene.variables)
        try await eventually { try await control.ledger().count > 24 }
        run.signal(SIGKILL)
        _ = await run.wait()
        #expect(receiver.posts.isEmpty)
        _ = try await HeraldProcess.run(["-w", scene.sandbox.workspace, "run"], environment: scene.variables)
        let news = try NotifyTests.news(receiver)
        #expect(news.contains("sent first@once") && !news.contains("sent old@once"), "\(news)")
        let told = receiver.posts.count
        _ = try await HeraldProcess.run(["-w", scene.sandbox.workspace, "run"], environment: scene.variables)
        #expect(receiver.posts.count == told)
        await scene.sandbox.end()
    }

    /// A run is killed while it sends to the slow ones. Those after it tell once that the first campaign was missed.
    private func expectMissedOnce(_ scene: Scene, _ control: Control, _ receiver: Receiver) async throws {
        let run = try HeraldProcess.start(["-w", scene.sandbox.workspace, "run"], environment: scene.variables)
        try await eventually { try await control.ledger().count > 4 }
        run.signal(SIGKILL)
        _ = await run.wait()
        #expect(receiver.posts.isEmpty)
        for _ in 1...2 {
            _ = try await HeraldProcess.run(["-w", scene.sandbox.workspace, "run"], environment: scene.variables)
        }
        let news = try NotifyTests.news(receiver)
        #expect(news.count == 1 && news.first?.hasPrefix("missed first@") == true, "\(news)")
        await scene.sandbox.end()
    }

    @Test func `a run that is killed leaves to the next one what it had found too late`() async throws {
        let receiver = try Receiver()
        let late = ISO8601DateFormatter().string(from: Date().addingTimeInterval(-7200))
        let scene = try await Scene(
            "- {webhook: \"${HOOK_0}\", when: [missed]}", [receiver],
            Self.files(
                first: "schedule: {at: \"\(late)\", max_lateness: 1h}", slow: "delivery: {rate: 4/s}"))
        try await scene.done("state init")
        let control = try Control(scene.host)
        try await expectMissedOnce(scene, control, receiver)
    }

    /// Nobody knows what came of those whom the first run was sending to, so the second has a step for them.
    @Test func `a run that is killed leaves to the next one what was half done and too late`() async throws {
        let receiver = try Receiver()
        let late = ISO8601DateFormatter().string(from: Date().addingTimeInterval(-7200))
        let files = { (lateness: String) in
            Self.files(
                first: "schedule: {at: \"\(late)\", max_lateness: \(lateness)}", slow: "delivery: {rate: 4/s}")
        }
        let scene = try await Scene("- {webhook: \"${HOOK_0}\", when: [missed]}", [receiver], files("3h"))
        try await scene.done("state init")
        let control = try Control(scene.host)
        try await control.put(faults: [["match": ["service": "send"], "do": ["delay_ms": 5000]]])
        let begun = try HeraldProcess.start(["-w", scene.sandbox.workspace, "run"], environment: scene.variables)
        try await eventually { try await control.faulted() > 0 }
        begun.signal(SIGKILL)
        _ = await begun.wait()
        try await control.put(faults: [])
        try scene.sandbox.folder.write(
            files("1h")["workspace/resources.yaml"] ?? "", to: "workspace/resources.yaml")
        try await expectMissedOnce(scene, control, receiver)
    }

    @Test func `a run without a state is told once, and once when there is one`() async throws {
        let receiver = try Receiver()
        let scene = try await Scene("- {webhook: \"${HOOK_0}\", when: [failed]}", [receiver])
        for _ in 1...2 { try await scene.done("run", 1) }
        #expect(try NotifyTests.news(receiver) == ["failed"])
        #expect(try NotifyTests.notices(receiver).first?["command"] == "herald state init")
        try await scene.done("state init")
        try await scene.done("state backup \(scene.sandbox.folder.path)/old.sqlite")
        for _ in 1...2 { try await scene.done("run") }
        #expect(try NotifyTests.news(receiver) == ["failed", "well(failed)"])
        // A state that cannot be read keeps nothing either.
        let copy = "\(scene.sandbox.statePath).copy"
        try FileManager.default.moveItem(atPath: scene.sandbox.statePath, toPath: copy)
        try Data("no state".utf8).write(to: URL(filePath: scene.sandbox.statePath))
        for _ in 1...2 { try await scene.done("run", 1) }
        try FileManager.default.removeItem(atPath: scene.sandbox.statePath)
        try FileManager.default.moveItem(atPath: copy, toPath: scene.sandbox.statePath)
        for _ in 1...2 { try await scene.done("run") }
        #expect(try NotifyTests.news(receiver).dropFirst(2) == ["failed", "well(failed)"])
        #expect(Set(receiver.posts.map { $0.headers["x-herald-id"] }).count == 4)
        // What stops every run is told with the command that lets it through.
        for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: scene.sandbox.statePath + end) }
        try FileManager.default.removeItem(atPath: scene.sandbox.statePath)
        try FileManager.default.copyItem(
            atPath: "\(scene.sandbox.folder.path)/old.sqlite", toPath: scene.sandbox.statePath)
        for _ in 1...2 { try await scene.done("run", 3) }
        #expect(try NotifyTests.news(receiver).dropFirst(4) == ["failed"])
        #expect(try NotifyTests.notices(receiver).last?["command"] == "herald apply --override state_went_back")
        #expect(!FileManager.default.fileExists(atPath: "\(scene.sandbox.workspace)/.herald/told"))
        await scene.sandbox.end()
    }

    @Test func `what a guard finds while a run works is named, and told once`() async throws {
        let receiver = try Receiver()
        let scene = try await Scene(
            "- {webhook: \"${HOOK_0}\", when: [held]}\nsender_id: \"123456789012\"", [receiver])
        try scene.sandbox.folder.write(
            "kind: group\nname: family\nmembers: {tokens: ['\(Registration.token(8).rawValue)']}\n",
            to: "workspace/group.yaml")
        try await scene.done("apply --auto-approve")
        // As far as the state knows after that, others made the group.
        try await scene.done("state rm group:family")
        let override = "--override foreign_group=family"
        for _ in 1...2 {
            let errors = try await scene.done("run --quiet", 3).errors
            #expect(errors.contains("guard foreign_group: step 'group_create:family': the group exists"), "\(errors)")
            #expect(errors.contains("herald apply \(override)\n"), "\(errors)")
        }
        #expect(try NotifyTests.news(receiver) == ["held"])
        #expect(try NotifyTests.notices(receiver).first?["command"] == .string("herald apply \(override)"))
        try await scene.done("apply --auto-approve \(override)")
        #expect(try NotifyTests.news(receiver) == ["held", "well(held)"])
        await scene.sandbox.end()
    }

    @Test func `what a person lets through is well at once, also with nothing to do`() async throws {
        let receiver = try Receiver()
        let scene = try await Scene(
            "- {webhook: \"${HOOK_0}\", when: [held]}", [receiver],
            [
                "workspace/many.txt": Self.list(1...120),
                "workspace/many.yaml": "kind: audience\nname: many\nsource: {file: many.txt}\n---\n"
                    + Self.campaign("once", to: "many", ""),
            ])
        try await scene.done("apply --auto-approve")
        try scene.sandbox.folder.write(Self.list(1...5), to: "workspace/many.txt")
        try await scene.done("run", 3)
        #expect(try NotifyTests.news(receiver) == ["held"])
        try await scene.done("apply --auto-approve --override audience_collapse=many")
        #expect(try NotifyTests.news(receiver) == ["held", "well(held)"])
        // Nobody is told of a refusal that a person has let through before any run met it.
        try scene.sandbox.folder.write(Self.list(1...120), to: "workspace/many.txt")
        try await scene.done("apply --auto-approve --override audience_growth=many")
        #expect(receiver.posts.count == 2)
        await scene.sandbox.end()
    }

    @Test func `a wrong place of the state is told each time, and each time that it is right again`() async throws {
        let receiver = try Receiver()
        let scene = try await Scene("- {webhook: \"${HOOK_0}\", when: [failed]}", [receiver])
        try await scene.done("state init")
        var wrong = scene
        for place in ["nowhere", "elsewhere"] {
            wrong.variables["HERALD_STATE"] = "\(scene.sandbox.folder.path)/\(place).sqlite"
            for _ in 1...2 { try await wrong.done("run", 1) }
            for _ in 1...2 { try await scene.done("run") }
        }
        #expect(try NotifyTests.news(receiver) == ["failed", "well(failed)", "failed", "well(failed)"])
        #expect(Set(receiver.posts.map { $0.headers["x-herald-id"] }).count == 4)
        await scene.sandbox.end()
    }
}
