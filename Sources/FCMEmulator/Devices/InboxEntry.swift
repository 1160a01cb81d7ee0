import FCM

/// One message in the form of `GET …/inbox`.
struct InboxEntry {
    let arrival: Arrival
    let platform: Platform
    let installation: RecipientKey

    var json: JSONValue {
        var members: [String: JSONValue]
        switch arrival.content {
        case .message(let delivery): members = message(delivery)
        case .deletedMessages:
            members = called(.deletedMessages)
            members["message_type"] = "deleted_messages"
        }
        members["received"] = .string(arrival.time.rfc3339)
        members["platform"] = .string(platform.rawValue)
        members["app"] = .string(arrival.app.rawValue)
        return .object(members)
    }

    private func message(_ delivery: Delivery) -> [String: JSONValue] {
        let payload = delivery.payload(on: platform, of: installation)
        var members = content(of: payload).merging(called(payload.callbacks)) { one, _ in one }
        members["shown"] = payload.shown?.json ?? .null
        members["message_id"] = .string(delivery.messageID)
        if let topic = delivery.topic {
            members["topic"] = .string(topic.rawValue)
            members["from"] = .string("/topics/\(topic.rawValue)")
        }
        return members
    }

    /// An Apple device gets headers and one payload. On other platforms each part has its own name.
    private func content(of device: DevicePayload) -> [String: JSONValue] {
        switch platform {
        case .ios: return ["headers": .object(device.headers), "payload": .object(device.payload)]
        case .android:
            var members = device.payload.merging(device.headers) { one, _ in one }
            members["extras"] = .object(device.extras)
            return members
        case .web:
            var members = device.payload
            members["link"] = members.removeValue(forKey: "fcmOptions")?["link"]
            if !device.headers.isEmpty { members["headers"] = .object(device.headers) }
            return members
        }
    }

    /// The callback that ran, and those that would have run in other states of the app.
    private func called(_ callbacks: DevicePayload.Callbacks) -> [String: JSONValue] {
        var all: [String: JSONValue] = ["tap": callbacks.tap.map { .string($0) } ?? .null]
        for state in AppState.allCases {
            all[state.rawValue] = callbacks[state].map { .string($0) } ?? .null
        }
        return ["callback": all[arrival.app.rawValue] ?? .null, "callbacks": .object(all)]
    }
}

extension DevicePayload.Shown {
    var json: JSONValue {
        let members = ["title": title, "subtitle": subtitle, "body": body, "image": image, "tag": tag]
        return .object(members.compactMapValues { $0.map { .string($0) } })
    }
}
