internal import FCM

/// The payload of a notification for Apple devices.
enum ApplePayload {
    /// Apple's names that the Admin SDKs spell in camelCase.
    private static let names = [
        "content-available", "mutable-content", "thread-id", "target-content-id", "interruption-level",
        "relevance-score", "filter-criteria", "loc-key", "loc-args", "title-loc-key", "title-loc-args",
        "subtitle-loc-key", "subtitle-loc-args", "action-loc-key", "launch-image",
    ]
    private static let byCamelCase = Dictionary(uniqueKeysWithValues: names.map { ($0.inCamelCase, $0) })

    /// The payload with Apple's names, and with flags as Apple writes them.
    ///
    /// - Parameters:
    ///   - path: the payload's place, for notes.
    ///   - notes: gets what was left out.
    static func spelled(_ payload: JSONValue, at path: String, _ notes: inout [String]) -> JSONValue {
        guard var members = payload.object else { return payload }
        if let aps = members["aps"]?.object {
            var spelled = renamed(aps, at: "\(path).aps", &notes)
            if let alert = spelled["alert"]?.object {
                spelled["alert"] = .object(renamed(alert, at: "\(path).aps.alert", &notes))
            }
            spelled["sound"] = spelled["sound"].map(sound)
            members["aps"] = .object(spelled)
        }
        return .object(members)
    }

    private static func renamed(
        _ members: [String: JSONValue], at path: String, _ notes: inout [String]
    ) -> [String: JSONValue] {
        var renamed: [String: JSONValue] = [:]
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            let name = byCamelCase[key] ?? key
            if name != key, members[name] != nil {
                notes.append(.leftOut(key, for: name, at: path))
            } else {
                renamed[name] = value
            }
        }
        return renamed
    }

    private static func sound(_ sound: JSONValue) -> JSONValue {
        guard var members = sound.object, case .bool(let isCritical)? = members["critical"] else { return sound }
        members["critical"] = isCritical ? 1 : nil
        return .object(members)
    }

    /// Whether a device shows or plays something of it.
    static func isShown(_ aps: [String: JSONValue]) -> Bool {
        ["alert", "badge", "sound"].contains { aps[$0] != nil }
    }

    /// What Apple wants beside the payload: its type, and a low priority if it only wakes the app.
    static func headers(of aps: [String: JSONValue], isShown: Bool) -> [String: JSONValue] {
        if isShown { return ["apns-push-type": "alert"] }
        let isAwaking = aps["content-available"]?.isTrue == true
        return isAwaking ? ["apns-push-type": "background", "apns-priority": "5"] : [:]
    }
}

extension String {
    /// `thread-id` is `threadId`.
    fileprivate var inCamelCase: String {
        let words = split(separator: "-")
        return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
