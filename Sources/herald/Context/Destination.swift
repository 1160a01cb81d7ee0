import FCMClient
import Foundation
import HeraldCore

/// Where calls go, and as whom.
struct Destination {
    let endpoints: Endpoints
    let kind: EndpointKind
    /// The path of a file of certificates to trust besides the system's.
    let certificateAuthorities: String?
    /// Whether FCM_EMULATOR_HOST decides where calls go: no credential ever goes there.
    let isEmulator: Bool
    private let keyFile: KeyFile?

    var endpoint: Endpoint { endpoints.fcm }

    init(_ settings: FCMSettings, in folder: WorkspaceFolder, environment: [String: String]) throws {
        let emulator = environment["FCM_EMULATOR_HOST", default: ""]
        isEmulator = !emulator.isEmpty
        if emulator.isEmpty {
            let fcm = try Self.endpoint(settings.endpoint, named: "fcm.endpoint")
            let iid = try Self.endpoint(settings.iidEndpoint, named: "fcm.iid_endpoint")
            // Who points FCM elsewhere does not mean batches to go to Google.
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

    /// What people put into FCM_EMULATOR_HOST by mistake.
    private static func advice(on emulator: String) -> String {
        emulator.contains("=") ? "; give only what follows the '='" : ""
    }

    /// Whom calls are made as; `nil` where nobody asks.
    func account() throws -> ServiceAccount? {
        if isEmulator { return nil }
        if let keyFile { return try keyFile.account() }
        if endpoint.isLoopback { return nil }
        throw CommandFailure(
            .wrong,
            "there are no credentials for \(endpoint); set GOOGLE_APPLICATION_CREDENTIALS or fcm.credentials to a service account's key file, or FCM_EMULATOR_HOST to an emulator"
        )
    }

    /// The settings a run works by: FCM's stand-in needs no time to settle.
    func adapted(_ settings: FCMSettings) -> FCMSettings {
        var settings = settings
        if kind == .emulator { settings.propagationDelay = .zero }
        return settings
    }
}
