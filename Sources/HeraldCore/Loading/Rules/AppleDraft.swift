internal import FCM

/// The part of a message that is for Apple devices, with the common notification where it shows that.
struct AppleDraft {
    private let draft: MessageDraft
    private let aps: [String: JSONValue]
    private let headers: [String: (value: String, range: TextRange)]

    /// `nil` where the message has no block for Apple devices.
    init?(_ draft: MessageDraft) {
        guard let apns = draft.json["apns"] else { return nil }
        self.draft = draft
        aps = apns["payload"]?["aps"]?.object ?? [:]
        var headers: [String: (value: String, range: TextRange)] = [:]
        for entry in draft.node("apns", "headers")?.mapping ?? [] {
            headers[entry.key.lowercased()] = (entry.value.scalar?.text ?? "", entry.value.range)
        }
        self.headers = headers
    }

    func check(_ findings: inout Findings) {
        checkHeaders(&findings)
        checkValues(&findings)
        checkCollisions(&findings)
        if draft["apns", "live_activity_token"] != nil || headers["apns-push-type"]?.value == "liveactivity" {
            checkActivity(&findings)
        } else {
            checkPushType(&findings)
        }
    }

    private var pushType: String? { headers["apns-push-type"]?.value }
    private var isAlert: Bool { aps["alert"] != nil || draft.json["notification"]?.isShown == true }
    private var isNoticed: Bool { isAlert || aps["badge"] != nil || aps["sound"] != nil }
    private var isAwaking: Bool { aps["content-available"] == 1 }
    private var hasPayload: Bool { draft["apns", "payload"] != nil || draft.json["data"] != nil || isAlert }

    // MARK: Headers

    private static let pushTypes = [
        "alert", "background", "location", "voip", "complication", "fileprovider", "mdm", "liveactivity", "pushtotalk",
        "widgets",
    ]

    private func checkHeaders(_ findings: inout Findings) {
        for entry in draft.node("apns", "headers")?.mapping ?? [] {
            let value = entry.value.scalar?.text ?? ""
            let fault: String? =
                switch entry.key.lowercased() {
                case "apns-push-type":
                    Self.pushTypes.contains(value) ? nil : "one of \(Self.pushTypes.joined(separator: ", "))"
                case "apns-priority": ["10", "5", "1"].contains(value) ? nil : "\"10\", \"5\" or \"1\""
                case "apns-expiration":
                    !value.isEmpty && value.utf8.count <= 12 && value.utf8.allSatisfy(\.isDigit)
                        ? nil : "a moment in UNIX seconds, not a duration; delivery.expires_after works it out"
                case "apns-collapse-id": (1...64).contains(value.utf8.count) ? nil : "1 to 64 bytes long"
                default: HTTPHeader.fault(of: value)
                }
            if let fault {
                let near =
                    entry.key.lowercased() == "apns-push-type"
                    ? findings.advice.nearest(to: value, among: Self.pushTypes) : nil
                findings.error(
                    .apnsHeader, "'\(entry.key)' must be \(fault)", at: entry.value.range,
                    help: near.map { "did you mean '\($0)'?" }, replacement: near)
            } else {
                HTTPHeader.checkName(entry, .apnsHeader, &findings)
            }
        }
    }

    // MARK: aps

    private func checkValues(_ findings: inout Findings) {
        check(draft.node("apns", "payload", "aps"), aps, ApsValue.keys, of: "aps", &findings)
        guard let alert = aps["alert"]?.object else { return }
        check(draft.node("apns", "payload", "aps", "alert"), alert, ApsValue.alertKeys, of: "alert", &findings)
        for part in ["", "title-", "subtitle-"] where alert["\(part)loc-args"] != nil && alert["\(part)loc-key"] == nil
        {
            findings.error(
                .locArgs, "'\(part)loc-args' needs '\(part)loc-key'",
                at: draft.key("apns", "payload", "aps", "alert", "\(part)loc-args"))
        }
    }

