import FCM
import Foundation
import HeraldTestSupport
import Testing

/// What is told to a receiver that refused something, when other things have come about since.
@Suite(.timeLimit(.minutes(10))) struct NotifyOrderTests {
    private typealias Scene = NotifyTests.Scene

    private static func list(_ count: Int) -> String {
        (1...count).map { "\(Registration.fid($0).rawValue)\n" }.joined()
    }

    /// Two topics with a list each.
    private static let topics = [
        "workspace/herald.yaml": Sandbox.settings, "workspace/a.txt": list(12), "workspace/b.txt": list(12),
        "workspace/resources.yaml": """
        kind: audience
        name: a
        source: {file: a.txt}
        ---
        kind: audience
        name: b
        source: {file: b.txt}
        ---
        kind: topic
        name: news-a
        subscribers: [a]
        ---
        kind: topic
        name: news-b
        subscribers: [b]

        """,
    ]

    /// Refuses that something is well again until the flag is set.
    private static func receiver(_ isUp: Flag) throws -> Receiver {
        try Receiver { post, _ in
            .status(isUp.isSet || !post.body.contains("\"change\":\"well\"") ? 200 : 422)
        }
    }

    /// A guard refuses what a list of five would do.
    private static func write(_ count: Int, to names: String..., in scene: Scene) throws {
        for name in names { try scene.sandbox.folder.write(list(count), to: "workspace/\(name).txt") }
    }

    /// No run works while a file has a mistake.
    private static func breakFiles(_ areWrong: Bool, in scene: Scene) throws {
        try scene.sandbox.folder.write(areWrong ? "kind: [\n" : "", to: "workspace/more.yaml")
    }

    /// Which topics each message names, with `+` before those that are well again.
    private static func named(_ receiver: Receiver) throws -> [String] {
        try NotifyTests.notices(receiver).map { notice in
            let sentence = notice["sentence"]?.string ?? ""
            let names = ["news-a", "news-b"].filter { sentence.contains($0) }.joined(separator: " ")
            return (notice["change"] == "well" ? "+" : "") + names
        }
    }

    private static func sql(_ statement: String, in scene: Scene) async throws -> ChildProcess.Result {
        try await ChildProcess.run(
            "/usr/bin/env", ["sqlite3", scene.sandbox.statePath, statement],
            environment: ["PATH": "/usr/bin:/bin:/usr/local/bin"])
    }

    @Test func `that a topic is well again is told also to who knows of another one by then`() async throws {
        let isUp = Flag()
        let receiver = try Self.receiver(isUp)
        let scene = try await Scene("- {webhook: \"${HOOK_0}\", when: [held]}", [receiver], Self.topics)
        try await scene.done("state init")
        try await scene.done("run")
        try Self.write(5, to: "a", in: scene)
        try await scene.done("run", 3)
        try Self.write(12, to: "a", in: scene)
        try await scene.done("run")
        try Self.write(5, to: "b", in: scene)
        try await scene.done("run", 3)
        #expect(try Self.named(receiver) == ["news-a", "+news-a", "+news-a", "news-b"])
        isUp.set()
        try await scene.done("run", 3)
        #expect(try Self.named(receiver).dropFirst(4) == ["+news-a"])
        try Self.write(12, to: "b", in: scene)
        try await scene.done("run")
        try await scene.done("run")
        #expect(try Self.named(receiver).dropFirst(5) == ["+news-b"])
        await scene.sandbox.end()
    }

    @Test func `that two topics are well again is told once both of them are`() async throws {
        let isUp = Flag()
        let receiver = try Self.receiver(isUp)
        let scene = try await Scene("- {webhook: \"${HOOK_0}\", when: [held]}", [receiver], Self.topics)
        try await scene.done("state init")
        try await scene.done("run")
        try Self.write(5, to: "a", "b", in: scene)
        try await scene.done("run", 3)
        try Self.write(12, to: "a", "b", in: scene)
        try await scene.done("run")
        try Self.write(5, to: "a", in: scene)
        try await scene.done("run", 3)
        #expect(try Self.named(receiver) == ["news-a news-b", "+news-a news-b", "+news-a news-b", "news-a"])
        isUp.set()
        try await scene.done("run", 3)
        #expect(receiver.posts.count == 4)
        try Self.write(12, to: "a", in: scene)
        try await scene.done("run")
        try await scene.done("run")
        #expect(try Self.named(receiver).dropFirst(4) == ["+news-a news-b", "+news-a"])
        await scene.sandbox.end()
    }

    @Test func `what an older herald left to tell is not told while it is in trouble again`() async throws {
        let isUp = Flag()
        let receiver = try Self.receiver(isUp)
        let scene = try await Scene("- {webhook: \"${HOOK_0}\", when: [failed]}", [receiver])
        try await scene.done("state init")
        try await scene.done("run")
        try Self.breakFiles(true, in: scene)
        try await scene.done("run", 1)
        try Self.breakFiles(false, in: scene)
        try await scene.done("run")
        // It noted neither of these.
        let change = "replace(replace(value, '\"keys\":', '\"x\":'), '\"subject\":', '\"y\":')"
        let changed = try await Self.sql("UPDATE note SET value = \(change) WHERE name = 'told'", in: scene)
        try #require(changed.status == 0, "\(changed.errors)")
        try Self.breakFiles(true, in: scene)
        try await scene.done("run", 1)
        #expect(try NotifyTests.news(receiver) == ["failed", "well(failed)", "well(failed)", "failed"])
        isUp.set()
        try await scene.done("run", 1)
        #expect(receiver.posts.count == 4)
        try Self.breakFiles(false, in: scene)
        try await scene.done("run")
        try await scene.done("run")
        #expect(try NotifyTests.news(receiver).dropFirst(4) == ["well(failed)", "well(failed)"])
        #expect(Set(receiver.posts.map { $0.headers["x-herald-id"] }).count == 4)
        await scene.sandbox.end()
    }

    /// What the tries of the new trouble are answered with.
    @Test(arguments: [[500, 500, 500], [500, 422], [500, 404]])
    func `who may know of a new trouble is not told that the one before is over`(_ answers: [Int]) async throws {
        let isUp = Flag()
        let receiver = try Receiver { post, number in
            if isUp.isSet || number == 1 { return .status(200) }
            // The new trouble begins with the fourth post, and has arrived then.
            return .status(post.body.contains("\"change\":\"well\"") ? 422 : answers[abs(number - 4) % answers.count])
        }
        let scene = try await Scene("- {webhook: \"${HOOK_0}\", when: [failed]}", [receiver])
        try await scene.done("state init")
        try await scene.done("run")
        for areWrong in [true, false, true] {
            try Self.breakFiles(areWrong, in: scene)
            try await scene.done("run", areWrong ? 1 : 0)
        }
        let news = ["failed", "well(failed)", "well(failed)"] + answers.map { _ in "failed" }
        #expect(try NotifyTests.news(receiver) == news)
        isUp.set()
        try await scene.done("run", 1)
        #expect(try NotifyTests.news(receiver) == news + ["failed"])
        #expect(Set(receiver.posts.dropFirst(3).map { $0.headers["x-herald-id"] }).count == 1)
        try Self.breakFiles(false, in: scene)
        try await scene.done("run")
        #expect(try NotifyTests.news(receiver) == news + ["failed", "well(failed)"])
        await scene.sandbox.end()
    }

    @Test func `what one webhook took is noted while another one does not answer`() async throws {
        let (isUp, isStuck) = (Flag(), Flag())
        let quick = try Self.receiver(isUp)
        let stuck = try Receiver { _, _ in isStuck.isSet && !isUp.isSet ? .silence : .status(200) }
        let scene = try await Scene(
            "- {webhook: \"${HOOK_0}\", when: [failed]}\n- {webhook: \"${HOOK_1}\", when: [failed]}", [quick, stuck])
        try await scene.done("state init")
        try await scene.done("run")
        try Self.breakFiles(true, in: scene)
        try await scene.done("run", 1)
        try Self.breakFiles(false, in: scene)
        try await scene.done("run")
        isStuck.set()
        try Self.breakFiles(true, in: scene)
        let run = try HeraldProcess.start(["-w", scene.sandbox.workspace, "run"], environment: scene.variables)
        try await eventually { quick.posts.count == 4 }
        #expect(try NotifyTests.news(quick) == ["failed", "well(failed)", "well(failed)", "failed"])
        let id = try #require(quick.posts.last?.headers["x-herald-id"])
        try await eventually {
            try await Self.sql("SELECT value FROM note WHERE name = 'delivered'", in: scene).output.contains(id)
        }
        // The other one is not given up yet: that is after three tries.
        #expect(stuck.posts.count < 5)
        run.signal(SIGKILL)
        _ = await run.wait()
        isUp.set()
        try await scene.done("run", 1)
        #expect(quick.posts.count == 4)
        #expect(stuck.posts.last?.headers["x-herald-id"] == id)
        try Self.breakFiles(false, in: scene)
        try await scene.done("run")
        #expect(try NotifyTests.news(quick).dropFirst(4) == ["well(failed)"])
        #expect(try NotifyTests.news(stuck).suffix(2) == ["failed", "well(failed)"])
        await scene.sandbox.end()
    }
}
