import FCM
import Foundation
import HeraldTestSupport
import Testing

/// A backup that takes the state's place: whatever was done since is missed, whoever did it.
@Suite struct LostChangesTests {
    private let sandbox: Sandbox
    private var backup: String { "\(sandbox.folder.path)/backup.sqlite" }

    init() throws { sandbox = try Sandbox(Sandbox.small(count: 5, subscribers: 2)) }

    private func done(_ command: String, _ host: String, status: Int32 = 0) async throws {
        let result = try await sandbox.herald(command, host: host)
        try #require(result.status == status, "\(command): \(result.output)\(result.errors)")
    }

    /// A state with a backup.
    private func kept() async throws -> String {
        let (_, host) = try await sandbox.startEmulator()
        try await done("apply --auto-approve", host)
        try await done("state backup \(backup)", host)
        return host
    }

    private func send(_ name: String) throws {
        try sandbox.folder.write(
            "kind: campaign\nname: \(name)\ntarget: {audience: all}\nmessage: {data: {a: \(name)}}\n",
            to: "workspace/\(name).yaml")
    }

    private func restore() throws {
        for companion in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: sandbox.statePath + companion)
        }
        try FileManager.default.copyItem(atPath: backup, toPath: sandbox.statePath)
    }

    /// Nothing is sent until a person accepts the state as it is, and then it is accepted for good.
    private func expectRefusal(_ host: String) async throws {
        let sent = try sandbox.accepted(in: ["ledger.ndjson"])
        for command in ["run", "apply --auto-approve"] {
            let refused = try await sandbox.herald(command, host: host)
            #expect(refused.status == 3, "\(command): \(refused.output)\(refused.errors)")
            #expect(refused.errors.contains("guard state_went_back"), "\(refused.errors)")
            #expect(refused.errors.contains("pauses"), "\(refused.errors)")
        }
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]) == sent)
        try await done("apply --auto-approve --override state_went_back", host)
        try await done("run", host)
        try await done("apply --auto-approve", host)
        await sandbox.end()
    }

    private func reports() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(sandbox.folder.path)/runs")
            .filter { $0.hasSuffix(".json") }.sorted()
    }

    @Test(arguments: [
        "pause to-all", "pause", "resume", "state forget \(Registration.fid(1).rawValue)", "state rm campaign:to-topic",
    ])
    func `what a person did is missed, although no run came after it`(_ command: String) async throws {
        let host = try await kept()
        try await done(command, host)
        try restore()
        try await expectRefusal(host)
    }

    @Test func `repairs after a restore do not hide that it went back`() async throws {
        let host = try await kept()
        try send("more")
        try await done("run", host)
        try restore()
        for number in 1...5 {
            try await done("state forget \(Registration.fid(number).rawValue)", host)
            try await done("state revive \(Registration.fid(number).rawValue)", host)
        }
        for _ in 0..<20 {
            try await done("state forget \(Registration.fid(1).rawValue)", host)
            try await done("state revive \(Registration.fid(1).rawValue)", host)
        }
        try await expectRefusal(host)
    }

    @Test(arguments: ["apply --dry-run", "test to-all --to \(Registration.fid(9).rawValue)"])
    func `reports that say nothing of the state do not push out those that do`(_ command: String) async throws {
        let host = try await kept()
        try send("more")
        try await done("run", host)
        for _ in 0..<21 { try await done(command, host) }
        try restore()
        // The witness may have been lost with the backup.
        try removeWitness()
        try await expectRefusal(host)
    }

    @Test func `a backup from before a move is found out where the state was`() async throws {
        let host = try await kept()
        try await done("state copy --to \(sandbox.folder.path)/moved.sqlite", host)
        try restore()
        try await expectRefusal(host)
    }

    @Test func `a move does not hide that the state went back`() async throws {
        let host = try await kept()
        try send("more")
        try await done("run", host)
        try restore()
        let folder = "\(sandbox.folder.path)/elsewhere"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await done("state copy --to \(folder)/state.sqlite", host)
        let environment = ["HERALD_STATE": "\(folder)/state.sqlite", "FCM_EMULATOR_HOST": host]
        let refused = try await HeraldProcess.run(["-w", sandbox.workspace, "run"], environment: environment)
        #expect(refused.status == 3 && refused.errors.contains("guard state_went_back"), "\(refused.errors)")
        await sandbox.end()
    }

    private func removeWitness() throws {
        let runs = "\(sandbox.folder.path)/runs"
        for name in try FileManager.default.contentsOfDirectory(atPath: runs) where name.hasSuffix(".witness") {
            try FileManager.default.removeItem(atPath: "\(runs)/\(name)")
        }
    }

    @Test func `reports of another state in the same folder do not push out those of this one`() async throws {
        let host = try await kept()
        try send("more")
        try await done("run", host)
        let text = try sandbox.folder.read("runs/\(try #require(try reports().last))")
        let lineage = try #require(try await sandbox.state()["lineage"]?.string)
        for number in 0..<3_000 {
            try sandbox.folder.write(
                text.replacing(lineage, with: "another-state"), to: "runs/29990101T000000Z-\(10_000 + number).json")
        }
        try restore()
        try removeWitness()
        try await expectRefusal(host)
    }

    @Test func `a state that is reached through a link has one folder of reports`() async throws {
        let host = try await kept()
        try FileManager.default.createDirectory(
            atPath: "\(sandbox.folder.path)/link", withIntermediateDirectories: true)
        let link = "\(sandbox.folder.path)/link/state.sqlite"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: sandbox.statePath)
        try send("more")
        let environment = ["HERALD_STATE": link, "FCM_EMULATOR_HOST": host]
        let run = try await HeraldProcess.run(["-w", sandbox.workspace, "run"], environment: environment)
        #expect(run.status == 0, "\(run.errors)")
        try restore()
        try await expectRefusal(host)
    }

    @Test func `two copies of one state that both went on are both refused`() async throws {
        let host = try await kept()
        try send("more")
        try await done("run", host)
        let other = ["HERALD_STATE": backup, "FCM_EMULATOR_HOST": host]
        let refused = try await HeraldProcess.run(["-w", sandbox.workspace, "run"], environment: other)
        #expect(refused.status == 3, "\(refused.errors)")
        let allowed = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "apply", "--auto-approve", "--override", "state_went_back"], environment: other)
        #expect(allowed.status == 0, "\(allowed.errors)")
        try await expectRefusal(host)
    }

    /// How a run ends.
    enum End: CaseIterable { case itself, signal, kill }

    @Test(arguments: End.allCases)
    func `a backup from the middle of a run is older than its end`(_ end: End) async throws {
        let host = try await kept()
        // Slow, so that there is a middle, which is long where the run is ended in it.
        let slow = Sandbox.settings.replacing("{rate: unlimited", with: "{rate: 2/s")
        try sandbox.folder.write(slow, to: "workspace/herald.yaml")
        if end != .itself {
            let all = (0..<90).map { Registration.fid($0).rawValue + "\n" }
            try sandbox.folder.write(all.joined(), to: "workspace/all.txt")
        }
        let messages = { try sandbox.accepted(in: ["ledger.ndjson"]).values.reduce(0, +) }
        let before = try messages()
        try send("more")
        let run = try HeraldProcess.start(
            ["-w", sandbox.workspace, "run"], environment: sandbox.environment(host))
        try await eventually { try messages() > before }
        try FileManager.default.removeItem(atPath: backup)
        try await done("state backup \(backup)", host)
        switch end {
        case .itself: break
        case .signal: run.signal(SIGTERM)
        case .kill:
            let known = try await serial()
            try await eventually { try reportedSerial() > known }
            run.signal(SIGKILL)
        }
        let status = await run.wait().status
        #expect(end == .itself ? status == 0 : status != 0)
        try restore()
        try sandbox.folder.write(Sandbox.settings, to: "workspace/herald.yaml")
        // Repairs raise the serial past that of all reports.
        let lacking = try await reportedSerial() - serial()
        for number in 1...max(5, Int(lacking) + 1) {
            try await done("state forget \(Registration.fid(number + 500).rawValue)", host)
        }
        let refused = try await sandbox.herald("run", host: host)
        #expect(refused.status == 3, "\(refused.errors)")
        #expect(refused.errors.contains("guard state_went_back"), "\(refused.errors)")
        try await done("apply --auto-approve --override state_went_back", host)
        try await done("run", host)
        await sandbox.end()
    }

    private func serial() async throws -> Int64 { try #require(try await sandbox.state()["serial"]?.int) }

    private func reportedSerial() throws -> Int64 {
        try reports().compactMap { name in
            try JSONValue(parsing: Array(sandbox.folder.read("runs/\(name)").utf8))["state"]?["serial"]?.int
        }.max() ?? 0
    }

    /// A run was killed, and its report alone tells how far it came. The command raises the serial past that.
    @Test(arguments: ["import topic harbour --audience all", "state copy --to"])
    func `what only a report tells is not hidden by a command`(_ command: String) async throws {
        let host = try await kept()
        let isMove = command.hasPrefix("state copy")
        let folder = isMove ? "\(sandbox.folder.path)/other" : sandbox.folder.path
        let last = try #require(try reports().last)
        let path = "runs/\(last)"
        let (known, reported) = (try await serial(), try reportedSerial())
        let text = try sandbox.folder.read(path)
        let later = text.replacing(#""serial" : \#(reported)"#, with: #""serial" : \#(known + 1)"#)
        try #require(later != text, "\(text)")
        try sandbox.folder.write(later, to: path)
        if isMove { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
        try await done(isMove ? "\(command) \(folder)/state.sqlite" : command, host)
        try send("more")
        let environment = sandbox.environment(host).merging(["HERALD_STATE": "\(folder)/state.sqlite"]) { $1 }
        let refused = try await HeraldProcess.run(["-w", sandbox.workspace, "run"], environment: environment)
        #expect(refused.status == 3 && refused.errors.contains("guard state_went_back"), "\(refused.errors)")
        await sandbox.end()
    }

    @Test func `outcomes of a run that the state does not know are not added to it`() async throws {
        let host = try await kept()
        try send("more")
        try await done("run", host)
        // Reports of one second have no order.
        let name = try #require(
            try reports().map { "runs/\($0)" }.first { try sandbox.folder.read($0).contains("more@once") })
        // As if the run could not have written them.
        let written = try sandbox.folder.read(name).replacing(
            "\"occurrence\" : \"more@once\"",
            with: """
                "occurrence": "more@once", "unrecorded": {"accepted": [[1, 1]], "rejected": {}, "deferred": [], "untried": []}
                """)
        try sandbox.folder.write(written, to: "late.json")
        let report = try JSONValue(parsing: Array(written.utf8))
        #expect(report["state"]?["stamp"]?["number"]?.int != nil)
        try restore()
        try await done("apply --auto-approve --override state_went_back", host)
        let refused = try await sandbox.herald(
            "state resolve --from \(sandbox.folder.path)/late.json", host: host)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("does not know the run"), "\(refused.errors)")
        await sandbox.end()
    }
}
