import FCMClient
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// Where requests go, by the settings and the environment.
@Suite struct DestinationTests {
    private func destination(
        _ environment: [String: String] = [:], _ change: (inout FCMSettings) -> Void = { _ in }
    ) throws -> Destination {
        let files = try TemporaryFolder(["herald.yaml": ""])
        let folder = try #require(WorkspaceFolder(at: files.path))
        var settings = FCMSettings()
        change(&settings)
        return try Destination(settings, in: folder.path, environment: environment)
    }

    @Test func `without a word it is Google's, where somebody must sign in`() throws {
        let destination = try destination(["NO_GCE_CHECK": "true"])
        #expect(destination.endpoint == .fcm)
        #expect(destination.endpoints.iid == .iid)
        #expect(destination.kind == .fcm)
        #expect(!destination.isEmulator)
        let failure = #expect(throws: CommandFailure.self) { try destination.credential() }
        #expect(failure?.status == .wrong)
        #expect(failure?.message == "there are no credentials for https://fcm.googleapis.com")
        #expect(failure?.help?.hasPrefix("set GOOGLE_APPLICATION_CREDENTIALS or ") == true)
    }

    @Test func `FCM_EMULATOR_HOST takes every call, and needs no credential`() throws {
        let destination = try destination([
            "FCM_EMULATOR_HOST": "127.0.0.1:8080", "FCM_EMULATOR_CA": "/ca.pem",
            "GOOGLE_APPLICATION_CREDENTIALS": "/nowhere.json",
        ]) { $0.endpoint = "https://fcm.example" }
        #expect(destination.endpoint.description == "http://127.0.0.1:8080")
        #expect(destination.endpoints.iid == destination.endpoint)
        #expect(destination.kind == .emulator)
        #expect(destination.isEmulator)
        #expect(destination.certificateAuthorities == "/ca.pem")
        #expect(try destination.credential() == nil)
    }

    @Test func `an endpoint of one's own takes batches along, and settles at once`() throws {
        let destination = try destination { $0.endpoint = "https://127.0.0.1:9" }
        #expect(destination.endpoints.iid == destination.endpoint)
        #expect(destination.kind == .emulator)
        #expect(destination.adapted(FCMSettings()).propagationDelay == .zero)
    }

    @Test func `a server elsewhere is no emulator`() throws {
        let destination = try destination { $0.endpoint = "https://fcm.example" }
        #expect(destination.endpoints.iid == destination.endpoint)
        #expect(destination.kind == .other)
        #expect(destination.adapted(FCMSettings()).propagationDelay == .seconds(60))
    }

    @Test(arguments: [
        ("https://fcm.googleapis.com", "https://iid.example"), ("https://fcm.googleapis.com", "https://127.0.0.1:9"),
        ("https://127.0.0.1:9", "https://iid.googleapis.com"), ("https://fcm.example", "https://iid.googleapis.com"),
        ("https://fcm.example", "http://localhost:9"), ("https://googleapis.com.example", "https://iid.googleapis.com"),
    ])
    func `the services are called in one place`(_ fcm: String, _ iid: String) throws {
        let failure = #expect(throws: CommandFailure.self) {
            try destination {
                $0.endpoint = fcm
                $0.iidEndpoint = iid
            }
        }
        #expect(failure?.help?.hasPrefix("set both to the same place") == true)
    }

    @Test func `the proxy is the environment's, and this machine is called without one`() throws {
        let environment = ["HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "iid.googleapis.com"]
        let proxies = try destination(environment).proxies()
        #expect(proxies.proxy(for: .fcm).map { "\($0)" } == "proxy:3128")
        #expect(proxies.proxy(for: .iid) == nil)
        #expect(try destination(environment) { $0.endpoint = "https://127.0.0.1:9" }.proxies() == .none)
        #expect(throws: ProxyError.secureProxy) { try destination(["https_proxy": "https://proxy"]).proxies() }
    }

    @Test func `Google is no emulator`() throws {
        let failure = #expect(throws: CommandFailure.self) {
            try destination(["FCM_EMULATOR_HOST": "https://fcm.googleapis.com"])
        }
        #expect(failure?.message == "FCM_EMULATOR_HOST: https://fcm.googleapis.com is Google's, and no emulator")
    }

    /// Which endpoint gets credentials of which place: whether it is called with them, without, or not at all.
    @Test(
        arguments: [
            ("https://fcm.googleapis.com", "https://oauth2.googleapis.com/token", true),
            ("https://fcm.googleapis.com", "https://127.0.0.1:1/token", nil),
            ("https://127.0.0.1:9", "https://127.0.0.1:1/token", true),
            ("https://127.0.0.1:9", "https://oauth2.googleapis.com/token", false),
            ("https://fcm.example", "https://oauth2.googleapis.com/token", false),
            ("https://fcm.example", "https://127.0.0.1:1/token", false),
            ("https://fcm.googleapis.com", "https://oauth2.example/token", nil),
        ] as [(String, String, Bool?)])
    func `credentials go only to servers of their own place`(
        _ endpoint: String, _ tokens: String, _ signsIn: Bool?
    ) throws {
        let files = try TemporaryFolder()
        try files.write(try ServiceAccountKey.file(tokens: tokens), to: "key.json")
        let destination = try destination(["GOOGLE_APPLICATION_CREDENTIALS": "\(files.path)/key.json"]) {
            $0.endpoint = endpoint
        }
        if let signsIn {
            #expect(try (destination.credential() != nil) == signsIn)
        } else {
            #expect(throws: CommandFailure.self) { try destination.credential() }
        }
    }

    @Test func `a wrong address is told with the name of what gave it`() throws {
        let pasted = #expect(throws: CommandFailure.self) {
            try destination(["FCM_EMULATOR_HOST": "FCM_EMULATOR_HOST=127.0.0.1:1"])
        }
        #expect(pasted?.message?.hasPrefix("FCM_EMULATOR_HOST: ") == true)
        #expect(pasted?.help == "give only what follows the '='")
        let batches = #expect(throws: CommandFailure.self) { try destination { $0.iidEndpoint = "nowhere" } }
        #expect(batches?.message?.hasPrefix("fcm.iid_endpoint: ") == true)
    }

    @Test(arguments: [
        ("rate", Rate.unlimited, Rate.limited(1)), ("subscription_rate", .limited(1), .unlimited),
    ])
    func `a rate may be unlimited for a local endpoint only`(_ key: String, _ rate: Rate, _ other: Rate) throws {
        var settings = FCMSettings()
        (settings.rate, settings.subscriptionRate) = (rate, other)
        let failure = #expect(throws: CommandFailure.self) { try destination().check(settings) }
        #expect(
            failure?.message
                == "fcm.\(key): 'unlimited' is allowed only for a local endpoint, and this is https://fcm.googleapis.com"
        )
        try destination(["FCM_EMULATOR_HOST": "127.0.0.1:8080"]).check(settings)
    }
}
