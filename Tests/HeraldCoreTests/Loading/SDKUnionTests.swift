import FCM
import HeraldCore
import HeraldTestSupport
import Testing

/// herald must refuse whatever one of FCM's Admin SDKs refuses, or should refuse, and point at it. Each row is a rule
/// of an SDK or a limit from FCM's documentation. `▸` and `◂` mark what is underlined. Beside it stands a variant that
/// is just valid.
struct SDKUnionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var id: String
        var rule: Rule
        var wrong: String
        var right: String

        init(_ id: String, _ rule: Rule, _ wrong: String, _ right: String) {
            (self.id, self.rule, self.wrong, self.right) = (id, rule, wrong, right)
        }

        var testDescription: String { "\(id): \(rule.rawValue)" }
    }

    static let rows = targets + messages + android + apple + web + limits + conditions + scalars

    @Test(arguments: rows)
    func `what an SDK refuses is refused where it stands`(_ row: Row) throws {
        let marked = MarkedFiles(["x.yaml": row.wrong])
        #expect(marked.ranges.count == 1)
        let loaded = try WorkspaceLoader.load(files: marked.files)
        #expect(loaded.diagnostics.map(\.rule) == [row.rule], "\(loaded.shown)")
        #expect(loaded.diagnostics.map(\.range) == marked.ranges, "\(loaded.shown)")
    }

    @Test(arguments: rows)
    func `what they just take passes`(_ row: Row) throws {
        let loaded = try WorkspaceLoader.load(files: ["x.yaml": row.right])
        #expect(loaded.found == [], "\(loaded.shown)")
    }

    @Test func `every rule of the SDKs has a row`() {
        let numbers = Set(Self.rows.compactMap { Int($0.id.prefix { $0.isNumber }) })
        #expect(numbers == Set(1...32))
    }

    // MARK: Whom a message is for

    private static let targets = [
        Row("1 message is an object", .wrongType, campaign("▸[]◂"), campaign("{notification: {title: x}}")),
        Row(
            "2 one target", .oneTarget, sent(to: "topic: t, ▸audience◂: a"), sent(to: "audience: a")),
        Row(
            "2 no target", .oneTarget, sent(to: "").replacing("target: {}", with: "target: ▸{}◂"), sent(to: "topic: t")),
        Row("2 no fid", .registrationForm, sent(to: "fids: [▸''◂]"), sent(to: "fids: [\(fid)]")),
        Row("2 target in the message", .messageTarget, message("▸topic◂: t"), message("data: {topic: t}")),
        Row(
            "3 topic name", .topicName, "kind: topic\nname: ▸tide alerts◂\nsubscribers: []\n",
            "kind: topic\nname: tide-alerts_.~%\nsubscribers: []\n"),
        Row(
            "3 topic prefix", .topicName, "kind: topic\nname: ▸/topics/tide◂\nsubscribers: []\n",
            "kind: topic\nname: topics\nsubscribers: []\n"),
        Row("28 batch of nobody", .invalidValue, sent(to: "tokens: ▸[]◂"), sent(to: "tokens: [\(token)]")),
        Row("28 empty token", .registrationForm, sent(to: "tokens: [▸\"\"◂]"), sent(to: "tokens: [\(token)]")),
        Row(
            "29 empty token of an audience", .registrationForm, "kind: audience\nname: a\ntokens: [▸''◂]\n",
            "kind: audience\nname: a\ntokens: []\n"),
        Row(
            "30 private topic", .topicName, "kind: topic\nname: ▸private/tide◂\nsubscribers: []\n",
            "kind: topic\nname: private-tide\nsubscribers: []\n"),
        Row("32 uneven quotes", .conditionSyntax, when("\"▸'◂t in topics\""), when("\"'t' in topics\"")),
        Row(
            "32 six topics", .conditionTerms,
            when("\"\(["t", "p", "q", "r", "s"].map { "'\($0)' in topics || " }.joined())▸'o' in topics◂\""),
            when("\"\(["t", "p", "q", "r"].map { "'\($0)' in topics || " }.joined())'s' in topics\"")),
        Row(
            "topic of 901 characters", .topicName, "kind: topic\nname: ▸\(text(901))◂\nsubscribers: []\n",
            "kind: topic\nname: \(text(900))\nsubscribers: []\n"),
    ]

    // MARK: The parts of a message

    private static let messages = [
        Row("4 a number in data", .ambiguousScalar, message("data: {a: ▸7◂}"), message("data: {a: '7'}")),
        Row("4 a mapping in data", .wrongType, message("data: {a: ▸{b: c}◂}"), message("data: {a: '{b: c}'}")),
        Row("4 in android.data", .ambiguousScalar, android("data: {a: ▸true◂}"), android("data: {a: 'true'}")),
        Row("4 in webpush.data", .ambiguousScalar, web("data: {a: ▸1e5◂}"), web("data: {a: 1e5x}")),
        Row("4 in webpush.headers", .ambiguousScalar, web("headers: {TTL: ▸60◂}"), web("headers: {TTL: '60'}")),
        Row("4 in apns.headers", .ambiguousScalar, headers("apns-priority: ▸5◂"), headers("apns-priority: '5'")),
        Row("4 a null in data", .nullValue, message("data: {a: ▸~◂}"), message("data: {a: ''}")),
        Row("5 from", .reservedKey, message("data: {▸from◂: x}"), message("data: {sender: x}")),
        Row("5 message_type", .reservedKey, message("data: {▸message_type◂: x}"), message("data: {type: x}")),
        Row("5 google", .reservedKey, message("data: {▸google.c◂: x}"), message("data: {c.google: x}")),
        Row("5 Google", .reservedKey, message("data: {▸Google◂: x}"), message("data: {goog: x}")),
        Row("5 gcm", .reservedKey, message("data: {▸gcm.notification.a◂: x}"), message("data: {a.gcm: x}")),
        Row("5 overwritten", .dataKey, message("data: {▸collapse_key◂: x}"), message("data: {collapse: x}")),
        Row("5 discouraged", .dataKey, message("data: {▸notification◂: x}"), message("data: {notify: x}")),
        Row("5 aps", .dataKey, message("data: {▸aps◂: x}"), message("data: {ap: x}")),
        Row(
            "11 image", .imageURL, campaign("{notification: {title: x, image: ▸a.png◂}, android: {}}"),
            campaign("{notification: {title: x, image: 'https://x.example/a.png'}, android: {priority: high}}")),
        Row(
            "11 image over http", .imageHTTP,
            campaign("{notification: {title: x, image: ▸'http://x.example/a'◂}, android: {priority: high}}"),
            campaign("{notification: {title: x, image: 'https://x.example/a'}, android: {priority: high}}")),
        Row(
            "23 label", .analyticsLabel, message("fcm_options: {analytics_label: ▸a b◂}"),
            message("fcm_options: {analytics_label: a.b~c%d-e_f}")),
        Row("empty message", .emptyMessage, campaign("▸{fcm_options: {analytics_label: a}}◂"), message("data: {a: b}")),
        Row("2 unknown field", .unknownKey, message("▸dta◂: {a: b}"), message("data: {a: b}")),
        Row(
            "data replaced", .dataReplaced, message("data: {a: b}, android: {▸data◂: {c: d}}"),
            message("data: {a: b}, android: {data: {a: d}}")),
    ]

    private static let android = [
        Row("6 priority", .invalidValue, android("priority: ▸urgent◂"), android("priority: high")),
        Row("7 a negative TTL", .invalidValue, android("ttl: ▸-1s◂"), android("ttl: 0s")),
        Row("7 TTL of 28 days", .ttlRange, android("ttl: ▸2419201s◂"), android("ttl: 2419200s")),
        Row("7 TTL of a fraction", .ignoredOption, android("ttl: ▸0.9s◂"), android("ttl: 1s")),
        Row("8 a flag", .wrongType, android("direct_boot_ok: ▸1◂"), android("direct_boot_ok: true")),
        Row(
            "8 for satellites", .wrongType, android("restricted_satellite_ok: ▸yes◂"),
            android("restricted_satellite_ok: false")),
        Row("9 colour", .color, shown("color: ▸'#12345'◂"), shown("color: '#123abc'")),
        Row("10 body", .locArgs, shown("▸body_loc_args◂: [a]"), shown("body_loc_key: k, body_loc_args: [a]")),
        Row("10 title", .locArgs, shown("▸title_loc_args◂: [a]"), shown("title_loc_key: k, title_loc_args: [a]")),
        Row("11 of Android", .imageURL, shown("image: ▸'https://'◂"), shown("image: https://x.example")),
        Row("12 event time", .eventTime, shown("event_time: ▸yesterday◂"), shown("event_time: 2026-12-01T09:00:00.5Z")),
        Row("13 no timings", .invalidValue, shown("vibrate_timings: ▸[]◂"), shown("vibrate_timings: [0s]")),
        Row("13 a negative timing", .invalidValue, shown("vibrate_timings: [▸-1s◂]"), shown("vibrate_timings: [0.5s]")),
        Row(
            "13 timings ignored", .ignoredOption, shown("default_vibrate_timings: true, ▸vibrate_timings◂: [1s]"),
            shown("vibrate_timings: [1s]")),
        Row(
            "14 notification priority", .invalidValue, shown("notification_priority: ▸HIGH◂"),
            shown("notification_priority: PRIORITY_HIGH")),
        Row("14 visibility", .invalidValue, shown("visibility: ▸open◂"), shown("visibility: PUBLIC")),
        Row("14 proxy", .invalidValue, shown("proxy: ▸never◂"), shown("proxy: IF_PRIORITY_LOWERED")),
        Row("15 count", .wrongType, shown("notification_count: ▸-1◂"), shown("notification_count: 0")),
        Row(
            "16 incomplete", .missingKey, shown("▸light_settings◂: {color: '#ffffff', light_off_duration: 1s}"),
            shown("light_settings: {color: '#ffffff', light_on_duration: 1s, light_off_duration: 1s}")),
        Row(
            "16 colour", .color,
            shown("light_settings: {color: ▸'#fff'◂, light_on_duration: 1s, light_off_duration: 1s}"),
            shown("light_settings: {color: '#ffffff80', light_on_duration: 0s, light_off_duration: 1s}")),
        Row(
            "16 duration", .invalidValue,
            shown("light_settings: {color: '#ffffff', light_on_duration: ▸-1s◂, light_off_duration: 1s}"),
            shown("light_settings: {color: '#ffffff', light_on_duration: 0.2s, light_off_duration: 0.3s}")),
        Row(
            "16 default lights", .ignoredOption,
            shown(
                "▸default_light_settings◂: true, "
                    + "light_settings: {color: '#ffffff', light_on_duration: 1s, light_off_duration: 1s}"),
            shown("default_light_settings: true")),
        Row(
            "23 of Android", .analyticsLabel, android("fcm_options: {analytics_label: ▸è◂}"),
            android("fcm_options: {analytics_label: e}")),
        Row(
            "31 both versions", .androidVersion, previewed("android_v2: {background_sync: {}}\n  ▸android◂: {ttl: 1s}"),
            previewed("android_v2: {background_sync: {}, ttl: 1s}")),
        Row(
            "31 two kinds", .androidVersion, preview("remote_notification: {notification: {}}, ▸background_sync◂: {}"),
            preview("remote_notification: {notification: {}}")),
        Row("31 no kind", .missingKey, previewed("▸android_v2◂: {}"), preview("background_sync: {}")),
        Row(
            "31 no notification", .missingKey, preview("▸remote_notification◂: {mutable_content: true}"),
            preview("remote_notification: {mutable_content: true, notification: {}}")),
        Row(
            "31 a background sync with something", .unknownKey, preview("background_sync: {▸title◂: x}"),
            preview("background_sync: {}")),
    ]

    private static let apple = [
        Row("10 alert", .locArgs, aps("alert: {▸loc-args◂: [a]}"), aps("alert: {loc-key: k, loc-args: [a]}")),
        Row(
            "10 alert title", .locArgs, aps("alert: {▸title-loc-args◂: [a]}"),
            aps("alert: {title-loc-key: k, title-loc-args: [a]}")),
        Row(
            "10 alert subtitle", .locArgs, aps("alert: {▸subtitle-loc-args◂: [a]}"),
            aps("alert: {subtitle-loc-key: k, subtitle-loc-args: [a]}")),
        Row(
            "11 of Apple", .imageURL, apns("fcm_options: {image: ▸x◂}, headers: {apns-push-type: alert}"),
            apns(
                "fcm_options: {image: https://x.example}, headers: {apns-push-type: alert}, payload: {aps: {mutable-content: 1}}"
            )),
        Row(
            "17 no aps", .apsMissing, apns("headers: {apns-push-type: alert}, ▸payload◂: {a: 1}"),
            apns("headers: {apns-push-type: alert}, payload: {aps: {}, a: 1}")),
        Row(
            "18 aps twice", .duplicateKey, apns("headers: {apns-push-type: alert}, payload: {aps: {}, ▸aps◂: {}}"),
            apns("headers: {apns-push-type: alert}, payload: {aps: {}, aps2: {}}")),
        Row("18 a key of aps twice", .duplicateKey, aps("badge: 1, ▸badge◂: 2"), aps("badge: 1")),
        Row("19 alert", .apsValue, aps("alert: ▸7◂"), aps("alert: '7'")),
        Row("20 no sound", .apsValue, aps("sound: ▸''◂"), aps("sound: default")),
        Row(
            "20 a sound without a name", .apsValue, aps("sound: ▸{critical: 1}◂"),
            aps("sound: {critical: 1, name: a.caf}")),
        Row(
            "20 volume", .apsValue, aps("sound: {critical: 1, name: a.caf, volume: ▸1.1◂}"),
            aps("sound: {critical: 1, name: a.caf, volume: 1.0}")),
        Row("21 badge", .apsValue, aps("badge: ▸'7'◂"), aps("badge: 7")),
        Row(
            "22 live activity", .invalidValue,
            campaign(activity.replacing("token: x", with: "token: ▸''◂")), campaign(activity)),
        Row(
            "23 of Apple", .analyticsLabel,
            apns("headers: {apns-push-type: alert}, fcm_options: {analytics_label: ▸a/b◂}"),
            apns("headers: {apns-push-type: alert}, fcm_options: {analytics_label: a-b}")),
        Row("header value", .apnsHeader, headers("a: ▸\"b\\nc\"◂"), headers("a: b c")),
        Row(
            "push type", .apnsHeader, apns("headers: {apns-push-type: ▸alarm◂}"),
            apns("headers: {apns-push-type: alert}")),
        Row("priority", .apnsHeader, headers("apns-priority: ▸'9'◂"), headers("apns-priority: '1'")),
        Row("expiration", .apnsHeader, headers("apns-expiration: ▸30d◂"), headers("apns-expiration: '1796112000'")),
        Row(
            "collapse id", .apnsHeader, headers("apns-collapse-id: ▸\(text(65))◂"),
            headers("apns-collapse-id: \(text(64))")),
        Row("interruption level", .apsValue, aps("interruption-level: ▸urgent◂"), aps("interruption-level: critical")),
        Row("relevance score", .apsValue, aps("relevance-score: ▸1.5◂"), aps("relevance-score: 1")),
        Row("content-available and an alert", .silentPush, aps("▸content-available◂: 1"), aps("mutable-content: 1")),
        Row(
            "silent with a sound", .silentPush, silent("{content-available: 1, ▸sound◂: default}"),
            silent("{content-available: 1}")),
        Row(
            "silent with an alert", .silentPush, silent("{content-available: 1, ▸alert◂: x}"),
            silent("{content-available: 1, thread-id: x}")),
        Row(
            "silent at priority 10", .silentPriority,
            silent("{content-available: 1}").replacing("'5'", with: "▸'10'◂"), silent("{content-available: 1}")),
        Row("data alone", .dataOnly, campaign("{▸data◂: {a: b}}"), silent("{content-available: 1}")),
        Row(
            "data and payload", .dataCollision,
            message("data: {a: b}, apns: {headers: {apns-push-type: alert}, payload: {aps: {}, ▸a◂: 1}}"),
            message("data: {a: b}, apns: {headers: {apns-push-type: alert}, payload: {aps: {}, b: 1}}")),
    ]

    private static let web = [
        Row(
            "23 of the web", .analyticsLabel, web("fcm_options: {analytics_label: ▸''◂}"),
            web("fcm_options: {analytics_label: a}")),
        Row(
            "24 link", .linkURL, web("fcm_options: {link: ▸http://x.example◂}"),
            web("fcm_options: {link: https://x.example/a}")),
        Row("25 direction", .webNotification, web("notification: {dir: ▸up◂}"), web("notification: {dir: rtl}")),
        Row(
            "26 action", .webNotification, web("notification: {actions: ▸[{action: a, title: ''}]◂}"),
            web("notification: {actions: [{action: a, title: b}]}")),
        Row(
            "27 a key twice", .duplicateKey, web("notification: {tag: a, ▸tag◂: b}"),
            web("notification: {tag: a, tags: b}")),
        Row("TTL", .webpushHeader, web("headers: {TTL: ▸1h◂}"), web("headers: {TTL: '3600'}")),
        Row("urgency", .webpushHeader, web("headers: {Urgency: ▸urgent◂}"), web("headers: {Urgency: high}")),
        Row("topic", .webpushHeader, web("headers: {Topic: ▸a b◂}"), web("headers: {Topic: a-b}")),
    ]

    private static let limits = [
        Row(
            "payload of 4096 bytes", .payloadSize, message("▸data◂: {a: \(text(4090))}, android: {priority: high}"),
            message("data: {a: \(text(2000))}")),
        Row(
            "payload of 3900 bytes", .payloadLarge,
            sent(to: "audience: a", "{notification: {title: x}, ▸data◂: {a: \(text(3950))}}"),
            sent(to: "audience: a", "{notification: {title: x}, data: {a: \(text(3800))}}")),
        Row(
            "payload of 2048 bytes to a topic", .payloadLarge, message("▸data◂: {a: \(text(2100))}"),
            sent(to: "audience: a", "{notification: {title: x}, data: {a: \(text(2100))}}")),
    ]

    private static let conditions = [
        Row(
            "mixed operators", .conditionMixed, when("\"'t' in topics && 'p' in topics ▸||◂ 'q' in topics\""),
            when("\"'t' in topics && ('p' in topics || 'q' in topics)\"")),
        Row(
            "a bare negation", .broadcast, when("▸\"!('t' in topics)\"◂"),
            when("\"'p' in topics && !('t' in topics)\"")),
        Row(
            "a topic's prefix", .conditionSyntax, when("\"'▸/topics/t◂' in topics\""), when("\"'t' in topics\"")),
        Row(
            "a word", .conditionSyntax, when("\"'t' in topics ▸and◂ 'p' in topics\""),
            when("\"'t' in topics && 'p' in topics\"")),
        Row(
            "an undeclared topic", .unknownReference, when("\"'t' in topics || '▸tt◂' in topics\""),
            when("\"'t' in topics || 'p' in topics\"")),
    ]

    private static let scalars = [
        Row("scalar no", .ambiguousScalar, message("data: {a: ▸no◂}"), message("data: {a: nos}")),
        Row("scalar 12:30", .ambiguousScalar, message("data: {a: ▸12:30◂}"), message("data: {a: 12.30h}")),
        Row("scalar 1_000", .ambiguousScalar, message("data: {a: ▸1_000◂}"), message("data: {a: 1_000€}")),
        Row("scalar 0o17", .ambiguousScalar, message("data: {a: ▸0o17◂}"), message("data: {a: '0o17'}")),
        Row("a date", .ambiguousScalar, message("data: {a: ▸2026-12-01◂}"), message("data: {a: 1 December}")),
        Row(
            "a cut text", .cutText, message("data:\n  {a: b,\n   c: ▸d◂ #1\n  }"),
            message("data:\n  {a: b,\n   c: 'd #1'\n  }")),
        Row(
            "a token of 99 characters", .registrationForm, sent(to: "tokens: [▸\(text(99))◂]"),
            sent(to: "tokens: [\(text(100))]")),
        Row(
            "a token of 4097 characters", .registrationForm, sent(to: "tokens: [▸\(text(4097))◂]"),
            sent(to: "tokens: [\(text(4096))]")),
        Row(
            "a fid that begins otherwise", .registrationForm, sent(to: "fids: [▸b\(text(21))◂]"),
            sent(to: "fids: [c\(text(21))]")),
        Row("a fid too short", .registrationForm, sent(to: "fids: [▸c\(text(20))◂]"), sent(to: "fids: [f\(text(21))]")),
    ]

    // MARK: What is around it

    private static let activity =
        "{apns: {headers: {apns-push-type: liveactivity}, live_activity_token: x, "
        + "payload: {aps: {timestamp: 1, event: end, content-state: {}}}}}"

    private static func text(_ bytes: Int) -> String { String(repeating: "x", count: bytes) }

    private static func sent(to target: String, _ message: String = "{notification: {title: x}}") -> String {
        ["t", "p", "q", "r", "s"].map { "kind: topic\nname: \($0)\nsubscribers: []\n---\n" }.joined()
            + "kind: audience\nname: a\nfids: []\n---\n"
            + "kind: campaign\nname: c\ntarget: {\(target)}\nmessage: \(message)\n"
    }
    private static func campaign(_ message: String) -> String { sent(to: "fids: [\(fid)]", message) }
    private static func when(_ condition: String) -> String { sent(to: "condition: \(condition)") }
    private static func message(_ rest: String) -> String {
        sent(to: "topic: t", "{notification: {title: x}, \(rest)}")
    }
    private static func android(_ rest: String) -> String { message("android: {\(rest)}") }
    private static func preview(_ rest: String) -> String { previewed("android_v2: {\(rest)}") }
    private static func previewed(_ rest: String) -> String {
        let allowed = "# herald: allow fcm-preview the app knows it"
        return sent(to: "topic: t", "\n  notification: {title: x}\n  \(allowed)\n  \(rest)\n")
    }
    private static func shown(_ rest: String) -> String { android("notification: {\(rest)}") }
    private static func apns(_ rest: String) -> String { message("apns: {\(rest)}") }
    private static func headers(_ rest: String) -> String { apns("headers: {apns-push-type: alert, \(rest)}") }
    private static func aps(_ rest: String) -> String {
        apns("headers: {apns-push-type: alert}, payload: {aps: {\(rest)}}")
    }
    private static func silent(_ aps: String) -> String {
        campaign(
            "{data: {a: b}, apns: {headers: {apns-push-type: background, apns-priority: '5'}, payload: {aps: \(aps)}}}")
    }
    private static func web(_ rest: String) -> String { message("webpush: {\(rest)}") }
}
