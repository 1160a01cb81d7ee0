/// What an Android app gets of a message: `android` overrides the common notification field by field, and the data as a
/// whole.
///
/// Not looked at: `android_v2`.
struct AndroidPush {
    private let notification: [String: JSONValue]
    private let data: [String: JSONValue]
    private let config: [String: JSONValue]
    private let common: [String: JSONValue]

    init(_ message: [String: JSONValue]) {
        config = message["android"]?.object ?? [:]
        common = message["data"]?.object ?? [:]
        notification = (message["notification"]?.object ?? [:]).merging(config["notification"]?.object ?? [:]) { $1 }
        data = config["data"]?.object ?? common
    }

    var size: Int { notification.contentSize + data.contentSize }

    func payload(_ stamp: DevicePayload.Stamp) -> DevicePayload {
        var headers: [String: JSONValue] = ["priority": .string(priority)]
        for name in ["collapse_key", "ttl"] {
            if let value = config[name] { headers[name] = value }
        }
        var payload = DevicePayload(
            .android, headers: headers, payload: .shared(notification, data), size: size, shown: shown,
            callbacks: callbacks, retention: retention(stamp), warnings: warnings)
        payload.extras = extras(stamp)
        return payload
    }

    private var ttl: Int { config["ttl"]?.wholeSeconds ?? DevicePayload.Retention.maximum }

    /// Notifications are always collapsible, under the app's own key and whatever theirs says, and so is a topic's
    /// message that holds nothing. FCM's pages say so.
    private func retention(_ stamp: DevicePayload.Stamp) -> DevicePayload.Retention {
        let isAppWide = !notification.isEmpty || (stamp.topic != nil && data.isEmpty)
        return .init(
            expires: stamp.secondsSince1970 + ttl,
            collapseKey: isAppWide ? packageName ?? "the app" : config["collapse_key"]?.string)
    }

    /// FCM knows the app's name; here it is known only where the message tells it.
    private var packageName: String? { config["restricted_package_name"]?.string }

    /// The keys that the SDK leaves in (it takes out `gcm.n.…` and `google.c.…`). That a priority is lowered on the way
    /// is not simulated.
    private func extras(_ stamp: DevicePayload.Stamp) -> [String: JSONValue] {
        var extras = data
        extras["from"] = .string(stamp.from)
        extras["google.message_id"] = .string(stamp.messageID)
        extras["google.sent_time"] = .int(Int64(stamp.secondsSince1970) * 1000)
        extras["google.ttl"] = .int(Int64(ttl))
        extras["google.original_priority"] = .string(priority)
        extras["google.delivered_priority"] = .string(priority)
        let key = notification.isEmpty ? config["collapse_key"]?.string : packageName
        extras["collapse_key"] = key.map { .string($0) }
        return extras
    }

    private var priority: String {
        config["priority"]?.string?.lowercased() ?? (notification.isEmpty ? "normal" : "high")
    }

    private var shown: DevicePayload.Shown? {
        guard !notification.isEmpty else { return nil }
        let all = JSONValue.object(notification)
        return .init(
            title: all.text("title", key: "title_loc_key"), body: all.text("body", key: "body_loc_key"),
            image: all["image"]?.string, tag: all["tag"]?.string)
    }

    private var callbacks: DevicePayload.Callbacks {
        let service = "onMessageReceived"
        if notification.isEmpty { return .init(foreground: service, background: service, terminated: service) }
        let activity = notification["click_action"]?.string.map { "the activity for \($0)" }
        return .init(foreground: service, tap: activity ?? "the launcher's activity")
    }

    private var warnings: [String] {
        var warnings = Self.replaced(common, by: config["data"], of: "android")
        if notification.isEmpty {
            if data.isEmpty { warnings.append("an Android app gets nothing of it") }
            if priority == "high" {
                warnings.append("a message of high priority that shows nothing may be delivered at normal priority")
            }
        }
        return warnings
    }

    /// What the platform's own data costs: it stands for the common data, and is not added to it.
    static func replaced(_ common: [String: JSONValue], by own: JSONValue?, of platform: String) -> [String] {
        guard let own = own?.object else { return [] }
        return Set(common.keys).subtracting(own.keys).sorted().map {
            "'\($0)' of data does not arrive: \(platform).data replaces all of it"
        }
    }
}

extension [String: JSONValue] {
    /// What the platforms have in common: whichever part is there.
    static func shared(_ notification: Self, _ data: Self) -> Self {
        var payload: Self = [:]
        if !notification.isEmpty { payload["notification"] = .object(notification) }
        if !data.isEmpty { payload["data"] = .object(data) }
        return payload
    }
}
