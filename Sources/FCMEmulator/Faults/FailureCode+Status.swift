import FCM

extension FailureCode {
    /// One of FCM's own codes by its name; `nil` for every other text.
    init?(ofFCM name: String) {
        guard let code = FailureCode(rawValue: name), Self.ofFCM.contains(code) else { return nil }
        self = code
    }

    /// The HTTP status that goes with one of FCM's own codes (FCM, *ErrorCode*).
    var httpStatus: Int {
        switch self {
        case .invalidArgument: 400
        case .thirdPartyAuth: 401
        case .senderIDMismatch: 403
        case .unregistered: 404
        case .quotaExceeded: 429
        case .unavailable: 503
        default: 500
        }
    }
}
