import FCM

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `POST /token`: Google's OAuth token endpoint, as far as service accounts use it.
struct TokenService {
    /// Where Google has had it; key files of any age name one of these.
    static let paths: Set<[String]> = [["token"], ["o", "oauth2", "token"], ["oauth2", "v4", "token"]]
    /// The audience that most libraries write into an assertion, wherever they send it.
    private static let audience = "https://oauth2.googleapis.com/token"
    private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    func answer(_ call: Call, from backend: Backend) throws(OAuthError) -> Answer? {
        guard call.method == "POST" else { return nil }
        let form = try form(in: call)
        guard let grantType = form["grant_type"], !grantType.isEmpty else {
            throw OAuthError(.invalidRequest, "Required parameter is missing: grant_type")
        }
        guard grantType == Self.grantType else {
            throw OAuthError(.unsupportedGrantType, "Invalid grant_type: \(grantType)")
        }
        guard let text = form["assertion"], !text.isEmpty else {
            throw OAuthError(.invalidRequest, "Required parameter is missing: assertion")
        }
        let assertion = try Assertion(parsing: text)
        let (signIn, audiences) = (backend.signIn, audiences(of: call))
        let token = try backend.change { (world, now) throws(OAuthError) in
            try assertion.check(at: now, audiences: audiences, accounts: signIn.accounts)
            return world.issueToken(until: now.addingTimeInterval(signIn.accepted / .seconds(1)))
        }
        return .json([
            "access_token": .string(token), "expires_in": .int(signIn.lifetime.components.seconds),
            "token_type": "Bearer",
        ])
    }

    private func form(in call: Call) throws(OAuthError) -> [String: String] {
        let type = call.header(.contentType)?.prefix { $0 != ";" }.lowercased()
        guard type == "application/x-www-form-urlencoded", let body = call.body,
            let text = String(validating: body, as: UTF8.self)
        else { throw OAuthError(.invalidRequest, "Bad Request") }
        return Call.parameters(of: text[...])
    }

    /// Google's, and the address of this very endpoint: some libraries, Go's among them, write the key file's
    /// `token_uri` into the assertion.
    private func audiences(of call: Call) -> Set<String> {
        let address = (call.header(.host) ?? "localhost") + call.target.prefix { $0 != "?" }
        return [Self.audience, "http://" + address, "https://" + address]
    }
}

/// An error as OAuth 2.0 tells it (RFC 6749, section 5.2), with Google's descriptions where they are known.
struct OAuthError: AnswerableError, Hashable, Sendable {
    enum Code: String, Hashable, Sendable {
        case invalidGrant = "invalid_grant"
        case invalidRequest = "invalid_request"
        case invalidScope = "invalid_scope"
        case unsupportedGrantType = "unsupported_grant_type"
    }

    let code: Code
    let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    var answer: Answer {
        .json(["error": .string(code.rawValue), "error_description": .string(description)], status: 400)
    }
}
