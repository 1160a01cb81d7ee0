import FCM
import Foundation
import HeraldTestSupport
import Testing

/// Who left a topic by themselves stays out, from the command line to FCM, with a state in a file and in PostgreSQL.
@Suite struct LeftTopicTests {
    private typealias Scene = AdoptionScene

    @Test(arguments: Scene.isShared)
    func `who left stays out when a list was broken for one run`(_ isShared: Bool) async throws {
        let scene = try await Scene(isShared: isShared)
        let settings = try scene.sandbox.folder.read("workspace/herald.yaml")
        try scene.sandbox.folder.write(
            settings.replacing("guards: {max_unsubscribe_percent: 100}\n", with: ""), to: "workspace/herald.yaml")
        try scene.write(1...20, keys: ", prune: false")
        #expect(try await scene.apply() == 20)
        for number in 18...20 { try await scene.control.change(.fid(number), ["unsubscribe": ["tides"]]) }
        _ = try await scene.herald("drift --record")
        for people in [1...5, 1...20] {
            try scene.write(people, keys: ", prune: false")
            #expect(try await scene.apply() == 0)
            #expect(try await scene.figures() == [17, 0, 0, 3])
        }
        #expect(try await scene.members() == Set(1...17))
        await scene.sandbox.end()
    }

    @Test(arguments: Scene.isShared)
    func `who left stays out when a topic's new name is taken back`(_ isShared: Bool) async throws {
        let scene = try await Scene(isShared: isShared)
        let folder = scene.sandbox.folder
        try scene.write(1...6)
        #expect(try await scene.apply() == 6)
        try await scene.control.change(.fid(2), ["unsubscribe": ["tides"]])
        _ = try await scene.herald("drift --record")
        let topics = try folder.read("workspace/topics.yaml")
        let renamed = topics.replacing("name: tides", with: "name: ebb, previous_names: [tides]")
        for text in [renamed, topics] {
            try folder.write(text, to: "workspace/topics.yaml")
            #expect(try await scene.apply() == 10, "five join, and five leave")
        }
        #expect(try await scene.members() == [1, 3, 4, 5, 6])
        #expect(try await scene.figures() == [5, 0, 0, 1])
        await scene.sandbox.end()
    }

    @Test func `who is suppressed and left a topic that keeps messages away is subscribed again`() async throws {
        let scene = try await Scene(isShared: false)
        let folder = scene.sandbox.folder
        try folder.write(try folder.read("workspace/herald.yaml") + "suppress: [all]\n", to: "workspace/herald.yaml")
        try folder.write(
            """
            {kind: topic, name: news}
            ---
            kind: campaign
            name: hello
            target: {condition: "'news' in topics && !('tides' in topics)"}
            message: {notification: {title: Hello}}
            schedule: {at: 2099-01-01T09:00:00Z}

            """, to: "workspace/news.yaml")
        try scene.write(1...20)
        #expect(try await scene.apply() == 20)
        for number in 1...3 { try await scene.control.change(.fid(number), ["unsubscribe": ["tides"]]) }
        let recorded = try await scene.herald("drift --record")
        #expect(recorded.contains("leaves them out (drift: keep), but for those who are suppressed"), "\(recorded)")
        #expect(try await scene.apply() == 3)
        #expect(try await scene.members() == Set(1...20))
        await scene.sandbox.end()
    }

    @Test(arguments: Scene.isShared)
    func `who left stays out or comes back, as 'drift' of the topic says`(_ isShared: Bool) async throws {
        let scene = try await Scene(isShared: isShared)
        try scene.write(1...20)
        #expect(try await scene.apply() == 20)
        for number in 1...4 { try await scene.control.change(.fid(number), ["unsubscribe": ["tides"]]) }
        #expect(try await scene.herald("drift --record").contains("tides: 4 recorded as left."))
        #expect(try await scene.figures() == [16, 0, 0, 4])

        for keys in ["", ", drift: keep"] {
            try scene.write(1...20, keys: keys)
            #expect(try await scene.herald("plan").contains("  tides: 4 members left and stay out;"))
            let plan = try await scene.plan()
            #expect(plan["steps"] == [] && plan["left_by_themselves"] != nil)
            #expect(try await scene.apply() == 0)
            #expect(try await scene.members() == Set(5...20))
        }
        // Whoever leaves the list for an apply and comes back is a new wish.
        try scene.write(2...20)
        #expect(try await scene.apply() == 0)
        #expect(try await scene.figures() == [16, 0, 0, 3])
        try scene.write(1...20)
        #expect(try await scene.apply() == 1)
        #expect(try await scene.members() == Set([1] + Array(5...20)))

        try scene.write(1...20, keys: ", drift: restore")
        let restoring = try await scene.plan()["steps"]?.array ?? []
        #expect(restoring.map { $0["action"] } == ["subscribe"] && restoring.map { $0["planned"] } == [3])
        #expect(try await scene.apply() == 3)
        #expect(try await scene.members() == Set(1...20))
        #expect(try await scene.figures() == [20, 0, 0, 0])
        await scene.sandbox.end()
    }

    @Test(arguments: Scene.isShared)
    func `whoever left stays out, also if they count as dead for a while`(_ isShared: Bool) async throws {
        let scene = try await Scene(isShared: isShared)
        try scene.write(1...3)
        #expect(try await scene.apply() == 3)
        try await scene.control.change(.fid(1), ["unsubscribe": ["tides"]])
        _ = try await scene.herald("drift --record")
        for command in ["forget", "revive"] {
            _ = try await scene.herald("state \(command) \(Registration.fid(1).rawValue)")
            #expect(try await scene.apply() == 0)
        }
        #expect(try await scene.members() == [2, 3])
        #expect(try await scene.figures() == [2, 0, 0, 1])
        await scene.sandbox.end()
    }

    @Test(arguments: [false, true])
    func `whom a topic keeps leaves it while suppressed, and can be erased then`(_ isImported: Bool) async throws {
        let scene = try await Scene(isShared: false)
        let folder = scene.sandbox.folder
        try folder.write(try folder.read("workspace/herald.yaml") + "suppress: [out]\n", to: "workspace/herald.yaml")
        try folder.write("{kind: audience, name: out, source: {file: out.txt}}\n", to: "workspace/out.yaml")
        try folder.write("", to: "workspace/out.txt")
        let (topic, keys) = isImported ? ("storms", "") : ("tides", ", prune: false")
        try scene.write(1...3, keys: keys)
        if isImported {
            try await scene.control.put((1...3).map { .fid($0) }, state: "active", topics: [topic])
            _ = try await scene.herald("import topic \(topic) --audience all --as managed")
        }
        _ = try await scene.apply()
        try scene.write(2...3, keys: keys)
        _ = try await scene.apply()

        let gone = Registration.fid(1).rawValue
        let refused = try await scene.sandbox.herald("state erase \(gone) --auto-approve", host: scene.host)
        #expect(refused.status == 1 && refused.errors.contains("while an audience in 'suppress'"), "\(refused.errors)")
        for list in [gone + "\n", ""] {
            try folder.write(list, to: "workspace/out.txt")
            _ = try await scene.apply()
        }
        #expect(try await scene.control.members(ofTopic: topic).count == 2)
        _ = try await scene.herald("state erase \(gone) --auto-approve")
        await scene.sandbox.end()
    }
}