    private func check(
        _ node: Node?, _ json: [String: JSONValue], _ keys: [String: ApsValue], of name: String,
        _ findings: inout Findings
    ) {
        let known = keys.keys.sorted()
        for entry in node?.mapping ?? [] {
            guard let value = json[entry.key] else { continue }
            guard let wanted = keys[entry.key] else {
                let near = findings.advice.nearest(to: entry.key.replacingUnderscores, among: known)
                findings.warning(
                    .apsKey, "'\(entry.key)' is not a key of \(name) that Apple knows", at: entry.keyRange,
                    help: near.map { "did you mean '\($0)'?" } ?? "the app's own keys belong beside 'aps'",
                    replacement: near.flatMap { json[$0] == nil ? $0 : nil })
                continue
            }
            if let fault = wanted.fault(of: value) {
                let meant = wanted.spelling(meantBy: value)
                findings.error(
                    .apsValue, "'\(entry.key)' must be \(fault)", at: entry.value.range,
                    help: meant.map { "write \($0)" }, replacement: meant)
            }
        }
    }

    /// `data` comes to lie beside `aps`, where the payload's own keys are.
    private func checkCollisions(_ findings: inout Findings) {
        guard let data = draft.json["data"]?.object, !data.isEmpty else { return }
        for entry in draft.node("apns", "payload")?.mapping ?? [] where entry.key != "aps" && data[entry.key] != nil {
            let note = Diagnostic.Note("also here", at: findings.at(draft.key("data", entry.key)))
            findings.diagnostics.append(
                .error(
                    .dataCollision, "'\(entry.key)' is in data too, and on Apple devices both are one key",
                    at: findings.at(entry.keyRange), notes: [note], help: "name one of them otherwise"))
        }
    }

    // MARK: What goes with what

    private func checkPushType(_ findings: inout Findings) {
        guard hasPayload else { return }
        let isSilent = pushType == "background" || (pushType == nil && !isAlert && (isAwaking || !isNoticed))
        // A push that is neither has a warning of its own.
        if pushType == nil, isNoticed || isAwaking {
            findings.warning(
                .pushTypeMissing, "the header 'apns-push-type' is missing", at: draft.key("apns"),
                help: "write headers: {apns-push-type: \(isNoticed ? "alert" : "background")}")
        }
        if pushType == "alert", !isNoticed, let range = headers["apns-push-type"]?.range {
            findings.error(
                .pushType, "an alert push has an alert, a badge or a sound, and this one has none of them", at: range,
                help: isAwaking ? "write apns-push-type: background" : nil,
                replacement: isAwaking ? "background" : nil)
        }
        if pushType == "background", !isAwaking, let range = headers["apns-push-type"]?.range {
            findings.error(
                .pushType, "a background push needs 'content-available' in its 'aps'", at: range,
                help: "write payload: {aps: {content-available: 1}}")
        }
        if isSilent {
            checkSilent(&findings)
        } else if isAwaking, isAlert {
            findings.warning(
                .silentPush, "'content-available' beside an alert wakes the app for what is shown anyway",
                at: draft.key("apns", "payload", "aps", "content-available"))
        }
    }

    private func checkSilent(_ findings: inout Findings) {
        // A badge alone needs no alert and wakes nobody.
        for key in ["alert", "badge", "sound"] where aps[key] != nil && (isAwaking || pushType == "background") {
            findings.warning(
                .silentPush, "a silent push has no \(key)", at: draft.key("apns", "payload", "aps", key),
                help: "take it out, or make the push an alert")
        }
        if aps["alert"] == nil, isAlert {
            findings.warning(
                .silentPush, "a silent push shows no notification on Apple devices", at: draft.key("notification"),
                help: "move the notification to the other platforms' blocks, or make the push an alert")
        }
        if let priority = headers["apns-priority"] {
            guard priority.value != "5", isAwaking || pushType == "background" || draft.json["data"] != nil else {
                return
            }
            findings.error(
                .silentPriority, "a silent push of priority \(priority.value) is refused by Apple", at: priority.range,
                help: "write apns-priority: \"5\"", replacement: "\"5\"")
        } else if isAwaking {
            findings.error(
                .silentPriority, "a silent push needs 'apns-priority': FCM's own is 10, which Apple refuses",
                at: draft.key("apns", "payload", "aps", "content-available"),
                help: "write headers: {apns-priority: \"5\"}")
        }
    }

