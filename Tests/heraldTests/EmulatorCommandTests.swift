import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// `emulator` through the built program.
@Suite struct EmulatorCommandTests {
    private static let files = Sandbox.small(count: 20, subscribers: 12)

    @Test func `an emulator that speaks TLS is talked to when its certificate is named, and only then`() async throws {
        let sandbox = try Sandbox(Self.files)
        let (emulator, host) = try await sandbox.startEmulator("--tls")
        let authority = try #require(await emulator.firstLine().split(separator: "=").last.map(String.init))
        var environment = sandbox.environment(host)
        let stranger = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "apply", "--auto-approve"], environment: environment)
        #expect(stranger.status == 4)
        environment["FCM_EMULATOR_CA"] = "\(sandbox.folder.path)/nowhere.pem"
        let missing = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "apply", "--auto-approve"], environment: environment)
        #expect(missing.status == 1)
        environment["FCM_EMULATOR_CA"] = authority
        let apply = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "apply", "--auto-approve"], environment: environment)
        #expect(apply.status == 0, "\(apply.output)\(apply.errors)")
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).count == 21)
        #expect(try sandbox.accepted(in: ["ledger.ndjson"]).values.allSatisfy { $0 == 1 })
        await sandbox.end()
    }

    @Test func `an emulator that other machines can reach prints its token and a link, in lines of its own`()
        async throws
    {
        let sandbox = try Sandbox(Self.files)
        let (emulator, host) = try await sandbox.startEmulator("--host", "0.0.0.0", "--allow-host", "fcm.test")
        let port = try Sandbox.port(of: host)
        #expect(host == "0.0.0.0:\(port)")
        let line = await emulator.firstLine()
        let token = try #require(line.wholeMatch(of: /FCM_EMULATOR_TOKEN=([A-Za-z0-9_-]{43})/)?.1)
        #expect(await emulator.errorLine() == "herald: the page is at http://localhost:\(port)/?token=\(token)")
        // FCM's own calls need no token.
        let apply = try await sandbox.herald("apply", "--auto-approve", host: "127.0.0.1:\(port)")
        #expect(apply.status == 0, "\(apply.output)\(apply.errors)")
        await sandbox.end()
    }

    @Test(arguments: ["", "https://fcm.test", "fcm.test:80", "*.test", "a@b"])
    func `a name that no request can have is a wrong argument`(_ name: String) async throws {
        let result = try await HeraldProcess.run(["emulator", "--allow-host", name])
        #expect(result.status == 64)
    }

    @Test func `an emulator ends when told so, and tells why it cannot begin`() async throws {
        let sandbox = try Sandbox(Self.files)
        let (emulator, host) = try await sandbox.startEmulator()
        let taken = try await HeraldProcess.run(["emulator", "--port", "\(try Sandbox.port(of: host))"])
        #expect(taken.status == 1)
        #expect(taken.errors.contains("cannot listen on 127.0.0.1"))
        let unwritable = try await HeraldProcess.run(["emulator", "--ledger", "/nowhere/ledger.ndjson"])
        #expect(unwritable.status == 1)
        #expect(unwritable.errors.contains("cannot open the ledger"))
        emulator.signal(SIGTERM)
        #expect(await emulator.wait().status == 0)
    }
}
