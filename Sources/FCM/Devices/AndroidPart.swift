/// Where a message says what Android devices get: in `android`, or in `android_v2`, FCM's preview of what follows it. FCM
/// refuses a message that has both.
package enum AndroidPart: String, Hashable, Sendable, CaseIterable {
    case current = "android"
    case preview = "android_v2"

    /// The part that the message has. `current` if it has none.
    package init(of message: [String: JSONValue]) { self = message["android_v2"] == nil ? .current : .preview }

    /// The keys that lead to the part's notification.
    package var notification: [String] {
        switch self {
        case .current: [rawValue, "notification"]
        case .preview: [rawValue, "remote_notification", "notification"]
        }
    }
}
