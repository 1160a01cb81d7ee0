import FCM

/// An OAuth 2.0 error (RFC 6749, section 5.2), with Google's descriptions if they are known.
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
