internal import FCM

/// A form in which messages are written elsewhere.
package enum MessageForm: String, CaseIterable, Sendable {
    /// A request of the HTTP v1 API, or a message of Google's Admin SDKs.
    case v1
    /// A message of the HTTP and XMPP APIs that Google ended in 2024.
    case legacy
    /// The payload of a notification for Apple's service (APNs).
    case apns

    var words: String {
        switch self {
        case .v1: "a message of FCM's v1 API or its Admin SDKs"
        case .legacy: "a message of FCM's legacy API"
        case .apns: "a payload of Apple's push service"
        }
    }

    private static let keysOfV1: Set<String> = [
        "android", "android_v2", "androidV2", "apns", "webpush", "token", "tokens", "fid", "fids", "topic",
    ]

    /// The form that the message's keys tell. `nil` if they tell none.
    init?(of message: [String: JSONValue]) {
        let keys = Set(message.keys)
        let ofNotification = Set((message["notification"]?.object ?? [:]).keys)
        if message["aps"]?.object != nil {
            self = .apns
        } else if message["message"]?.object != nil {
            self = .v1
        } else if !keys.isDisjoint(with: LegacyMessage.ownKeys) {
            self = .legacy
        } else if !keys.isDisjoint(with: Self.keysOfV1) {
            self = .v1
        } else if !ofNotification.isSubset(of: ["title", "body", "image", "imageUrl"]) {
            self = .legacy
        } else if !keys.isDisjoint(with: ["notification", "data"]) {
            self = .v1
        } else {
            return nil
        }
    }
}
