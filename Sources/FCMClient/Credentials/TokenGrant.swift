internal import FCM

/// A token and how long it is good for, from when it was asked for.
struct TokenGrant: Hashable, Sendable {
    /// Google's last an hour, or twelve where somebody allowed it.
    static let longestLifetime: Int64 = 86_400

    var token: AccessToken
    var lifetime: Duration
}

extension TokenGrant {
    /// Reads what a token endpoint answered (RFC 6749 §5).
    ///
    /// - Parameter now: The time here in seconds since 1970, to be held against the answer's.
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
    /// Reads a failure. Which ones are worth another try is as in Google's own library.
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

    /// Says by how much the clocks differ when it is more than a minute.
    private static func clockLead(_ header: String, now: Double) -> Duration? {
        guard let there = HTTPDate.seconds(header) else { return nil }
        let lead = now - there
        return abs(lead) > 60 && abs(lead) < 1e10 ? .seconds(Int64(lead)) : nil
    }
}

extension String {
    /// Their words as they may be shown: one line, no more than anybody reads, and nothing long enough to be a secret.
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
