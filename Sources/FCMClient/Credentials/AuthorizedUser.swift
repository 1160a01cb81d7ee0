internal import FCM

/// A person who signed in with `gcloud auth application-default login` (RFC 6749 §6).
struct AuthorizedUser: Sendable {
    private static let tokenURL = "https://oauth2.googleapis.com/token"

    let account: String?
    let quotaProject: String?
    let tokenURL: TokenURL
    private let clientID: String
    private let clientSecret: Secret
    private let refreshToken: Secret

    /// Google's files have no `token_uri`. One is taken if it is on this machine.
    init(_ fields: CredentialFields) throws(CredentialFileError) {
        try fields.checkUniverse()
        account = try fields.optionalText("account")
        quotaProject = try fields.optionalProject("quota_project_id")
        clientID = try fields.text("client_id")
        clientSecret = try fields.secret("client_secret")
        refreshToken = try fields.secret("refresh_token")
        let named = try fields.optionalText("token_uri").flatMap { TokenURL($0) }
        guard let url = named?.endpoint.isLoopback == true ? named : TokenURL(Self.tokenURL) else {
            throw .url("token_uri")
        }
        tokenURL = url
    }

    var legs: [any TokenLeg] { [RefreshLeg(user: self)] }

    private struct RefreshLeg: TokenLeg {
        let user: AuthorizedUser

        func step(with _: Secret, at _: Double) -> TokenStep {
            .call(
                .form(
                    [
                        ("grant_type", "refresh_token"), ("client_id", user.clientID),
                        ("client_secret", user.clientSecret.rawValue),
                        ("refresh_token", user.refreshToken.rawValue),
                    ], to: user.tokenURL, .token, hiding: [user.clientSecret, user.refreshToken]))
        }

        func find(in answer: TokenAnswer, at now: Double) throws(TokenError) -> TokenFinding {
            .grant(try TokenGrant(answer, from: .token, at: now))
        }
    }
}
