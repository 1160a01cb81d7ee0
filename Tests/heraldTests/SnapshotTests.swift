import FCM
import Foundation
import HeraldCore
import HeraldStore
import HeraldTestSupport
import Testing

/// Snapshots through the built program: a server that writes them, and a CI without the state that plans with them.
@Suite struct SnapshotTests {
    /// A campaign to five recipients, a topic with two of them, a group of two tokens, and a weekly campaign.
    private static func files(snapshot: String? = nil) -> [String: String] {
        var files = Sandbox.small(count: 5, subscribers: 2)
        files["workspace/herald.yaml"] = """
            herald: 2
            project: demo-project
            sender_id: "123456789012"
            fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s}
            \(snapshot.map { "state: {snapshot: \($0)}" } ?? "")

            """
        files["workspace/group.yaml"] = """
            kind: group
            name: family-of-reserved-word
            members: {tokens: ['\(Registration.token(8).rawValue)', '\(Registration.token(9).rawValue)']}
            ---
            kind: campaign
            name: weekly
            target: {audience: all}
            schedule: {cron: "0 9 * * MON"}
            message: {notification: {title: reserved-word of a title, body: reserved-word}, data: {key: reserved-word}}

            """
        return files
    }

    private func applied(snapshot: String? = nil) async throws -> (Sandbox, host: String) {
        let sandbox = try Sandbox(Self.files(snapshot: snapshot))
        let (_, host) = try await sandbox.startEmulator()
        let apply = try await sandbox.herald("apply", "--auto-approve", host: host)
        try #require(apply.status == 0, "\(apply.output)\(apply.errors)")
        return (sandbox, host)
    }

    /// Runs herald as a CI does: without the state, and in a workspace of its own that must stay as it is.
    private func ci(_ sandbox: Sandbox, _ arguments: String...) async throws -> ChildProcess.Result {
        let before = try sandbox.folder.names
        let result = try await HeraldProcess.run(
            ["-w", sandbox.workspace] + arguments,
            environment: ["HERALD_STATE": "/nowhere/state.sqlite", "FCM_EMULATOR_HOST": "127.0.0.1:9"])
        #expect(try sandbox.folder.names == before, "\(arguments)")
        return result
    }

    private func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

    // MARK: Writing

    @Test func `state snapshot prints one, or writes it for its owner's eyes`() async throws {
        let (sandbox, host) = try await applied()
        let path = "\(sandbox.folder.path)/snapshot.json"
        let printed = try await sandbox.herald("state", "snapshot", host: host)
        #expect(printed.status == 0, "\(printed.errors)")
        let written = try await sandbox.herald("state", "snapshot", "--out", path, host: host)
        #expect(written.status == 0, "\(written.errors)")
        let one = try json(printed.output).object?.filter { $0.key != "time" }
        let other = try json(sandbox.folder.read("snapshot.json")).object?.filter { $0.key != "time" }
        #expect(one == other)
        #expect(one?["schema"] == "herald.snapshot/1")
        #expect(one?["topics"]?.array?.first?["owned"] == 2)
        #expect(one?["occurrences"]?.array?.count == 2)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        await sandbox.end()
    }

