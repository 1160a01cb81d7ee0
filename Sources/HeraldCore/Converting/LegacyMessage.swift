internal import FCM

/// A message of the legacy HTTP and XMPP APIs, in the parts of a v1 message.
///
/// The names are those of Google's legacy reference ("Firebase Cloud Messaging HTTP protocol", "XMPP protocol"), and what
/// became of them those of its guide to move from legacy APIs to HTTP v1.
struct LegacyMessage {
    /// Keys that only legacy messages have at their top.
    static let ownKeys: Set<String> = [
        "to", "registration_ids", "notification_key", "collapse_key", "time_to_live", "content_available",
        "mutable_content", "restricted_package_name", "delay_while_idle", "dry_run", "priority", "message_id",
        "delivery_receipt_requested", "direct_boot_ok",
    ]

    private static let api = "FCM's legacy API"

    private(set) var target: [String: JSONValue] = [:]
    private(set) var notes: [String] = []
    /// In seconds. `nil` if the message does not say, or must not wait at all.
    private(set) var lifetime: Int64?
    private var common: [String: JSONValue] = [:]
    private var android: [String: JSONValue] = [:]
    private var androidNotification: [String: JSONValue] = [:]
    private var headers: [String: JSONValue] = [:]
    private var aps: [String: JSONValue] = [:]
    private var alert: [String: JSONValue] = [:]
    private var webNotification: [String: JSONValue] = [:]
    private var webHeaders: [String: JSONValue] = [:]
    private var link: JSONValue?
    private var data: JSONValue?
    private var label: JSONValue?

    init(_ members: [String: JSONValue]) {
        for (key, value) in filled(members, at: "") { take(key, value) }
        completeHeaders()
    }

    /// The message with v1's names. Its values are still those of the legacy message.
    var message: [String: JSONValue] {
        var message: [String: JSONValue] = [:]
        message["notification"] = .filled(common)
        message["data"] = data
        var forAndroid = android
        forAndroid["notification"] = .filled(androidNotification)
        message["android"] = .filled(forAndroid)
        var shown = aps
        shown["alert"] = .filled(alert)
        let payload = JSONValue.filled(["aps": .filled(shown)].compactMapValues(\.self))
        message["apns"] = .filled(["headers": .filled(headers), "payload": payload].compactMapValues(\.self))
        message["webpush"] = .filled(
            [
                "headers": .filled(webHeaders), "notification": .filled(webNotification),
                "fcm_options": .filled(["link": link].compactMapValues(\.self)),
            ].compactMapValues(\.self))
        message["fcm_options"] = label
        return message
    }

    /// What there is to take, in order.
    private mutating func filled(_ members: [String: JSONValue], at path: String) -> [(String, JSONValue)] {
        let given = members.sorted { $0.key < $1.key }.filter { $0.value != .null }
        for (key, _) in given where members[key] == "" { notes.append(.empty(path + key)) }
        return given.filter { $0.value != "" }.map { ($0.key, $0.value) }
    }

    /// Apple refuses a push of high priority that shows nothing.
    private mutating func completeHeaders() {
        let isShown =
            common["title"] != nil || common["body"] != nil || !alert.isEmpty || ApplePayload.isShown(aps)
        if !isShown, headers["apns-priority"] == "10" {
            headers["apns-priority"] = "5"
            notes.append("apns-priority is 5, not 10: Apple refuses 10 for a message that shows nothing")
        }
        headers.merge(ApplePayload.headers(of: aps, isShown: isShown)) { mine, _ in mine }
    }

    private mutating func take(_ key: String, _ value: JSONValue) {
        switch key {
        case "to", "registration_ids", "notification_key", "condition": target[key] = value
        case "notification": takeNotification(value)
        case "data": data = value
        case "fcm_options": label = value
        case "collapse_key":
            android["collapse_key"] = value
            notes.append("collapse_key holds for Android; on Apple devices the header apns-collapse-id does the same")
        case "restricted_package_name", "direct_boot_ok": android[key] = value
        case "priority": takePriority(value)
        case "time_to_live": takeLifetime(value)
        case "content_available": if value.isTrue { aps["content-available"] = 1 }
        case "mutable_content": if value.isTrue { aps["mutable-content"] = 1 }
        case "dry_run": if value.isTrue { notes.append(.dryRun) }
        case "delay_while_idle": notes.append("delay_while_idle is left out: FCM has ignored it since 2016")
        case "message_id", "delivery_receipt_requested", "message_type":
            notes.append("\(key) is left out: it belonged to XMPP, and HTTP v1 has nothing like it")
        default: notes.append(.leftOut(key, by: Self.api))
        }
    }

