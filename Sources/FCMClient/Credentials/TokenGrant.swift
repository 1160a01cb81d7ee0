internal import FCM

/// A token and its lifetime, counted from the request for it.
struct TokenGrant: Hashable, Sendable {
    /// In seconds. Google's tokens live for one hour, or for twelve where an administrator allows it.
    static let longestLifetime: Int64 = 86_400

    /// How long before its end the metadata server has a new token.
    static let metadataMargin = Duration.seconds(225)

    var token: AccessToken
    var lifetime: Duration
    /// How long before its end it should be renewed.
    var margin = TokenSource.margin
}

extension TokenGrant {
    /// Reads the answer of a token endpoint (RFC 6749 §5).
    ///
    /// - Parameter now: The local time in seconds since 1970, to compare with the answer's `Date`.
    init(_ answer: TokenAnswer, from service: TokenService, at now: Double) throws(TokenError) {
        let body = try Self.body(of: answer, from: service, at: now)
        guard let token = body["access_token"]?.string.flatMap(AccessToken.init(rawValue:)),
            body["token_type"].map({ $0.string?.lowercased() == "bearer" }) ?? true,
            let seconds = body["expires_in"].flatMap({ $0.int ?? $0.string.flatMap { Int64($0) } }), seconds > 0
        else { throw .unusableAnswer(of: service) }
        self.init(token: token, lifetime: .seconds(min(seconds, Self.longestLifetime)))
    }

    /// Reads the answer of `generateAccessToken`. It tells when the token ends by the server's clock.
    init(impersonation answer: TokenAnswer, at now: Double) throws(TokenError) {
        let body = try Self.body(of: answer, from: .impersonation, at: now)
        guard let token = body["accessToken"]?.string.flatMap(AccessToken.init(rawValue:)),
            let end = body["expireTime"]?.string.flatMap(Self.seconds)
        else { throw .unusableAnswer(of: .impersonation) }
        let there = answer.response?.date.flatMap(HTTPDate.seconds) ?? now
        let lifetime = Int64(min(max(end - there, 0), Double(Self.longestLifetime)))
        guard lifetime > 0 else { throw .unusableAnswer(of: .impersonation) }
        self.init(token: token, lifetime: .seconds(lifetime))
    }

    private static func body(
        of answer: TokenAnswer, from service: TokenService, at now: Double
    ) throws(TokenError) -> JSONValue {
        guard let response = answer.response else { throw .unusableCredential }
        guard response.status == 200 else { throw TokenError(response, from: service, at: now) }
        guard let body = try? JSONValue(parsing: response.body) else { throw .unusableAnswer(of: service) }
        return body
    }

    /// Seconds since 1970 of a time in RFC 3339, without its fractions.
    private static func seconds(_ text: String) -> Double? {
        guard text.utf8.count <= 40 else { return nil }
        let whole = text.prefix { $0 != "." }
        let zone = whole.count == text.count ? "" : text.dropFirst(whole.count + 1).drop(while: \.isWholeNumber)
        return try? Date(whole + zone, strategy: .iso8601).timeIntervalSince1970
    }
}

extension TokenError {
    fileprivate static func unusableAnswer(of service: TokenService) -> TokenError {
        .unavailable(reason: "\(service.rawValue)'s answer holds no usable access token", isWorthRepeating: false)
    }

    /// Reads a failure. The same failures are retried as in Google's own library.
    ///
    /// - Parameter now: `nil` if the answer has nothing to do with time.
    init(_ response: Response, from service: TokenService, at now: Double? = nil) {
        let body = try? JSONValue(parsing: response.body)
        // OAuth has a text there, Google's APIs an object.
        let error = body?["error"]
        let code = (error?.string ?? error?["status"]?.string).map { $0.withoutSecrets(60) }
        let detail = body?["error_description"]?.string ?? error?["message"]?.string
        let isPassing = code.map(["server_error", "temporarily_unavailable", "internal_failure"].contains) ?? false
        let reason = "\(service.rawValue) answered HTTP \(response.status)"
        switch response.status {
        case 408, 429, 500, 503, 504: self = .unavailable(reason: reason, isWorthRepeating: true)
        case _ where isPassing: self = .unavailable(reason: reason, isWorthRepeating: true)
        case 500...599: self = .unavailable(reason: reason, isWorthRepeating: false)
        case 400..<500:
            guard let code, !code.isEmpty else { fallthrough }
            self = .refused(
                code: code, detail: detail.map { $0.withoutSecrets(200) },
                clockLead: now.flatMap { now in response.date.flatMap { Self.clockLead($0, now: now) } })
        default:
            self = .unexpected(status: response.status, from: service)
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
