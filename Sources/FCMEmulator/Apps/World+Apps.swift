import FCM

/// The credentials that an app on a device was given.
struct App: Sendable {
    /// The refresh token: the app uses it to get tokens for its installation.
    var secret: String?
    /// The registration token. `nil` while the app is not registered.
    var token: Registration?
}

extension World {
    /// A fid that is not in use.
    mutating func newInstallation() -> Registration {
        while true {
            if let fid = Registration("d" + newText(length: 21), kind: .fid) { return fid }
        }
    }

    /// - Returns: the refresh token.
    mutating func install(_ fid: Registration) -> String {
        let secret = apps[fid]?.secret ?? "3_" + newText(length: 120)
        apps[fid, default: App()].secret = secret
        return secret
    }

    /// The installation in a path. The caller must hold its refresh token.
    ///
    /// - Parameter isTrusted: whether the refresh token was already checked.
    func installation(_ text: String, of call: Call, isTrusted: Bool) throws(GoogleError) -> Registration {
        guard let fid = Registration(text, kind: .fid), let secret = apps[fid]?.secret else { throw .noRegistration }
        if isTrusted { return fid }
        guard let authorization = call.header(.authorization) else { throw .unauthenticated(.missing) }
        guard authorization == "FIS_v2 \(secret)" else { throw .unauthenticated(.unknown) }
        return fid
    }

    mutating func authToken(of fid: Registration, app: String, at now: Date) throws(GoogleError) -> JSONValue {
        let token = try InstallationToken.text(fid: fid, app: app, at: now, signature: newText(length: 86))
        return ["token": .string(token), "expiresIn": .string("\(InstallationToken.lifetime)s")]
    }

    /// The installation that makes the call.
    ///
    /// - Parameter name: the registration that the call is about. It must be the caller's fid or its own token.
    func caller(of call: Call, for name: String?, at now: Date) throws(GoogleError) -> Registration {
        let fid = try InstallationToken(call.header(.installationAuth), at: now).fid
        guard let name else { return fid }
        guard let registration = Registration(name) else { throw .malformedRegistration }
        guard registration.recipientKey == fid.recipientKey else { throw .notYours }
        return fid
    }

    /// Registers the installation by its fid or by its token. The token stays the same until the app unregisters.
    ///
    /// - Returns: the token, even if the fid was registered and messages to the token fail.
    mutating func register(_ fid: Registration, by kind: Registration.Kind, on platform: Platform) -> Registration {
        let token = apps[fid]?.token ?? Registration("\(fid.rawValue):APA91b" + newText(length: 134)) ?? fid
        apps[fid, default: App()].token = token
        _ = register(kind == .fid ? fid : token, on: platform)
        return token
    }

    /// Ends all registrations of the app, and with them their subscriptions.
    mutating func unregister(_ fid: Registration) {
        for registration in devices[fid.recipientKey]?.registrations ?? [] { end(registration) }
        apps[fid]?.token = nil
    }

    mutating func uninstall(_ fid: Registration) {
        unregister(fid)
        apps[fid] = nil
    }
}

extension GoogleError {
    static let noRegistration = GoogleError(status: .notFound, message: "Requested entity was not found.")

    fileprivate static let notYours = GoogleError(
        status: .permissionDenied, message: "The caller does not have permission")
}
