import FCM
import Foundation
import HeraldTestSupport
import Synchronization
import Testing

/// A shared state over the years, as people look after it.
@Suite(.enabled(if: PostgresTestServer.isInstalled)) struct SharedKeepingTests {
    private static let recipients = 60

    private func made() async throws -> (
        sandbox: Sandbox, database: (name: String, address: String), host: String
    ) {
        let database = try await PostgresTestServer.newDatabase()
        let (sandbox, _) = try await Sandbox.shared(
            Sandbox.small(count: Self.recipients, subscribers: 5), database: database)
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state init").status == 0)
        return (sandbox, database, host)
    }

    private func herald(
        _ arguments: String, _ sandbox: Sandbox, at address: String, host: String
    ) async throws -> ChildProcess.Result {
        try await HeraldProcess.run(
            ["-w", sandbox.workspace] + arguments.split(separator: " ").map(String.init),
            environment: ["HERALD_STATE": address, "FCM_EMULATOR_HOST": host])
    }

    @Test func `a restored backup is found out by the reports of the workspace`() async throws {
        let (sandbox, database, host) = try await made()
        #expect(try await sandbox.herald("apply --auto-approve", host: host).status == 0)
        let backup = "backup_\(database.name)"
        try await PostgresTestServer.ask(
            "CREATE DATABASE \(backup) TEMPLATE \(database.name)",
            at: database.address.replacing(database.name, with: "postgres"))
        try sandbox.folder.write(
            "kind: campaign\nname: more\ntarget: {audience: all}\nmessage: {data: {a: b}}\n",
            to: "workspace/more.yaml")
        #expect(try await sandbox.herald("apply --auto-approve", host: host).status == 0)
        let sent = try sandbox.accepted(in: ["ledger.ndjson"])
        let restored = database.address.replacing(database.name, with: backup)
        for command in ["run", "apply --auto-approve", "plan --detailed-exitcode"] {
            let refused = try await herald(command, sandbox, at: restored, host: host)
            #expect(refused.status == 3, "\(command)")
            #expect((refused.output + refused.errors).contains("state_went_back"), "\(command)")
        }
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]) == sent)
        let override = "apply --auto-approve --override state_went_back --override state_moved"
        #expect(try await herald(override, sandbox, at: restored, host: host).status == 0)
        #expect(try await herald("run", sandbox, at: restored, host: host).status == 0)
        await sandbox.end()
    }

    /// How a state may come to be in two places without `state copy`.
    enum Copying: String, CaseIterable {
        case template, dumpToDatabase, dumpToSchema, dumpToCluster, dumpToSamePlace
    }

    /// The address of the copy, and what a command needs besides to use it.
    private func copy(
        _ database: (name: String, address: String), _ copying: Copying
    ) async throws -> (address: String, schema: String) {
        let main = database.address.replacing(database.name, with: "postgres")
        switch copying {
        case .template:
            let name = "copy_\(database.name)"
            try await PostgresTestServer.ask("CREATE DATABASE \(name) TEMPLATE \(database.name)", at: main)
            return (database.address.replacing(database.name, with: name), "herald")
        case .dumpToDatabase:
            let other = try await PostgresTestServer.newDatabase()
            try await PostgresTestServer.copy("herald", from: database.address, to: other.address)
            return (other.address, "herald")
        case .dumpToSchema:
            try await PostgresTestServer.copy("herald", from: database.address, to: database.address, as: "beside")
            return (database.address, "beside")
        case .dumpToCluster:
            let cluster = try await PostgresCluster()
            try await PostgresTestServer.copy("herald", from: database.address, to: cluster.address())
            return (cluster.address(), "herald")
        case .dumpToSamePlace:
            try await PostgresTestServer.ask("ALTER SCHEMA herald RENAME TO away", at: database.address)
            try await PostgresTestServer.copy("away", from: database.address, to: database.address, as: "herald")
            return (database.address, "herald")
        }
    }

    @Test(arguments: Copying.allCases)
    func `a copied state does nothing until a person takes it for the state`(_ copying: Copying) async throws {
        let (sandbox, database, host) = try await made()
        #expect(try await sandbox.herald("run", host: host).status == 0)
        let copy = try await copy(database, copying)
        try sandbox.folder.write(
            "kind: campaign\nname: more\ntarget: {audience: all}\nmessage: {data: {a: b}}\n",
            to: "workspace/more.yaml")
        let settings = try sandbox.folder.read("workspace/herald.yaml")
        try sandbox.folder.write(
            settings + "state: {postgres: \"postgresql://herald@/x\", schema: \(copy.schema)}\n",
            to: "workspace/herald.yaml")
        let sent = try sandbox.accepted(in: ["ledger.ndjson"])
        for command in ["run", "apply --auto-approve", "plan --detailed-exitcode"] {
            let refused = try await herald(command, sandbox, at: copy.address, host: host)
            #expect(refused.status == 3, "\(command): \(refused.output)\(refused.errors)")
            #expect((refused.output + refused.errors).contains("state_moved"), "\(command)")
        }
        let move = "state copy --to \(sandbox.folder.path)/moved.sqlite"
        let stays = try await herald(move, sandbox, at: copy.address, host: host)
        #expect(stays.status == 1 && stays.errors.contains("--override state_moved"), "\(stays.output)\(stays.errors)")
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]) == sent)
        let override = "apply --auto-approve --override state_moved"
        let taken = try await herald(override, sandbox, at: copy.address, host: host)
        #expect(taken.status == 0, "\(taken.output)\(taken.errors)")
        #expect(try await herald("run", sandbox, at: copy.address, host: host).status == 0)
        await sandbox.end()
    }

    @Test func `a test that a standby server cannot keep is not sent`() async throws {
        let primary = try await PostgresCluster()
        let (sandbox, _) = try await Sandbox.shared(
            Sandbox.small(count: Self.recipients, subscribers: 5), database: ("postgres", primary.address()))
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state init").status == 0)
        let standby = try await PostgresCluster(following: primary)
        let refused = try await herald(
            "test to-all --to \(Registration.fid(1).rawValue)", sandbox, at: standby.address(), host: host)
        #expect(refused.status == 1 && refused.errors.contains("the server is read-only"), "\(refused.errors)")
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).isEmpty)
        await sandbox.end()
    }

    @Test func `a copy of a state that no run has used yet is known, and so is one that was moved`() async throws {
        let (sandbox, database, host) = try await made()
        let copy = try await copy(database, .template)
        let refused = try await herald("run", sandbox, at: copy.address, host: host)
        #expect(refused.status == 3 && (refused.output + refused.errors).contains("state_moved"))
        let paused = try await herald("pause", sandbox, at: copy.address, host: host)
        #expect(paused.status == 0 && paused.errors.contains("nothing was changed in the original"), "\(paused.errors)")
        #expect(try await sandbox.herald("run", host: host).status == 0)
        // A move by herald itself is no copy, but a copy of its result is.
        let place = try await PostgresTestServer.newDatabase()
        let moved = try await sandbox.herald("state copy --to \(place.address)")
        #expect(moved.status == 0, "\(moved.output)\(moved.errors)")
        let beside = try await self.copy(place, .dumpToDatabase)
        let other = try await herald("run", sandbox, at: beside.address, host: host)
        #expect(other.status == 3 && (other.output + other.errors).contains("state_moved"))
        #expect(try await herald("run", sandbox, at: place.address, host: host).status == 0)
        let named = try await herald(
            "state copy --to \(place.address) --schema other", sandbox, at: place.address, host: host)
        #expect(named.status == 0 && named.errors.contains("with 'schema: other'"), "\(named.output)\(named.errors)")
        await sandbox.end()
    }

    @Test func `right after unlock nobody is sent to again, and later they are`() async throws {
        let (sandbox, database, host) = try await made()
        try await sandbox.applyAndDie(at: (.beforeAnswer, 20), of: host)
        let run = try await sandbox.holder()
        #expect(try await sandbox.herald("state resolve to-all@once --resend").status == 5)
        #expect(try await sandbox.herald("state unlock \(run) --auto-approve").status == 0)
        let move = "state copy --to \(sandbox.folder.path)/moved.sqlite"
        for (command, advice) in [
            ("state resolve to-all@once --resend", "use --resend"), (move, "run the command again"),
            ("state resolve to-all@once --resend", "use --resend"),
        ] {
            let early = try await sandbox.herald(command, host: host)
            #expect(early.status == 1)
            #expect(early.errors.contains("may still reach FCM\n  help: \(advice) in "), "\(early.errors)")
        }
        try await PostgresTestServer.ask("UPDATE herald.lease SET resend_from = now()", at: database.address)
        let later = try await sandbox.herald("state resolve to-all@once --resend", host: host)
        #expect(later.status == 0, "\(later.errors)")
        #expect(try await sandbox.herald("apply --auto-approve", host: host).status == 0)
        #expect(try await sandbox.herald("plan --detailed-exitcode", host: host).status == 0)
        let moved = try await sandbox.herald(move, host: host)
        #expect(moved.status == 0, "\(moved.errors)")
        await sandbox.end()
    }

    @Test func `a state where nobody is unknown moves at once, also after a lock was lost`() async throws {
        let (sandbox, database, host) = try await made()
        #expect(try await sandbox.herald("apply --auto-approve", host: host).status == 0)
        try await PostgresTestServer.ask(
            "UPDATE herald.lease SET resend_from = now() + interval '1 hour'", at: database.address)
        let moved = try await sandbox.herald("state copy --to \(sandbox.folder.path)/moved.sqlite", host: host)
        #expect(moved.status == 0, "\(moved.errors)")
        await sandbox.end()
    }

    @Test func `a run that resends by itself waits for that too`() async throws {
        let (sandbox, database, host) = try await made()
        let text = try sandbox.folder.read("workspace/resources.yaml")
        try sandbox.folder.write(
            text.replacing(
                "target: {audience: all}\n", with: "target: {audience: all}\ndelivery: {on_unknown: resend}\n"),
            to: "workspace/resources.yaml")
        try await sandbox.applyAndDie(at: (.beforeAnswer, 20), of: host)
        let run = try await sandbox.holder()
        #expect(try await sandbox.herald("state unlock \(run) --auto-approve").status == 0)
        let wait = 4.0
        let begin = ContinuousClock.now
        try await PostgresTestServer.ask(
            "UPDATE herald.lease SET resend_from = now() + interval '\(Int(wait)) seconds'", at: database.address)
        let next = try await sandbox.herald("apply --auto-approve", host: host)
        #expect(next.status == 0, "\(next.output)\(next.errors)")
        #expect(ContinuousClock.now - begin > .seconds(wait - 1))
        #expect(try await sandbox.herald("plan --detailed-exitcode", host: host).status == 0)
        await sandbox.end()
    }

    @Test func `what a run could not write is added from its report`() async throws {
        let (sandbox, _, host) = try await made()
        let relay = try Relay(serverPort: Sandbox.port(of: host))
        let door = DispatchSemaphore(value: 0)
        let answers = Mutex(0)
        relay.start { piece, forward in
            // From the thirtieth answer on, answers wait at the door.
            if !piece.isRequest, piece.isHead,
                answers.withLock({
                    $0 += 1; return $0 > 30
                })
            {
                door.wait()
                door.signal()
            }
            return forward()
        }
        let run = try HeraldProcess.start(
            ["-w", sandbox.workspace, "apply", "--auto-approve", "--report", "\(sandbox.folder.path)/report.json"],
            environment: sandbox.environment("127.0.0.1:\(relay.port)"))
        try await eventually { answers.withLock { $0 > 30 } }
        #expect(try await sandbox.herald("state unlock \(try await sandbox.holder()) --auto-approve").status == 0)
        door.signal()
        let ended = await run.wait()
        relay.stop()
        #expect(ended.output.contains("--from REPORT"), "\(ended.output)\(ended.errors)")
        let from = "state resolve --from \(sandbox.folder.path)/report.json"
        #expect(ended.errors.contains("'herald \(from)'"), "\(ended.errors)")
        let before = try await accepted(sandbox)
        #expect(
            try await sandbox.herald("state resolve no-such@once --from \(sandbox.folder.path)/report.json").status == 1
        )
        let added = try await sandbox.herald(from)
        #expect(added.status == 0, "\(added.errors)")
        let known = try await accepted(sandbox)
        #expect(known > before)
        #expect(known == (try sandbox.accepted(in: ["ledger.ndjson"]).count))
        #expect(try await sandbox.herald(from).errors.contains("already"))
        #expect(try await sandbox.herald("apply --auto-approve", host: host).status == 0)
        let sent = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(sent.count == Self.recipients + 1 && sent.values.allSatisfy { $0 == 1 })
        await sandbox.end()
    }

    /// How many the state has as accepted.
    private func accepted(_ sandbox: Sandbox) async throws -> Int {
        try await sandbox.state()["occurrences"]?.array?.reduce(0) { $0 + Int($1["accepted"]?.int ?? 0) } ?? 0
    }
}
