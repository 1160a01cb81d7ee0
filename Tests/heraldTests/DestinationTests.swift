import FCMClient
import HeraldTestSupport
import Testing

@testable import HeraldCore
@testable import herald

/// Where requests go, by the settings and the environment.
@Suite struct DestinationTests {
    private func destination(
        _ environment: [String: String] = [:], _ change: (inout FCMSettings) -> Void = { _ in }
    ) throws -> Destination {
        let files = try TemporaryFolder(["herald.yaml": ""])
        let folder = try #require(WorkspaceFolder(at: files.path))
        var settings = FCMSettings()
        change(&settings)
        return try Destination(settings, in: folder, environment: environment)
    }

    @Test func `without a word it is Google's, where somebody must sign in`() throws {
        let destination = try destination()
        #expect(destination.endpoint == .fcm)
        #expect(destination.endpoints.iid == .iid)
        #expect(destination.kind == .fcm)
        #expect(!destination.isEmulator)
        let failure = #expect(throws: CommandFailure.self) { try destination.account() }
        #expect(failure?.status == .wrong)
        #expect(
            failure?.message?.hasPrefix("there are no credentials for https://fcm.googleapis.com; set ") == true)
    }

    @Test func `FCM_EMULATOR_HOST takes every call, and needs nobody`() throws {
        let destination = try destination([
            "FCM_EMULATOR_HOST": "127.0.0.1:8080", "FCM_EMULATOR_CA": "/ca.pem",
            "GOOGLE_APPLICATION_CREDENTIALS": "/nowhere.json",
        ]) { $0.endpoint = "https://fcm.example" }
        #expect(destination.endpoint.description == "http://127.0.0.1:8080")
        #expect(destination.endpoints.iid == destination.endpoint)
        #expect(destination.kind == .emulator)
        #expect(destination.isEmulator)
        #expect(destination.certificateAuthorities == "/ca.pem")
        #expect(try destination.account() == nil)
    }

    @Test func `an endpoint of one's own takes batches along, and settles at once`() throws {
        let destination = try destination { $0.endpoint = "https://fcm.example" }
        #expect(destination.endpoints.iid == destination.endpoint)
        #expect(destination.kind == .emulator)
        #expect(destination.adapted(FCMSettings()).propagationDelay == .zero)
    }

    @Test func `a wrong address is told with the name of what gave it`() throws {
        let pasted = #expect(throws: CommandFailure.self) {
            try destination(["FCM_EMULATOR_HOST": "FCM_EMULATOR_HOST=127.0.0.1:1"])
        }
        #expect(pasted?.message?.hasPrefix("FCM_EMULATOR_HOST: ") == true)
        #expect(pasted?.message?.hasSuffix("; give only what follows the '='") == true)
        let batches = #expect(throws: CommandFailure.self) { try destination { $0.iidEndpoint = "nowhere" } }
        #expect(batches?.message?.hasPrefix("fcm.iid_endpoint: ") == true)
    }

    @Test func `no rate is unlimited but towards this machine`() throws {
        let failure = #expect(throws: CommandFailure.self) { try destination { $0.rate = .unlimited } }
        #expect(
            failure?.message == "a rate may be unlimited only towards this machine, not https://fcm.googleapis.com")
        _ = try destination(["FCM_EMULATOR_HOST": "127.0.0.1:8080"]) { $0.rate = .unlimited }
    }
}
