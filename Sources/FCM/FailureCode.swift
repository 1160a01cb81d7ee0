/// The codes that name failures in reports: FCM's codes, the gRPC statuses that it falls back to, and herald's own
/// codes for requests that got no answer.
package enum FailureCode: String, Sendable, CaseIterable {
    // FCM's ErrorCode reference: docs/reference/fcm-errors.md#errors
    case unregistered = "UNREGISTERED"
    case invalidArgument = "INVALID_ARGUMENT"
    case senderIDMismatch = "SENDER_ID_MISMATCH"
    case quotaExceeded = "QUOTA_EXCEEDED"
    case thirdPartyAuth = "THIRD_PARTY_AUTH_ERROR"
    /// The older name of `thirdPartyAuth`.
    case apnsAuth = "APNS_AUTH_ERROR"
    case unspecified = "UNSPECIFIED_ERROR"
    case unavailable = "UNAVAILABLE"
    case `internal` = "INTERNAL"

    // google.rpc.Code, for answers without an FCM code
    case unauthenticated = "UNAUTHENTICATED"
    case permissionDenied = "PERMISSION_DENIED"
    case notFound = "NOT_FOUND"
    case resourceExhausted = "RESOURCE_EXHAUSTED"
    case deadlineExceeded = "DEADLINE_EXCEEDED"
    case failedPrecondition = "FAILED_PRECONDITION"
    case aborted = "ABORTED"
    case unimplemented = "UNIMPLEMENTED"
    case unknown = "UNKNOWN"

    // Google's reasons (google.rpc.ErrorInfo) for a PERMISSION_DENIED
    case apiDisabled = "SERVICE_DISABLED"
    case permissionMissing = "IAM_PERMISSION_DENIED"
    case userProjectDenied = "USER_PROJECT_DENIED"
    /// herald's own name: Google gives the reason SERVICE_DISABLED for it, too.
    case quotaProjectMissing = "QUOTA_PROJECT_MISSING"

    // The topic APIs
    case tooManyTopics = "TOO_MANY_TOPICS"

    // herald's own codes
    case notSent = "NOT_SENT"
    case connectionLost = "CONNECTION_LOST"
    case unreadableResponse = "UNREADABLE_RESPONSE"
    case notPossible = "NOT_POSSIBLE"
    case noRegistration = "NO_REGISTRATION"
    case interrupted = "INTERRUPTED"
    case retryLater = "RETRY_LATER"
}

extension FailureCode {
    /// Those of FCM's ErrorCode reference: an answer's `FcmError` has one of them.
    package static let ofFCM: Set<FailureCode> = [
        .unregistered, .invalidArgument, .senderIDMismatch, .quotaExceeded, .thirdPartyAuth, .unspecified, .unavailable,
        .internal,
    ]
}
