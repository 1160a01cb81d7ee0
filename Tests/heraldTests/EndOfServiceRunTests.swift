import FCM
import Foundation
import HeraldTestSupport
import Testing

/// Runs on the day after Google has ended device groups and the Instance ID service, as the emulator acts it out with
/// `--today`: steps that need them fail, and all others go on (docs/explanation/promises.md).
@Suite struct EndOfServiceRunTests {
    private static func files(people: Int, members: [Int], revision: Int) -> [String: String] {
        let members = members.map { "'\(Registration.token($0).rawValue)'" }.joined(separator: ", ")
        return [
            "workspace/herald.yaml": """
            herald: 1
            project: demo-project
            sender_id: "123456789012"
            fcm: {topic_api: iid, rate: unlimited, subscription_rate: unlimited, ramp: 0s}

            """,
            "workspace/people.csv": "token\n"
                + (1...people).map { Registration.token($0).rawValue + "\n" }.joined(),
            "workspace/all.yaml": """
            kind: audience
            name: people
            source: {file: people.csv}
            ---
            kind: topic
            name: news
            subscribers: [people]
            ---
            kind: group
            name: family
            members: {tokens: [\(members)]}
            ---
            kind: campaign
            name: to-family
            revision: \(revision)
            target: {group: family}
            message: {notification: {title: Hello, body: To the group}}
            ---
            kind: campaign
            name: to-people
            revision: \(revision)
            target: {audience: people}
            message: {notification: {title: Hello, body: To each}}

            """,
        ]
    }

    private func step(_ id: String, of sandbox: Sandbox) throws -> JSONValue {
        try #require(try sandbox.report()["steps"]?.array?.first { $0["id"]?.string == id })
    }

    @Test func `steps that need them fail with a sentence, and all others go on`() async throws {
        let sandbox = try Sandbox(Self.files(people: 3, members: [8, 9], revision: 1))
        let (folder, report) = (sandbox.folder.path, "\(sandbox.folder.path)/report.json")
        let (before, host) = try await sandbox.startEmulator("--data", "\(folder)/fcm.journal")
        let first = try await sandbox.herald("apply --auto-approve --report \(report)", host: host)
        #expect(first.status == 0, "\(first.output)\(first.errors)")
        before.signal(SIGTERM)
        _ = await before.wait()

        // One more member for each, and new messages.
        for (name, text) in Self.files(people: 4, members: [7, 8, 9], revision: 2) {
            try sandbox.folder.write(text, to: name)
        }
        let (_, then) = try await sandbox.startEmulator(
            ledger: "then.ndjson", "--data", "\(folder)/fcm.journal", "--today", "2027-10-01")
        let apply = try await sandbox.herald("apply --auto-approve --report \(report)", host: then)
        #expect(apply.status == 4, "\(apply.output)\(apply.errors)")
        #expect(Account(try sandbox.report()).addsUp)

        for (id, pending) in [("subscribe:news", Int64(1)), ("group_add:family", 1)] {
            let step = try step(id, of: sandbox)
            #expect(step["pending"]?.int == pending)
            // The page of Google's front end is no word of FCM's, so nothing is concluded from it.
            #expect(step["stopped"]?.string?.hasPrefix("NOT_FOUND: the answer is not FCM's: ") == true, "\(step)")
        }
        let key = try step("send:to-family@once#2", of: sandbox)
        #expect(key["rejected"]?.int == 1)
        #expect(key["failures"]?.array?.first?["code"] == "UNREGISTERED")
        #expect(try step("send:to-people@once#2", of: sandbox)["accepted"]?.int == 4)
        #expect(try sandbox.accepted(in: ["then.ndjson"]).count == 4)

        // Nobody's registration counts as dead, and both memberships are tried again by the next run.
        #expect(try await sandbox.state()["dead"]?.int ?? 0 == 0)
        let next = try await sandbox.herald("plan", host: then)
        #expect(next.output.contains("1 to subscribe, 1 to add to groups"), "\(next.output)")
        #expect(try await sandbox.herald("doctor", host: then).status == 1)
        await sandbox.end()
    }
}
