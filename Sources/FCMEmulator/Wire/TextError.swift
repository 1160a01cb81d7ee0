import FCM

/// An error of Google's older services, Instance ID and device groups: a status and one text.
struct TextError: AnswerableError, Hashable, Sendable {
    var status = 400
    var text: String

    var answer: Answer { .json(["error": .string(text)], status: status) }
}

extension TextError {
    /// The answer of both services to a call without a valid sign-in or without `access_token_auth`. The status is
    /// documented, the text is not.
    static let unauthorized = TextError(status: 401, text: "Unauthorized")

    static let invalidArgument = TextError(text: FailureCode.invalidArgument.rawValue)
}

extension Call {
    /// Refuses a call that does not say that its bearer token is an OAuth token.
    func checkAccessTokenAuth() throws(TextError) {
        guard header(.accessTokenAuth)?.lowercased() == "true" else { throw .unauthorized }
    }

    /// The members of the JSON object in the body.
    func members() throws(TextError) -> [String: JSONValue] {
        guard let body else { throw TextError(status: 413, text: "Request payload size exceeds the limit.") }
        guard let members = (try? JSONValue(parsing: body))?.object else { throw .invalidArgument }
        return members
    }
}
