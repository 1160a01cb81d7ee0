import FCM
import Foundation
import HeraldTestSupport
import Testing

/// `herald emulator --data`: nothing that was answered is lost, however the emulator ends.
@Suite struct KeptEmulatorTests {
    @Test(arguments: [SIGTERM, SIGKILL])
    func `an emulator goes on where it was ended in mid-run`(_ signal: Int32) async throws {
        let world = try World(World.small(count: 150, subscribers: 30))
        let data = "\(world.folder.path)/emulator.data"
        let (emulator, host) = try await world.startEmulator("--data", data)
        let proxy = try InterruptingProxy(serverPort: World.port(of: host), trigger: (.afterAnswer, 120)) {
            emulator.signal(signal)
        }
        proxy.start()
        let report = "\(world.folder.path)/report.json"
        _ = try await world.herald(
            "apply", "--auto-approve", "--report", report, host: "127.0.0.1:\(proxy.port)")
        proxy.stop()
        let end = await emulator.wait()
        #expect(end.wasKilled == (signal == SIGKILL))

        let (_, newHost) = try await world.startEmulator("--data", data)
        let control = try Control(newHost)
        let kept = try await control.ledger().compactMap { $0["target"]?["fid"]?.string }
        #expect(Set(kept).count == kept.count)
        let told = Set(try world.accepted(in: ["ledger.ndjson"]).keys)
        #expect(told.isSubset(of: Set(kept)) && !told.isEmpty)

        // The rest is sent by the next run, and what is unknown stays so.
        let again = try await world.herald("apply", "--auto-approve", "--report", report, host: newHost)
        #expect([0, 6].contains(again.status), "\(again.output)\(again.errors)")
        #expect(Account(try world.report()).addsUp)
        #expect(try await control.members(ofTopic: "news").count == 30)
        let ledger = try await control.ledger().compactMap { $0["target"]?["fid"]?.string }
        #expect(Set(ledger).count == ledger.count)
        await world.end()
    }

    @Test func `a file that is none of an emulator's ends it with 1`() async throws {
        let world = try World(["notes.txt": "mine"])
        let result = try await HeraldProcess.run(["emulator", "--data", "\(world.folder.path)/notes.txt"])
        #expect(result.status == 1)
        #expect(
            result.errors.contains("cannot use the data in '\(world.folder.path)/notes.txt': it is not an emulator's"))
        #expect(try world.folder.read("notes.txt") == "mine")
    }
}
