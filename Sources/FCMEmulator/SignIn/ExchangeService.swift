import FCM

/// `POST /v1/token`: Google's Security Token Service, which exchanges another provider's token for one of Google's (RFC
/// 8693). The other provider's signature is not verified.
struct ExchangeService {
    static let path = ["v1", "token"]

    private static let grantType = "urn:ietf:params:oauth:grant-type:token-exchange"
    private static let accessToken = "urn:ietf:params:oauth:token-type:access_token"
    private static let subjectTypes: Set = [
        accessToken, "urn:ietf:params:oauth:token-type:id_token", "urn:ietf:params:oauth:token-type:jwt",
        "urn:ietf:params:oauth:token-type:mtls", "urn:ietf:params:oauth:token-type:saml2",
        "urn:ietf:params:aws:token-type:aws4_request",
    ]

    func answer(_ call: Call, from backend: Backend) throws(OAuthError) -> Answer? {
        guard call.method == "POST" else { return nil }
        let form = try call.form()
        guard form["grant_type"] == Self.grantType else {
            throw OAuthError(.unsupportedGrantType, "Invalid value for \"grant_type\".")
        }
        guard let audience = form["audience"], audience.hasPrefix("//iam.googleapis.com/") else {
            throw OAuthError(.invalidRequest, "Invalid value for \"audience\".")
        }
        guard form["requested_token_type", default: Self.accessToken] == Self.accessToken else {
            throw OAuthError(.invalidRequest, "Invalid value for \"requested_token_type\".")
        }
        guard let type = form["subject_token_type"], Self.subjectTypes.contains(type) else {
            throw OAuthError(.invalidRequest, "Invalid value for \"subject_token_type\".")
        }
        guard form["subject_token"] != nil else {
            throw OAuthError(.invalidRequest, "Invalid value for \"subject_token\".")
        }
        guard form["scope"] != nil else { throw OAuthError(.invalidScope, "Invalid value for \"scope\".") }
        var answer = try backend.grant()
        answer["issued_token_type"] = .string(Self.accessToken)
        return .json(.object(answer))
    }
}
