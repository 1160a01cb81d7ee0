import HeraldCore

private func campaign(_ message: String, to target: String = "fids: [\(fid)]", _ rest: String = "") -> String {
    "kind: topic\nname: t\nsubscribers: []\n---\nkind: audience\nname: a\nfids: [\(fid)]\n---\n"
        + "kind: campaign\nname: c\ntarget: {\(target)}\nmessage: \(message)\n\(rest)\n"
}
/// Part of a message that shows a notification.
private func message(_ rest: String) -> String { campaign("{notification: {title: x}, \(rest)}") }
private func data(_ rest: String) -> String { message("data: {\(rest)}") }
private func android(_ rest: String) -> String { message("android: {\(rest)}") }
private func shown(_ rest: String) -> String { android("notification: {\(rest)}") }
private func image(_ text: String) -> String {
    campaign("{notification: {title: x, image: \(text)}, android: {priority: high}}")
}
private func apns(_ rest: String) -> String { message("apns: {\(rest)}") }
private func headers(_ rest: String) -> String { apns("headers: {apns-push-type: alert, \(rest)}") }
private func aps(_ rest: String) -> String { apns("headers: {apns-push-type: alert}, payload: {aps: {\(rest)}}") }
/// A message that wakes the app and shows nothing.
private func silent(_ headers: String, _ aps: String = "content-available: 1") -> String {
    campaign("{data: {a: b}, apns: {headers: {\(headers)}, payload: {aps: {\(aps)}}}}")
}
private func activity(_ aps: String, to target: String = "fids: [\(fid)]", _ headers: String = "") -> String {
    campaign(
        "{apns: {headers: {apns-push-type: liveactivity}, live_activity_token: x, payload: {aps: {\(aps)}}}}",
        to: target)
}
private let state = "timestamp: 1796112000, event: update, content-state: {height: 3}"
private func web(_ rest: String) -> String { message("webpush: {\(rest)}") }
private func webShown(_ rest: String) -> String { web("notification: {\(rest)}") }
private func text(_ bytes: Int) -> String { String(repeating: "x", count: bytes) }
private func block(_ body: String) -> String { campaign("\n  notification:\n    title: x\n    \(body)") }
private func timed(_ schedule: String, to target: String) -> String {
    campaign("{notification: {title: x}}", to: target, "schedule: {\(schedule)}")
}
private func condition(_ text: String, _ rest: String = "") -> String {
    campaign("{notification: {title: x}}", to: "condition: \(text)", rest)
}
private func beside(_ topics: String...) -> String {
    topics.map { "---\nkind: topic\nname: \($0)\nsubscribers: []\n" }.joined()
}

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
                "headers: {apns-push-type: alert}, payload: {aps: {badge: 0, mutable-content: true}}, "
                    + "fcm_options: {image: https://x.example/a.png}")),
        RuleCase(
            .linkURL, "over http", web("fcm_options: {link: ▸http://x.example}"),
            near: web("fcm_options: {link: https://x.example}")),
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

    static let appleParts: [RuleCase] = [
        RuleCase(
            .apnsHeader, "a type", apns("headers: {apns-push-type: ▸loud}, payload: {aps: {badge: 1}}"),
            near: apns("headers: {apns-push-type: voip}, payload: {aps: {badge: 1}}")),
        RuleCase(.apnsHeader, "a priority", headers("apns-priority: ▸high"), near: headers("apns-priority: '5'")),
        RuleCase(.apnsHeader, "a duration", headers("apns-expiration: ▸4h"), near: headers("apns-expiration: '0'")),
        RuleCase(
            .apnsHeader, "65 bytes", headers("apns-collapse-id: ▸\(text(65))"),
            near: headers("apns-collapse-id: \(text(64))")),
        RuleCase(.apnsHeader, "a name", headers("▸'a b': c"), near: headers("a-b: c")),
        RuleCase(.apnsHeader, "a line break", headers("a: ▸\"b\\nc\""), near: headers("a: \"b c\"")),
        RuleCase(.ambiguousScalar, "a priority", headers("apns-priority: ▸10"), near: headers("apns-priority: \"10\"")),
        RuleCase(.apsValue, "an alert", aps("alert: ▸[x]"), near: aps("alert: x")),
        RuleCase(.apsValue, "an alert's title", aps("alert: {title: ▸7}"), near: aps("alert: {title: '7'}")),
        RuleCase(
            .apsValue, "arguments", aps("alert: {loc-key: k, loc-args: ▸[7]}"),
            near: aps("alert: {loc-key: k, loc-args: ['7']}")),
        RuleCase(.apsValue, "a badge", aps("badge: ▸'1'"), near: aps("badge: 0")),
        RuleCase(.apsValue, "a badge below zero", aps("badge: ▸-1"), near: aps("badge: 1")),
        RuleCase(.apsValue, "a sound", aps("sound: ▸''"), near: aps("sound: default")),
        RuleCase(
            .apsValue, "a critical sound", aps("sound: ▸{critical: 1}"), near: aps("sound: {critical: 1, name: x}")),
        RuleCase(
            .apsValue, "a volume", aps("sound: ▸{critical: 1, name: x, volume: 1.5}"),
            near: aps("sound: {critical: 1, name: x, volume: 1}")),
        RuleCase(.apsValue, "a flag", aps("mutable-content: ▸'1'"), near: aps("mutable-content: true")),
        RuleCase(
            .apsValue, "a level", aps("interruption-level: ▸loud"), near: aps("interruption-level: time-sensitive")),
        RuleCase(.apsValue, "a score", aps("relevance-score: ▸7"), near: aps("relevance-score: 0.7")),
        RuleCase(.apsValue, "a category", aps("category: ▸7"), near: aps("category: '7'")),
        RuleCase(.apsKey, "in snake case", aps("▸mutable_content: 1"), near: aps("mutable-content: 1")),
        RuleCase(.apsKey, "of an alert", aps("alert: {title: x, ▸text: z}"), near: aps("alert: {title: x, body: z}")),
        RuleCase(
            .pushTypeMissing, "of an alert", message("▸apns: {payload: {aps: {sound: default}}}"),
            near: aps("sound: default")),
        RuleCase(
            .pushTypeMissing, "of a silent push",
            campaign("{data: {a: b}, ▸apns: {headers: {apns-priority: '5'}, payload: {aps: {content-available: 1}}}}"),
            near: silent("apns-push-type: background, apns-priority: '5'")),
        RuleCase(
            .pushType, "an alert without one", silent("apns-push-type: ▸alert"),
            near: silent("apns-push-type: alert", "badge: 1").replacing("{data: {a: b}, ", with: "{")),
        RuleCase(
            .pushType, "a silent push that wakes nobody", silent("apns-push-type: ▸background, apns-priority: '5'", ""),
            near: silent("apns-push-type: background, apns-priority: '5'")),
        RuleCase(
            .silentPush, "with a sound",
            silent("apns-push-type: background, apns-priority: '5'", "content-available: 1, ▸sound: default"),
            near: silent("apns-push-type: background, apns-priority: '5'")),
        RuleCase(
            .silentPush, "with a badge",
            silent("apns-push-type: background, apns-priority: '5'", "content-available: 1, ▸badge: 0"),
            near: aps("badge: 0")),
        RuleCase(
            .silentPush, "with an alert",
            silent("apns-push-type: background, apns-priority: '5'", "content-available: 1, ▸alert: x"),
            near: silent("apns-push-type: alert", "alert: x")),
        RuleCase(
            .silentPush, "with the common notification",
            campaign(
                "{▸notification: {title: x}, apns: {headers: {apns-push-type: background, apns-priority: '5'}, "
                    + "payload: {aps: {content-available: 1}}}}"),
            near: campaign(
                "{android: {notification: {title: x}}, apns: {headers: {apns-push-type: background, "
                    + "apns-priority: '5'}, payload: {aps: {content-available: 1}}}}")),
        RuleCase(
            .silentPush, "an alert that wakes", aps("▸content-available: 1"), near: aps("content-available: false")),
        RuleCase(
            .silentPriority, "at once", silent("apns-push-type: background, apns-priority: ▸'10'"),
            near: silent("apns-push-type: background, apns-priority: '5'")),
        RuleCase(
            .silentPriority, "FCM's own", silent("apns-push-type: background", "▸content-available: 1"),
            near: silent("apns-push-type: background, apns-priority: '5'")),
        RuleCase(
            .dataOnly, "to all platforms", campaign("{▸data: {a: b}}"),
            near: campaign("{data: {a: b}, android: {priority: normal}}")),
        RuleCase(
            .dataOnly, "a payload", campaign("{apns: {▸payload: {aps: {thread-id: x}, a: 1}}}"),
            near: silent("apns-push-type: background, apns-priority: '5'")),
        RuleCase(
            .liveActivity, "without a state", activity("timestamp: 1, event: update").replacing("aps:", with: "▸aps:"),
            near: activity(state)),
        RuleCase(
            .liveActivity, "a start without attributes",
            activity("timestamp: 1, event: start, content-state: {}, attributes: {}").replacing("aps:", with: "▸aps:"),
            near: activity("timestamp: 1, event: start, content-state: {}, attributes: {}, attributes-type: T")),
        RuleCase(
            .liveActivity, "of another type",
            activity(state).replacing("type: liveactivity", with: "type: ▸alert"), near: activity(state)),
        RuleCase(
            .liveActivity, "without its token",
            activity(state).replacing("live_activity_token: x, ", with: "")
                .replacing("type: live", with: "type: ▸live"), near: activity(state)),
        RuleCase(
            .liveActivity, "to a topic", activity(state, to: "topic: t").replacing("live_", with: "▸live_"),
            near: activity(state, to: "audience: a")),
        RuleCase(
            .invalidValue, "an activity without a token",
            activity(state).replacing("token: x", with: "token: ▸''"), near: activity(state)),
        RuleCase(
            .apsValue, "an event", activity("timestamp: 1, content-state: {}, event: ▸stop"), near: activity(state)),
    ]

    static let webParts: [RuleCase] = [
        RuleCase(.webpushHeader, "a TTL", web("headers: {TTL: ▸4h}"), near: web("headers: {TTL: '60'}")),
        RuleCase(
            .webpushHeader, "an urgency", web("headers: {Urgency: ▸HIGH}"), near: web("headers: {Urgency: very-low}")),
        RuleCase(
            .webpushHeader, "a topic", web("headers: {Topic: ▸\(text(33))}"),
            near: web("headers: {topic: \(text(32))}")),
        RuleCase(.webpushHeader, "a name", web("headers: {▸'': x}"), near: web("headers: {X: x}")),
        RuleCase(.webNotification, "a text", web("notification: ▸x"), near: webShown("title: x")),
        RuleCase(.webNotification, "a direction", webShown("dir: ▸left"), near: webShown("dir: ltr")),
        RuleCase(.webNotification, "a number", webShown("body: ▸7"), near: webShown("body: '7', mine: 7")),
        RuleCase(
            .webNotification, "a flag", webShown("requireInteraction: ▸1"), near: webShown("requireInteraction: true")),
        RuleCase(.webNotification, "a time", webShown("timestamp: ▸'1'"), near: webShown("timestamp: 1796112000000")),
        RuleCase(.webNotification, "a vibration", webShown("vibrate: ▸[-1]"), near: webShown("vibrate: [100, 50]")),
        RuleCase(
            .webNotification, "a button without a title", webShown("actions: ▸[{action: a}]"),
            near: webShown("actions: [{action: a, title: b}]")),
        RuleCase(
            .webNotification, "a button without an action", webShown("actions: ▸[{action: '', title: b}]"),
            near: webShown("actions: []")),
        RuleCase(.webNotification, "renotify", webShown("▸renotify: true"), near: webShown("renotify: true, tag: t")),
        RuleCase(
            .webNotification, "a silent vibration", webShown("silent: true, ▸vibrate: 7"),
            near: webShown("silent: true")),
    ]

    static let wholeMessages: [RuleCase] = [
        // The keys and values title, x and a have 7 bytes.
        RuleCase(
            .payloadSize, "a byte too many", message("▸data: {a: \(text(4090))}, android: {priority: high}"),
            near: message("webpush: {headers: {X: \(text(4090))}}")),
        RuleCase(
            .payloadSize, "of Android alone", android("▸data: {a: \(text(4090))}"),
            near: android("data: {a: \(text(3000))}")),
        RuleCase(
            .payloadLarge, "nearly", android("▸data: {a: \(text(3894))}"), near: android("data: {a: \(text(3893))}")),
        RuleCase(
            .payloadLarge, "to a topic",
            campaign("{notification: {▸body: x}, ▸data: {a: \(text(2100))}}", to: "topic: t")
                .replacing("{▸body", with: "{body"),
            near: campaign("{notification: {body: x}, data: {a: \(text(2100))}}", to: "audience: a")),
        RuleCase(
            .payloadLarge, "to a condition",
            campaign("{▸notification: {body: \(text(2100))}}", to: "condition: \"'t' in topics\""),
            near: campaign("{notification: {body: \(text(1900))}}", to: "condition: \"'t' in topics\"")),
        RuleCase(
            .unfinishedText, "a template", campaign("{notification: {title: ▸'Hello {{name}}'}}"),
            near: campaign("{notification: {title: 'Hello {name}'}}")),
        RuleCase(
            .unfinishedText, "a variable", campaign("{notification: {title: ▸'Hello ${NAME}'}}"),
            near: campaign("{notification: {title: '$5'}, data: {a: '${NAME}'}}")),
        RuleCase(
            .unfinishedText, "a note", campaign("{notification: {title: ▸'TODO: title'}}"),
            near: campaign("{notification: {title: TODO AL 50%}}")),
        RuleCase(
            .unfinishedText, "filler", aps("alert: {body: ▸Lorem ipsum dolor}"), near: aps("alert: {body: Lorem}")),
        RuleCase(
            .unfinishedText, "on a button", webShown("actions: [{action: a, title: ▸FIXME}]"),
            near: webShown("actions: [{action: FIXME, title: Mend}]")),
        RuleCase(.cutText, "a number", block("body: ▸We are #1 today"), near: block("body: 'We are #1 today'")),
        RuleCase(.cutText, "one space", block("body: ▸Sale # of all"), near: block("body: Sale  # of all")),
        RuleCase(.cutText, "in data", block("\n  data:\n    a: ▸x #1"), near: block("\n  data:\n    a: x # one")),
        RuleCase(.cutText, "after other letters", block("body: ▸è 🌊 #1"), near: block("body: \"è 🌊\" #1")),
    ]

    static let campaignRules: [RuleCase] = [
        RuleCase(
            .roundTime, "at the hour", timed("at: ▸2026-12-01T09:00Z", to: "topic: t"),
            near: timed("at: 2026-12-01T09:00:30Z", to: "topic: t")),
        RuleCase(
            .roundTime, "every quarter", timed("cron: ▸'*/15 * * * *'", to: "audience: a"),
            near: timed("cron: '*/10 * * * *'", to: "audience: a")),
        RuleCase(
            .roundTime, "to a condition", timed("cron: ▸30 9 * * MON", to: "condition: \"'t' in topics\""),
            near: timed("cron: 30 9 * * MON", to: "fids: [\(fid)]")),
        RuleCase(
            .shortLateness, "a minute", timed("cron: 7 9 * * *, max_lateness: ▸4m", to: "topic: t"),
            near: timed("cron: 7 9 * * *, max_lateness: 5m", to: "topic: t")),
        RuleCase(
            .shortLateness, "two hours by default",
            [
                "herald.yaml": settingsText + "runner: {every: 3h}\n",
                "x.yaml": timed("cron: 7 9 * * *", to: "topic: t").replacing("schedule: {", with: "schedule: ▸{"),
            ],
            near: [
                "herald.yaml": settingsText + "runner: {every: 3h}\n", "x.yaml": campaign("{notification: {title: x}}"),
            ]),
        RuleCase(
            .conditionNever, "a topic and its absence", condition("▸\"'t' in topics && !('t' in topics)\""),
            near: condition("\"'t' in topics && !('u' in topics)\"") + beside("u")),
        RuleCase(
            .conditionNever, "in one of its parts",
            condition("\"▸('u' in topics && !('u' in topics))◂ && 't' in topics\"") + beside("u"),
            near: condition("\"('u' in topics && !('v' in topics)) && 't' in topics\"") + beside("u", "v")),
        RuleCase(
            .conditionNever, "as lists", campaign("{notification: {title: x}}", to: "topics: ▸{any: [t], none: [t]}"),
            near: campaign("{notification: {title: x}}", to: "topics: {any: [t], none: [u]}") + beside("u")),
        RuleCase(
            .conditionRedundant, "a topic twice", condition("\"'t' in topics || ▸'t' in topics◂\""),
            near: condition("\"'t' in topics || 'u' in topics\"") + beside("u")),
        RuleCase(
            .conditionRedundant, "a part within another",
            condition("\"'t' in topics || ▸('t' in topics && 'u' in topics)◂\"") + beside("u"),
            near: condition("\"'t' in topics && ('v' in topics || 'u' in topics)\"") + beside("u", "v")),
        RuleCase(
            .conditionRedundant, "a branch that nobody takes",
            condition("\"▸( 'u' in topics && !('u' in topics) )◂ || 't' in topics\"") + beside("u"),
            near: condition("\"('u' in topics && !('v' in topics)) || 't' in topics\"") + beside("u", "v")),
        RuleCase(
            .conditionRedundant, "a negation that the rest implies",
            condition("\"'t' in topics && ('u' in topics || ▸!('t' in topics)◂)\"") + beside("u"),
            near: condition("\"'t' in topics && ('u' in topics || !('v' in topics))\"") + beside("u", "v")),
        RuleCase(
            .conditionRedundant, "of doubled quotes",
            condition("'''t'' in topics || ▸''t'' in topics◂'"),
            near: condition("'''t'' in topics || ''u'' in topics'") + beside("u")),
        RuleCase(
            .conditionRedundant, "as lists",
            campaign("{notification: {title: x}}", to: "topics: {any: [t], all: [▸t◂]}"),
            near: campaign("{notification: {title: x}}", to: "topics: {any: [t], all: [u]}") + beside("u")),
        RuleCase(
            .conditionRedundant, "everybody",
            condition("▸\"'t' in topics || !('t' in topics)\"", "acknowledge: [broadcast]"),
            near: condition("\"!('t' in topics)\"", "acknowledge: [broadcast]")),
        RuleCase(
            .broadcast, "always true", condition("▸\"'t' in topics || !('t' in topics)\""),
            near: condition("\"!('t' in topics)\"", "acknowledge: [broadcast]")),
        RuleCase(
            .allowUnused, "no such warning",
            campaign("{notification: {title: x}}") + "▸# herald: allow image-http old phones\n",
            near: campaign("{notification: {title: x}}") + "# herald: deny image-http old phones\n"),
        RuleCase(
            .allowUnused, "no such rule",
            campaign("{notification: {title: x}}") + "▸# herald: allow image old phones\n",
            near: campaign("{notification: {title: '# herald: allow image x'}}")),
        RuleCase(
            .allowReason, "none",
            block("body: {{x}} ▸# herald: allow unfinished-text").replacing("{{x}}", with: "'{{x}}'"),
            near: block("body: '{{x}}' # herald: allow unfinished-text the app fills it in")),
        RuleCase(
            .allowReason, "none above",
            block("▸# herald: allow unfinished-text\n    body: '{{x}}'"),
            near: block(
                "# herald: allow unfinished-text the app fills it in\n"
                    + "    # herald: allow cut-text as the old one was\n    body: {{x #1"
            ).replacing("{{x #1", with: "Hi <%x #1")),
        RuleCase(
            .unfinishedText, "allowed two lines above",
            block("body: ▸'{{x}}'"),
            near: block("body: '{{x}}'  # herald: allow unfinished-text yes")),
    ]
}
