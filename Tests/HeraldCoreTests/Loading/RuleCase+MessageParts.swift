import HeraldCore

private func campaign(_ message: String, to target: String = "fids: [\(fid)]", _ rest: String = "") -> String {
    "kind: topic\nname: t\nsubscribers: []\n---\nkind: audience\nname: a\nfids: [\(fid)]\n---\n"
        + "kind: campaign\nname: c\ntarget: {\(target)}\nmessage: \(message)\n\(rest)\n"
}
/// Of a message that everybody sees.
private func message(_ rest: String) -> String { campaign("{notification: {title: x}, \(rest)}") }
private func data(_ rest: String) -> String { message("data: {\(rest)}") }
private func android(_ rest: String) -> String { message("android: {\(rest)}") }
private func shown(_ rest: String) -> String { android("notification: {\(rest)}") }
private func image(_ text: String) -> String {
    campaign("{notification: {title: x, image: \(text)}, android: {priority: high}}")
}
private func apns(_ rest: String) -> String { message("apns: {\(rest)}") }
private func aps(_ rest: String) -> String { apns("headers: {apns-push-type: alert}, payload: {aps: {\(rest)}}") }
private func web(_ rest: String) -> String { message("webpush: {\(rest)}") }
private func text(_ bytes: Int) -> String { String(repeating: "x", count: bytes) }
private func block(_ body: String) -> String { campaign("\n  notification:\n    title: x\n    \(body)") }

