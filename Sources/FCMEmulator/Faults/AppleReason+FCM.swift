import FCM

/// How Apple's push service answers with a reason, and how FCM passes it on.
extension AppleReason {
    /// APNs' HTTP status for the reason (Apple, *Handling notification responses from APNs*).
    var statusCode: Int64 {
        switch self {
        case .unregistered, .expiredToken: 410
        case .expiredProviderToken, .invalidProviderToken, .missingProviderToken, .badCertificate,
            .badCertificateEnvironment, .badEnvironmentKeyInToken, .unrelatedKeyIDInToken, .forbidden:
            403
        case .payloadTooLarge: 413
        case .tooManyRequests, .tooManyProviderTokenUpdates: 429
        case .internalServerError: 500
        case .serviceUnavailable, .shutdown: 503
        default: 400
        }
    }

    /// The code with which FCM passes it on.
    var fcmCode: FailureCode {
        switch self {
        case .expiredProviderToken, .invalidProviderToken, .missingProviderToken, .badCertificate,
            .badCertificateEnvironment, .badEnvironmentKeyInToken, .unrelatedKeyIDInToken, .forbidden,
            .topicDisallowed:
            .thirdPartyAuth
        case .tooManyRequests, .tooManyProviderTokenUpdates, .serviceUnavailable, .shutdown, .idleTimeout: .unavailable
        case .internalServerError: .internal
        default: .invalidArgument
        }
    }
}
