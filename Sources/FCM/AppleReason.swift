/// Why Apple's push service refused a notification, in Apple's words. FCM passes them on in `ApnsError.reason`.
package enum AppleReason: String, Hashable, Sendable, CaseIterable {
    // About the device
    case badDeviceToken = "BadDeviceToken"
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    case unregistered = "Unregistered"
    case expiredToken = "ExpiredToken"
    // About the key or certificate in the Firebase console
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
    // About Apple's service
    case tooManyRequests = "TooManyRequests"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    case internalServerError = "InternalServerError"
    case serviceUnavailable = "ServiceUnavailable"
    case shutdown = "Shutdown"
    case idleTimeout = "IdleTimeout"

    /// What the reason is about.
    package enum Subject: Hashable, Sendable {
        case device, credentials, message, service
    }

    package var subject: Subject {
        switch self {
        case .badDeviceToken, .deviceTokenNotForTopic, .unregistered, .expiredToken: .device
        case .expiredProviderToken, .invalidProviderToken, .missingProviderToken, .badCertificate,
            .badCertificateEnvironment, .badEnvironmentKeyInToken, .unrelatedKeyIDInToken, .forbidden,
            .topicDisallowed:
            .credentials
        case .badCollapseID, .badExpirationDate, .badPriority, .badTopic, .invalidPushType, .payloadEmpty,
            .payloadTooLarge, .duplicateHeaders, .missingTopic:
            .message
        case .tooManyRequests, .tooManyProviderTokenUpdates, .internalServerError, .serviceUnavailable, .shutdown,
            .idleTimeout:
            .service
        }
    }
}