    private mutating func takePriority(_ value: JSONValue) {
        android["priority"] = value
        switch value.string?.lowercased() {
        case "high": headers["apns-priority"] = "10"
        case "normal": headers["apns-priority"] = "5"
        default: break
        }
    }

    private mutating func takeLifetime(_ value: JSONValue) {
        let longest: Int64 = 28 * 86_400
        guard let seconds = value.int ?? value.string.flatMap({ Int64($0) }), seconds >= 0 else {
            notes.append("time_to_live is left out: it is no number of seconds")
            return
        }
        if seconds == 0 {
            android["ttl"] = "0s"
            headers["apns-expiration"] = "0"
            webHeaders["TTL"] = "0"
        } else {
            lifetime = min(seconds, longest)
            if seconds > longest {
                notes.append("time_to_live was \(seconds) s; FCM keeps a message for 28 days at most")
            }
        }
    }

    private mutating func takeNotification(_ value: JSONValue) {
        guard let members = value.object else {
            notes.append("notification is left out: it is no object")
            return
        }
        for (key, value) in filled(members, at: "notification.") { takeShown(key, value) }
    }

    private mutating func takeShown(_ key: String, _ value: JSONValue) {
        let isURL = value.string?.hasPrefix("https://") == true || value.string?.hasPrefix("http://") == true
        switch key {
        case "title", "body", "image": common[key] = value
        case "color", "tag": androidNotification[key] = value
        case "android_channel_id": androidNotification["channel_id"] = value
        case "icon" where isURL: webNotification["icon"] = value
        case "icon": androidNotification["icon"] = value
        case "sound":
            if value.string != nil { androidNotification["sound"] = value }
            aps["sound"] = value
        case "badge":
            if let count = value.int ?? value.string.flatMap({ Int64($0) }) {
                aps["badge"] = .int(count)
            } else {
                notes.append("notification.badge is left out: it is no whole number")
            }
        case "subtitle": alert["subtitle"] = value
        case "click_action" where isURL: link = value
        case "click_action":
            androidNotification["click_action"] = value
            aps["category"] = value
        case "body_loc_key", "title_loc_key":
            androidNotification[key] = value
            alert[key == "body_loc_key" ? "loc-key" : "title-loc-key"] = value
        case "body_loc_args", "title_loc_args":
            let items = value.listWithin
            androidNotification[key] = items
            alert[key == "body_loc_args" ? "loc-args" : "title-loc-args"] = items
        default: notes.append(.leftOut("notification.\(key)", by: Self.api))
        }
    }
}

extension JSONValue {
    /// `nil` for an object without members.
    static func filled(_ members: [String: JSONValue]) -> JSONValue? { members.isEmpty ? nil : .object(members) }

    /// Whether it says yes, as old clients wrote it.
    var isTrue: Bool { [true, 1, "true", "1"].contains(self) }

    /// The list that a text holds as JSON, as in `"[\"Ostia\"]"`. Any other value is as it is.
    var listWithin: JSONValue {
        guard let text = string, let list = try? JSONValue(strictly: Array(text.utf8), depth: 2), list.array != nil
        else { return self }
        return list
    }
}

extension String {
    static let dryRun = "it was only to be validated; here 'herald apply --dry-run' does that"

    /// - Parameters:
    ///   - key: another spelling of the key `taken`.
    ///   - path: of the object that has both.
    static func leftOut(_ key: String, for taken: String, at path: String) -> String {
        let place = path.isEmpty ? "" : "\(path)."
        return
            "\(place)\(key.printable) is left out: it says the same as \(place)\(taken.printable), whose value was taken; "
            + "make sure that this value is right"
    }

    static func leftOut(_ path: String, by api: String = "FCM's v1 API") -> String {
        "\(path.printable) is left out: \(api) has no such key"
    }
    static func empty(_ path: String) -> String { "\(path.printable) is left out: it is empty" }
}
