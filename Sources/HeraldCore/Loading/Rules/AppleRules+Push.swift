internal import FCM

/// Rules for a message to Apple devices: its push type, priority and content must fit together.
extension AppleRules {
    private var pushType: String? { headers["apns-push-type"]?.value }
    private var isAlert: Bool { aps["alert"] != nil || draft.json["notification"]?.isShown == true }
    private var isNoticed: Bool { isAlert || aps["badge"] != nil || aps["sound"] != nil }
    private var isAwaking: Bool { aps["content-available"] == 1 }
    private var hasPayload: Bool { draft["apns", "payload"] != nil || draft.json["data"] != nil || isAlert }

    func checkPushType(_ findings: inout Findings) {
        guard hasPayload else { return }
        let isSilent = pushType == "background" || (pushType == nil && !isAlert && (isAwaking || !isNoticed))
        // A push without either has a warning of its own.
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
        // A badge alone needs no alert and wakes no app.
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

    func checkActivity(_ findings: inout Findings) {
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

    /// Rules for a message that also reaches Apple devices, even if it says nothing about them.
    func checkReach(_ findings: inout Findings) {
        let others = AndroidPart.allCases.map(\.rawValue) + ["webpush"]
        let isForApple = draft.json["apns"] != nil || others.allSatisfy { draft.json[$0] == nil }
        guard isForApple, draft["apns", "live_activity_token"] == nil else { return }
        if !isAlert {
            checkDataOnly(&findings)
        } else if aps["mutable-content"] != 1 {
            let own = ["apns", "fcm_options", "image"]
            let isOwn = draft["apns", "fcm_options", "image"] != nil
            guard isOwn || draft["notification", "image"] != nil else { return }
            findings.warning(
                .imageMutable, "the image is not shown on Apple devices without 'mutable-content'",
                at: draft.key(at: isOwn ? own : ["notification", "image"]),
                help: "write apns: {payload: {aps: {mutable-content: 1}}}")
        }
    }

    private func checkDataOnly(_ findings: inout Findings) {
        guard draft.json["data"] != nil || draft["apns", "payload", "aps"]?.object != nil, !isAwaking,
            draft["apns", "headers", "apns-push-type"] == nil
        else { return }
        if draft.json["data"] == nil, isNoticed { return }
        findings.warning(
            .dataOnly, "data-only messages do not wake background apps on Apple devices",
            at: draft.json["data"] != nil ? draft.key("data") : draft.key("apns", "payload"),
            help: "add 'apns' with content-available: 1, apns-priority: \"5\" and apns-push-type: background")
    }
}

extension JSONValue {
    /// Whether the notification has something to show.
    fileprivate var isShown: Bool { self["title"] != nil || self["body"] != nil }
}
