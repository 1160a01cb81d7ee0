internal import FCM

extension MessageDraft {
    private static let urgencies = ["very-low", "low", "normal", "high"]

    func checkWeb(_ findings: inout Findings) {
        guard json["webpush"] != nil else { return }
        for entry in node("webpush", "headers")?.mapping ?? [] {
            let value = entry.value.scalar?.text ?? ""
            let fault: String? =
                switch entry.key.lowercased() {
                case "ttl":
                    !value.isEmpty && value.utf8.count <= 10 && value.utf8.allSatisfy(\.isDigit)
                        ? nil : "a whole number of seconds"
                case "urgency":
                    Self.urgencies.contains(value) ? nil : "very-low, low, normal or high"
                case "topic":
                    (1...32).contains(value.utf8.count) && value.utf8.allSatisfy(\.isOfBase64URL)
                        ? nil : "1 to 32 characters of A-Z a-z 0-9 - _"
                default: HTTPHeader.fault(of: value)
                }
            if let fault {
                let near =
                    entry.key.lowercased() == "urgency"
                    ? findings.advice.nearest(to: value, among: Self.urgencies) : nil
                findings.error(
                    .webpushHeader, "'\(entry.key)' must be \(fault)", at: entry.value.range,
                    help: near.map { "did you mean '\($0)'?" }, replacement: near)
            } else {
                HTTPHeader.checkName(entry, .webpushHeader, &findings)
            }
        }
        checkWebNotification(&findings)
    }

    private func checkWebNotification(_ findings: inout Findings) {
        guard let value = self["webpush", "notification"], let node = node("webpush", "notification") else { return }
        guard let notification = value.object else {
            findings.error(.webNotification, "'notification' must be a mapping, not \(node.kindName)", at: node.range)
            return
        }
        for entry in node.mapping ?? [] {
            guard let value = notification[entry.key], let fault = Self.fault(ofWebOption: entry.key, value) else {
                continue
            }
            findings.error(.webNotification, "'\(entry.key)' must be \(fault)", at: entry.value.range)
        }
        if notification["renotify"] == true, notification["tag"]?.string?.isEmpty != false {
            findings.error(
                .webNotification, "browsers refuse 'renotify' without a 'tag'",
                at: key("webpush", "notification", "renotify"))
        }
        if notification["silent"] == true, notification["vibrate"] != nil {
            findings.error(
                .webNotification, "browsers refuse 'vibrate' in a silent notification",
                at: key("webpush", "notification", "vibrate"))
        }
    }

    /// What the browser's Notification takes, in words; `nil` where the value is that, or the key the app's own.
    private static func fault(ofWebOption key: String, _ value: JSONValue) -> String? {
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
