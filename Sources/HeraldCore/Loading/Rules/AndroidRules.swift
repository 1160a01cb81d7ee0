internal import FCM

/// The rules for the Android part of a message.
struct AndroidRules {
    private let draft: MessageDraft

    init(_ draft: MessageDraft) { self.draft = draft }

    func check(_ findings: inout Findings) {
        if let ttl = draft["android", "ttl"]?.string, ttl.contains("."), let node = draft.node("android", "ttl") {
            let whole = "\(ttl.prefix { $0 != "." })s"
            findings.warning(
                .ignoredOption, "'ttl' is rounded down to \(whole)", at: node.range, help: "write \(whole)",
                replacement: whole)
        }
        checkNotification(&findings)
    }

    private func checkNotification(_ findings: inout Findings) {
        let path = ["android", "notification"]
        if let timings = draft.node("android", "notification", "vibrate_timings"), timings.sequence?.isEmpty == true {
            findings.error(
                .invalidValue, "'vibrate_timings' has no entry", at: timings.range,
                help: "the first is the wait before the first vibration")
        }
        guard let notification = draft["android", "notification"]?.object else { return }
        for part in ["title", "body"]
        where notification["\(part)_loc_args"] != nil && notification["\(part)_loc_key"] == nil {
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
