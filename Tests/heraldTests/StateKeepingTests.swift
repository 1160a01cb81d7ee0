import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// The state over the years: backups, restored ones, and what need not be kept.
@Suite struct StateKeepingTests {
    private func applied() async throws -> (Sandbox, host: String) {
        let sandbox = try Sandbox(Sandbox.small(count: 5, subscribers: 2))
        let (_, host) = try await sandbox.startEmulator()
        let apply = try await sandbox.herald("apply", "--auto-approve", host: host)
        try #require(apply.status == 0, "\(apply.output)\(apply.errors)")
        return (sandbox, host)
    }

    private func restore(_ backup: String, in sandbox: Sandbox) throws {
        for companion in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: sandbox.statePath + companion)
        }
        try FileManager.default.copyItem(atPath: backup, toPath: sandbox.statePath)
    }

    // MARK: Backups

    @Test func `a backup is the state, for its owner's eyes, and replaces no file`() async throws {
        let (sandbox, host) = try await applied()
        let backup = "\(sandbox.folder.path)/backup.sqlite"
        let made = try await sandbox.herald("state", "backup", backup, host: host)
        #expect(made.status == 0, "\(made.errors)")
        #expect(try FileManager.default.attributesOfItem(atPath: backup)[.posixPermissions] as? Int == 0o600)
        let shown = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "state", "show"],
            environment: ["HERALD_STATE": backup, "FCM_EMULATOR_HOST": host])
        #expect(shown.output == (try await sandbox.herald("state", "show", host: host)).output)
        let bytes = try Data(contentsOf: URL(filePath: backup))
        let again = try await sandbox.herald("state", "backup", backup, host: host)
        #expect(again.status == 1)
        #expect(again.errors.contains("exists already"))
        let link = "\(sandbox.folder.path)/link"
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: "\(sandbox.folder.path)/elsewhere")
        #expect(try await sandbox.herald("state", "backup", link, host: host).status == 1)
        #expect(!FileManager.default.fileExists(atPath: "\(sandbox.folder.path)/elsewhere"))
        #expect(try Data(contentsOf: URL(filePath: backup)) == bytes)
        await sandbox.end()
    }

    @Test(arguments: ["backup", "copy --to"]) func `an empty name is called that`(_ command: String) async throws {
        let (sandbox, host) = try await applied()
        let arguments = command.split(separator: " ").map(String.init)
        let result = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "state"] + arguments + [""], environment: sandbox.environment(host))
        #expect(result.status == 1)
        #expect(result.errors.contains("has an empty name"), "\(result.errors)")
        await sandbox.end()
    }

    @Test(.enabled(if: StateFault.isAvailable, "a library before the system's fills the disk, and is for Linux only"))
    func `a backup for which there is no room says so, and leaves nothing`() async throws {
        let (sandbox, host) = try await applied()
        func backUp(_ name: String, _ fault: StateFault? = nil, at call: Int = 0) async throws -> ChildProcess.Result {
            let path = "\(sandbox.folder.path)/\(name)"
            let faults = StateFault.environment(fault, at: call, state: path, trace: "\(path)-trace")
            return try await HeraldProcess.run(
                ["-w", sandbox.workspace, "state", "backup", path],
                environment: sandbox.environment(host).merging(faults) { $1 })
        }
        #expect(try await backUp("whole").status == 0)
        let calls = RecordCall.all(in: try sandbox.folder.read("whole-trace"))
        let write = try #require(calls.firstIndex { $0.name == "pwrite" }) + 1
        let failed = try await backUp("none", .fullOnce, at: write)
        #expect(failed.status == 1)
        #expect(failed.errors.contains("database or disk is full"), "\(failed.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.folder.path)
        #expect(names.filter { $0.hasPrefix("none") } == ["none-trace"])
        await sandbox.end()
    }

    @Test func `a restored backup is found out, and goes on only when a person says so`() async throws {
        let (sandbox, host) = try await applied()
        let backup = "\(sandbox.folder.path)/backup.sqlite"
        #expect(try await sandbox.herald("state", "backup", backup, host: host).status == 0)
        try sandbox.folder.write(
            "kind: campaign\nname: more\ntarget: {audience: all}\nmessage: {data: {a: b}}\n", to: "workspace/more.yaml")
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        let sent = try sandbox.accepted(in: ["ledger.ndjson"])
        try restore(backup, in: sandbox)
        for (command, status) in [("run", 3), ("apply --auto-approve", 3), ("plan --detailed-exitcode", 3)]
            as [(String, Int32)]
        {
            let result = try await sandbox.herald(command, host: host)
            #expect(result.status == status, "\(command)")
            #expect((result.output + result.errors).contains("state_went_back"), "\(command): \(result.errors)")
        }
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]) == sent)
        let allowed = try await sandbox.herald(
            "apply", "--auto-approve", "--override", "state_went_back", host: host)
        #expect(allowed.status == 0, "\(allowed.output)\(allowed.errors)")
        #expect(try await sandbox.herald("run", host: host).status == 0)
        await sandbox.end()
    }

    @Test func `a backup from before a rename is found out, although the rename sent nothing`() async throws {
        let (sandbox, host) = try await applied()
        let file = "workspace/more.yaml"
        let text = "kind: campaign\nname: more\ntarget: {audience: all}\nmessage: {data: {a: b}}\n"
        try sandbox.folder.write(text, to: file)
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        let backup = "\(sandbox.folder.path)/backup.sqlite"
        #expect(try await sandbox.herald("state", "backup", backup, host: host).status == 0)
        try sandbox.folder.write(
            text.replacing("name: more", with: "name: less\nprevious_names: [more]"), to: file)
        let renamed = try await sandbox.herald("run", host: host)
        #expect(renamed.status == 0 && renamed.errors.contains("Nothing to do"), "\(renamed.errors)")
        let sent = try sandbox.accepted(in: ["ledger.ndjson"])
        try restore(backup, in: sandbox)
        let refused = try await sandbox.herald("run", host: host)
        #expect(refused.status == 3)
        #expect(refused.errors.contains("state_went_back"), "\(refused.errors)")
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]) == sent)
        await sandbox.end()
    }

    @Test func `a report says what was committed last, while the run goes on and after it`() async throws {
        let (sandbox, host) = try await applied()
        let apply = try await sandbox.herald(
            "apply", "--auto-approve", "--report", "\(sandbox.folder.path)/report.json", host: host)
        #expect(apply.status == 0)
        try sandbox.folder.write(
            "kind: campaign\nname: more\ntarget: {audience: all}\nmessage: {data: {a: b}}\n", to: "workspace/more.yaml")
        _ = try await sandbox.herald(
            "apply", "--auto-approve", "--report", "\(sandbox.folder.path)/report.json", host: host)
        let state = try await sandbox.state()
        #expect(try sandbox.report()["state"]?["serial"] == state["serial"])
        #expect(try sandbox.report()["state"]?["lineage"] == state["lineage"])
        _ = try await sandbox.herald(
            "apply", "--dry-run", "--report", "\(sandbox.folder.path)/dry.json", host: host)
        #expect(try sandbox.report("dry.json")["state"] == .null)
        await sandbox.end()
    }

    // MARK: Other endpoints

    @Test func `the state can be looked at whatever endpoint is set, and says which it belongs to`() async throws {
        let (sandbox, _) = try await applied()
        // The rates are unlimited, which no call to FCM may be. Looking at the state makes no calls.
        let backup = "\(sandbox.folder.path)/backup.sqlite"
        for arguments in [
            ["show"], ["find", Registration.fid(1).rawValue], ["export"], ["backup", backup], ["show", "--check"],
        ] {
            let result = try await HeraldProcess.run(
                ["-w", sandbox.workspace, "state"] + arguments, environment: sandbox.environment(nil))
            #expect(result.status == 0, "\(arguments): \(result.errors)")
            if arguments != ["backup", backup] {
                #expect(result.errors.contains("belongs to project 'demo-project' at emulator"), "\(result.errors)")
            }
        }
        let pause = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "pause"], environment: sandbox.environment(nil))
        #expect(pause.status == 1)
        let plan = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "plan"], environment: sandbox.environment(nil))
        #expect(plan.status == 1)
        #expect(plan.errors.contains("fcm.rate: 'unlimited' is allowed only for a local endpoint"), "\(plan.errors)")
        await sandbox.end()
    }

    // MARK: Removing

    @Test func `prune keeps what show says, and nobody is sent to again`() async throws {
        let (sandbox, host) = try await applied()
        let before = try await sandbox.herald("state", "show", host: host).output
        let unasked = try await sandbox.herald("state prune --older-than 1ms", host: host)
        #expect(unasked.status == 1)
        #expect(unasked.errors.contains("--auto-approve"))
        #expect(
            try await sandbox.herald("state prune --older-than 180d --auto-approve", host: host).errors.contains(
                " 0 old"))
        let pruned = try await sandbox.herald("state prune --older-than 1ms --auto-approve", host: host)
        #expect(pruned.status == 0, "\(pruned.errors)")
        #expect(pruned.errors.contains("only counts of 2 old occurrences"), "\(pruned.errors)")
        #expect(try await sandbox.herald("state", "show", host: host).output == before)
        // Nothing is left to be asked for.
        let again = try await sandbox.herald("state prune --older-than 1ms", host: host)
        #expect(again.status == 0 && again.errors.contains("only counts of 0 old occurrences"), "\(again.errors)")
        let sent = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]) == sent)
        await sandbox.end()
    }

    @Test func `erase is refused while lists or topics have it, and then leaves no trace`() async throws {
        let (sandbox, host) = try await applied()
        let gone = Registration.fid(1).rawValue
        let erase = ["state", "erase", gone, "--auto-approve"]
        func run(_ arguments: [String]) async throws -> ChildProcess.Result {
            try await HeraldProcess.run(["-w", sandbox.workspace] + arguments, environment: sandbox.environment(host))
        }
        var result = try await run(erase)
        #expect(result.status == 1)
        #expect(result.errors.contains("a list still names"), "\(result.errors)")
        for name in ["all", "some"] {
            let text = try sandbox.folder.read("workspace/\(name).txt").replacing(gone + "\n", with: "")
            try sandbox.folder.write(text, to: "workspace/\(name).txt")
        }
        result = try await run(erase)
        #expect(result.status == 1)
        #expect(result.errors.contains("topic 'news'"), "\(result.errors)")
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        let unasked = try await run(Array(erase.dropLast()))
        #expect(unasked.status == 1)
        result = try await run(erase)
        #expect(result.status == 0, "\(result.errors)")
        #expect(!result.errors.contains(gone))
        #expect(try await run(["state", "find", gone]).status == 1)
        for name in try FileManager.default.contentsOfDirectory(atPath: sandbox.folder.path)
        where name.hasPrefix("state.sqlite") {
            let bytes = try Data(contentsOf: URL(filePath: "\(sandbox.folder.path)/\(name)"))
            #expect(bytes.range(of: Data(gone.utf8)) == nil, "\(name)")
        }
        #expect(try await sandbox.herald("plan --detailed-exitcode", host: host).status == 0)
        #expect(!FileManager.default.fileExists(atPath: sandbox.statePath + ".lock"))
        await sandbox.end()
    }

    // MARK: Mistyped commands

    @Test(arguments: [
        ["state", "reviev", "REGISTRATION"], ["state", "show", "REGISTRATION"], ["state", "rm", "REGISTRATION"],
        ["state", "rm", "topic:REGISTRATION"],
        ["REGISTRATION"], ["state", "find", "REGISTRATION", "REGISTRATION"], ["state", "find", "REGISTRATION/x"],
        ["test", "REGISTRATION", "--to", "REGISTRATION"], ["plan", "--too=REGISTRATION"], ["plan", "-REGISTRATION"],
        ["state", "resolve", "REGISTRATION", "--accept"], ["plan", "--at", "REGISTRATION"],
    ])
    func `no error repeats a registration that was typed in the wrong place`(_ arguments: [String]) async throws {
        let (sandbox, host) = try await applied()
        for registration in [Registration.fid(1), .token(1)] {
            let typed = arguments.map { $0.replacing("REGISTRATION", with: registration.rawValue) }
            let result = try await HeraldProcess.run(
                ["-w", sandbox.workspace] + typed, environment: sandbox.environment(host))
            #expect(result.status != 0)
            #expect(!(result.output + result.errors).contains(registration.rawValue), "\(arguments)")
        }
        await sandbox.end()
    }
}
