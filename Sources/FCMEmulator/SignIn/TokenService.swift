import FCM

/// `POST /token`: Google's OAuth token endpoint, for service accounts and for people who signed in with gcloud.
struct TokenService {
    /// Google's paths for it over the years. Every key file names one of them.
    static let paths: Set<[String]> = [["token"], ["o", "oauth2", "token"], ["oauth2", "v4", "token"]]
    /// The audience that most libraries put into an assertion, whatever address they send it to.
    private static let audience = "https://oauth2.googleapis.com/token"
    /// The scope of people who signed in with gcloud.
    private static let userScope = "https://www.googleapis.com/auth/cloud-platform"

    func answer(_ call: Call, from backend: Backend) throws(OAuthError) -> Answer? {
        guard call.method == "POST" else { return nil }
        let form = try call.form()
        switch form["grant_type"] {
        case "urn:ietf:params:oauth:grant-type:jwt-bearer": return try bearer(form, call, from: backend)
        case "refresh_token": return try refresh(form, from: backend)
        case nil: throw OAuthError(.invalidRequest, "Required parameter is missing: grant_type")
        case let type?: throw OAuthError(.unsupportedGrantType, "Invalid grant_type: \(type)")
        }
    }

    /// A service account's own assertion (RFC 7523).
    private func bearer(
        _ form: [String: String], _ call: Call, from backend: Backend
    ) throws(OAuthError) -> Answer {
        guard let text = form["assertion"] else {
            throw OAuthError(.invalidRequest, "Required parameter is missing: assertion")
        }
        let assertion = try Assertion(parsing: text)
        let (audiences, accounts) = (audiences(of: call), backend.signIn.accounts)
        return .json(
            .object(
                try backend.grant { (_, now) throws(OAuthError) in
                    try assertion.check(at: now, audiences: audiences, accounts: accounts)
                }))
    }

    /// A person's refresh token (RFC 6749, section 6). The emulator accepts every client and every refresh token.
    private func refresh(_ form: [String: String], from backend: Backend) throws(OAuthError) -> Answer {
        guard form["client_id"] != nil else {
            throw OAuthError(.invalidRequest, "Could not determine client ID from request.")
        }
        guard form["client_secret"] != nil else { throw OAuthError(.invalidRequest, "client_secret is missing.") }
        guard form["refresh_token"] != nil else {
            throw OAuthError(.invalidRequest, "Missing required parameter: refresh_token")
        }
        var answer = try backend.grant()
        answer["scope"] = .string(form["scope"] ?? Self.userScope)
        return .json(.object(answer))
    }

    /// Google's audience and this endpoint's address. Some libraries, such as Go's, use the key file's `token_uri` as
    /// the audience.
    private func audiences(of call: Call) -> Set<String> {
        let address = (call.header(.host) ?? "localhost") + call.target.prefix { $0 != "?" }
        return [Self.audience, "http://" + address, "https://" + address]
    }
}
