import FCM
import Foundation
import HeraldCore
import HeraldStore
import HeraldTestSupport
import Testing

/// A state of an older herald, for every call at which its upgrade can end: it is the old one or the new one, and the
/// next command goes on with it.
@Suite(
    .serialized,
    .enabled(if: StateFault.isAvailable, "a library before the system's is how calls are met, and is for Linux only"))
struct UpgradeSweepTests {
    @Test func `whenever an upgrade ends, nothing of the state is lost`() async throws {
        let expected = try await OldSandbox().shown()
        let calls = try await OldSandbox().calls()
        let commits = calls.indices.dropFirst().filter { calls[$0 - 1].isBoundary }.map { $0 + 1 }
        #expect(commits.count > 3)
        // The copy has its name once it is on the disk.
        let link = try #require(calls.firstIndex { $0.name == "link" })
        #expect(["fsync", "fdatasync"].contains(calls[link - 1].name))
        var faults = commits.map { (StateFault.killBefore, $0) } + [(.killAfter, calls.count)]
        let others: [StateFault] = [.killWithin, .full, .fullTorn, .broken, .killAfter, .fullOnce, .brokenOnce]
        for number in 0..<28 { faults.append((others[number % others.count], 1 + number * calls.count / 28)) }
        for (fault, call) in faults {
            let sandbox = try OldSandbox()
            let result = try await sandbox.pause(StateFault.environment(fault, at: call, state: sandbox.statePath))
            #expect(result.wasKilled || [0, 1].contains(result.status), "\(fault) at \(call): \(result.errors)")
            let shown = try await sandbox.shown()
            #expect(shown == expected || shown == expected + ["weekly"], "\(fault) at \(call)")
            let again = try await sandbox.pause([:])
            #expect(again.status == 0, "\(fault) at \(call): \(again.errors)")
            #expect(try await sandbox.shown() == expected + ["weekly"], "\(fault) at \(call)")
            #expect(try sandbox.backups().count >= 1, "\(fault) at \(call)")
        }
    }
}

/// A copy of the oldest fixture.
private struct OldSandbox {
    private let folder: TemporaryFolder

    var statePath: String { folder.path + "/v1/state.sqlite" }

    init() throws {
        folder = try TemporaryFolder()
        let fixture = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "fixtures/states/v1").path
        try FileManager.default.copyItem(atPath: fixture, toPath: folder.path + "/v1")
    }

    private func herald(_ arguments: [String], _ environment: [String: String]) async throws -> ChildProcess.Result {
        let own = ["HERALD_STATE": statePath, "FCM_EMULATOR_HOST": "127.0.0.1:9"]
        return try await HeraldProcess.run(
            ["-w", folder.path + "/v1/workspace"] + arguments, environment: own.merging(environment) { _, new in new })
    }

    func pause(_ environment: [String: String]) async throws -> ChildProcess.Result {
        try await herald(["pause", "weekly"], environment)
    }

    func calls() async throws -> [RecordCall] {
        let trace = "\(folder.path)/trace"
        _ = try await pause(StateFault.environment(state: statePath, trace: trace))
        return RecordCall.all(in: try folder.read("trace"))
    }

    /// What `state show` says, line by line, and last what is paused besides.
    func shown() async throws -> [String] {
        let result = try await herald(["state", "show"], [:])
        try #require(result.status == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n").map { String($0.trimming { $0 == " " }) }
        return lines.filter { $0 != "weekly" } + (lines.contains("weekly") ? ["weekly"] : [])
    }

    func backups() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path + "/v1").filter { $0.contains(".before-v") }
    }
}

extension Substring {
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> Substring {
        drop(while: isTrimmed)
    }
}
