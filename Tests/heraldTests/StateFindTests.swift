import FCM
import Foundation
import HeraldTestSupport
import Testing

/// What `state find`, `show` and `revive` say of a registration whose owner has another one.
@Suite struct StateFindTests {
    private static let (token, fid) = (Registration.token(1).rawValue, Registration.fid(1).rawValue)

    /// Five recipients, two of them in a topic. All are known by their fid.
    private func applied() async throws -> (Sandbox, host: String) {
        let sandbox = try Sandbox(Sandbox.small(count: 5, subscribers: 2))
        let (_, host) = try await sandbox.startEmulator()
        let apply = try await sandbox.herald("apply", "--auto-approve", host: host)
        try #require(apply.status == 0, "\(apply.output)\(apply.errors)")
        return (sandbox, host)
    }

    @Test func `a registration dies, and not its owner`() async throws {
        let (sandbox, host) = try await applied()
        let export = "state export --reveal-registrations"
        let living = try await sandbox.herald(export, host: host).output
        // The state knows the owner of both.
        for other in [Self.fid, Self.token] {
            let revived = try await sandbox.herald("state", "revive", other, host: host)
            #expect(revived.status == 0)
            #expect(revived.errors.contains("not dead; nothing was changed"), "\(revived.errors)")
        }
        #expect(try await sandbox.herald("state", "forget", Self.token, host: host).status == 0)
        #expect(try await sandbox.herald(export, host: host).output == living)
        let state = try await sandbox.state()
        #expect(state["dead"] == 0 && state["tombstones"] == 1)
        let shown = try await sandbox.herald("state show", host: host).output
        #expect(shown.contains("5 recipients known, 0 of them dead; 1 dead registration\n"), "\(shown)")

        let name = String(try await sandbox.herald("state", "find", Self.fid, host: host).output.prefix { $0 != "\n" })
        #expect(name.wholeMatch(of: #/r_[0-9a-f]{16}/#) != nil, "\(name)")
        let dead = try await sandbox.herald("state", "find", Self.token, host: host).output
        #expect(dead.firstMatch(of: #/^r_[0-9a-f]{16}: dead since 20[^ ]*Z\n/#) != nil, "\(dead)")
        #expect(!dead.hasPrefix(name) && dead.contains("\n  its owner has \(name)\n  topic news"), "\(dead)")
        let found = try await sandbox.herald("state", "find", Self.token, "--format", "json", host: host).output
        let trace = try JSONValue(parsing: Array(found.utf8))
        #expect(trace["dead"] == true && trace["died"]?.string?.hasSuffix("Z") == true)
        #expect(trace["current"] == ["registration": .string(name), "dead": false])

        for words in ["herald: 1 revived", "not dead; nothing was changed"] {
            let revived = try await sandbox.herald("state", "revive", Self.token, host: host)
            #expect(revived.errors.contains(words), "\(revived.errors)")
        }
        await sandbox.end()
    }

    @Test func `find says whether the owner of a dead registration is left out`() async throws {
        let (sandbox, host) = try await applied()
        #expect(try await sandbox.herald("state", "forget", Self.fid, host: host).status == 0)
        let find = { (registration: String) in
            try await sandbox.herald("state", "find", registration, host: host).output
        }
        let out = "\n  left out: no list names a living registration of its owner\n"
        let dead = try await find(Self.fid)
        #expect(dead.contains(": dead since ") && dead.contains(out), "\(dead)")
        let other = try await find(Self.token)
        #expect(!other.contains("dead since") && other.contains(", which is dead\n") && other.contains(out), "\(other)")
        try sandbox.folder.write(
            "kind: campaign\nname: more\ntarget: {tokens: ['\(Self.token)']}\nmessage: {data: {a: b}}\n",
            to: "workspace/more.yaml")
        let back = "\n  a list names a living registration of its owner, and the next run takes that\n"
        for registration in [Self.fid, Self.token] {
            let found = try await find(registration)
            #expect(found.contains(back), "\(found)")
            #expect(found.contains("\n  waits for more@once: the next run sends it"), "\(found)")
        }
        await sandbox.end()
    }
}