    @Test func `it replaces a snapshot or an empty file, and nothing else`() async throws {
        let (sandbox, host) = try await applied()
        try sandbox.folder.write("", to: "empty.json")
        for _ in 0..<2 {
            let made = try await sandbox.herald(
                "state", "snapshot", "--out", "\(sandbox.folder.path)/empty.json", host: host)
            #expect(made.status == 0, "\(made.errors)")
        }
        let before = try Data(contentsOf: URL(filePath: sandbox.statePath))
        for path in [sandbox.statePath, "\(sandbox.workspace)/herald.yaml", "\(sandbox.workspace)/all.txt"] {
            let refused = try await sandbox.herald("state", "snapshot", "--out", path, host: host)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("is no snapshot and stays as it is"), "\(refused.errors)")
        }
        #expect(try Data(contentsOf: URL(filePath: sandbox.statePath)) == before)
        await sandbox.end()
    }

    @Test func `nothing that must not leave the server is in it`() async throws {
        let (sandbox, host) = try await applied()
        _ = try await sandbox.herald("test", "weekly", "--to", Registration.token(9).rawValue, host: host)
        let text = try await sandbox.herald("state", "snapshot", host: host).output
        #expect(text.contains("to-all@once"), "it was written")
        let registrations = (1...5).map { Registration.fid($0) } + [.token(8), .token(9)]
        for secret in registrations.map(\.rawValue) + ["reserved-word", "Hello", "To each of you"] {
            #expect(!text.contains(secret), "\(secret)")
        }
        #expect(!text.contains(#/\br_[0-9a-f]{16}/#), "a fingerprint")
        let state = try Data(contentsOf: URL(filePath: sandbox.statePath))
        #expect(state.range(of: Data("family-of-reserved-word".utf8)) != nil, "the state has it")
        let groups = try await SQLiteStore.open(at: sandbox.statePath).snapshot().groups.values
        #expect(groups.count == 1)
        for key in groups.compactMap(\.key) { #expect(!text.contains(key.rawValue)) }
        await sandbox.end()
    }

    // MARK: Written by apply and run

    @Test func `every apply and run writes one, also with nothing to do and when it ends badly`() async throws {
        let (sandbox, host) = try await applied(snapshot: "out/snapshot.json")
        let snapshot = { try self.json(sandbox.folder.read("workspace/out/snapshot.json")) }
        let first = try snapshot()
        #expect(first["serial"] == (try await sandbox.state()["serial"]))
        try sandbox.folder.write(
            first.prettyText.replacing("\"serial\"", with: "\"cereal\""), to: "workspace/out/snapshot.json")
        #expect(try await sandbox.herald("run", host: host).status == 0)
        #expect(try snapshot()["serial"] == first["serial"])
        // Nothing answers, so that the run ends in the middle.
        try sandbox.folder.write("", to: "workspace/out/snapshot.json")
        try sandbox.folder.write(
            "kind: campaign\nname: more\ntarget: {audience: all}\nmessage: {data: {a: b}}\n", to: "workspace/more.yaml")
        let unreachable = try await sandbox.herald("apply", "--auto-approve", host: "127.0.0.1:9")
        #expect(unreachable.status == 4, "\(unreachable.output)\(unreachable.errors)")
        #expect(try snapshot()["occurrences"]?.array?.count == (try await sandbox.state()["occurrences"]?.array?.count))
        // A dry run is no apply.
        try sandbox.folder.write("", to: "workspace/out/snapshot.json")
        _ = try await sandbox.herald("apply", "--dry-run", host: host)
        #expect(try sandbox.folder.read("workspace/out/snapshot.json") == "")
        await sandbox.end()
    }

    @Test func `a snapshot that cannot be written changes nothing about the run`() async throws {
        let sandbox = try Sandbox(Self.files(snapshot: "all.txt"))
        let (_, host) = try await sandbox.startEmulator()
        let list = try sandbox.folder.read("workspace/all.txt")
        let apply = try await sandbox.herald("apply", "--auto-approve", host: host)
        #expect(apply.status == 0)
        #expect(apply.errors.contains("no snapshot was written"), "\(apply.errors)")
        #expect(try sandbox.folder.read("workspace/all.txt") == list)
        await sandbox.end()
    }

    @Test func `an apply that was not approved makes no state and no snapshot`() async throws {
        let sandbox = try Sandbox(Self.files(snapshot: "out/snapshot.json"))
        #expect(try await sandbox.herald("apply").status == 1)
        #expect(!FileManager.default.fileExists(atPath: "\(sandbox.workspace)/out"))
        await sandbox.end()
    }

    // MARK: Planning with it

    @Test func `a plan needs no state, writes nothing, and says what it was made from`() async throws {
        let (sandbox, host) = try await applied(snapshot: "out/snapshot.json")
        try sandbox.folder.write(
            "kind: campaign\nname: more\ntarget: {audience: all}\nmessage: {data: {a: b}}\n", to: "workspace/more.yaml")
        let path = "\(sandbox.workspace)/out/snapshot.json"
        let snapshot = try json(sandbox.folder.read("workspace/out/snapshot.json"))
        let plan = try await ci(sandbox, "plan", "--snapshot", path, "--format", "json")
        #expect(plan.status == 0, "\(plan.errors)")
        let document = try json(plan.output)
        #expect(document["snapshot"]?["time"] == snapshot["time"])
        #expect(document["state"]?["serial"] == snapshot["serial"])
        #expect(document["steps"]?.array?.map { $0["id"] } == ["send:more@once"])
        #expect(document["steps"]?.array?.map { $0["estimated"] } == [true])
        #expect(document["summary"]?["recipients"] == 5)
        #expect(document["summary"]?["dead_listed"] == .null)
        let text = try await ci(sandbox, "plan", "--snapshot", path).output
        #expect(text.contains("> send  more@once  to audience all, at most 5 recipients (estimated)"), "\(text)")
        #expect(text.contains("Planned from the snapshot of \(snapshot["time"]?.string ?? "?")."))
        let markdown = try await ci(sandbox, "plan", "--snapshot", path, "--format", "markdown").output
        #expect(markdown.contains("at most 5 recipients (estimated)"), "\(markdown)")
        let skipped = try await ci(
            sandbox, "plan", "--snapshot", path, "--lists", "skip", "--format", "json", "--detailed-exitcode")
        #expect(skipped.status == 2)
        #expect(try json(skipped.output)["steps"]?.array?.map { $0["planned"] } == [.null])
        // The plan from the state has the same sends.
        let real = try json(try await sandbox.herald("plan", "--format", "json", host: host).output)
        #expect(real["steps"]?.array?.map { $0["id"] } == document["steps"]?.array?.map { $0["id"] })
        #expect(real["upcoming"]?.array?.count == document["upcoming"]?.array?.count)
        await sandbox.end()
    }

    @Test func `it cannot be saved for apply, and apply takes none`() async throws {
        let (sandbox, host) = try await applied(snapshot: "snapshot.json")
        let path = "\(sandbox.workspace)/snapshot.json"
        #expect(try await ci(sandbox, "plan", "--snapshot", path, "--out", "p.json").status == 64)
        let plan = try await ci(sandbox, "plan", "--snapshot", path, "--format", "json").output
        try sandbox.folder.write(plan, to: "plan.json")
        let apply = try await sandbox.herald("apply", "\(sandbox.folder.path)/plan.json", host: host)
        #expect(apply.status == 1)
        #expect(apply.errors.contains("made from a snapshot"), "\(apply.errors)")
        await sandbox.end()
    }

    @Test func `age, another project and files that are no snapshot are told`() async throws {
        let (sandbox, _) = try await applied(snapshot: "snapshot.json")
        let path = "\(sandbox.workspace)/snapshot.json"
        let fresh = try sandbox.folder.read("workspace/snapshot.json")
        let time = try #require(try json(fresh)["time"]?.string)
        func plan(_ text: String, _ options: String...) async throws -> ChildProcess.Result {
            try sandbox.folder.write(text, to: "workspace/snapshot.json")
            return try await HeraldProcess.run(
                ["-w", sandbox.workspace, "plan", "--snapshot", path] + options,
                environment: ["FCM_EMULATOR_HOST": "127.0.0.1:9"])
        }
        #expect(!(try await plan(fresh).output.contains("the snapshot is ")))
        #expect(try await plan(fresh, "--max-snapshot-age", "0s").output.contains("old; what was done since"))
        let old = fresh.replacing(time, with: "2020-01-01T00:00:00Z")
        #expect(try await plan(old).output.contains("old; what was done since"))
        #expect(!(try await plan(old, "--max-snapshot-age", "30000d").output.contains("the snapshot is ")))
        #expect(try await plan(fresh.replacing(time, with: "2920-01-01T00:00:00Z")).output.contains("in the future"))
        for (text, words) in [
            (fresh.replacing("demo-project", with: "other"), "belongs to project 'other' at emulator"),
            (fresh.replacing("snapshot/1", with: "snapshot/2"), "newer herald"), (String(fresh.dropLast(9)), "damaged"),
            ("[]", "no snapshot of herald's"),
        ] {
            let refused = try await plan(text)
            #expect(refused.status == 1)
            #expect(refused.errors.contains(words), "\(refused.errors)")
            #expect(refused.output == "")
        }
        let absent = try await ci(sandbox, "plan", "--snapshot", "/nowhere/snapshot.json")
        #expect(absent.status == 1)
        #expect(absent.errors.contains("cannot be read"))
        #expect(try await ci(sandbox, "plan", "--max-snapshot-age", "1h").status == 64)
        await sandbox.end()
    }

    @Test func `a calendar leaves out what was sent and says what is paused`() async throws {
        let sandbox = try Sandbox(Self.files(snapshot: "snapshot.json"))
        let (_, host) = try await sandbox.startEmulator()
        let early =
            "kind: campaign\nname: early\ntarget: {audience: all}\nschedule: {at: DUE}\nmessage: {data: {a: b}}\n"
        try sandbox.folder.write(
            early.replacing("DUE", with: "2026-12-01T08:00:00Z"), to: "workspace/early.yaml")
        let apply = try await sandbox.herald(
            "apply", "--auto-approve", "--at", "2026-12-01T08:00:00Z", host: host)
        #expect(apply.status == 0, "\(apply.errors)")
        #expect(try await sandbox.herald("pause", "weekly", host: host).status == 0)
        let path = "\(sandbox.workspace)/snapshot.json"
        #expect(try await sandbox.herald("state", "snapshot", "--out", path, host: host).status == 0)
        // It was sent, and its time was moved afterwards.
        try sandbox.folder.write(
            early.replacing("DUE", with: "2026-12-03T08:00:00Z"), to: "workspace/early.yaml")
        let calendar = ["calendar", "--at", "2026-12-01T09:00:00Z", "--days", "7", "--format", "json"]
        func campaigns(_ options: [String]) async throws -> [String: String] {
            let result = try await HeraldProcess.run(
                ["-w", sandbox.workspace] + calendar + options, environment: ["FCM_EMULATOR_HOST": "127.0.0.1:9"])
            #expect(result.status == 0, "\(result.errors)")
            let entries = try json(result.output)["occurrences"]?.array ?? []
            return Dictionary(entries.map { ($0["campaign"]?.string ?? "", $0["note"]?.string ?? "") }) { one, _ in one
            }
        }
        #expect(try await campaigns([]) == ["early": "", "weekly": ""])
        #expect(try await campaigns(["--snapshot", path]) == ["weekly": "paused"])
        let text = try await ci(sandbox, "calendar", "--snapshot", path)
        #expect(text.output.contains("Made from the snapshot of "))
        await sandbox.end()
    }
}

extension TemporaryFolder {
    /// All files in it, whose names must not change.
    fileprivate var names: Set<String> {
        get throws { Set(try FileManager.default.subpathsOfDirectory(atPath: path)) }
    }
}
