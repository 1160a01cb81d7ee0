/// The codes by which reports name failures: FCM's, the gRPC statuses it falls back to, and our own for what never
/// became an answer.
package enum FailureCode: String, Sendable, CaseIterable {
    // FCM's ErrorCode reference
    case unregistered = "UNREGISTERED"
    case invalidArgument = "INVALID_ARGUMENT"
    case senderIDMismatch = "SENDER_ID_MISMATCH"
    case quotaExceeded = "QUOTA_EXCEEDED"
    case thirdPartyAuth = "THIRD_PARTY_AUTH_ERROR"
    case unspecified = "UNSPECIFIED_ERROR"
    case unavailable = "UNAVAILABLE"
    case `internal` = "INTERNAL"

    // google.rpc.Code, where FCM says nothing of its own
    case unauthenticated = "UNAUTHENTICATED"
    case permissionDenied = "PERMISSION_DENIED"
    case notFound = "NOT_FOUND"
    case resourceExhausted = "RESOURCE_EXHAUSTED"
    case deadlineExceeded = "DEADLINE_EXCEEDED"

    // The topic APIs
    case tooManyTopics = "TOO_MANY_TOPICS"

    // Our own
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
