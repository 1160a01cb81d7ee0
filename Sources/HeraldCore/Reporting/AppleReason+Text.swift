package import FCM

extension AppleReason {
    /// What happened, in a sentence for people.
    package var meaning: String {
        switch self {
        case .badDeviceToken: "Apple does not know the device's token: it is from the other environment, or malformed."
        case .deviceTokenNotForTopic: "The device's token belongs to an app with another bundle id."
        case .unregistered: "The app was removed from the device, or it may not get notifications any more."
        case .expiredToken: "The device's token has expired."
        case .expiredProviderToken: "What FCM signs in with at Apple has expired."
        case .invalidProviderToken: "Apple does not take the APNs key: it is revoked, or an id beside it is wrong."
        case .missingProviderToken: "The Firebase project has no APNs key for this app."
        case .badCertificate: "Apple does not take the APNs certificate."
        case .badCertificateEnvironment: "The APNs certificate is for the other environment."
        case .badEnvironmentKeyInToken: "The APNs key is for the other environment."
        case .unrelatedKeyIDInToken: "The APNs key belongs to another team or app."
        case .forbidden: "Apple does not allow this sender to send."
        case .topicDisallowed: "The APNs key may not send to this app."
        case .badCollapseID: "The header apns-collapse-id is too long."
        case .badExpirationDate: "The header apns-expiration is not a time."
        case .badPriority: "The header apns-priority has a value that Apple does not take."
        case .badTopic: "The header apns-topic is wrong."
        case .invalidPushType: "The header apns-push-type has a value that Apple does not take."
        case .payloadEmpty: "The notification has no content for Apple devices."
        case .payloadTooLarge: "The notification has more than 4,096 bytes on Apple devices."
        case .duplicateHeaders: "A header for Apple is there twice."
        case .missingTopic: "Apple was not told for which app it is."
        case .tooManyRequests: "Too many notifications went to this device in a short time."
        case .tooManyProviderTokenUpdates: "FCM changed its sign-in at Apple too often."
        case .internalServerError: "Something went wrong at Apple."
        case .serviceUnavailable: "Apple's push service is not available."
        case .shutdown: "Apple's server is shutting down."
        case .idleTimeout: "FCM's connection to Apple was idle for too long."
        }
    }

    /// What herald does about it.
    package var consequence: String {
        switch self {
        case .unregistered, .expiredToken:
            "The registration is dead. It is forgotten, unless too many are said to be dead at once."
        case .badDeviceToken, .deviceTokenNotForTopic:
            "The recipient is rejected and kept: the cause may be a key for another environment or app."
        default:
            switch subject {
            case .device, .message: "The recipient is rejected; other platforms go on."
            case .credentials: "The recipient is rejected and kept; other platforms go on."
            case .service: "It is tried again, and a send counts as a possible duplicate."
            }
        }
    }

    /// What a person does about it. `nil` if there is nothing to do.
    package var remedy: String? {
        switch self {
        case .badDeviceToken, .badCertificateEnvironment, .badEnvironmentKeyInToken:
            "If many devices have it, upload a key for their environment in the Firebase console: builds from Xcode use development, all others production."
        case .deviceTokenNotForTopic, .topicDisallowed:
            "If many devices have it, compare the app's bundle id in the Firebase console with the one in Xcode."
        default:
            switch subject {
            case .credentials: "Renew the APNs key in the Firebase console: Project settings, Cloud Messaging."
            case .message: "Mend `apns` in the campaign's message."
            case .device, .service: nil
            }
        }
    }
}
