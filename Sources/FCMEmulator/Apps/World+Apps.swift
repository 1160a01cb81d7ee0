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

    /// Registers the installation by its fid and by a token. The token stays the same until the app unregisters.
    mutating func register(_ fid: Registration, on platform: Platform) -> Registration {
        let token = apps[fid]?.token ?? Registration("\(fid.rawValue):APA91b" + newText(length: 134)) ?? fid
        apps[fid, default: App()].token = token
        for registration in [fid, token] { enrol(registration, platform: platform, state: .active) }
        return token
    }

    /// Ends all registrations of the app, and with them their subscriptions.
    mutating func unregister(_ fid: Registration, at now: Date) {
        for registration in [fid, apps[fid]?.token].compactMap(\.self) {
            guard let enrolment = enrolments[registration] else { continue }
            for topic in enrolment.topics.keys { leave(registration, topic, at: now) }
            enrol(registration, platform: enrolment.platform, state: .unregistered)
        }
        apps[fid]?.token = nil
    }

    mutating func uninstall(_ fid: Registration, at now: Date) {
        unregister(fid, at: now)
        apps[fid] = nil
    }
}

extension GoogleError {
    static let noRegistration = GoogleError(status: .notFound, message: "Requested entity was not found.")

    fileprivate static let notYours = GoogleError(
        status: .permissionDenied, message: "The caller does not have permission")
}
