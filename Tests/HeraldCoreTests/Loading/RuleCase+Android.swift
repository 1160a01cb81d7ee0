import HeraldCore

private func message(_ rest: String) -> String {
    "kind: campaign\nname: c\ntarget: {fids: [\(fid)]}\nmessage:\n  notification: {title: x}\n\(rest)"
}
private func preview(_ rest: String, and more: String = "") -> String {
    message("  # herald: allow fcm-preview the app knows it\n  android_v2: {\(rest)}\n\(more)")
}
private func remote(_ rest: String) -> String { preview("remote_notification: {notification: {\(rest)}}") }
private func shown(_ rest: String) -> String { message("  android: {notification: {\(rest)}}\n") }

extension RuleCase {
    static let androidParts: [RuleCase] = [
        RuleCase(
            .fcmPreview, "of Android", message("  ▸android_v2: {background_sync: {}}\n"),
            near: message("  android: {priority: normal}\n")),
        RuleCase(
            .androidVersion, "both", preview("background_sync: {}}\n  ▸android: {ttl: 1s"),
            near: preview("background_sync: {}, ttl: 1s")),
        RuleCase(
            .androidVersion, "two kinds at once",
            preview("remote_notification: {notification: {}}, ▸background_sync: {}"),
            near: preview("remote_notification: {notification: {}}")),
        RuleCase(
            .missingKey, "neither a notification nor a sync",
            preview("ttl: 1s").replacing("android_v2", with: "▸android_v2"),
            near: preview("ttl: 1s, background_sync: {}")),
        RuleCase(
            .missingKey, "a remote notification of nothing", preview("▸remote_notification: {}"),
            near: preview("remote_notification: {notification: {}}")),
        RuleCase(
            .unknownKey, "a background sync of something", preview("background_sync: {▸data: {a: b}}"),
            near: preview("background_sync: {}, data: {a: b}")),
        RuleCase(
            .unknownKey, "a priority in the preview", preview("background_sync: {}, ▸priority: HIGH"),
            near: preview("background_sync: {}")),
        RuleCase(.wrongType, "an id in words", remote("id: ▸tide"), near: remote("id: -7")),
        RuleCase(.wrongType, "an id that is too large", remote("id: ▸2147483648"), near: remote("id: 2147483647")),
        RuleCase(
            .ttlRange, "of the preview", preview("background_sync: {}, ttl: ▸29d"),
            near: preview("background_sync: {}, ttl: 28d")),
        RuleCase(
            .ignoredOption, "half a second in the preview", preview("background_sync: {}, ttl: ▸0.5s◂"),
            near: preview("background_sync: {}, ttl: 1s")),
        RuleCase(
            .locArgs, "of the preview", remote("▸title_loc_args: [a]"),
            near: remote("title_loc_args: [a], title_loc_key: k")),
        RuleCase(
            .missingKey, "of a light in the preview",
            remote("▸light_settings: {light_on_duration: 1s, light_off_duration: 1s}"),
            near: remote("light_settings: {color: '#ffffff', light_on_duration: 1s, light_off_duration: 1s}")),
        RuleCase(
            .reservedKey, "in the preview's data", preview("background_sync: {}, data: {▸google.a: b}"),
            near: preview("background_sync: {}, data: {a.google: b}")),
        RuleCase(
            .dataReplaced, "in the preview", preview("background_sync: {}, ▸data: {a: b}", and: "  data: {c: d}\n"),
            near: preview("background_sync: {}, data: {c: b}", and: "  data: {c: d}\n")),
        RuleCase(
            .unfinishedText, "in the preview", remote("title: ▸'{{ name }}'"), near: remote("title: name")),
        RuleCase(
            .deprecatedOption, "a proxy that is passed by", shown("▸bypass_proxy_notification: true"),
            near: shown("proxy: DENY")),
    ]
}
