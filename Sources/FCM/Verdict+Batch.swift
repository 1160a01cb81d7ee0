extension Verdict {
    /// Judges the answer to a batch of the Instance ID service: one verdict for each registration, in order. Repeating
    /// a batch does no harm.
    package static func verdicts(batch exchange: Exchange, for registrations: [Registration]) -> [Verdict] {
        let whole: Verdict
        switch exchange {
        case .notSent(let reason): whole = .again(.notSent(reason), .afterNothing)
        case .refused(let reason): whole = .stop(.refused(reason))
        case .lost(let reason): whole = .again(.lost(reason), .afterLoss)
        case .response(let response):
            let error = ErrorBody(response.body)
            if response.status == 200, error.status == nil {
                let results = (try? JSONValue(parsing: response.body))?["results"]?.array
                if let results, results.count == registrations.count {
                    return zip(results, registrations).map(Verdict.init(batchResult:for:))
                }
                whole = .again(.unreadable("the answer does not hold one result for each registration"), .afterNonsense)
            } else {
                whole = Verdict(failedBatch: response, error)
            }
        }
        return Array(repeating: whole, count: registrations.count)
    }

    /// Judges the failure of a whole batch. The HTTP status may be 200; then only the code in the body tells that it
    /// failed.
    private init(failedBatch response: Response, _ error: ErrorBody) {
        let failure = Failure(response, error)
        let word = error.status.map { BatchWord($0) }
        switch word?.status ?? (response.status == 200 ? 400 : response.status) {
        case 401: self = .unauthenticated(failure)
        case 429 where word == .tooManyTopics: self = .rejected(failure)
        case let status:
            self = Repeat(afterRepeatable: status, response, error).map { .again(failure, $0) } ?? .stop(failure)
        }
    }

    private init(batchResult result: JSONValue, for registration: Registration) {
        guard let members = result.object else {
            self = .again(.unreadable("a result is no JSON object"), .afterNonsense)
            return
        }
        guard let error = members["error"] else {
            self = .accepted(messageID: nil)
            return
        }
        guard let text = error.string, !text.isEmpty else {
            self = .again(.unreadable("an error is no text"), .afterNonsense)
            return
        }
        let word = BatchWord(text)
        let failure = Failure(
            code: Failure.fit(word.rawValue, 64), httpStatus: 200,
            message: "the Instance ID service answered \(Failure.fit(text, 64)) for this registration")
        switch word {
        case .notFound: self = .dead(failure)
        // No page says that this service accepts fids. For a fid this code may only mean that it does not.
        case .invalidArgument: self = registration.kind == .token ? .dead(failure) : .rejected(failure)
        case .resourceExhausted: self = .again(failure, Repeat(effect: .refused, floor: .seconds(60)))
        case .internal, .deadlineExceeded, .unknown, .unavailable: self = .again(failure, .afterNonsense)
        case .permissionDenied: self = .stop(failure)
        default: self = .rejected(failure)
        }
    }
}

/// The Instance ID service's error code. Some write `TOO_MANY_TOPICS`, others `too-many-topics`.
private struct BatchWord: RawRepresentable, Hashable {
    let rawValue: String

    init(rawValue: String) { self.rawValue = rawValue }

    init(_ code: FailureCode) { rawValue = code.rawValue }

    init(_ text: String) {
        rawValue = text.contains(" ") ? text : text.uppercased().replacing("-", with: "_")
    }

    static let notFound = Self(.notFound)
    static let invalidArgument = Self(.invalidArgument)
    static let tooManyTopics = Self(.tooManyTopics)
    static let resourceExhausted = Self(.resourceExhausted)
    static let `internal` = Self(.internal)
    static let deadlineExceeded = Self(.deadlineExceeded)
    static let unknown = Self(rawValue: "UNKNOWN")
    static let unavailable = Self(.unavailable)
    static let permissionDenied = Self(.permissionDenied)
    static let unauthenticated = Self(.unauthenticated)

    /// The HTTP status with the same meaning. `nil` for codes that FCM does not have.
    var status: Int? {
        switch self {
        case .invalidArgument: 400
        case .unauthenticated: 401
        case .permissionDenied: 403
        case .notFound: 404
        case .tooManyTopics, .resourceExhausted: 429
        case .internal, .unknown: 500
        case .unavailable: 503
        case .deadlineExceeded: 504
        default: nil
        }
    }
}
