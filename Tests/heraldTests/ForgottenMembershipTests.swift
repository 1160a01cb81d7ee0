import FCM
import Foundation
import HeraldTestSupport
import Testing

/// What herald subscribed is herald's to end, even if the registration counted as dead meanwhile.
@Suite struct ForgottenMembershipTests {
    private let sandbox: Sandbox

    private static let resources = """
        kind: audience
        name: some
        source: {file: some.txt}
        ---
        kind: topic
        name: news
        subscribers: [some]
        ---
        kind: group
        name: crew
        members: {audience: some}

        """

    init() throws {
        sandbox = try Sandbox([
            "workspace/herald.yaml": Sandbox.settings + "sender_id: \"123456789012\"\n",
            "workspace/resources.yaml": Self.resources,
            "workspace/some.txt": "", "workspace/herald.txt": "",
        ])
    }

    private func list(_ numbers: ClosedRange<Int>) throws { try list(numbers.map(Registration.fid)) }

    private func list(_ registrations: [Registration]) throws {
        try sandbox.folder.write(registrations.map { $0.rawValue + "\n" }.joined(), to: "workspace/some.txt")
    }

    private func done(_ command: String, _ host: String) async throws {
        let result = try await sandbox.herald(command, host: host)
        try #require(result.status == 0, "\(command): \(result.output)\(result.errors)")
    }

    private func expectMembers(_ numbers: ClosedRange<Int>, at control: Control) async throws {
        try await expectMembers(numbers.map(Registration.fid), at: control)
    }

    private func expectMembers(_ registrations: [Registration], at control: Control) async throws {
        let expected = registrations.map(\.rawValue).sorted()
        #expect(try await control.members(ofTopic: "news").sorted() == expected)
        #expect(try await (control.members(ofGroup: "crew") ?? []).sorted() == expected)
    }

    @Test(arguments: [true, false])
    func `whoever is revived leaves topic and group when no list names them`(_ isListedBetween: Bool) async throws {
        let (_, host) = try await sandbox.startEmulator()
        let control = try Control(host)
        try list(1...4)
        try await done("apply --auto-approve", host)
        try await expectMembers(1...4, at: control)
        // FCM still has them: a person was wrong, or FCM was.
        try await done("state forget \(Registration.fid(4).rawValue)", host)
        try await done("apply --auto-approve", host)
        try await done("state revive \(Registration.fid(4).rawValue)", host)
        if isListedBetween { try await done("apply --auto-approve", host) }
        try list(1...3)
        try await done("apply --auto-approve", host)
        try await expectMembers(1...3, at: control)
        await sandbox.end()
    }

    @Test func `a list that saw the registration later revives it with what it was in`() async throws {
        let (_, host) = try await sandbox.startEmulator()
        let control = try Control(host)
        try list(1...4)
        try await done("apply --auto-approve", host)
        try await done("state forget \(Registration.fid(4).rawValue)", host)
        try sandbox.folder.write(
            Self.resources.replacing("{file: some.txt}", with: "{file: some.csv, columns: {fid: fid, seen: seen}}"),
            to: "workspace/resources.yaml")
        func rows(_ numbers: ClosedRange<Int>) -> String {
            "fid,seen\n" + numbers.map { "\(Registration.fid($0).rawValue),2100-01-01T00:00:00Z\n" }.joined()
        }
        try sandbox.folder.write(rows(1...4), to: "workspace/some.csv")
        try await done("apply --auto-approve", host)
        try await expectMembers(1...4, at: control)
        try sandbox.folder.write(rows(1...3), to: "workspace/some.csv")
        try await done("apply --auto-approve", host)
        try await expectMembers(1...3, at: control)
        await sandbox.end()
    }

    @Test func `what is forgotten does not keep a person from being erased`() async throws {
        let (_, host) = try await sandbox.startEmulator()
        try list(1...4)
        try await done("apply --auto-approve", host)
        try await done("state forget \(Registration.fid(4).rawValue)", host)
        try list(1...3)
        try await done("apply --auto-approve", host)
        try await done("state erase \(Registration.fid(4).rawValue) --auto-approve", host)
        await sandbox.end()
    }

    @Test func `whoever cannot be erased while herald has them in a topic can be forgotten first`() async throws {
        let (_, host) = try await sandbox.startEmulator()
        try list(1...4)
        try await done("apply --auto-approve", host)
        try list(1...3)
        let erase = "state erase \(Registration.fid(4).rawValue) --auto-approve"
        let refused = try await sandbox.herald(erase, host: host)
        #expect(refused.status == 1 && refused.errors.contains("'herald state forget' it instead"), "\(refused.errors)")
        try await done("state forget \(Registration.fid(4).rawValue)", host)
        try await done(erase, host)
        await sandbox.end()
    }

    @Test(arguments: [true, false])
    func `an earlier registration that is forgotten takes what it joined along`(_ isRevived: Bool) async throws {
        let (_, host) = try await sandbox.startEmulator()
        let control = try Control(host)
        let (older, newer) = (Registration.token(4), Registration.token(4, version: 1))
        for registration in [older, newer] {
            try list([.fid(1), registration])
            try await done("apply --auto-approve", host)
        }
        try await done("state forget \(older.rawValue)", host)
        if isRevived { try await done("state revive \(older.rawValue)", host) }
        try list(1...1)
        try await done("apply --auto-approve", host)
        // It left the group when the other one joined.
        let followers = [Registration.fid(1)] + (isRevived ? [] : [older])
        #expect(try await control.members(ofTopic: "news").sorted() == followers.map(\.rawValue).sorted())
        #expect(try await control.members(ofGroup: "crew") == [Registration.fid(1).rawValue])
        try await done("state erase \(newer.rawValue) --auto-approve", host)
        await sandbox.end()
    }
}