    private func checkActivity(_ findings: inout Findings) {
        if let type = headers["apns-push-type"], type.value != "liveactivity" {
            findings.error(
                .liveActivity, "a live activity is of push type liveactivity, not \(type.value)", at: type.range,
                help: "write apns-push-type: liveactivity", replacement: "liveactivity")
        }
        if draft["apns", "live_activity_token"] == nil, let type = headers["apns-push-type"] {
            findings.error(.liveActivity, "a live activity needs 'live_activity_token'", at: type.range)
        }
        let isStart = aps["event"] == "start"
        let needed = ["timestamp", "event", "content-state"] + (isStart ? ["attributes-type", "attributes"] : [])
        for key in needed where aps[key] == nil {
            findings.error(
                .liveActivity, "a live activity's 'aps' needs '\(key)'",
                at: draft.key(at: ["apns", "payload", "aps"]))
        }
    }
}

extension MessageDraft {
    /// Of what is for Apple devices too, though nothing may be said about them.
    func checkAppleReach(_ findings: inout Findings) {
        let isForApple = json["apns"] != nil || (json["android"] == nil && json["webpush"] == nil)
        guard isForApple, self["apns", "live_activity_token"] == nil else { return }
        let aps = self["apns", "payload", "aps"]
        if json["notification"]?.isShown != true, aps?["alert"] == nil {
            checkDataOnly(&findings)
        } else if aps?["mutable-content"] != 1 {
            let own = ["apns", "fcm_options", "image"]
            let isOwn = self["apns", "fcm_options", "image"] != nil
            guard isOwn || self["notification", "image"] != nil else { return }
            findings.warning(
                .imageMutable, "the image is not shown on Apple devices without 'mutable-content'",
                at: key(at: isOwn ? own : ["notification", "image"]),
                help: "write apns: {payload: {aps: {mutable-content: 1}}}")
        }
    }

    private func checkDataOnly(_ findings: inout Findings) {
        guard json["data"] != nil || self["apns", "payload", "aps"]?.object != nil,
            self["apns", "payload", "aps"]?["content-available"] != 1,
            self["apns", "headers", "apns-push-type"] == nil
        else { return }
        let aps = self["apns", "payload", "aps"]
        if json["data"] == nil, aps?["badge"] != nil || aps?["sound"] != nil { return }
        findings.warning(
            .dataOnly, "no Apple app in the background hears of a message that is only data",
            at: json["data"] != nil ? key("data") : key("apns", "payload"),
            help: "add 'apns' with content-available: 1, apns-priority: \"5\" and apns-push-type: background")
    }
}

/// What HTTP itself asks of a header.
enum HTTPHeader {
    static func fault(of value: String) -> String? {
        value.utf8.allSatisfy { (0x20..<0x7F).contains($0) } ? nil : "on one line, in ASCII"
    }

    static func checkName(_ entry: Node.Entry, _ rule: Rule, _ findings: inout Findings) {
        if !entry.key.isEmpty, entry.key.utf8.allSatisfy(\.isOfHeaderName) { return }
        findings.error(rule, "'\(entry.key)' cannot be a header's name", at: entry.keyRange)
    }
}

extension JSONValue {
    /// Of a notification: whether it has something to show.
    fileprivate var isShown: Bool { self["title"] != nil || self["body"] != nil }
}

extension String {
    /// As Apple writes the words of its keys.
    fileprivate var replacingUnderscores: String { String(map { $0 == "_" ? "-" : $0 }) }
}
