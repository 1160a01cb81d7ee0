import FCM

/// A device in the form of `GET /emulator/v1/devices/{registration}`.
struct DeviceStatus {
    let registration: Registration
    let state: Enrolment.State
    /// What it follows, whether its own app, a server or a test subscribed it.
    let topics: [TopicName]
    let simulatedDevice: SimulatedDevice

    var json: JSONValue {
        [
            "registration": .string(registration.rawValue),
            "state": .string(state.rawValue),
            "platform": .string(simulatedDevice.platform.rawValue),
            "online": .bool(simulatedDevice.isOnline),
            "app": .string(simulatedDevice.app.rawValue),
            "topics": .array(topics.map { .string($0.rawValue) }),
            "waiting": .array(simulatedDevice.waiting.items.map(Self.json)),
            "dropped": .object(
                Dictionary(simulatedDevice.losses.map { ($0.key.rawValue, .int(Int64($0.value))) }) { one, _ in one }),
            "shown": .array(simulatedDevice.shown.map(Self.json)),
        ]
    }

    private static func json(_ item: Waiting.Item) -> JSONValue {
        var members: [String: JSONValue] = [
            "message_id": .string(item.delivery.messageID), "sent": .string(item.delivery.sent.rfc3339),
            "expires": .string(Date(timeIntervalSince1970: Double(item.retention.expires)).rfc3339),
        ]
        members["collapse_key"] = item.retention.collapseKey.map { .string($0) }
        return .object(members)
    }

    private static func json(_ delivery: Delivery, _ shown: DevicePayload.Shown) -> JSONValue {
        var members = shown.json.object ?? [:]
        members["message_id"] = .string(delivery.messageID)
        return .object(members)
    }
}

/// The body of `PUT /emulator/v1/devices/{registration}`. What it leaves out stays unchanged.
struct DeviceChange: Hashable, Sendable {
    var online: Bool?
    var app: AppState?
    /// Topics that the app itself subscribes to or leaves, as if it called Firebase's SDK.
    var (joining, leaving): ([TopicName], [TopicName]) = ([], [])

    init(parsing body: [UInt8]) throws(GoogleError) {
        let members = try JSONValue.controlObject(body, keys: ["online", "app", "subscribe", "unsubscribe"])
        joining = try Self.topics(members["subscribe"], "subscribe")
        leaving = try Self.topics(members["unsubscribe"], "unsubscribe")
        if let topic = leaving.first(where: joining.contains) {
            throw .badCall("'\(topic)' is in subscribe and in unsubscribe")
        }
        if let value = members["online"] {
            guard case .bool(let online) = value else { throw .badCall("online: not a boolean") }
            self.online = online
        }
        if let value = members["app"] {
            guard let app = value.string.flatMap(AppState.init(rawValue:)) else {
                throw .badCall("app: not one of \(AppState.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            self.app = app
        }
    }

    private static func topics(_ value: JSONValue?, _ key: String) throws(GoogleError) -> [TopicName] {
        guard let value else { return [] }
        guard let names = value.array?.map({ $0.string.flatMap(TopicName.init(rawValue:)) }), !names.contains(nil)
        else { throw .badCall("\(key): not an array of topic names") }
        return names.compactMap(\.self)
    }
}
