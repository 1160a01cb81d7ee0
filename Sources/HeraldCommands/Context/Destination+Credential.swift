import FCMClient
import HeraldCore

/// How requests to a destination sign in, and which way they take.
extension Destination {
    /// The credential that requests are made with; `nil` if the endpoint gets none. Google's credentials go to Google
    /// only, those of this machine to this machine only.
    func credential() throws -> FoundCredential? {
        if isEmulator || kind == .other { return nil }
        guard var found = try find() else {
            if kind == .emulator { return nil }
            throw CommandFailure(
                .wrong, "there are no credentials for \(endpoint)",
                help:
                    "set GOOGLE_APPLICATION_CREDENTIALS or \(fileOption) to a credential file, or FCM_EMULATOR_HOST to an emulator"
            )
        }
        switch (kind, found.credential.isOfThisMachine) {
        case (.emulator, true), (.fcm, false):
            try found.readProjects(in: environment)
            return found
        case (.fcm, true):
            throw CommandFailure(
                .wrong, "\(found.origin) signs in on this machine, so it is for an emulator and not for \(endpoint)",
                help: "name a credential file of Google's, or set FCM_EMULATOR_HOST to the emulator")
        case (.emulator, false), (.other, _): return nil
        }
    }

    /// A file comes first, then the metadata server of the machine.
    private func find() throws -> FoundCredential? {
        if let file { return try FoundCredential(file, trusting: hosts) }
        guard environment["NO_GCE_CHECK"] != "true" else { return nil }
        do throws(CredentialFileError) {
            let server = try MetadataServer(environment: environment)
            // For any endpoint but FCM's, only a metadata server on this machine is used.
            return kind == .fcm || server.isOfThisMachine ? FoundCredential(server) : nil
        } catch {
            if kind == .emulator { return nil }
            throw CommandFailure(.wrong, error.description, help: error.help)
        }
    }

    /// Which proxy each server is called through. An emulator on this machine is called without one.
    func proxies() throws -> ProxySettings {
        endpoint.isLoopback ? .none : try ProxySettings(environment: environment)
    }
}
