import CryptoExtras

/// How callers sign in, and whether they have to.
struct SignIn: Sendable {
    /// If true, only tokens from this emulator are accepted. If false, any other token works, and so does none.
    var isRequired = false
    /// The lifetime that is told with a token.
    var lifetime: Duration = .seconds(3599)
    /// How long an issued token is accepted, whatever its lifetime.
    var accepted: Duration = .seconds(3599)
    /// The known issuers of assertions with their keys. If it is empty, every issuer and every signature is accepted.
    var accounts: [String: _RSA.Signing.PublicKey] = [:]
}

extension SignIn {
    init(_ configuration: Emulator.Configuration) throws(EmulatorError) {
        isRequired = configuration.requiresAuthorization
        lifetime = configuration.tokenLifetime
        accepted = configuration.tokenAccepted ?? configuration.tokenLifetime
        for (account, pem) in configuration.serviceAccounts {
            do { accounts[account] = try _RSA.Signing.PublicKey(pemRepresentation: pem) } catch {
                throw .cannotReadKey(account: account)
            }
        }
    }
}

/// What is wrong with a call's `Authorization` header.
enum SignInFlaw: Hashable, Sendable {
    case missing, unknown, expired
}

/// The access tokens that the emulator issued.
struct AccessTokens: Sendable {
    /// The times from which tokens are refused. Expired ones are kept, so that they are not taken for tokens of someone
    /// else.
    private var ends: [String: Date] = [:]

    mutating func add(_ token: String, until end: Date) { ends[token] = end }

    func flaw(of authorization: String?, at now: Date, isRequired: Bool) -> SignInFlaw? {
        guard let authorization else { return isRequired ? .missing : nil }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        // The legacy `key=…` is not a bearer token.
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return .unknown }
        guard let end = ends[String(parts[1])] else { return isRequired ? .unknown : nil }
        return now < end ? nil : .expired
    }
}

extension Backend {
    func signInFlaw(of call: Call) -> SignInFlaw? {
        if isReplaying { return nil }
        let required = signIn.isRequired
        return read { (world, now) in
            world.tokens.flaw(of: call.header(.authorization), at: now, isRequired: required)
        }
    }
}

extension GoogleError {
    /// Google's own texts and reasons.
    static func unauthenticated(
        _ flaw: SignInFlaw, service: String = "fcm.googleapis.com"
    ) -> GoogleError {
        let expectation =
            "Expected OAuth 2 access token, login cookie or other valid authentication credential. "
            + "See https://developers.google.com/identity/sign-in/web/devconsole-project."
        let (complaint, reason) =
            switch flaw {
            case .missing: ("Request is missing required authentication credential.", "CREDENTIALS_MISSING")
            case .unknown: ("Request had invalid authentication credentials.", "ACCESS_TOKEN_TYPE_UNSUPPORTED")
            case .expired: ("Request had invalid authentication credentials.", "ACCESS_TOKEN_EXPIRED")
            }
        return GoogleError(
            status: .unauthenticated, message: "\(complaint) \(expectation)",
            details: [.info(reason: reason, metadata: ["service": service])],
            challenge: #"Bearer realm="https://accounts.google.com/""#
                + (flaw == .missing ? "" : #", error="invalid_token""#))
    }
}
