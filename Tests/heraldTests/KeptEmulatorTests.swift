import FCM
import Foundation
import HeraldTestSupport
import Testing

/// `herald emulator --data`: nothing that was answered is lost, however the emulator ends.
@Suite struct KeptEmulatorTests {
    @Test(arguments: [SIGTERM, SIGKILL])
    func `an emulator goes on where it was ended in mid-run`(_ signal: Int32) async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 150, subscribers: 30))
        let data = "\(sandbox.folder.path)/emulator.data"
        let (emulator, host) = try await sandbox.startEmulator("--data", data)
        let proxy = try InterruptingProxy(serverPort: Sandbox.port(of: host), trigger: (.afterAnswer, 120)) {
            emulator.signal(signal)
        }
        proxy.start()
        let report = "\(sandbox.folder.path)/report.json"
        _ = try await sandbox.herald(
            "apply", "--auto-approve", "--report", report, host: "127.0.0.1:\(proxy.port)")
        proxy.stop()
        let end = await emulator.wait()
        #expect(end.wasKilled == (signal == SIGKILL))

        let (_, newHost) = try await sandbox.startEmulator("--data", data)
        let control = try Control(newHost)
        let kept = try await control.ledger().compactMap { $0["target"]?["fid"]?.string }
        #expect(Set(kept).count == kept.count)
        let told = Set(try sandbox.accepted(in: ["ledger.ndjson"]).keys)
        #expect(told.isSubset(of: Set(kept)) && !told.isEmpty)

        // The next run sends the rest; what is unknown stays unknown.
        let again = try await sandbox.herald("apply", "--auto-approve", "--report", report, host: newHost)
        #expect([0, 6].contains(again.status), "\(again.output)\(again.errors)")
        #expect(Account(try sandbox.report()).addsUp)
        #expect(try await control.members(ofTopic: "news").count == 30)
        let ledger = try await control.ledger().compactMap { $0["target"]?["fid"]?.string }
        #expect(Set(ledger).count == ledger.count)
        await sandbox.end()
    }

    @Test func `an emulator refuses a data file that no emulator wrote`() async throws {
        let sandbox = try Sandbox(["notes.txt": "mine"])
        let result = try await HeraldProcess.run(["emulator", "--data", "\(sandbox.folder.path)/notes.txt"])
        #expect(result.status == 1)
        #expect(
            result.errors.contains("cannot use the data in '\(sandbox.folder.path)/notes.txt': it is not an emulator's")
        )
        #expect(try sandbox.folder.read("notes.txt") == "mine")
    }
}
