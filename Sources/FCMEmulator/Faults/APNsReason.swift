import FCM

/// The reasons why APNs rejects a notification, in Apple's words, and how FCM passes them on.
enum APNsReason: String, Hashable, Sendable, CaseIterable {
    // About the device
    case badDeviceToken = "BadDeviceToken"
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    case unregistered = "Unregistered"
    case expiredToken = "ExpiredToken"
    // About the app's credentials
    case expiredProviderToken = "ExpiredProviderToken"
    case invalidProviderToken = "InvalidProviderToken"
    case missingProviderToken = "MissingProviderToken"
    case badCertificate = "BadCertificate"
    case badCertificateEnvironment = "BadCertificateEnvironment"
    case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
    case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
    case forbidden = "Forbidden"
    case topicDisallowed = "TopicDisallowed"
    // About the message
    case badCollapseID = "BadCollapseId"
    case badExpirationDate = "BadExpirationDate"
    case badPriority = "BadPriority"
    case badTopic = "BadTopic"
    case invalidPushType = "InvalidPushType"
    case payloadEmpty = "PayloadEmpty"
    case payloadTooLarge = "PayloadTooLarge"
    case duplicateHeaders = "DuplicateHeaders"
    case missingTopic = "MissingTopic"
    // About the service
    case tooManyRequests = "TooManyRequests"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    case internalServerError = "InternalServerError"
    case serviceUnavailable = "ServiceUnavailable"
    case shutdown = "Shutdown"
    case idleTimeout = "IdleTimeout"

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
