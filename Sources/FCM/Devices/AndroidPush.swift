/// What an Android app receives: `android.notification` overrides the common notification field by field, and
/// `android.data` replaces the common data.
///
/// FCM translates `android_v2` for apps whose SDK does not know it, which are all that the emulator has: a
/// `remote_notification` becomes a notification of high priority, or data alone if it says so, and a `background_sync`
/// data of normal priority.
struct AndroidPush {
    /// What the app shows, or lets the system show.
    private let notification: [String: JSONValue]
    private let data: [String: JSONValue]
    private let config: [String: JSONValue]
    private let message: [String: JSONValue]
    private let part: AndroidPart
    private let kind: Kind

    /// What a message of `android_v2` is. A message of `android` is a `notification` that may show nothing.
    private enum Kind { case notification, dataForOlderApps, backgroundSync }

    init(_ message: [String: JSONValue]) {
        self.message = message
        part = AndroidPart(of: message)
        config = message[part.rawValue]?.object ?? [:]
        data = config["data"]?.object ?? message["data"]?.object ?? [:]
        kind =
            if config["background_sync"] != nil {
                .backgroundSync
            } else if config["remote_notification"]?["use_as_v1_data_message"] == true {
                .dataForOlderApps
            } else {
                .notification
            }
        notification = kind == .notification ? Self.notification(of: message, part) : [:]
    }

    private static func notification(of message: [String: JSONValue], _ part: AndroidPart) -> [String: JSONValue] {
        let own = part.notification.reduce(JSONValue.object(message)) { $0?[$1] }?.object ?? [:]
        // The earlier form of a message has no ids.
        return (message["notification"]?.object ?? [:]).merging(own.filter { $0.key != "id" }) { $1 }
    }

    /// Of what an app gets that knows `android_v2`, which may be more than others get.
    var size: Int {
        let shown = kind == .backgroundSync ? [:] : Self.notification(of: message, part)
        return shown.contentSize + data.contentSize
    }

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

    /// FCM treats every notification as collapsible under the app's own key, whatever key the message names. It does
    /// the same for a topic message without content. A message of `android_v2` collapses only under a key that it
    /// names. See docs/reference/fcm.md#from-message-to-device.
    private func retention(_ stamp: DevicePayload.Stamp) -> DevicePayload.Retention {
        let isAppWide = part == .current && (!notification.isEmpty || (stamp.topic != nil && data.isEmpty))
        return .init(
            expires: stamp.secondsSince1970 + ttl,
            collapseKey: isAppWide ? packageName ?? "the app" : config["collapse_key"]?.string)
    }

    /// FCM knows the app's package name. Here it is known only if the message names it.
    private var packageName: String? { config["restricted_package_name"]?.string }

    /// The keys that Firebase's SDK leaves in the intent. It removes `gcm.n.…` and `google.c.…`. This code does not
    /// simulate that a priority is lowered on the way.
    private func extras(_ stamp: DevicePayload.Stamp) -> [String: JSONValue] {
        var extras = data
        extras["from"] = .string(stamp.from)
        extras["google.message_id"] = .string(stamp.messageID)
        extras["google.sent_time"] = .int(Int64(stamp.secondsSince1970) * 1000)
        extras["google.ttl"] = .int(Int64(ttl))
        extras["google.original_priority"] = .string(priority)
        extras["google.delivered_priority"] = .string(priority)
        let isNamed = notification.isEmpty || part == .preview
        let key = isNamed ? config["collapse_key"]?.string : packageName
        extras["collapse_key"] = key.map { .string($0) }
        return extras
    }

    private var priority: String {
        switch kind {
        case .backgroundSync: "normal"
        case .dataForOlderApps: "high"
        case .notification: config["priority"]?.string?.lowercased() ?? (notification.isEmpty ? "normal" : "high")
        }
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
        var warnings = Self.replaced(message["data"]?.object ?? [:], by: config["data"], of: part.rawValue)
        switch kind {
        case .notification: break
        case .dataForOlderApps:
            warnings.append("apps that know android_v2 show its notification; others get data alone")
        case .backgroundSync:
            if message["notification"] != nil { warnings.append("a background sync shows nothing") }
            return warnings
        }
        if notification.isEmpty {
            if data.isEmpty { warnings.append("an Android app gets nothing of it") }
            if priority == "high" {
                warnings.append("a message of high priority that shows nothing may be delivered at normal priority")
            }
        }
        return warnings
    }

    /// Warns about common data that is lost: the platform's own data replaces it and is not merged.
    static func replaced(_ common: [String: JSONValue], by own: JSONValue?, of platform: String) -> [String] {
        guard let own = own?.object else { return [] }
        return Set(common.keys).subtracting(own.keys).sorted().map {
            "'\($0)' of data does not arrive: \(platform).data replaces all of it"
        }
    }
}

extension [String: JSONValue] {
    /// The notification and the data as one payload. A part that is empty is left out.
    static func shared(_ notification: Self, _ data: Self) -> Self {
        var payload: Self = [:]
        if !notification.isEmpty { payload["notification"] = .object(notification) }
        if !data.isEmpty { payload["data"] = .object(data) }
        return payload
    }
}
