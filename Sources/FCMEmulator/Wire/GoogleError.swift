import FCM

/// An error of Google's APIs: a status, a message and typed details.
struct GoogleError: AnswerableError, Hashable, Sendable {
    var status: Status
    /// Set if it differs from the usual one for the status.
    var httpStatus: Int?
    var message: String
    /// In the order of writing. FCM's own order depends on the error.
    var details: [Detail] = []
    /// The `WWW-Authenticate` header of a 401.
    var challenge: String?

    enum Status: String, Hashable, Sendable {
        case invalidArgument = "INVALID_ARGUMENT"
        case unauthenticated = "UNAUTHENTICATED"
        case permissionDenied = "PERMISSION_DENIED"
        case notFound = "NOT_FOUND"
        case alreadyExists = "ALREADY_EXISTS"
        case aborted = "ABORTED"
        case failedPrecondition = "FAILED_PRECONDITION"
        case resourceExhausted = "RESOURCE_EXHAUSTED"
        case `internal` = "INTERNAL"
        case unimplemented = "UNIMPLEMENTED"
        case unavailable = "UNAVAILABLE"
        case deadlineExceeded = "DEADLINE_EXCEEDED"
        case unknown = "UNKNOWN"

        /// The status for an HTTP status (google/rpc/code.proto). A general one if it is not in that list.
        init(httpStatus: Int) {
            self =
                switch httpStatus {
                case 401: .unauthenticated
                case 403: .permissionDenied
                case 404: .notFound
                case 409: .alreadyExists
                case 412: .failedPrecondition
                case 429: .resourceExhausted
                case ..<500: .invalidArgument
                case 500: .internal
                case 501: .unimplemented
                case 503: .unavailable
                case 504: .deadlineExceeded
                default: .unknown
                }
        }

        var httpStatus: Int {
            switch self {
            case .invalidArgument, .failedPrecondition: 400
            case .unauthenticated: 401
            case .permissionDenied: 403
            case .notFound: 404
            case .alreadyExists, .aborted: 409
            case .resourceExhausted: 429
            case .internal, .unknown: 500
            case .unimplemented: 501
            case .unavailable: 503
            case .deadlineExceeded: 504
            }
        }
    }

    enum Detail: Hashable, Sendable {
        /// `FcmError`. Faults may give a code that no reference has.
        case fcm(code: String)
        case badRequest([Violation])
        case apns(statusCode: Int64, reason: String)
        case info(reason: String, metadata: [String: String])
        case quota(subject: String, description: String)

        static func fcm(_ code: FailureCode) -> Detail { .fcm(code: code.rawValue) }
    }

    struct Violation: Hashable, Sendable {
        /// The path of the wrong field. `nil` if the whole document is wrong.
        var field: String?
        var description: String
    }
}

extension GoogleError {
    /// The error of Google's front end for a document that does not fit the schema. FCM itself does not see such a
    /// request.
    static func violations(_ violations: [Violation]) -> GoogleError {
        GoogleError(
            status: .invalidArgument,
            message: violations.map(\.description).joined(separator: "\n"),
            details: [.badRequest(violations)])
    }

    static func violation(_ description: String, at field: String? = nil) -> GoogleError {
        .violations([Violation(field: field, description: description)])
    }

    /// FCM's error for a message that fits the schema but breaks a rule.
    static func invalidMessage(_ message: String, at field: String) -> GoogleError {
        GoogleError(
            status: .invalidArgument, message: message,
            details: [
                .badRequest([Violation(field: field, description: message)]), .fcm(.invalidArgument),
            ])
    }

    var answer: Answer {
        let code = httpStatus ?? status.httpStatus
        var error: [String: JSONValue] = [
            "code": .int(Int64(code)), "message": .string(message), "status": .string(status.rawValue),
        ]
        if !details.isEmpty { error["details"] = .array(details.map(\.json)) }
        var answer = Answer.json(["error": .object(error)], status: code)
        answer.headers = challenge.map { [(name: "WWW-Authenticate", value: $0)] } ?? []
        return answer
    }
}

extension GoogleError.Detail {
    fileprivate var json: JSONValue {
        switch self {
        case .fcm(let code):
            return ["@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": .string(code)]
        case .apns(let statusCode, let reason):
            return [
                "@type": "type.googleapis.com/google.firebase.fcm.v1.ApnsError",
                "statusCode": .int(statusCode), "reason": .string(reason),
            ]
        case .info(let reason, let metadata):
            return [
                "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": .string(reason),
                "domain": "googleapis.com", "metadata": .object(metadata.mapValues { .string($0) }),
            ]
        case .quota(let subject, let description):
            return [
                "@type": "type.googleapis.com/google.rpc.QuotaFailure",
                "violations": [["subject": .string(subject), "description": .string(description)]],
            ]
        case .badRequest(let violations):
            var detail: [String: JSONValue] = ["@type": "type.googleapis.com/google.rpc.BadRequest"]
            if !violations.isEmpty { detail["fieldViolations"] = .array(violations.map(\.json)) }
            return .object(detail)
        }
    }
}

extension GoogleError.Violation {
    fileprivate var json: JSONValue {
        var violation: [String: JSONValue] = ["description": .string(description)]
        if let field { violation["field"] = .string(field) }
        return .object(violation)
    }
}
