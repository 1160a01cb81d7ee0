import FCM

/// FCM's rules for a message that fits the schema. Target and size are checked elsewhere.
///
/// The texts are the emulator's own if FCM's are not known.
enum MessageRules {
    private static let maximumTTL = ProtoDuration.seconds(2_419_200)
    private static let maximumLabel = 50

    /// - Parameter message: with canonical names. Its values fit the schema.
    static func check(_ message: [String: JSONValue]) throws(GoogleError) {
        if message["android"] != nil, message["android_v2"] != nil {
            throw .invalidMessage("Only one of android and android_v2 can be set.", at: "message")
        }
        for name in ["android", "android_v2"] {
            guard let android = message[name] else { continue }
            try check(ttl: android["ttl"], at: "message.\(name).ttl")
            try check(data: android["data"], at: "message.\(name).data")
            try check(label: android["fcm_options"], at: "message.\(name)")
        }
        try check(notification: message["android"]?["notification"], at: "message.android.notification")
        if let android = message["android_v2"] { try check(androidV2: android) }
        try check(data: message["data"], at: "message.data")
        try check(label: message["fcm_options"], at: "message")
        try check(label: message["apns"]?["fcm_options"], at: "message.apns")
        for name in ["apns", "webpush"] {
            try check(headers: message[name]?["headers"], at: "message.\(name).headers")
        }
        if let web = message["webpush"] { try check(webpush: web) }
    }

    /// A header's value is one line (RFC 9110, section 5.5).
    private static func check(headers: JSONValue?, at path: String) throws(GoogleError) {
        for (name, value) in (headers?.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            let isOneLine =
                value.string?.utf8.allSatisfy { $0 == UInt8(ascii: "\t") || $0 >= 0x20 && $0 != 0x7f } ?? true
            guard !isOneLine else { continue }
            throw .invalidMessage("The value of the header \(name) is not valid.", at: "\(path).\(name)")
        }
    }

    private static func check(ttl: JSONValue?, at path: String) throws(GoogleError) {
        guard let ttl = ttl?.string.flatMap(ProtoDuration.init) else { return }
        guard ttl >= .seconds(0), ttl <= maximumTTL else {
            throw .invalidMessage("TTL must be between 0 and 2419200 seconds.", at: path)
        }
    }

    private static func check(data: JSONValue?, at path: String) throws(GoogleError) {
        guard let key = data?.object?.keys.sorted().first(where: isReserved) else { return }
        throw .invalidMessage("Invalid data payload key: \(key)", at: path)
    }

    /// FCM's pages disagree about prefixes and do not mention case. Here every variant is reserved.
    private static func isReserved(_ key: String) -> Bool {
        let lowered = key.lowercased()
        return ["from", "message_type"].contains(key) || lowered.hasPrefix("google") || lowered.hasPrefix("gcm")
    }

    private static func check(label options: JSONValue?, at path: String) throws(GoogleError) {
        guard let label = options?["analytics_label"]?.string, !label.isEmpty else { return }
        guard label.utf8.count <= maximumLabel, label.unicodeScalars.allSatisfy(TopicName.isAllowed) else {
            throw .invalidMessage(
                "The analytics label must be 1 to 50 characters of a-z A-Z 0-9 - _ . ~ %.",
                at: "\(path).fcm_options.analytics_label")
        }
    }

    private static func check(notification: JSONValue?, at path: String) throws(GoogleError) {
        if let color = notification?["color"]?.string, !color.isEmpty, color.wholeMatch(of: /#[0-9a-fA-F]{6}/) == nil {
            throw .invalidMessage("The color must be in the form #rrggbb.", at: "\(path).color")
        }
        for part in ["title", "body"] where notification?["\(part)_loc_args"]?.array?.isEmpty == false {
            guard notification?["\(part)_loc_key"]?.string?.isEmpty != false else { continue }
            throw .invalidMessage("\(part)_loc_args need a \(part)_loc_key.", at: "\(path).\(part)_loc_args")
        }
        guard let light = notification?["light_settings"]?.object else { return }
        for part in ["color", "light_on_duration", "light_off_duration"] where light[part] == nil {
            throw .invalidMessage("The light settings need \(part).", at: "\(path).light_settings.\(part)")
        }
    }

    private static func check(androidV2 android: JSONValue) throws(GoogleError) {
        if android["background_sync"] != nil { return }
        guard let remote = android["remote_notification"] else {
            throw .invalidMessage(
                "One of remote_notification and background_sync must be set.", at: "message.android_v2")
        }
        let path = "message.android_v2.remote_notification"
        guard let notification = remote["notification"] else {
            throw .invalidMessage("The notification is not set.", at: "\(path).notification")
        }
        try check(notification: notification, at: "\(path).notification")
    }

    private static func check(webpush: JSONValue) throws(GoogleError) {
        try check(data: webpush["data"], at: "message.webpush.data")
        try check(label: webpush["fcm_options"], at: "message.webpush")
        if let ttl = webpush["headers"]?["TTL"]?.string, UInt64(ttl) == nil {
            throw .invalidMessage("TTL must be a non-negative integer.", at: "message.webpush.headers.TTL")
        }
        if let link = webpush["fcm_options"]?["link"]?.string, !link.isEmpty, !link.hasPrefix("https://") {
            throw .invalidMessage("The link must be an https URL.", at: "message.webpush.fcm_options.link")
        }
    }
}
