import FCM
import Foundation
import HeraldTestSupport
import Testing

/// What `adopt` and `drift` of a topic do, from the command line to FCM, with a state in a file and in PostgreSQL.
@Suite struct AdoptionCommandTests {
    private typealias Scene = AdoptionScene

    @Test(arguments: Scene.isShared)
    func `whom others subscribed leaves after 'adopt: true', and is given back without it`(_ isShared: Bool)
        async throws
    {
        let scene = try await Scene(isShared: isShared)
        try await scene.control.put((1...30).map { .fid($0) }, state: "active", topics: ["tides"])
        // 26 to 30 follow the topic, and no list has ever named them.
        try scene.write(Array(1...25) + Array(31...35))
        #expect(try await scene.apply() == 30)
        #expect(try await scene.figures() == [5, 25, 0, 0])
        try scene.write(Array(1...20) + Array(31...35))
        #expect(try await scene.apply() == 0)

        try scene.write(Array(1...20) + Array(31...35), keys: ", adopt: true")
        #expect(try await scene.herald("plan").contains("  ~ adopt  tides  20 of 25  ("))
        let adopting = try await scene.plan()["steps"]?.array ?? []
        #expect(adopting.map { $0["action"] } == ["adopt"] && adopting.map { $0["requests"] } == [0])
        #expect(adopting.map { [$0["planned"], $0["of"]] } == [[20, 25]])
        #expect(try await scene.apply() == 0)
        #expect(try await scene.figures() == [5, 5, 20, 0])
        #expect(try await scene.plan()["steps"] == [])

        try scene.write(Array(6...20) + Array(31...35), keys: ", adopt: true")
        #expect(try await scene.herald("plan").contains("  - unsubscribe  tides  5 "))
        #expect(try await scene.apply() == 5)
        #expect(try await scene.members() == Set(6...35))
        #expect(try await scene.figures() == [5, 5, 15, 0])

        // In one change: it is taken back, and the list drops some of those who are given back and one of herald's.
        try scene.write(Array(11...20) + Array(31...34), keys: ", adopt: false")
        let returning = try await scene.plan()["steps"]?.array ?? []
        #expect(returning.map { $0["action"] } == ["return", "unsubscribe"])
        #expect(returning.map { $0["planned"] } == [15, 1] && returning.first?["of"] == 20)
        #expect(try await scene.apply() == 1)
        #expect(try await scene.members() == Set(6...34))
        #expect(try await scene.figures() == [4, 20, 0, 0])
        try scene.write([])
        _ = try await scene.herald("apply --auto-approve --override audience_collapse=all")
        #expect(try await scene.members() == Set(6...30), "only herald's own have left")
        await scene.sandbox.end()
    }

    @Test func `an import says which topic has the name as a previous one, and what plans do then`() async throws {
        let scene = try await Scene(isShared: false)
        try await scene.control.put((1...3).map { .fid($0) }, state: "active", topics: ["old"])
        try scene.write(1...2, keys: ", previous_names: [old]")
        try scene.sandbox.folder.write(
            "fid\n" + (1...3).map { Registration.fid($0).rawValue + "\n" }.joined(), to: "workspace/former.csv")
        try scene.sandbox.folder.write(
            "{kind: audience, name: former, source: {file: former.csv}}\n", to: "workspace/former.yaml")
        let output = try await scene.herald("import topic old --audience former --as managed")
        #expect(output.contains("Topic 'tides' has 'old' as a previous name."), "\(output)")
        #expect(!output.contains("leave it alone") && !output.contains("kind: topic"), "\(output)")
        let steps = try await scene.plan()["steps"]?.array ?? []
        #expect(steps.map { $0["action"] } == ["subscribe", "unsubscribe"])
        #expect(steps.map { $0["planned"] } == [2, 3])
        await scene.sandbox.end()
    }

