import FCM
import Foundation
import HeraldStore
import HeraldTestSupport
import Testing

/// New files often come in a folder of their own, and a link that `-w` names is set to it.
@Suite struct LinkedFolderTests {
    @Test(arguments: [true, false])
    func `a run that waited begins nothing if its folder's name leads to other files`(_ differ: Bool) async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 5, subscribers: 2))
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state", "init", host: host).status == 0)
        let link = "\(sandbox.folder.path)/current"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "workspace")
        var lock: RunLock? = try RunLock(for: sandbox.statePath, run: "the-other-one")
        let waiting = try HeraldProcess.start(
            ["-w", link, "run", "--if-locked", "wait=10m"], environment: sandbox.environment(host))
        #expect(await waiting.errorLine() == "herald: another run works on the state; waiting")
        try FileManager.default.copyItem(atPath: sandbox.workspace, toPath: "\(sandbox.folder.path)/next")
        if differ {
            let text = try sandbox.folder.read("next/resources.yaml")
            try sandbox.folder.write(text.replacing("To each of you", with: "Else"), to: "next/resources.yaml")
        }
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "next")
        withExtendedLifetime(lock) {}
        lock = nil
        let ended = await waiting.wait()
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.errors.contains("changed while this run waited") == differ, "\(ended.errors)")
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).isEmpty == differ)
        await sandbox.end()
    }

    @Test func `a run that works starts nothing more once its folder's name leads to other files`() async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 60, subscribers: 2))
        let (_, host) = try await sandbox.startEmulator()
        let control = try Control(host)
        // The first requests are answered, the others take long.
        try await control.put(faults: [["match": ["service": "send", "after": 3], "do": ["delay_ms": 3000]]])
        #expect(try await sandbox.herald("state", "init", host: host).status == 0)
        let link = "\(sandbox.folder.path)/current"
        try FileManager.default.copyItem(atPath: sandbox.workspace, toPath: "\(sandbox.folder.path)/next")
        let text = try sandbox.folder.read("next/resources.yaml")
        try sandbox.folder.write(text.replacing("To all who follow", with: "Else"), to: "next/resources.yaml")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "workspace")
        let run = try HeraldProcess.start(["-w", link, "run"], environment: sandbox.environment(host))
        while try await control.ledger().isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "next")
        let ended = await run.wait()
        #expect(ended.errors.contains("changed while this run worked"), "\(ended.output)\(ended.errors)")
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).count < 61)
        await sandbox.end()
    }
}