extension RuleCase {
    static let messageParts: [RuleCase] = [
        RuleCase(.wrongType, "a number in data", data("score: ▸[850]"), near: data("score: '850'")),
        RuleCase(.ambiguousScalar, "a bare number in data", data("score: ▸850"), near: data("score: \"850\"")),
        RuleCase(
            .wrongType, "a text that is a mapping", block("body:\n      ▸Tide: 18:42"),
            near: block("body:\n      \"Tide: 18:42\"")),
        RuleCase(.reservedKey, "from", data("▸from: x"), near: data("fro: x, From: z")),
        RuleCase(.reservedKey, "message_type", data("▸message_type: x"), near: data("message-type: x")),
        RuleCase(.reservedKey, "google in capitals", data("▸GOOGLE.x: z"), near: data("goog: z, my.google: z")),
        RuleCase(.reservedKey, "gcm", data("▸gcm: z"), near: data("gc: z")),
        RuleCase(.reservedKey, "none", data("▸'': z"), near: data("' ': z")),
        RuleCase(.reservedKey, "of Android", android("data: {▸from: x}"), near: android("data: {to: x}")),
        RuleCase(.reservedKey, "of the web", web("data: {▸gcm.n: x}"), near: web("data: {n: x}")),
        RuleCase(.dataKey, "an option's name", data("▸collapse_key: x"), near: data("collapse: x")),
        RuleCase(.dataKey, "aps", data("▸aps: x"), near: data("apsis: x")),
        RuleCase(
            .dataReplaced, "on Android",
            message("data: {a: b, c: d, e: f}, android: {▸data◂: {c: d}}"),
            near: message("data: {a: b, c: d}, android: {data: {a: b, c: other, g: h}}")),
        RuleCase(
            .dataReplaced, "on the web",
            message("data: {a: b}, webpush: {▸data◂: {c: d}}"), near: message("data: {a: b}, webpush: {data: {}}")),
        RuleCase(
            .dataCollision, "of data and payload",
            message("data: {a: b}, apns: {headers: {apns-push-type: alert}, payload: {aps: {}, ▸a: 1}}"),
            near: message("data: {a: b}, apns: {headers: {apns-push-type: alert}, payload: {aps: {}, b: 1}}")),
        RuleCase(.imageURL, "a path", image("▸/a.png"), near: image("https://x.example/a.png")),
        RuleCase(.imageURL, "another scheme", image("▸ftp://x.example/a.png"), near: image("HTTPS://x.example")),
        RuleCase(.imageURL, "no host", image("▸'https:///a.png'"), near: image("'https://x/a.png?b=%20#c'")),
        RuleCase(.imageURL, "a space", image("▸'https://x.example/a b.png'"), near: image("'https://x.example/a%20b'")),
        RuleCase(.imageURL, "half an escape", image("▸'https://x.example/%2'"), near: image("'https://x.example/%2F'")),
        RuleCase(
            .imageURL, "an empty part of the path", image("▸https://x.example/a//b.png"),
            near: image("https://x.example/a/b.png?c=//")),
        RuleCase(
            .imageURL, "a bracket in the path", image("▸'https://x.example/[a'"),
            near: image("'https://x.example/a?[b]'")),
        RuleCase(
            .imageURL, "an ampersand in the path", image("▸'https://x.example/a&b'"),
            near: image("'https://x.example/a?b&c'")),
        RuleCase(
            .imageURL, "of Android", shown("image: ▸a.png"), near: shown("image: https://x.example/a.png")),
        RuleCase(.imageHTTP, "an image", image("▸http://x.example/a.png"), near: image("https://x.example/a.png")),
        RuleCase(
            .imageMutable, "a common image", campaign("{notification: {title: x, ▸image: https://x.example/a.png}}"),
            near: campaign(
                "{notification: {title: x, image: https://x.example/a.png}, "
                    + "apns: {headers: {apns-push-type: alert}, payload: {aps: {mutable-content: 1}}}}")),
        RuleCase(
            .imageMutable, "an image of Apple's",
            apns(
                "headers: {apns-push-type: alert}, payload: {aps: {badge: 0}}, "
                    + "fcm_options: {▸image: https://x.example/a.png}"),
            near: apns(
                "headers: {apns-push-type: alert}, payload: {aps: {badge: 0, mutable-content: 1}}, "
                    + "fcm_options: {image: https://x.example/a.png}")),
        RuleCase(
            .linkURL, "over http", web("fcm_options: {link: ▸http://x.example}"),
            near: web("fcm_options: {link: https://x.example}")),
        RuleCase(
            .linkURL, "in capital letters", web("fcm_options: {link: ▸HTTPS://x.example/a}"),
            near: web("fcm_options: {link: https://X.example/A}")),
        RuleCase(.color, "a name", shown("color: ▸red"), near: shown("color: '#fF0000'")),
        RuleCase(.color, "with alpha", shown("color: ▸'#ff000080'"), near: shown("color: '#ff0000'")),
        RuleCase(
            .color, "of a light",
            shown("light_settings: {color: ▸'#ff00', light_on_duration: 1s, light_off_duration: 1s}"),
            near: shown("light_settings: {color: '#ff000080', light_on_duration: 1s, light_off_duration: 1s}")),
        RuleCase(
            .color, "a light in 255 parts",
            shown("light_settings: {color: {▸red: 255}, light_on_duration: 1s, light_off_duration: 1s}"),
            near: shown("light_settings: {color: {red: 1}, light_on_duration: 1s, light_off_duration: 1s}")),
        RuleCase(
            .nullValue, "a colour that is a comment", block("\n  android:\n    notification:\n      color:▸ #ff0000"),
            near: block("\n  android:\n    notification:\n      color: '#ff0000'")),
        RuleCase(
            .analyticsLabel, "a space", message("fcm_options: {analytics_label: ▸a b}"),
            near: message("fcm_options: {analytics_label: a-b_.~%9}")),
        RuleCase(
            .analyticsLabel, "51 characters", android("fcm_options: {analytics_label: ▸\(text(51))}"),
            near: android("fcm_options: {analytics_label: \(text(50))}")),
        RuleCase(
            .analyticsLabel, "of the web", web("fcm_options: {analytics_label: ▸è}"),
            near: web("fcm_options: {analytics_label: e}")),
        RuleCase(
            .analyticsLabel, "of Apple",
            apns("headers: {apns-push-type: alert}, fcm_options: {analytics_label: ▸''}"),
            near: apns("headers: {apns-push-type: alert}, fcm_options: {analytics_label: a}")),
        RuleCase(.ttlRange, "a second too long", android("ttl: ▸2419201s"), near: android("ttl: 28d")),
        RuleCase(
            .eventTime, "without an offset", shown("event_time: ▸2026-12-01T09:00:00"),
            near: shown("event_time: 2026-12-01T09:00:00+01:00")),
        RuleCase(
            .locArgs, "of a title", shown("▸title_loc_args: [a]"),
            near: shown("title_loc_args: [a], title_loc_key: k")),
        RuleCase(
            .locArgs, "of a body", shown("▸body_loc_args: [a], title_loc_key: k"),
            near: shown("body_loc_args: [], title_loc_key: k")),
        RuleCase(
            .locArgs, "with an empty key", shown("▸title_loc_args: [a], title_loc_key: ''"),
            near: shown("title_loc_args: [a], title_loc_key: k")),
        RuleCase(
            .locArgs, "of an alert with an empty key", aps("alert: {▸loc-args: [a], loc-key: ''}"),
            near: aps("alert: {loc-args: [a], loc-key: k}")),
        RuleCase(
            .locArgs, "of an alert", aps("alert: {▸loc-args: [a]}"), near: aps("alert: {loc-args: [a], loc-key: k}")),
        RuleCase(
            .locArgs, "of a subtitle", aps("alert: {▸subtitle-loc-args: [a], loc-key: k}"),
            near: aps("alert: {subtitle-loc-args: [a], subtitle-loc-key: k}")),
        RuleCase(
            .invalidValue, "no vibration", shown("vibrate_timings: ▸[]"), near: shown("vibrate_timings: [0s, 1s]")),
        RuleCase(
            .missingKey, "of a light", shown("▸light_settings: {color: '#ff0000', light_on_duration: 1s}"),
            near: shown("light_settings: {color: '#ff0000', light_on_duration: 1s, light_off_duration: 0.5s}")),
        RuleCase(.invalidValue, "a visibility", shown("visibility: ▸hidden"), near: shown("visibility: secret")),
        RuleCase(.invalidValue, "a proxy", shown("proxy: ▸maybe"), near: shown("proxy: deny")),
        RuleCase(.wrongType, "a flag in words", shown("sticky: ▸'true'"), near: shown("sticky: true")),
        RuleCase(
            .ignoredOption, "a vibration", shown("default_vibrate_timings: true, ▸vibrate_timings: [0s, 1s]"),
            near: shown("default_vibrate_timings: false, vibrate_timings: [0s, 1s]")),
        RuleCase(
            .ignoredOption, "a light",
            shown(
                "▸default_light_settings: true, "
                    + "light_settings: {color: '#ff0000', light_on_duration: 1s, light_off_duration: 1s}"),
            near: shown("default_light_settings: true")),
        RuleCase(.ignoredOption, "a half second", android("ttl: ▸0.5s◂"), near: android("ttl: 1s")),
    ]
}
