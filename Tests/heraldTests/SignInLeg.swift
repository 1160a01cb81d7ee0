import FCM

/// One request on the way to an access token, and how its endpoint refuses a credential for good.
struct SignInLeg: Sendable {
    let name: String
    /// Its endpoint, as the emulator names it.
    let endpoint: String
    /// The last part of its path.
    let path: String
    /// The `do` of a fault that revokes the credential.
    let revoked: JSONValue
    /// What herald says then: Google's own words, by docs/how-to/credentials.md.
    let sentence: String
    /// How many requests there are for the first token. A metadata server is looked for once.
    var requests = 1

    static let assertion = SignInLeg(
        name: "assertion", endpoint: "token", path: "/token", revoked: ["status": 400, "code": "invalid_grant"],
        sentence: "Google refused the credential: invalid_grant, Invalid JWT Signature.")
    static let refresh = SignInLeg(
        name: "refresh token", endpoint: "token", path: "/token",
        revoked: ["status": 400, "code": "invalid_grant"],
        sentence: "Google refused the credential: invalid_grant, Token has been expired or revoked.")
    static let identity = SignInLeg(
        name: "identity", endpoint: "oidc", path: "/oidc/token", revoked: ["status": 401],
        sentence: "the source of the subject token answered HTTP 401")
    static let exchange = SignInLeg(
        name: "exchange", endpoint: "exchange", path: "/v1/token",
        revoked: ["status": 400, "code": "invalid_grant"],
        sentence: "invalid_grant, The given credential is rejected by the attribute condition.")
    static let impersonation = SignInLeg(
        name: "impersonation", endpoint: "impersonation", path: ":generateAccessToken", revoked: ["status": 403],
        sentence: "PERMISSION_DENIED, Permission 'iam.serviceAccounts.getAccessToken' denied")
    static let metadata = SignInLeg(
        name: "metadata", endpoint: "metadata", path: "/instance/service-accounts/default/token",
        revoked: ["status": 404], sentence: "the metadata server answered HTTP 404", requests: 2)
}
