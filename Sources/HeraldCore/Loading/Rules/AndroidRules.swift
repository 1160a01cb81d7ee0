internal import FCM

/// The rules for the Android part of a message.
struct AndroidRules {
    private let draft: MessageDraft

    init(_ draft: MessageDraft) { self.draft = draft }

    func check(_ findings: inout Findings) {
        if draft.json[AndroidPart.preview.rawValue] != nil { checkPreview(&findings) }
        for part in AndroidPart.allCases where draft.node(part.rawValue) != nil {
            checkLifetime(at: [part.rawValue, "ttl"], &findings)
            checkNotification(at: part.notification, &findings)
        }
    }

    /// `android_v2`, by FCM's description of the v1 API and the Admin SDKs that are to come with it.
    private func checkPreview(_ findings: inout Findings) {
        let key = draft.key("android_v2")
        findings.usesPreview(at: key)
        if draft.json["android"] != nil {
            findings.error(
                .androidVersion, "'android' stands beside 'android_v2', and FCM refuses both", at: draft.key("android"),
                help: "keep one of them")
        }
        switch (draft["android_v2", "remote_notification"], draft["android_v2", "background_sync"]) {
        case (nil, nil):
            findings.error(
                .missingKey, "'android_v2' needs 'remote_notification' or 'background_sync'", at: key,
                help: "write 'background_sync: {}' for data that may come later")
        case (_?, _?):
            findings.error(
                .androidVersion, "a remote notification is no background sync",
                at: draft.key("android_v2", "background_sync"), help: "remove one of the two")
        case (let remote?, nil) where remote["notification"] == nil:
            findings.error(
                .missingKey, "'remote_notification' needs 'notification'",
                at: draft.key("android_v2", "remote_notification"),
                help: "write 'notification: {}' to show the common notification")
        default: break
        }
    }

    private func checkLifetime(at path: [String], _ findings: inout Findings) {
        guard let ttl = draft.value(at: path[...])?.string, ttl.contains("."), let node = draft.node(at: path) else {
            return
        }
        let whole = "\(ttl.prefix { $0 != "." })s"
        findings.warning(
            .ignoredOption, "'ttl' is rounded down to \(whole)", at: node.range, help: "write \(whole)",
            replacement: whole)
    }

    private func checkNotification(at path: [String], _ findings: inout Findings) {
        if let timings = draft.node(at: path + ["vibrate_timings"]), timings.sequence?.isEmpty == true {
            findings.error(
                .invalidValue, "'vibrate_timings' has no entry", at: timings.range,
                help: "the first is the wait before the first vibration")
        }
        guard let notification = draft.value(at: path[...])?.object else { return }
        if notification["bypass_proxy_notification"] != nil {
            findings.warning(
                .deprecatedOption, "'bypass_proxy_notification' is deprecated",
                at: draft.key(at: path + ["bypass_proxy_notification"]),
                help: "'proxy' says whether the system may show it in the app's stead")
        }
        for part in ["title", "body"]
        where notification["\(part)_loc_args"] != nil && (notification["\(part)_loc_key"]?.string ?? "").isEmpty {
            findings.error(
                .locArgs, "'\(part)_loc_args' needs '\(part)_loc_key'", at: draft.key(at: path + ["\(part)_loc_args"]))
        }
        if let light = notification["light_settings"] {
            for part in ["color", "light_on_duration", "light_off_duration"] where light[part] == nil {
                findings.error(
                    .missingKey, "'light_settings' needs '\(part)'", at: draft.key(at: path + ["light_settings"]))
            }
        }
        if notification["vibrate_timings"] != nil, notification["default_vibrate_timings"] == true {
            findings.warning(
                .ignoredOption, "'vibrate_timings' is ignored beside 'default_vibrate_timings: true'",
                at: draft.key(at: path + ["vibrate_timings"]))
        }
        if notification["light_settings"] != nil, notification["default_light_settings"] == true {
            findings.warning(
                .ignoredOption, "'default_light_settings' is ignored beside 'light_settings'",
                at: draft.key(at: path + ["default_light_settings"]))
        }
    }
}

extension Findings {
    /// Warns of `android_v2`.
    mutating func usesPreview(at range: TextRange) {
        warning(
            .fcmPreview, "'android_v2' is a preview of FCM's, which may still change", at: range,
            help: "use 'android', unless the app needs what is new")
    }
}
