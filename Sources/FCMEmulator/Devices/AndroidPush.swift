import FCM

/// What an Android app gets of a message: `android` overrides the common notification field by field, and the data as a
/// whole.
///
/// Not done yet: `android_v2`, collapsing, expiry while a device is offline, downgraded priority.
struct AndroidPush {
    var notification: [String: JSONValue]
    var data: [String: JSONValue]
    var priority: String
    private let config: [String: JSONValue]

    init(_ message: Message) {
        config = message["android"]?.object ?? [:]
        let common = message["notification"]?.object ?? [:]
        notification = common.merging(config["notification"]?.object ?? [:]) { $1 }
        data = config["data"]?.object ?? message["data"]?.object ?? [:]
        priority = config["priority"]?.string?.lowercased() ?? (notification.isEmpty ? "normal" : "high")
    }

    /// The members of an inbox entry that say what was received.
    var received: [String: JSONValue] {
        var members: [String: JSONValue] = ["priority": .string(priority)]
        if !notification.isEmpty { members["notification"] = .object(notification) }
        if !data.isEmpty { members["data"] = .object(data) }
        for name in ["collapse_key", "ttl"] {
            if let value = config[name] { members[name] = value }
        }
        return members
    }
}
