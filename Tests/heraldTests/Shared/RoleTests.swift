import FCM
import Foundation
import HeraldTestSupport
import Testing

/// What roles may do that got their rights from `state grants`, on a real server.
@Suite(.enabled(if: PostgresTestServer.isInstalled)) struct RoleTests {
    /// A role's name that has to be quoted everywhere.
    private static func role() -> String { "r\"; DROP x'%ü $\(UUID().uuidString.prefix(8))" }

    private static func quoted(_ role: String) -> String { "\"\(role.replacing("\"", with: "\"\""))\"" }

    private static func address(_ address: String, as role: String) throws -> String {
        let encoded = try #require(role.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        return address.replacing("herald@", with: "\(encoded)@")
    }

    /// A state after an apply, with a registration that FCM declared dead and a group.
    private func applied() async throws -> (sandbox: Sandbox, address: String, host: String) {
        var files = Sandbox.small(count: 12, subscribers: 5)
        files["workspace/herald.yaml", default: ""] += "sender_id: \"123456789012\"\n"
        files["workspace/group.yaml"] = """
            kind: group
            name: family
            members: {tokens: ['\(Registration.token(8).rawValue)', '\(Registration.token(9).rawValue)']}

            """
        let (sandbox, address) = try await Sandbox.shared(files)
        let (_, host) = try await sandbox.startEmulator()
        try await Control(host).put([Registration.fid(2)], state: "unregistered")
        #expect(try await sandbox.herald("state init").status == 0)
        let apply = try await sandbox.herald("apply --auto-approve", host: host)
        #expect(apply.status == 0, "\(apply.output)\(apply.errors)")
        return (sandbox, address, host)
    }

    private func grant(_ option: String, _ role: String, _ sandbox: Sandbox, _ address: String) async throws {
        try await PostgresTestServer.ask("CREATE ROLE \(Self.quoted(role)) LOGIN", at: address)
        let printed = try await sandbox.herald("state", "grants", option, role)
        #expect(printed.status == 0, "\(printed.errors)")
        try sandbox.folder.write(printed.output, to: "grants.sql")
        try await PostgresTestServer.load("\(sandbox.folder.path)/grants.sql", at: address)
    }

    private func run(
        _ arguments: String, _ sandbox: Sandbox, _ address: String, host: String = "127.0.0.1:9"
    ) async throws -> ChildProcess.Result {
        try await HeraldProcess.run(
            ["-w", sandbox.workspace] + arguments.split(separator: " ").map(String.init),
            environment: ["HERALD_STATE": address, "FCM_EMULATOR_HOST": host])
    }

    /// A second may pass between two commands.
    private func withoutTimes(_ output: String) -> String {
        output.replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/, with: "…")
    }

    @Test func `a reader plans and looks, and may not read a registration or a key`() async throws {
        let (sandbox, address, host) = try await applied()
        let role = Self.role()
        try await grant("--reader", role, sandbox, address)
        let own = try Self.address(address, as: role)
        for (arguments, word) in [
            ("plan --lists skip", "Lists were not read"), ("plan --lists skip --format json", "herald.plan/1"),
            ("calendar", "due"),
            ("state show", "family"), ("state show --format json", "\"has_key\" : true"),
            ("state snapshot", "\"has_key\" : true"), ("state lock", "no run"),
        ] {
            let seen = try await run(arguments, sandbox, own, host: host)
            #expect(seen.status == 0, "\(arguments): \(seen.errors)")
            #expect(seen.output.contains(word), "\(arguments)")
            // The same as for the owner, but for times.
            let whole = try await run(arguments, sandbox, address, host: host)
            if !arguments.contains("json"), !arguments.contains("snapshot") {
                #expect(withoutTimes(seen.output) == withoutTimes(whole.output))
            }
        }
        for arguments in [
            "apply --auto-approve", "run", "pause", "resume", "plan --rehash", "state export", "state export --dead",
            "state find \(Registration.fid(1).rawValue)", "state forget \(Registration.fid(1).rawValue)",
            "state rm topic:news", "state show --check", "groups export family --out \(sandbox.folder.path)/g.csv",
            "test to-all --to \(Registration.fid(1).rawValue)", "state migrate --help-me",
        ] {
            let refused = try await run(arguments, sandbox, own, host: host)
            #expect([1, 64].contains(refused.status), "\(arguments): \(refused.output)\(refused.errors)")
            if arguments.hasPrefix("plan") {
                #expect(refused.errors.contains("'--lists skip'"), "\(refused.errors)")
            }
        }
        #expect(try await run("apply --auto-approve", sandbox, own).errors.contains("its role"))
        // No run could work, so doctor must not say that all is well.
        for (address, isReader) in [(own, true), (address, false)] {
            let doctor = try await run("doctor", sandbox, address, host: host)
            #expect(doctor.output.contains("its role may only read") == isReader, "\(doctor.output)\(doctor.errors)")
            if isReader { #expect(doctor.status == 1) }
        }
        // Nothing was sent, and the server itself refuses every column that it must not see.
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).values.allSatisfy { $0 == 1 })
        for query in [
            "SELECT registration FROM herald.recipient", "SELECT * FROM herald.recipient",
            "SELECT registration FROM herald.tombstone", "SELECT registration FROM herald.former",
            "SELECT fingerprint_key FROM herald.secret", "SELECT notification_key FROM herald.device_group",
            "SELECT body FROM herald.job_row", "SELECT body FROM herald.job", "SELECT token FROM herald.lease",
            "DELETE FROM herald.pause",
            "SELECT herald.begin_commit(gen_random_uuid(), 1, NULL)",
        ] {
            await #expect(throws: PostgresTestServer.Missing.self, "\(query)") {
                try await PostgresTestServer.ask(query, at: own)
            }
        }
        #expect(
            try await PostgresTestServer.ask("SELECT notification_key FROM herald.group_listing", at: own) == "hidden")
        await sandbox.end()
    }

    @Test func `a runner does all that runs do, and neither makes nor moves a state`() async throws {
        let (sandbox, address, host) = try await applied()
        let role = Self.role()
        try await grant("--runner", role, sandbox, address)
        let own = try Self.address(address, as: role)
        try sandbox.folder.write(
            "kind: campaign\nname: more\ntarget: {audience: all}\nmessage: {data: {a: b}}\n", to: "workspace/more.yaml")
        for (arguments, status) in [
            ("apply --auto-approve", 0), ("run", 0), ("pause more", 0), ("resume more", 0), ("state show --check", 0),
            ("state find \(Registration.fid(1).rawValue)", 0), ("state export", 0),
            ("state forget \(Registration.fid(3).rawValue)", 0), ("state prune --older-than 1ms --auto-approve", 0),
            ("state init", 1), ("state copy --to \(sandbox.folder.path)/copy.sqlite", 1),
        ] {
            let result = try await run(arguments, sandbox, own, host: host)
            #expect(result.status == status, "\(arguments): \(result.output)\(result.errors)")
            let isForOwner = result.errors.contains("help: let that owner run 'herald state prune ")
            #expect(isForOwner == arguments.hasPrefix("state prune"), "\(arguments): \(result.errors)")
        }
        // A copy that could not be sealed is closed, and the state goes on.
        let closed = try await run("state show", sandbox, "\(sandbox.folder.path)/copy.sqlite")
        #expect(closed.errors.contains("not complete"))
        #expect(try await run("run", sandbox, own, host: host).status == 0)
        for query in [
            "UPDATE herald.identity SET project = 'x'", "DELETE FROM herald.secret", "DROP TABLE herald.pause",
        ] {
            await #expect(throws: PostgresTestServer.Missing.self, "\(query)") {
                try await PostgresTestServer.ask(query, at: own)
            }
        }
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).count >= 12)
        await sandbox.end()
    }

    @Test func `a role that may not make a schema is told so, and makes a state in one that it owns`() async throws {
        let (sandbox, address) = try await Sandbox.shared(Sandbox.small(count: 1, subscribers: 1))
        let role = Self.role()
        try await PostgresTestServer.ask("CREATE ROLE \(Self.quoted(role)) LOGIN", at: address)
        let own = try Self.address(address, as: role)
        let refused = try await run("state init", sandbox, own)
        #expect(refused.status == 1 && refused.errors.contains("GRANT CREATE ON DATABASE"), "\(refused.errors)")
        try await PostgresTestServer.ask("CREATE SCHEMA herald AUTHORIZATION \(Self.quoted(role))", at: address)
        let made = try await run("state init", sandbox, own)
        #expect(made.status == 0, "\(made.errors)")
        let next = try await PostgresTestServer.newDatabase()
        let place = try Self.address(next.address, as: role)
        let stays = try await run("state copy --to \(place)", sandbox, own)
        #expect(stays.status == 1 && stays.errors.contains("GRANT CREATE ON DATABASE"), "\(stays.errors)")
        #expect(try await run("state show", sandbox, own).status == 0)
    }

    @Test func `a run that may not have all its connections says so and sends nothing`() async throws {
        let (sandbox, address, host) = try await applied()
        let role = Self.role()
        try await grant("--runner", role, sandbox, address)
        try sandbox.folder.write(
            "kind: campaign\nname: more\ntarget: {audience: all}\nmessage: {data: {a: b}}\n", to: "workspace/more.yaml")
        let sent = try sandbox.accepted(in: ["ledger.ndjson"])
        // Besides the state's own: one renews the lease, and two are for workers.
        for limit in [1, 3, 4] {
            try await PostgresTestServer.ask("ALTER ROLE \(Self.quoted(role)) CONNECTION LIMIT \(limit)", at: address)
            let result = try await run("run", sandbox, Self.address(address, as: role), host: host)
            #expect(result.status == (limit < 4 ? 1 : 0), "\(limit): \(result.output)\(result.errors)")
            #expect(result.errors.contains("too many connections") == (limit < 4), "\(limit): \(result.errors)")
            let now = try sandbox.accepted(in: ["ledger.ndjson"])
            #expect((now == sent) == (limit < 4), "\(limit)")
        }
        await sandbox.end()
    }

    @Test(arguments: ["", "public", "none", String(repeating: "x", count: 64), "a\nb", "a\u{7F}b", "a\u{9B}b"])
    func `a name that is no role, or everybody, gets no rights`(_ role: String) async throws {
        let (sandbox, _) = try await Sandbox.shared(Sandbox.small(count: 1, subscribers: 1))
        for option in ["--reader", "--runner"] {
            let result = try await sandbox.herald("state", "grants", option, role)
            #expect(result.status == 1)
            #expect(result.output == "")
        }
    }
}
