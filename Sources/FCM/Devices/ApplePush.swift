/// What FCM hands to APNs for a message, which the app then finds in `userInfo`.
///
/// Two things are not documented and were decided here: a partial `aps.alert` is not completed from the notification,
/// and `apns.payload` wins over a `data` entry of the same key.
struct ApplePush {
    private let message: [String: JSONValue]
    private let custom: [String: JSONValue]
    private let aps: [String: JSONValue]

    init(_ message: [String: JSONValue]) {
        self.message = message
        custom = message["apns"]?["payload"]?.inStruct.object ?? [:]
        var aps = custom["aps"]?.object ?? [:]
        if aps["alert"] == nil { aps["alert"] = Self.alert(from: message["notification"]) }
        self.aps = aps
    }

    /// Captured pushes show a plain string if the message had only a body, and an object if it had a title.
    private static func alert(from notification: JSONValue?) -> JSONValue? {
        let (title, body) = (notification?["title"], notification?["body"])
        guard let title else { return body }
        var alert: [String: JSONValue] = ["title": title]
        if let body { alert["body"] = body }
        return .object(alert)
    }

    private var data: [String: JSONValue] { message["data"]?.object ?? [:] }

    private var image: JSONValue? { message["apns"]?["fcm_options"]?["image"] ?? message["notification"]?["image"] }

    private var isAlert: Bool { aps["alert"] != nil }

    private var isLiveActivity: Bool { message["apns"]?["live_activity_token"] != nil }

    /// The push wakes the app and shows nothing.
    private var isSilent: Bool { aps["content-available"] == 1 && !isAlert }

    /// The payload before FCM adds keys of its own.
    private var content: [String: JSONValue] {
        var payload = data.merging(custom) { $1 }
        payload["aps"] = .object(aps)
        if let image { payload["fcm_options"] = ["image": image] }
        return payload
    }

    var size: Int { (try? JSONValue.object(content).bytes().count) ?? 0 }

    func payload(_ stamp: DevicePayload.Stamp) -> DevicePayload {
        var payload = content
        payload["gcm.message_id"] = .string(stamp.messageID)
        payload["google.c.fid"] = .string(stamp.installation)
        payload["google.c.sender.id"] = .string(stamp.sender)
        if isAlert { payload["google.c.a.e"] = "1" }
        let labels = [message["apns"]?["fcm_options"], message["fcm_options"]]
        if let label = labels.compactMap({ $0?["analytics_label"] }).first { payload["google.c.a.m_l"] = label }
        let headers = headers(stamp)
        var device = DevicePayload(
            .ios, headers: headers, payload: payload, size: size, shown: shown, callbacks: callbacks,
            retention: retention(headers, stamp), warnings: warnings(headers))
        device.refusal = refusal
        return device
    }

    // MARK: Headers

    /// The message's own headers, with FCM's defaults for those that it lacks.
    private func headers(_ stamp: DevicePayload.Stamp) -> [String: JSONValue] {
        let thirtyDays = 30 * 86_400
        var headers: [String: JSONValue] = [
            "apns-priority": "10", "apns-expiration": .string(String(stamp.secondsSince1970 + thirtyDays)),
        ]
        if isLiveActivity {
            headers["apns-push-type"] = "liveactivity"
        } else if isAlert {
            headers["apns-push-type"] = "alert"
        } else if isSilent {
            headers["apns-push-type"] = "background"
        }
        return headers.merging(ownHeaders) { $1 }
    }

    private var ownHeaders: [String: JSONValue] {
        message["apns"]?["headers"]?.object?.withLowercasedKeys ?? [:]
    }

    /// `apns-expiration` is a point in time, not a duration. 0 means one attempt.
    private func retention(_ headers: [String: JSONValue], _ stamp: DevicePayload.Stamp) -> DevicePayload.Retention {
        let expires = headers["apns-expiration"]?.string.flatMap { Int($0) } ?? 0
        return .init(
            expires: expires == 0 ? stamp.secondsSince1970 : expires,
            collapseKey: headers["apns-collapse-id"]?.string)
    }

    /// The reason from Apple's table. APNs rejects priority 10 for a push that shows nothing. It is not known whether
    /// FCM's own default of 10 is rejected as well, so only a message that sets 10 itself is refused.
    var refusal: String? {
        let headers = ownHeaders.mapValues { $0.string ?? "" }
        if let type = headers["apns-push-type"], PushType(rawValue: type) == nil { return "InvalidPushType" }
        if let priority = headers["apns-priority"] {
            let isBackground = headers["apns-push-type"].map { $0 == "background" } ?? isSilent
            guard ["1", "5", "10"].contains(priority), !(isBackground && priority == "10") else { return "BadPriority" }
        }
        if let moment = headers["apns-expiration"], Int(moment).map({ $0 < 0 }) ?? true { return "BadExpirationDate" }
        if let id = headers["apns-collapse-id"], id.utf8.count > 64 { return "BadCollapseId" }
        return nil
    }

    // MARK: What comes of it

    private var shown: DevicePayload.Shown? {
        guard let alert = aps["alert"] else { return nil }
        var shown = DevicePayload.Shown()
        if let text = alert.string {
            shown.body = text
        } else {
            shown.title = alert.text("title", key: "title-loc-key")
            shown.subtitle = alert.text("subtitle", key: "subtitle-loc-key")
            shown.body = alert.text("body", key: "loc-key")
        }
        if aps["mutable-content"] == 1 { shown.image = image?.string }
        shown.tag = ownHeaders["apns-collapse-id"]?.string
        return shown
    }

    /// Nothing wakes an app that a person ended.
    private var callbacks: DevicePayload.Callbacks {
        let data = "didReceiveRemoteNotification"
        if isLiveActivity {
            return .init(foreground: "ActivityKit", background: "ActivityKit", terminated: "ActivityKit")
        }
        if isAlert {
            return .init(
                foreground: "willPresent", background: aps["content-available"] == 1 ? data : nil, tap: "didReceive")
        }
        return .init(foreground: data, background: isSilent ? data : nil)
    }

    private func warnings(_ headers: [String: JSONValue]) -> [String] {
        var warnings: [String] = []
        let lost = Set(data.keys).intersection(custom.keys.map { $0 } + ["aps"]).sorted()
        for key in lost { warnings.append("'\(key)' of data and of apns.payload are one key on Apple devices") }
        if let alert = custom["aps"]?["alert"]?.object {
            for (key, others) in [("title", "title-loc-key"), ("body", "loc-key")]
            where alert[key] == nil && alert[others] == nil && message["notification"]?[key] != nil {
                warnings.append("aps.alert has no \(key), and whether FCM takes the notification's is not known")
            }
        }
        if isAlert, image != nil, aps["mutable-content"] != 1 {
            warnings.append("the image is not shown: aps.mutable-content is not 1")
        }
        if let refusal { warnings.append("APNs refuses it: \(refusal)") }
        if isAlert || isLiveActivity { return warnings }
        if !isSilent {
            warnings.append(
                "nothing is shown, and without aps.content-available it does not wake an app in the background")
        }
        if refusal == nil, headers["apns-priority"]?.string != "5" {
            warnings.append("without an alert APNs wants apns-priority 5")
        }
        return warnings
    }
}

extension JSONValue {
    /// The text, or a placeholder that names the localised string in the app.
    func text(_ name: String, key: String) -> String? {
        self[name]?.string ?? self[key]?.string.map { "(the app's text \($0))" }
    }
}
