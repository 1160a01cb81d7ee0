import FCM
import Foundation
import HeraldTestSupport
import Testing

/// Herald is killed while it changes device groups or sends batches. The emulator's members and ledger show what
/// happened.
@Suite struct MembershipCrashTests {
    /// Points spread over a run, drawn with a fixed seed.
    private static func points(
        _ count: Int, of requests: Int, seed: UInt64
    ) -> [(moment: InterruptingProxy.Moment, number: Int)] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { index in
            let first = 1 + index * requests / count
            let last = max(first, (index + 1) * requests / count)
            return (InterruptingProxy.Moment.allCases[index % 3], Int.random(in: first...last, using: &random))
        }
    }

    // MARK: Groups

    private static let settings = """
        herald: 1
        project: demo-project
        sender_id: "123456789012"
        fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s, topic_api: iid}

        """

    private static func group(_ number: Int, _ members: ClosedRange<Int>) -> String {
        let tokens = members.map { "'\(Registration.token(number * 10 + $0).rawValue)'" }.joined(separator: ", ")
        return "kind: group\nname: g\(number)\nmembers: {tokens: [\(tokens)]}\n---\n"
    }

    /// Of groups 1 to 6, four have one member replaced and two are removed. Groups 7 and 8 are new and get messages.
    private static let before = (1...6).map { group($0, 1...3) }.joined()
    private static let after =
        (1...4).map { group($0, 2...4) }.joined() + group(7, 1...3) + group(8, 1...3) + """
            kind: campaign
            name: to-key
            target: {group: g7}
            message: {data: {a: b}}
            ---
            kind: campaign
            name: to-each
            target: {group: g8}
            message: {data: {a: b}}
            delivery: {members: each}

            """
    /// Two groups are looked for and created, one key is looked up, four messages are sent, four members added and four
    /// removed, and two groups end.
    private static let groupRequests = 2 + 2 + 1 + 4 + 4 + 4 + 2

    @Test(arguments: points(9, of: groupRequests, seed: 20_261_121))
    func `after kill -9 among groups the next apply makes them what the files say, and sends nothing twice`(
        _ moment: InterruptingProxy.Moment, _ number: Int
    ) async throws {
        let sandbox = try Sandbox(["workspace/herald.yaml": Self.settings, "workspace/resources.yaml": Self.before])
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        try sandbox.folder.write(Self.after, to: "workspace/resources.yaml")
        try await sandbox.applyAndDie(at: (moment, number), of: host)

        let second = try await sandbox.herald(
            "apply", "--auto-approve", "--report", "\(sandbox.folder.path)/second.json", host: host)
        let account = Account(try sandbox.report("second.json"))
        #expect(account.addsUp)
        #expect(account.pending == 0)
        #expect(second.status == (account.unknown > 0 ? 6 : 0), "\(second.output)\(second.errors)")
        let control = try Control(host)
        for number in 1...8 {
            let members = number < 5 ? 2...4 : 1...3
            let wanted = members.map { Registration.token(number * 10 + $0).rawValue }
            #expect(
                try await control.members(ofGroup: "g\(number)") == ([5, 6].contains(number) ? nil : wanted),
                "group \(number)")
        }
        // Three members get a message each. One message goes to a whole group, through any of its keys.
        let targets = try await control.ledger().compactMap { $0["target"]?.object?.values.first?.string }
        let each = Set((1...3).map { Registration.token(80 + $0).rawValue })
        let toEach = targets.filter { each.contains($0) }
        let toKey = targets.count - toEach.count
        #expect(Set(toEach).count == toEach.count)
        #expect(toKey <= 1)
        #expect(targets.count >= 4 - account.unknown)
        let third = try await sandbox.herald("plan", "--detailed-exitcode", host: host)
        #expect(third.status == 0, "\(third.output)")
        await sandbox.end()
    }

    // MARK: Batches

    private static func topics(_ numbers: [String: ClosedRange<Int>]) -> [String: String] {
        var files = ["workspace/herald.yaml": settings, "workspace/resources.yaml": ""]
        for (name, numbers) in numbers {
            files["workspace/\(name).txt"] = numbers.map { Registration.fid($0).rawValue + "\n" }.joined()
            files["workspace/resources.yaml"]? += """
                kind: audience
                name: \(name)
                source: {file: \(name).txt}
                ---
                kind: topic
                name: \(name)
                subscribers: [\(name)]
                ---
                kind: campaign
                name: to-\(name)
                target: {topic: \(name)}
                message: {data: {a: b}}
                ---

                """
        }
        return files
    }

    /// Three batches and two, and a message to each topic.
    @Test(arguments: points(6, of: 7, seed: 20_261_122))
    func `after kill -9 among batches the next apply subscribes whom the files list`(
        _ moment: InterruptingProxy.Moment, _ number: Int
    ) async throws {
        let sandbox = try Sandbox(Self.topics(["many": 1...2500, "fewer": 2001...3500]))
        let (_, host) = try await sandbox.startEmulator()
        try await sandbox.applyAndDie(at: (moment, number), of: host)
        try await converge(sandbox, host, many: 1...2500, fewer: 2001...3500)
        await sandbox.end()
    }

    /// One batch leaves one topic, and two join the other.
    @Test(arguments: points(3, of: 3, seed: 20_261_123))
    func `after kill -9 among batches that leave and join, topics are what the files say`(
        _ moment: InterruptingProxy.Moment, _ number: Int
    ) async throws {
        let sandbox = try Sandbox(Self.topics(["many": 1...2500, "fewer": 2001...3500]))
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        for (name, text) in Self.topics(["many": 501...2500, "fewer": 2001...5500]) {
            try sandbox.folder.write(text, to: name)
        }
        try await sandbox.applyAndDie(at: (moment, number), of: host)
        try await converge(sandbox, host, many: 501...2500, fewer: 2001...5500)
        await sandbox.end()
    }

    private func converge(
        _ sandbox: Sandbox, _ host: String, many: ClosedRange<Int>, fewer: ClosedRange<Int>
    ) async throws {
        let second = try await sandbox.herald(
            "apply", "--auto-approve", "--report", "\(sandbox.folder.path)/second.json", host: host)
        let account = Account(try sandbox.report("second.json"))
        #expect(account.addsUp)
        #expect(account.pending == 0)
        #expect(second.status == (account.unknown > 0 ? 6 : 0), "\(second.output)\(second.errors)")
        for (topic, numbers) in [("many", many), ("fewer", fewer)] {
            let members = try await Control(host).members(ofTopic: topic)
            #expect(members == numbers.map { Registration.fid($0).rawValue }, "\(members.count) in \(topic)")
        }
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(accepted.values.allSatisfy { $0 == 1 })
        #expect(accepted.count >= 2 - account.unknown)
        let third = try await sandbox.herald("plan", "--detailed-exitcode", host: host)
        #expect(third.status == 0, "\(third.output)")
    }
}
