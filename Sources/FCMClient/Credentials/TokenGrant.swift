internal import FCM

/// A token and its lifetime, counted from the request for it.
struct TokenGrant: Hashable, Sendable {
    /// In seconds. Google's tokens live for one hour, or for twelve where an administrator allows it.
    static let longestLifetime: Int64 = 86_400

    var token: AccessToken
    var lifetime: Duration
}

extension TokenGrant {
    /// Reads the answer of a token endpoint (RFC 6749 §5).
    ///
    /// - Parameter now: The local time in seconds since 1970, to compare with the answer's `Date`.
    init(_ response: Response, now: Double) throws(TokenError) {
        let answer = try? JSONValue(parsing: response.body)
        guard response.status == 200 else { throw TokenError(response, answer, now: now) }
        guard let token = answer?["access_token"]?.string.flatMap(AccessToken.init(rawValue:)),
            answer?["token_type"].map({ $0.string?.lowercased() == "bearer" }) ?? true,
            let seconds = answer?["expires_in"].flatMap({ $0.int ?? $0.string.flatMap { Int64($0) } }), seconds > 0
        else {
            throw .unavailable(
                reason: "the token endpoint's answer holds no usable access token", isWorthRepeating: false)
        }
        self.init(token: token, lifetime: .seconds(min(seconds, Self.longestLifetime)))
    }
}

extension TokenError {
    /// Reads a failure. The same failures are retried as in Google's own library.
    fileprivate init(_ response: Response, _ answer: JSONValue?, now: Double) {
        let code = answer?["error"]?.string.map { $0.withoutSecrets(60) }
        let isPassing = code.map(["server_error", "temporarily_unavailable", "internal_failure"].contains) ?? false
        switch response.status {
        case 408, 429, 500, 503, 504:
            self = .unavailable(reason: "the token endpoint answered HTTP \(response.status)", isWorthRepeating: true)
        case let status where isPassing:
            self = .unavailable(reason: "the token endpoint answered HTTP \(status)", isWorthRepeating: true)
        case 500...599:
            self = .unavailable(reason: "the token endpoint answered HTTP \(response.status)", isWorthRepeating: false)
        case 400..<500:
            guard let code, !code.isEmpty else { fallthrough }
            self = .refused(
                code: code, detail: answer?["error_description"]?.string.map { $0.withoutSecrets(200) },
                clockLead: response.date.flatMap { Self.clockLead($0, now: now) })
        default:
            self = .notATokenEndpoint(status: response.status)
        }
    }

    /// The difference of the clocks, if it is more than a minute.
    private static func clockLead(_ header: String, now: Double) -> Duration? {
        guard let there = HTTPDate.seconds(header) else { return nil }
        let lead = now - there
        return abs(lead) > 60 && abs(lead) < 1e10 ? .seconds(Int64(lead)) : nil
    }
}

extension String {
    /// The server's text as it may be shown: on one line, limited in length, and without words that are long enough to
    /// be a secret.
    fileprivate func withoutSecrets(_ limit: Int) -> String {
        var shown = ""
        for word in prefix(4096).split(whereSeparator: { $0.isWhitespace || $0.isNewline }) {
            if !shown.isEmpty { shown += " " }
            let isHarmless =
                word.utf8.count <= 40
                && word.unicodeScalars.allSatisfy { $0.properties.generalCategory.isPrintable }
            shown += isHarmless ? String(word) : "(…)"
        }
        return shown.count > limit ? shown.prefix(limit) + "…" : shown
    }
}

extension Unicode.GeneralCategory {
    fileprivate var isPrintable: Bool {
        switch self {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
