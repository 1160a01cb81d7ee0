internal import FCM

/// The rules for the web part of a message.
struct WebRules {
    private let draft: MessageDraft

    init(_ draft: MessageDraft) { self.draft = draft }

    func check(_ findings: inout Findings) {
        guard draft.json["webpush"] != nil else { return }
        Self.headerRules.check(draft.node("webpush", "headers"), &findings)
        checkNotification(&findings)
    }

    private static let headerRules = HeaderRules(
        rule: .webpushHeader,
        [
            "ttl": .number(digits: 10, words: "a whole number of seconds"),
            "urgency": .oneOf(["very-low", "low", "normal", "high"], words: "very-low, low, normal or high"),
            "topic": .init(words: "1 to 32 characters of A-Z a-z 0-9 - _") {
                (1...32).contains($0.utf8.count) && $0.utf8.allSatisfy(\.isOfBase64URL)
            },
        ])

    private func checkNotification(_ findings: inout Findings) {
        guard let value = draft["webpush", "notification"], let node = draft.node("webpush", "notification") else {
            return
        }
        guard let notification = value.object else {
            findings.error(.webNotification, "'notification' must be a mapping, not \(node.kindName)", at: node.range)
            return
        }
        for entry in node.mapping ?? [] {
            guard let value = notification[entry.key], let fault = Self.fault(ofOption: entry.key, value) else {
                continue
            }
            findings.error(.webNotification, "'\(entry.key)' must be \(fault)", at: entry.value.range)
        }
        if notification["renotify"] == true, notification["tag"]?.string?.isEmpty != false {
            findings.error(
                .webNotification, "browsers refuse 'renotify' without a 'tag'",
                at: draft.key("webpush", "notification", "renotify"))
        }
        if notification["silent"] == true, notification["vibrate"] != nil {
            findings.error(
                .webNotification, "browsers refuse 'vibrate' in a silent notification",
                at: draft.key("webpush", "notification", "vibrate"))
        }
    }

    /// What the browser's Notification requires, in words; `nil` if the value is right, or if the key is the app's own.
    private static func fault(ofOption key: String, _ value: JSONValue) -> String? {
        switch key {
        case "title", "body", "icon", "badge", "image", "lang", "tag": return value.string != nil ? nil : "text"
        case "dir": return ["auto", "ltr", "rtl"].contains(value) ? nil : "auto, ltr or rtl"
        case "renotify", "requireInteraction", "silent":
            return value == true || value == false ? nil : "true or false"
        case "timestamp": return value.number.map { $0 >= 0 } == true ? nil : "a moment in milliseconds since 1970"
        case "vibrate":
            let isTime = { (value: JSONValue) in value.int.map { $0 >= 0 } == true }
            return isTime(value) || value.array?.allSatisfy(isTime) == true ? nil : "milliseconds, or a list of them"
        case "actions":
            let isAction = { (value: JSONValue) in
                value["action"]?.string?.isEmpty == false && value["title"]?.string?.isEmpty == false
            }
            return value.array?.allSatisfy(isAction) == true ? nil : "a list of buttons, each with 'action' and 'title'"
        default: return nil
        }
    }
}