    @Test func `an import tries the other registrations that lists name`() async throws {
        let scene = try await Scene(isShared: false)
        try scene.write(1...2)
        // The last one of an installation counts.
        let listed: [Registration] = [.token(1), .fid(1), .fid(2)]
        try scene.sandbox.folder.write(listed.map { $0.rawValue + "\n" }.joined(), to: "workspace/all.txt")
        try await scene.control.put([.fid(1)], state: "unregistered")
        try await scene.control.put([.token(1), .fid(2)], state: "active", topics: ["tides"])
        let output = try await scene.herald("import topic tides --audience all --as managed")
        #expect(
            output.hasPrefix("2 of 2 registrations follow 'tides' and are recorded as managed; 0 do not follow it\n"),
            "\(output)")
        try scene.write([2])
        #expect(try await scene.apply() == 1)
        #expect(try await scene.members() == [2])
        await scene.sandbox.end()
    }

    @Test func `an import says whom it leaves as they are, because they count as dead`() async throws {
        let scene = try await Scene(isShared: false)
        try scene.write(1...3)
        #expect(try await scene.apply() == 3)
        _ = try await scene.herald("state forget \(Registration.fid(1).rawValue)")
        let output = try await scene.herald("import topic tides --audience all --as managed")
        #expect(output.contains("as managed, but for 1 that the state takes for dead ("), "\(output)")
        await scene.sandbox.end()
    }

    /// The backup is from before 3 and 4 were subscribed. 4 has opted out since, which is how suppressing is used.
    @Test func `after a restored backup an import gives back whom herald has subscribed since`() async throws {
        let scene = try await Scene(isShared: false)
        let folder = scene.sandbox.folder
        try folder.write(try folder.read("workspace/herald.yaml") + "suppress: [out]\n", to: "workspace/herald.yaml")
        try folder.write("{kind: audience, name: out, source: {file: out.txt}}\n", to: "workspace/out.yaml")
        try folder.write("", to: "workspace/out.txt")
        try scene.write(1...2)
        #expect(try await scene.apply() == 2)
        _ = try await scene.herald("state backup \(folder.path)/backup.sqlite")
        try scene.write(1...4)
        #expect(try await scene.apply() == 2)
        let files = FileManager.default
        for name in ["state.sqlite", "state.sqlite-wal", "state.sqlite-shm"] {
            try? files.removeItem(atPath: "\(folder.path)/\(name)")
        }
        try files.copyItem(atPath: "\(folder.path)/backup.sqlite", toPath: scene.sandbox.statePath)
        try folder.write(Registration.fid(4).rawValue + "\n", to: "workspace/out.txt")
        _ = try await scene.herald("import topic tides --audience all --as managed")
        #expect(try await scene.sandbox.herald("run", host: scene.host).status == 3, "it is no way around the guard")
        _ = try await scene.herald("apply --auto-approve --override state_went_back")
        #expect(try await scene.members() == [1, 2, 3])
        try scene.write(1...2)
        #expect(try await scene.apply() == 1)
        #expect(try await scene.members() == [1, 2])
        await scene.sandbox.end()
    }

    @Test(arguments: [
        (1, Int32(0), "2 are as the state has them; 1 dead.", "1 dead registration forgotten"),
        (3, Int32(3), "FCM told of none of them which topics they follow; 3 dead.", "Nobody was forgotten."),
    ])
    func `drift is an agreement only where FCM answered`(
        _ dead: Int, _ status: Int32, _ words: String, _ advice: String
    ) async throws {
        let scene = try await Scene(isShared: false)
        try scene.write(1...3)
        #expect(try await scene.apply() == 3)
        try await scene.control.put((1...dead).map { .fid($0) }, state: "unregistered")
        let result = try await scene.sandbox.herald("drift --record", host: scene.host)
        #expect(result.status == status, "\(result.output)\(result.errors)")
        #expect(result.output.contains(words) && result.output.contains(advice), "\(result.output)")
        let imported = try await scene.sandbox.herald("import topic old --audience all", host: scene.host)
        #expect(imported.status == (dead == 3 ? 4 : 0), "\(imported.output)\(imported.errors)")
        #expect(imported.errors.contains("3 registrations look dead") == (dead == 3), "\(imported.errors)")
        await scene.sandbox.end()
    }

    @Test func `whoever follows a topic of the app is no drift`() async throws {
        let scene = try await Scene(isShared: false)
        try scene.write(1...3)
        try scene.sandbox.folder.write("{kind: topic, name: app-news}\n", to: "workspace/app.yaml")
        #expect(try await scene.apply() == 3)
        try await scene.control.change(.fid(1), ["subscribe": ["app-news"]])
        let output = try await scene.herald("drift --detailed-exitcode")
        #expect(output.contains("they are as the state has them") && !output.contains("app-news"), "\(output)")
        await scene.sandbox.end()
    }
}
