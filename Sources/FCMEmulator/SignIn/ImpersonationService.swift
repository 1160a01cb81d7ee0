import FCM

/// `POST /v1/projects/-/serviceAccounts/{account}:generateAccessToken`: the caller acts for a service account.
struct ImpersonationService {
    private let account: String

    private static let method = ":generateAccessToken"
    private static let maximumLifetime = ProtoDuration.seconds(3600)

    /// `nil` for other paths.
    init?(path: [String]) {
        guard path.count == 5, path[...3] == ["v1", "projects", "-", "serviceAccounts"],
            path[4].hasSuffix(Self.method)
        else { return nil }
        account = String(path[4].dropLast(Self.method.count))
    }

    func answer(_ call: Call, from backend: Backend) throws(GoogleError) -> Answer? {
        guard call.method == "POST" else { return nil }
        // Even if the emulator requires no sign-in, this call needs a caller who acts for the account.
        let flaw = call.header(.authorization) == nil ? .missing : backend.signInFlaw(of: call)
        if let flaw { throw .unauthenticated(flaw, service: "iamcredentials.googleapis.com") }
        let lifetime = try lifetime(in: try call.content())
        guard backend.signIn.accounts.isEmpty || backend.signIn.accounts[account] != nil else {
            throw GoogleError(status: .notFound, message: "Not found; Gaia id not found for email \(account)")
        }
        let accepted = min(lifetime, backend.signIn.accepted / .seconds(1))
        var end = Date.distantPast
        let token = backend.issueToken(lasting: accepted) { (_, now) in end = now + lifetime }
        return .json(["accessToken": .string(token), "expireTime": .string(end.rfc3339WholeSecond)])
    }

    /// In seconds. Scopes are required but not used: the emulator's tokens allow everything.
    private func lifetime(in body: [UInt8]) throws(GoogleError) -> TimeInterval {
        guard let document = body.isEmpty ? [:] : try? JSONValue(parsing: body) else {
            throw .violation("Invalid JSON payload received. Unexpected token.")
        }
        let request = try SchemaReader.read(document, as: .generateAccessToken)
        guard request["scope"]?.array?.isEmpty == false else {
            throw .violation("Request contains an invalid argument.", at: "scope")
        }
        guard let text = request["lifetime"]?.string, let lifetime = ProtoDuration(text) else {
            return TimeInterval(Self.maximumLifetime.seconds)
        }
        guard lifetime > .seconds(0), lifetime <= Self.maximumLifetime else {
            throw .violation("The lifetime must be more than 0 and at most 3600 seconds.", at: "lifetime")
        }
        return TimeInterval(lifetime.seconds) + TimeInterval(lifetime.nanoseconds) / 1_000_000_000
    }
}

extension Schema {
    fileprivate static let generateAccessToken = Schema(
        "google.iam.credentials.v1.GenerateAccessTokenRequest",
        ["name": .string, "delegates": .list(.string), "scope": .list(.string), "lifetime": .duration])
}

extension Date {
    /// `2026-12-01T08:00:00Z`. Google's own libraries do not accept fractions of a second here.
    fileprivate var rfc3339WholeSecond: String { rfc3339.prefix(19) + "Z" }
}
