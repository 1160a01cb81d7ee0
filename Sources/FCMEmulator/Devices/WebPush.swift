import FCM

/// What a service worker gets of a message: `webpush` overrides the common notification field by field, and the data as
/// a whole.
///
/// Not done yet: the web push protocol's own limits, and its topic that replaces an earlier message.
struct WebPush {
    var notification: [String: JSONValue]
    var data: [String: JSONValue]
    private let config: [String: JSONValue]

    init(_ message: Message) {
        config = message["webpush"]?.object ?? [:]
        let common = message["notification"]?.object ?? [:]
        notification = common.merging(config["notification"]?.object ?? [:]) { $1 }
        data = config["data"]?.object ?? message["data"]?.object ?? [:]
    }

    /// The members of an inbox entry that say what was received.
    var received: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        if !notification.isEmpty { members["notification"] = .object(notification) }
        if !data.isEmpty { members["data"] = .object(data) }
        if let headers = config["headers"] { members["headers"] = headers }
        if let link = config["fcm_options"]?["link"] { members["link"] = link }
        return members
    }
}
