import FCM

/// One received message as `GET …/inbox` shows it.
struct InboxEntry {
    let delivery: Delivery
    let platform: Platform
    let installation: RecipientKey

    var json: JSONValue {
        var members =
            switch platform {
            case .ios: ApplePush.received(delivery, by: installation)
            case .android: AndroidPush(delivery.message).received
            case .web: WebPush(delivery.message).received
            }
        members["message_id"] = .string(delivery.messageID)
        members["received"] = .string(delivery.received.rfc3339)
        members["platform"] = .string(platform.rawValue)
        if let topic = delivery.topic {
            members["topic"] = .string(topic.rawValue)
            members["from"] = .string("/topics/\(topic.rawValue)")
        }
        return .object(members)
    }
}
