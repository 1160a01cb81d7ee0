import FCM
import FCMClient
import Foundation
import HeraldCore

/// Where requests go, and with which account.
struct Destination {
    let endpoints: Endpoints
    let kind: EndpointKind
    /// The path of a file with certificates to trust besides the system's.
    let certificateAuthorities: String?
    /// Whether FCM_EMULATOR_HOST decides where requests go. No credentials go there.
    let isEmulator: Bool
    let file: CredentialFile?
    /// What names a credential file besides the environment.
    let fileOption: String
    let hosts: TokenHosts
    let environment: [String: String]

    var endpoint: Endpoint { endpoints.fcm }

    /// - Parameters:
    ///   - folder: The workspace's path. `nil` if the settings come from the command line.
    ///   - credentials: The path of a credential file that goes before the one of the settings.
    init(
        _ settings: FCMSettings, in folder: String?, credentials: String? = nil, environment: [String: String]
    ) throws {
        let emulator = environment["FCM_EMULATOR_HOST", default: ""]
        isEmulator = !emulator.isEmpty
        if emulator.isEmpty {
            let fcm = try Self.endpoint(settings.endpoint, named: folder == nil ? "--endpoint" : "fcm.endpoint")
            // If only FCM has another endpoint, batches go there, too, and not to Google.
            let iid = try settings.iidEndpoint.map { try Self.endpoint($0, named: "fcm.iid_endpoint") }
            endpoints = Endpoints(fcm: fcm, iid: iid ?? (fcm == .fcm ? .iid : fcm))
            guard endpoints.fcm.place == endpoints.iid.place else {
                throw CommandFailure(
                    .wrong,
                    "fcm.endpoint is \(endpoints.fcm) and fcm.iid_endpoint is \(endpoints.iid)",
                    help: "set both to the same place: Google, this machine or another server"
                )
            }
            kind = EndpointKind(fcm.place)
            certificateAuthorities = settings.ca.map { $0.absolute(in: folder) }
        } else {
            let url = emulator.contains("://") ? emulator : "http://\(emulator)"
            let endpoint = try Self.endpoint(url, named: "FCM_EMULATOR_HOST", Self.advice(on: emulator))
            guard endpoint.place != .google else {
                throw CommandFailure(
                    .wrong, "FCM_EMULATOR_HOST: \(endpoint) is Google's, and no emulator",
                    help: "set it to what 'herald emulator' prints, or unset it")
            }
            (endpoints, kind) = (Endpoints(endpoint), .emulator)
            certificateAuthorities = environment["FCM_EMULATOR_CA"]
        }
        file = CredentialFile.find(credentials ?? settings.credentials?.value, in: folder, environment: environment)
        fileOption = folder == nil ? "--credentials" : "fcm.credentials"
        hosts = TokenHosts(trusted: settings.tokenHosts)
        self.environment = environment
    }

    /// Throws if the endpoint must not be called as fast as the settings say.
    func check(_ settings: FCMSettings) throws {
        for (key, rate) in [("rate", settings.rate), ("subscription_rate", settings.subscriptionRate)]
        where rate == .unlimited && !endpoint.isLoopback {
            throw CommandFailure(
                .wrong, "fcm.\(key): 'unlimited' is allowed only for a local endpoint, and this is \(endpoint)",
                help: "write a rate such as 600/min")
        }
    }

    private static func endpoint(_ url: String, named name: String, _ advice: String? = nil) throws -> Endpoint {
        do { return try Endpoint(url) } catch {
            throw CommandFailure(.wrong, "\(name): \(error)", help: advice ?? error.help)
        }
    }

    /// What to say about a common mistake in FCM_EMULATOR_HOST.
    private static func advice(on emulator: String) -> String? {
        emulator.contains("=") ? "give only what follows the '='" : nil
    }

    /// How long after a difference it is asked for again. An emulator has no propagation delay, unless a person says so.
    func settle(of settings: FCMSettings) -> Duration {
        settings.isPropagationDelayWritten ? settings.propagationDelay : adapted(settings).propagationDelay
    }

    /// The settings for this destination: an emulator has no propagation delay.
    func adapted(_ settings: FCMSettings) -> FCMSettings {
        var settings = settings
        if kind == .emulator { settings.propagationDelay = .zero }
        return settings
    }
}

extension EndpointKind {
    init(_ place: ServerPlace) {
        switch place {
        case .google: self = .fcm
        case .thisMachine: self = .emulator
        case .elsewhere: self = .other
        }
    }
}
