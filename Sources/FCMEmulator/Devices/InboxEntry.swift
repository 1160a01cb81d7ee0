import FCM

/// One received message as `GET …/inbox` shows it.
struct InboxEntry {
    let delivery: Delivery
    let platform: Platform
    let installation: RecipientKey

    /// The emulated project's number, which FCM tells the app.
    private static let senderID = "123456789012"

    var json: JSONValue {
        var members = received
        members["message_id"] = .string(delivery.messageID)
        members["received"] = .string(delivery.received.rfc3339)
        members["platform"] = .string(platform.rawValue)
        if let topic = delivery.topic {
            members["topic"] = .string(topic.rawValue)
            members["from"] = .string("/topics/\(topic.rawValue)")
        }
        return .object(members)
    }

    /// An Apple device gets headers and a payload that is the app's to read; on others the parts have names of their own.
    private var received: [String: JSONValue] {
        let microseconds = delivery.received.microsecondsSince1970
        let device = DevicePayload(
            of: delivery.message.fields, on: platform,
            stamp: .init(
                messageID: String(microseconds), installation: installation.rawValue, sender: Self.senderID,
                secondsSince1970: microseconds / 1_000_000))
        switch platform {
        case .ios: return ["headers": .object(device.headers), "payload": .object(device.payload)]
        case .android: return device.payload.merging(device.headers) { one, _ in one }
        case .web:
            var members = device.payload
            members["link"] = members.removeValue(forKey: "fcmOptions")?["link"]
            if !device.headers.isEmpty { members["headers"] = .object(device.headers) }
            return members
        }
    }
}
