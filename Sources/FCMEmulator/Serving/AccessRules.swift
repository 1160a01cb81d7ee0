import Crypto
import FCM

/// Decides which calls the emulator answers.
///
/// A browser lets every website call servers on this machine. So a call must name a host that is the emulator's, because
/// a website can point its own name here (DNS rebinding), and it must not come from a page of another origin. What other
/// machines can reach also needs a token, except for FCM's own calls, which SDKs cannot change.
struct AccessRules: Sendable {
    /// Guards the emulator's own interface. `nil` if only this machine can reach the emulator.
    let token: String?
    private let hosts: Set<HostName>
    private let takesAnyAddress: Bool

    /// What a request tells about its sender and where it was meant to go.
    struct Caller: Sendable {
        /// From the `Host` header, or `:authority`.
        var host: String?
        /// The origin of the page that made the request. Browsers send it, and pages cannot change it.
        var origin: String?
        /// How that origin is related to the emulator's, by newer browsers.
        var fetchSite: String?
        var cookie: String?
    }

    enum Decision: Sendable {
        /// With the `Set-Cookie` header of the answer, for a browser that was opened with the token.
        case admitted(cookie: String?)
        case refused(GoogleError)
    }

    /// The hosts that SDKs name when only their connections are redirected. No website can point them here.
    private static let googleHosts: Set<HostName> = Set(
        [
            "fcm", "fcmregistrations", "firebaseinstallations", "iamcredentials", "iid", "oauth2", "sts",
        ].map { HostName("\($0).googleapis.com") } + [HostName("metadata.google.internal")])

    private static let cookieName = "herald_emulator"
    /// The parameter of the link that the emulator prints.
    static let linkParameter = "token"

    /// - Parameters:
    ///   - host: the address that the emulator listens on.
    ///   - allowed: further hosts that it answers to.
    init(listeningOn host: String, allowing allowed: [String], token: String?) {
        let host = HostName(host)
        takesAnyAddress = host.isWildcard
        hosts = Set([host] + allowed.map { HostName($0) })
        self.token = token
    }

    func decide(on call: Call, from caller: Caller, isSecure: Bool) -> Decision {
        let isOwn = call.isControl || Page(call) != nil
        guard let text = caller.host, let host = HostName(authority: text), answers(to: host, isOwn: isOwn) else {
            return .refused(.foreignHost(caller.host))
        }
        let origins = ["http://\(text.lowercased())", "https://\(text.lowercased())"]
        if let origin = caller.origin, !origins.contains(origin.lowercased()) { return .refused(.foreignPage) }
        // `none` is a person who typed the address.
        if let site = caller.fetchSite, !["same-origin", "none"].contains(site) { return .refused(.foreignPage) }
        guard let token, isOwn else { return .admitted(cookie: nil) }
        if call.path == [""], let given = call.parameter(Self.linkParameter), given.isSecretly(token) {
            let attributes = "Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
            return .admitted(cookie: "\(Self.cookieName)=\(token); \(attributes)")
        }
        let given = [call.header(.authorization)?.bearer, caller.cookie?.cookie(named: Self.cookieName)]
        guard given.contains(where: { $0?.isSecretly(token) == true }) else { return .refused(.noToken) }
        return .admitted(cookie: nil)
    }

    private func answers(to host: HostName, isOwn: Bool) -> Bool {
        if host.isLoopback || hosts.contains(host) { return true }
        // No website can point an address here, only a name.
        if takesAnyAddress, host.address != nil { return true }
        return !isOwn && Self.googleHosts.contains(host)
    }
}

extension String {
    /// Compares with a secret. The time that it takes says nothing about the secret.
    fileprivate func isSecretly(_ secret: String) -> Bool {
        SHA256.hash(data: Array(utf8)) == SHA256.hash(data: Array(secret.utf8))
    }

    /// The token of an `Authorization` header.
    fileprivate var bearer: String? {
        let parts = split(separator: " ", maxSplits: 1)
        return parts.count == 2 && parts[0].lowercased() == "bearer" ? String(parts[1]) : nil
    }

    /// The value of one cookie in a `Cookie` header.
    fileprivate func cookie(named name: String) -> String? {
        split(separator: ";").lazy.map { $0.drop { $0 == " " } }.first { $0.hasPrefix("\(name)=") }
            .map { String($0.dropFirst(name.count + 1)) }
    }
}

extension GoogleError {
    fileprivate static func foreignHost(_ host: String?) -> GoogleError {
        let message =
            if let host, let name = HostName(authority: host)?.text {
                "The emulator does not answer to the host '\(name)'. If it is yours, start the emulator with "
                    + "--allow-host \(name)."
            } else {
                "The request does not say which host it is for."
            }
        return GoogleError(status: .permissionDenied, message: message)
    }

    fileprivate static let foreignPage = GoogleError(
        status: .permissionDenied, message: "Pages of other websites may not call the emulator.")

    fileprivate static let noToken = GoogleError(
        status: .unauthenticated,
        message:
            "Other machines can reach this emulator, so it wants the token that it printed at start. In a browser, "
            + "paste the printed link into the address bar. Elsewhere, send 'Authorization: Bearer TOKEN'.",
        challenge: "Bearer")
}
