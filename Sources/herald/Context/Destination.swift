import FCMClient
import Foundation
import HeraldCore

/// Where requests go, and with which account.
struct Destination {
    let endpoints: Endpoints
    let kind: EndpointKind
    /// The path of a file with certificates to trust besides the system's.
    let certificateAuthorities: String?
    /// Whether FCM_EMULATOR_HOST decides where requests go. No credentials are ever sent there.
    let isEmulator: Bool
    private let keyFile: KeyFile?

    var endpoint: Endpoint { endpoints.fcm }

    init(_ settings: FCMSettings, in folder: WorkspaceFolder, environment: [String: String]) throws {
        let emulator = environment["FCM_EMULATOR_HOST", default: ""]
        isEmulator = !emulator.isEmpty
        if emulator.isEmpty {
            let fcm = try Self.endpoint(settings.endpoint, named: "fcm.endpoint")
            let iid = try Self.endpoint(settings.iidEndpoint, named: "fcm.iid_endpoint")
            // If only FCM has another endpoint, batches go there too: nobody wants them at Google then.
            endpoints = fcm != .fcm && iid == .iid ? Endpoints(fcm) : Endpoints(fcm: fcm, iid: iid)
            certificateAuthorities = settings.ca.map { $0.absolute(in: folder.path) }
        } else {
            let url = emulator.contains("://") ? emulator : "http://\(emulator)"
            endpoints = Endpoints(try Self.endpoint(url, named: "FCM_EMULATOR_HOST", Self.advice(on: emulator)))
            certificateAuthorities = environment["FCM_EMULATOR_CA"]
        }
        kind = endpoints.fcm == .fcm ? .fcm : .emulator
        keyFile = KeyFile.find(settings, in: folder, environment: environment)
        if settings.rate == .unlimited || settings.subscriptionRate == .unlimited, !endpoint.isLoopback {
            throw CommandFailure(.wrong, "a rate may be unlimited only towards this machine, not \(endpoint)")
        }
    }

    private static func endpoint(_ url: String, named name: String, _ advice: String = "") throws -> Endpoint {
        do { return try Endpoint(url) } catch { throw CommandFailure(.wrong, "\(name): \(error)\(advice)") }
    }

    /// What to say about a common mistake in FCM_EMULATOR_HOST.
    private static func advice(on emulator: String) -> String {
        emulator.contains("=") ? "; give only what follows the '='" : ""
    }

    /// The account that requests are made with; `nil` if the endpoint needs none.
    func account() throws -> ServiceAccount? {
        if isEmulator { return nil }
        if let keyFile { return try keyFile.account() }
        if endpoint.isLoopback { return nil }
        throw CommandFailure(
            .wrong,
            "there are no credentials for \(endpoint); set GOOGLE_APPLICATION_CREDENTIALS or fcm.credentials to a service account's key file, or FCM_EMULATOR_HOST to an emulator"
        )
    }

    /// The settings for this destination: an emulator has no propagation delay.
    func adapted(_ settings: FCMSettings) -> FCMSettings {
        var settings = settings
        if kind == .emulator { settings.propagationDelay = .zero }
        return settings
    }
}
