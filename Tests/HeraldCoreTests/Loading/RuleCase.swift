import FCM
import HeraldCore
import HeraldTestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A workspace with one mistake, and one that differs only in that it has no mistake.
struct RuleCase: Sendable, CustomTestStringConvertible {
    var rule: Rule
    var name: String
    /// `▸` marks where the diagnostic must point.
    var wrong: [String: String]
    var right: [String: String]
    /// Prepares what text cannot express, such as bytes and sparse files.
    var prepare: @Sendable (TemporaryFolder) throws -> Void = { _ in }

    init(_ rule: Rule, _ name: String, _ wrong: [String: String], near right: [String: String]) {
        (self.rule, self.name, self.wrong, self.right) = (rule, name, wrong, right)
    }

    /// A single text is the file `x.yaml`.
    init(_ rule: Rule, _ name: String, _ wrong: String, near right: String) {
        self.init(rule, name, ["x.yaml": wrong], near: ["x.yaml": right])
    }

    init(_ rule: Rule, _ name: String, _ wrong: String, near right: [String: String]) {
        self.init(rule, name, ["x.yaml": wrong], near: right)
    }

    init(_ rule: Rule, _ name: String, _ wrong: [String: String], near right: String) {
        self.init(rule, name, wrong, near: ["x.yaml": right])
    }

    var testDescription: String { "\(rule.rawValue): \(name)" }
}

let fid = Registration.fid(1).rawValue
let token = Registration.token(1).rawValue

private func audience(_ rest: String) -> String { "kind: audience\nname: a\n\(rest)\n" }
private func topic(_ rest: String) -> String { "kind: topic\nname: t\nsubscribers: []\n\(rest)\n" }
private func campaign(_ rest: String) -> String {
    "kind: topic\nname: t\nsubscribers: []\n---\nkind: campaign\nname: c\ntarget: {topic: t}\n\(rest)\n"
}
private func message(_ rest: String) -> String { campaign("message: \(rest)") }
private func sent(_ rest: String) -> String { message("{notification: {title: x}, data: {a: b}}\n\(rest)") }
private func timed(_ rest: String) -> String {
    sent("schedule: {\(rest)}").replacing("target: {topic: t}", with: "target: {fids: [\(fid)]}")
}
private func settings(_ rest: String) -> String { settingsText + rest + "\n" }
private func list(_ name: String, _ text: String) -> [String: String] {
    ["x.yaml": audience("source: {file: \(name)}"), name: text]
}

extension RuleCase {
    static let all =
        files + yaml + structure + settingsCases + resources + groups + targets + conditions + schedules + lists
        + filters
        + messages + messageParts + appleParts + webParts + wholeMessages + campaignRules

    private static let files: [RuleCase] = [
        RuleCase(
            .fileUnreadable, "a list that is not there", audience("source: {file: ▸gone.csv}"),
            near: audience("fids: []")),
        {
            var tooLarge = RuleCase(
                .fileTooLarge, "a byte too many", ["x.yaml": audience("source: {file: ▸big.txt}")],
                near: ["x.yaml": audience("source: {file: big.txt}"), "big.txt": fid])
            tooLarge.prepare = { folder in
                try folder.write("", to: "big.txt")
                try #require(truncate("\(folder.path)/big.txt", off_t(4 << 30) + 1) == 0)
            }
            return tooLarge
        }(),
        {
            var encoding = RuleCase(
                .fileEncoding, "Latin-1", ["other.yaml": "# one\n# two\n▸"], near: ["other.yaml": "# one\n# è\n"])
            encoding.prepare = { try $0.write(Array("# one\n# two\n".utf8) + [0xE8, 0x0A], to: "other.yaml") }
            return encoding
        }(),
        RuleCase(
            .pathOutside, "a list above the workspace", audience("source: {file: ▸../list.csv}"),
            near: ["x.yaml": audience("source: {file: sub/../list.txt}"), "list.txt": fid]),
        RuleCase(
            .pathOutside, "an absolute path", audience("source: {file: ▸/etc/hosts.txt}"), near: audience("fids: []")),
    ]

    private static let yaml: [RuleCase] = [
        RuleCase(.yamlSyntax, "two values on a line", "kind: audience\nname: ▸a: b◂\n", near: audience("fids: []")),
        RuleCase(.yamlSyntax, "a tab as indentation", "kind:\n▸\taudience\n", near: audience("fids:\t[]")),
        RuleCase(.yamlSyntax, "a list not closed", audience("fids: [") + "▸", near: audience("fids: [\n]")),
        RuleCase(
            .yamlLimit, "65 levels", audience("fids: " + String(repeating: "[", count: 63) + "▸["),
            near: message(
                "{notification: {title: x}, apns: {headers: {apns-push-type: alert}, payload: {aps: {}, a: \(nested(59))}}}"
            )),
        RuleCase(
            .yamlTag, "a tag of a language", audience("fids: ▸!ruby/object []"), near: audience("fids: !!seq []")),
        RuleCase(.yamlTag, "a number's tag", topic("prune: ▸!!bool true"), near: topic("prune: true")),
        RuleCase(
            .duplicateKey, "a key twice", audience("fids: []\n▸name: a"), near: audience("fids: []\nexclude: []")),
        RuleCase(
            .duplicateKey, "a key twice in the message", message("{notification: {title: x}, data: {a: b, ▸\"a\": c}}"),
            near: message("{notification: {title: x}, data: {a: b, \"A\": c}}")),
        RuleCase(.undefinedAlias, "an alias before its anchor", topic("exclude: ▸*x"), near: topic("exclude: &x []")),
        RuleCase(
            .undefinedAlias, "an anchor of another document",
            "kind: topic\nname: t\nsubscribers: &s []\n---\n"
                + "kind: topic\nname: u\nsubscribers: ▸*s\n",
            near: "kind: topic\nname: t\nsubscribers: &s []\nexclude: *s\n"),
        RuleCase(
            .undefinedAlias, "a list within itself",
            message(
                "{notification: {title: x}, apns: {headers: {apns-push-type: alert}, payload: {aps: {}, a: &a [▸*a]}}}"),
            near: message(
                "{notification: {title: x}, apns: {headers: {apns-push-type: alert}, payload: {aps: {}, a: &a [], b: *a}}}"
            )),
        RuleCase(
            .mergeKey, "a text merged", message("{notification: {title: x}, data: {▸<<: x, e: f}}"),
            near: message("{notification: {title: x}, data: {<<: {a: x}}}")),
        RuleCase(
            .mergeKey, "a list of texts merged", message("{notification: {title: x}, data: {▸<<: [{a: b}, c], e: f}}"),
            near: message("{notification: {title: x}, data: {<<: [{a: b}, {c: d}]}}")),
    ]

    private static let structure: [RuleCase] = [
        RuleCase(
            .unknownKey, "of an audience", audience("fids: []\n▸exlude: []"), near: audience("fids: []\nexclude: []")),
        RuleCase(
            .unknownKey, "of a source", ["x.yaml": audience("source: {file: l.txt, ▸from: x}"), "l.txt": ""],
            near: list("l.txt", "")),
        RuleCase(.unknownKey, "of a topic", topic("▸prunes: true"), near: topic("prune: true")),
        RuleCase(.unknownKey, "of a campaign", sent("▸titel: x"), near: sent("owner: x")),
        RuleCase(
            .unknownKey, "of a schedule", timed("cron: 0 9 * * *, ▸until: x"),
            near: timed("cron: 0 9 * * *, end: 2027-01-01T00:00Z")),
        RuleCase(
            .unknownKey, "of dst", timed("cron: 0 9 * * *, dst: {▸gaps: next}"),
            near: timed("cron: 0 9 * * *, dst: {gap: next}")),
        RuleCase(.unknownKey, "of a delivery", sent("delivery: {▸rates: 5/s}"), near: sent("delivery: {rate: 5/s}")),
        RuleCase(
            .unknownKey, "of the message",
            message("{notification: {title: x}, data: {a: b}, ▸notifcation: {title: x}}"),
            near: message("{data: {a: b}, notification: {title: x}}")),
        RuleCase(
            .unknownKey, "in camel case",
            message("{notification: {title: x}, data: {a: b}, android: {▸collapseKey: x}}"),
            near: message("{notification: {title: x}, data: {a: b}, android: {collapse_key: x}}")),
        RuleCase(.missingKey, "no kind", "▸name: a\nfids: []\n", near: audience("fids: []")),
        RuleCase(.missingKey, "no name", "▸kind: audience\nfids: []\n", near: audience("fids: []")),
        RuleCase(.missingKey, "no subscribers", "▸kind: topic\nname: t\n", near: topic("")),
        RuleCase(
            .missingKey, "no message",
            "kind: topic\nname: t\nsubscribers: []\n---\n▸kind: campaign\nname: c\ntarget: {topic: t}\n",
            near: sent("")),
        RuleCase(.missingKey, "no file", audience("source: ▸{}"), near: list("l.txt", "")),
        RuleCase(.wrongType, "a list as a resource", "▸- kind: audience\n", near: audience("fids: []")),
        RuleCase(.wrongType, "a text as a resource", "▸hello\n", near: "# hello\n"),
        RuleCase(.wrongType, "a mapping for a list", audience("fids: ▸{a: b}"), near: audience("fids: []")),
        RuleCase(.wrongType, "a text for a list", topic("exclude: ▸x"), near: topic("exclude: []")),
        RuleCase(.wrongType, "a quoted boolean", topic("prune: ▸\"true\""), near: topic("prune: false")),
        RuleCase(.wrongType, "a boolean of old", topic("prune: ▸yes"), near: topic("prune: true")),
        RuleCase(.wrongType, "a list for a text", sent("owner: ▸[x]"), near: sent("owner: x")),
        RuleCase(.wrongType, "a revision of 0", sent("revision: ▸0"), near: sent("revision: 1")),
        RuleCase(
            .wrongType, "a revision beyond 32 bits", sent("revision: ▸2147483648"),
            near: sent("revision: 2147483647")),
        RuleCase(
            .wrongType, "a percentage of 101", sent("delivery: {stop_when_rejected_percent: ▸101}"),
            near: sent("delivery: {stop_when_rejected_percent: 100}")),
        RuleCase(
            .wrongType, "a list as a key", message("{notification: {title: x}, data: {? ▸[a] : b, c: d}}"),
            near: message("{notification: {title: x}, data: {? a : b}}")),
        RuleCase(
            .wrongType, "a negative count", message("{android: {notification: {title: x, notification_count: ▸-1}}}"),
            near: message("{android: {notification: {title: x, notification_count: 0}}}")),
        RuleCase(
            .wrongType, "a message that is a list", message("▸[]"),
            near: message("{notification: {title: x}, data: {a: b}}")),
        RuleCase(
            .ambiguousScalar, "a boolean as text", message("{notification: {title: x}, data: {a: ▸no}}"),
            near: message("{notification: {title: x}, data: {a: \"no\"}}")),
        RuleCase(
            .ambiguousScalar, "a time as text", message("{notification: {title: x}, data: {a: ▸12:30}}"),
            near: message("{notification: {title: x}, data: {a: 12:30h}}")),
        RuleCase(
            .ambiguousScalar, "a number as a name", "kind: audience\nname: ▸1_000\nfids: []\n",
            near: "kind: audience\nname: '1_000'\nfids: []\n"),
        RuleCase(
            .ambiguousScalar, "a date in the payload",
            message(
                "{notification: {title: x}, apns: {headers: {apns-push-type: alert}, payload: {aps: {}, d: ▸2026-12-01}}}"
            ),
            near: message(
                "{notification: {title: x}, apns: {headers: {apns-push-type: alert}, payload: {aps: {}, d: !!str 2026-12-01}}}"
            )),
        RuleCase(.nullValue, "a key without a value", sent("owner:▸"), near: sent("owner: ''")),
        RuleCase(
            .nullValue, "null in a payload",
            message(
                "{notification: {title: x}, apns: {headers: {apns-push-type: alert}, payload: {aps: {}, a: [▸~]}}}"),
            near: message(
                "{notification: {title: x}, apns: {headers: {apns-push-type: alert}, payload: {aps: {}, a: ['~']}}}")),
        RuleCase(
            .invalidValue, "a duration without a unit", timed("cron: 0 9 * * *, max_lateness: ▸60"),
            near: timed("cron: 0 9 * * *, max_lateness: 600s")),
        RuleCase(
            .invalidValue, "an unknown way to catch up", timed("cron: 0 9 * * *, catch_up: ▸last"),
            near: timed("cron: 0 9 * * *, catch_up: latest")),
        RuleCase(
            .invalidValue, "an unknown gap", timed("cron: 0 9 * * *, dst: {gap: ▸first}"),
            near: timed("cron: 0 9 * * *, dst: {gap: skip}")),
        RuleCase(.wrongType, "a list as a cron", timed("cron: ▸[0, 9]"), near: timed("cron: 0 9 * * *")),
        RuleCase(
            .invalidValue, "a rate of nothing", sent("delivery: {rate: ▸0/s}"), near: sent("delivery: {rate: 1/s}")),
        RuleCase(
            .invalidValue, "an unknown choice", sent("delivery: {on_unknown: ▸ignore}"),
            near: sent("delivery: {on_unknown: resend}")),
        RuleCase(
            .invalidValue, "an unknown priority",
            message("{notification: {title: x}, data: {a: b}, android: {priority: ▸hihg}}"),
            near: message("{notification: {title: x}, data: {a: b}, android: {priority: high}}")),
        RuleCase(
            .invalidValue, "a TTL that is no duration", message("{data: {a: b}, android: {ttl: ▸1.5}}"),
            near: message("{data: {a: b}, android: {ttl: 1s}}")),
        RuleCase(.unsupported, "drift that is mended", topic("drift: ▸restore"), near: topic("drift: keep")),
        RuleCase(.invalidValue, "drift of no kind", topic("drift: ▸ignore"), near: topic("drift: keep")),
        RuleCase(
            .unsupported, "android_v2", message("{notification: {title: x}, data: {a: b}, ▸android_v2: {}}"),
            near: message("{notification: {title: x}, data: {a: b}, android: {}}")),
    ]

    private static let settingsCases: [RuleCase] = [
        RuleCase(
            .formatVersion, "a later format", ["herald.yaml": "herald: ▸2\nproject: p\n"],
            near: ["herald.yaml": "herald: 1\nproject: p\n"]),
        RuleCase(
            .wrongType, "a version in quotes", ["herald.yaml": "herald: ▸'1'\nproject: p\n"],
            near: ["herald.yaml": "herald: 1\nproject: p\n"]),
        RuleCase(
            .wrongType, "two documents", ["herald.yaml": "▸herald: 1\nproject: p\n---\nherald: 1\n"],
            near: ["herald.yaml": "---\nherald: 1\nproject: p\n---\n"]),
        RuleCase(.wrongType, "empty settings", ["herald.yaml": "▸# nothing\n"], near: [:]),
        RuleCase(.missingKey, "no project", ["herald.yaml": "▸herald: 1\n"], near: [:]),
        RuleCase(.missingKey, "no version", ["herald.yaml": "▸project: p\n"], near: [:]),
        RuleCase(
            .unknownKey, "of the settings", ["herald.yaml": settings("▸projct: x")],
            near: ["herald.yaml": settings("state: x")]),
        RuleCase(
            .unknownKey, "of fcm", ["herald.yaml": settings("fcm: {▸rates: 5/s}")],
            near: ["herald.yaml": settings("fcm: {rate: 5/s}")]),
        RuleCase(
            .unknownKey, "of the guards", ["herald.yaml": settings("guards: {▸max_recipient: 5}")],
            near: ["herald.yaml": settings("guards: {max_recipients: 5}")]),
        RuleCase(
            .invalidValue, "a project with a space", ["herald.yaml": "herald: 1\nproject: ▸a b\n"],
            near: ["herald.yaml": "herald: 1\nproject: example.com:a-b\n"]),
        RuleCase(
            .invalidValue, "a timeout of an hour", ["herald.yaml": settings("fcm: {timeout: ▸1h}")],
            near: ["herald.yaml": settings("fcm: {timeout: 10m}")]),
        RuleCase(
            .invalidValue, "a lone dollar", ["herald.yaml": settings("state: ▸a$b")],
            near: ["herald.yaml": settings("state: a$$b")]),
        RuleCase(
            .invalidValue, "an API of no kind", ["herald.yaml": settings("fcm: {topic_api: ▸v1}")],
            near: ["herald.yaml": settings("fcm: {topic_api: iid}")]),
        RuleCase(
            .ambiguousScalar, "a project number as a number", ["herald.yaml": settings("sender_id: ▸123456789012")],
            near: ["herald.yaml": settings("sender_id: '123456789012'")]),
        RuleCase(
            .invalidValue, "a project number that is a word", ["herald.yaml": settings("sender_id: ▸tide")],
            near: ["herald.yaml": settings("sender_id: '1'")]),
        RuleCase(
            .invalidValue, "a lists folder without a name", ["herald.yaml": settings("lists: ▸''")],
            near: ["herald.yaml": settings("lists: ../elsewhere")]),
        RuleCase(
            .invalidValue, "a key file without a name", ["herald.yaml": settings("fcm: {credentials: ▸''}")],
            near: ["herald.yaml": settings("fcm: {credentials: key.json}")]),
        RuleCase(
            .invalidValue, "a run every 9 seconds", ["herald.yaml": settings("runner: {every: ▸9s}")],
            near: ["herald.yaml": settings("runner: {every: 10s}")]),
        RuleCase(
            .unknownKey, "of the runner", ["herald.yaml": settings("runner: {▸evry: 5m}")],
            near: ["herald.yaml": settings("runner: {}")]),
        RuleCase(
            .unknownReference, "suppressed people",
            ["herald.yaml": settings("suppress: [a, ▸b]"), "x.yaml": audience("fids: []")],
            near: ["herald.yaml": settings("suppress: [a]"), "x.yaml": audience("fids: []")]),
        RuleCase(
            .undefinedVariable, "a variable nobody set", ["herald.yaml": settings("state: ▸${NOWHERE}/x")],
            near: ["herald.yaml": settings("state: ${NOWHERE:-here}/x")]),
    ]

    private static let resources: [RuleCase] = [
        RuleCase(.unknownKind, "a kind misspelt", "kind: ▸audiense\nname: a\nfids: []\n", near: audience("fids: []")),
        RuleCase(
            .resourceName, "a capital", "kind: audience\nname: ▸Rome\nfids: []\n",
            near: "kind: audience\nname: rome\nfids: []\n"),
        RuleCase(
            .resourceName, "64 characters", "kind: audience\nname: ▸\(String(repeating: "a", count: 64))\nfids: []\n",
            near: "kind: audience\nname: \(String(repeating: "a", count: 63))\nfids: []\n"),
        RuleCase(
            .resourceName, "a dash first", "kind: audience\nname: ▸-a\nfids: []\n",
            near: "kind: audience\nname: 0-._a\nfids: []\n"),
        RuleCase(
            .resourceName, "an accent", "kind: audience\nname: ▸\"a\u{301}\"\nfids: []\n",
            near: "kind: audience\nname: a\nfids: []\n"),
        RuleCase(
            .topicName, "a space", "kind: topic\nname: ▸tide alerts\nsubscribers: []\n",
            near: "kind: topic\nname: tide~%alerts\nsubscribers: []\n"),
        RuleCase(
            .topicName, "the prefix", "kind: topic\nname: ▸/topics/a\nsubscribers: []\n",
            near: "kind: topic\nname: topics.a\nsubscribers: []\n"),
        RuleCase(
            .topicName, "a private topic", "kind: topic\nname: ▸private/a\nsubscribers: []\n",
            near: "kind: topic\nname: private\nsubscribers: []\n"),
        RuleCase(
            .duplicateResource, "across files",
            ["a.yaml": audience("fids: []"), "b.yaml": "kind: audience\nname: ▸a\nfids: []\n"],
            near: ["a.yaml": audience("fids: []"), "b.yaml": "kind: topic\nname: a\nsubscribers: []\n"]),
        RuleCase(
            .duplicateResource, "in one file",
            "kind: topic\nname: t\nsubscribers: []\n---\nkind: topic\nname: ▸t\nsubscribers: []\n",
            near: "kind: topic\nname: t\nsubscribers: []\n---\nkind: topic\nname: T\nsubscribers: []\n"),
        RuleCase(
            .unknownReference, "a subscriber", "kind: topic\nname: t\nsubscribers: [▸a]\n",
            near: audience("fids: []") + "---\nkind: topic\nname: t\nsubscribers: [a]\n"),
        RuleCase(
            .unknownReference, "an exclusion", audience("fids: []\nexclude: [▸b]"),
            near: audience("fids: []\nexclude: []")),
        RuleCase(
            .unknownReference, "an audience target",
            "kind: campaign\nname: c\ntarget: {audience: ▸a}\nmessage: {notification: {title: x}, data: {a: b}}\n",
            near: audience("fids: []")
                + "---\nkind: campaign\nname: c\ntarget: {audience: a}\nmessage: {notification: {title: x}, data: {a: b}}\n"
        ),
        RuleCase(
            .unknownReference, "a topic target",
            "kind: campaign\nname: c\ntarget: {topic: ▸t}\nmessage: {notification: {title: x}, data: {a: b}}\n",
            near: sent("")),
        RuleCase(
            .referenceCycle, "an audience that excludes itself", audience("fids: []\nexclude: [▸a]"),
            near: audience("fids: []")),
        RuleCase(
            .referenceCycle, "three in a circle",
            [
                "a.yaml": "kind: audience\nname: a\nfids: []\nexclude: [b]\n",
                "b.yaml": "kind: audience\nname: b\nfids: []\nexclude: [c]\n",
                "c.yaml": "kind: audience\nname: c\nfids: []\nexclude: [▸a]\n",
            ],
            near: [
                "a.yaml": "kind: audience\nname: a\nfids: []\nexclude: [b, c]\n",
                "b.yaml": "kind: audience\nname: b\nfids: []\nexclude: [c]\n",
                "c.yaml": "kind: audience\nname: c\nfids: []\n",
            ]),
        RuleCase(
            .oneTarget, "two targets",
            audience("fids: []") + "---\n" + topic("")
                + "---\nkind: campaign\nname: c\ntarget: {topic: t, ▸audience: a}\nmessage: {notification: {title: x}, data: {a: b}}\n",
            near: audience("fids: []") + "---\n" + sent("")),
        RuleCase(
            .oneTarget, "no target",
            "kind: campaign\nname: c\ntarget: ▸{}\nmessage: {notification: {title: x}, data: {a: b}}\n", near: sent("")),
        RuleCase(.oneSource, "two sources", audience("fids: []\n▸tokens: []"), near: audience("fids: []")),
        RuleCase(.oneSource, "no source", "▸kind: audience\nname: a\n", near: audience("tokens: []")),
    ]

    private static let schedules: [RuleCase] = [
        RuleCase(
            .scheduleTime, "a day the month does not have", timed("at: ▸2026-02-29T09:00Z"),
            near: timed("at: 2028-02-29T09:00Z")),
        RuleCase(
            .scheduleTime, "a time without a day", timed("at: ▸09:00"), near: timed("at: \"2026-12-01T09:00+01:00\"")),
        RuleCase(
            .scheduleTime, "a wall time of 24 hours", timed("at: ▸2026-12-01T24:00"),
            near: timed("at: 2026-12-01T23:59:59")),
        RuleCase(
            .scheduleTime, "a wall time beyond the year 9999 of UTC",
            timed("at: ▸9999-12-31T20:00, timezone: America/New_York"),
            near: timed("at: 9999-12-31T18:59, timezone: America/New_York")),
        RuleCase(
            .scheduleTime, "a start that is a date", timed("cron: 0 9 * * *, start: ▸2026-12-01"),
            near: timed("cron: 0 9 * * *, start: 2026-12-01T00:00")),
        RuleCase(
            .scheduleTime, "an end at the start",
            timed("cron: 0 9 * * *, start: 2026-12-01T09:00Z, end: ▸2026-12-01T09:00Z"),
            near: timed("cron: 0 9 * * *, start: 2026-12-01T09:00Z, end: 2026-12-01T09:01Z")),
        RuleCase(
            .scheduleTime, "an end before the start by its offset",
            timed("cron: 0 9 * * *, start: 2026-12-01T09:00Z, end: ▸2026-12-01T09:30+01:00"),
            near: timed("cron: 0 9 * * *, start: 2026-12-01T09:00Z, end: 2026-12-01T09:30-01:00")),
        RuleCase(
            .scheduleKeys, "a time and a cron", timed("at: 2026-12-01T09:00, ▸cron: 0 9 * * *"),
            near: timed("at: 2026-12-01T09:00")),
        RuleCase(.scheduleKeys, "nothing", sent("schedule: ▸{}"), near: sent("")),
        RuleCase(
            .scheduleKeys, "no time", timed("max_lateness: 1h").replacing("schedule: {", with: "schedule: ▸{"),
            near: timed("max_lateness: 1h, at: 2026-12-01T09:00")),
        RuleCase(
            .scheduleKeys, "a start beside a time", timed("at: 2026-12-01T09:00, ▸start: 2026-11-01T09:00"),
            near: timed("cron: 0 9 * * *, start: 2026-11-01T09:00")),
        RuleCase(
            .scheduleKeys, "an end beside a time", timed("at: 2026-12-01T09:00, ▸end: 2026-12-02T09:00"),
            near: timed("cron: 0 9 * * *, end: 2026-12-02T09:00")),
        RuleCase(
            .scheduleKeys, "one time to catch up with", timed("at: 2026-12-01T09:00, ▸catch_up: all"),
            near: timed("cron: 0 9 * * *, catch_up: all")),
        RuleCase(
            .scheduleKeys, "one time at both", timed("at: 2026-12-01T09:00, dst: {overlap: ▸both}"),
            near: timed("at: 2026-12-01T09:00, dst: {overlap: second}")),
        RuleCase(.scheduleCron, "minute 60", timed("cron: ▸60 9 * * MON"), near: timed("cron: 59 9 * * MON")),
        RuleCase(.scheduleCron, "hour 24 in quotes", timed("cron: '0 ▸24 * * *'"), near: timed("cron: '0 23 * * *'")),
        RuleCase(
            .scheduleCron, "a day misspelt in quotes", timed("cron: \"0 9 * * Mon,▸Tues\""),
            near: timed("cron: \"0 9 * * Mon,Tue\"")),
        RuleCase(
            .scheduleCron, "six fields", timed("cron: 0 0 9 * * ▸MON"), near: timed("cron: 0 9 * * MON")),
        RuleCase(.scheduleCron, "four fields", timed("cron: ▸0 9 * *"), near: timed("cron: 0 9 * * 0-7")),
        RuleCase(.scheduleCron, "nothing", timed("cron: ▸''"), near: timed("cron: '0 9 1 1 0'")),
        RuleCase(
            .scheduleCron, "on lines of its own", sent("schedule:\n  cron: ▸>-\n    0 24\n    * * *"),
            near: sent("schedule:\n  cron: >-\n    7 23\n    * * *")),
        RuleCase(
            .scheduleCron, "with an escape", timed("cron: ▸\"0\\x20\\x324 * * *\""),
            near: timed("cron: \"0\\x20\\x323 * * *\"")),
        RuleCase(
            .scheduleZone, "a zone misspelt", timed("at: 2026-12-01T09:00, timezone: ▸Europe/Roma"),
            near: timed("at: 2026-12-01T09:00, timezone: Europe/Rome")),
        RuleCase(
            .scheduleZone, "a way out of the database", timed("cron: 0 9 * * *, timezone: ▸../../../etc/localtime"),
            near: timed("cron: 0 9 * * *, timezone: America/Argentina/Ushuaia")),
        RuleCase(
            .scheduleZone, "in the settings",
            ["herald.yaml": settings("timezone: ▸Rome"), "x.yaml": timed("cron: 0 9 * * *")],
            near: ["herald.yaml": settings("timezone: Europe/Rome"), "x.yaml": timed("cron: 0 9 * * *")]),
        RuleCase(
            .scheduleNever, "a day no month has", timed("cron: ▸0 9 30 2 *"), near: timed("cron: 0 9 29 2 *")),
        RuleCase(
            .scheduleNever, "none between start and end",
            timed("cron: ▸0 9 29 2 *, start: 2026-01-01T00:00, end: 2027-12-31T00:00"),
            near: timed("cron: 0 9 29 2 *, start: 2026-01-01T00:00, end: 2028-12-31T00:00")),
        RuleCase(
            .scheduleNever, "a time in a gap that is skipped",
            timed("at: ▸2026-03-29T02:30, timezone: Europe/Rome, dst: {gap: skip}"),
            near: timed("at: 2026-03-29T02:30, timezone: Europe/Rome, dst: {gap: next}")),
        RuleCase(.yamlSyntax, "a bare star", sent("schedule:\n  cron: ▸* * * * *◂"), near: timed("cron: '* * * * *'")),
    ]

    private static let lists: [RuleCase] = [
        RuleCase(
            .listFormat, "another ending", ["x.yaml": audience("source: {file: ▸l.tsv}"), "l.tsv": "fid\n"],
            near: list("l.csv", "fid\n")),
        RuleCase(
            .listFormat, "a packed list of another ending",
            ["x.yaml": audience("source: {file: ▸l.tsv.gz}"), "l.tsv.gz": "fid\n"], near: list("l.csv", "fid\n")),
        {
            var foreign = RuleCase(
                .listCompression, "a list that is only called so", ["x.yaml": audience("source: {file: ▸l.csv.gz}")],
                near: list("l.csv", "fid\n"))
            foreign.prepare = { try $0.write("fid\n", to: "l.csv.gz") }
            return foreign
        }(),
        RuleCase(.listFormat, "no header", list("l.csv", "▸"), near: list("l.csv", "token")),
        RuleCase(
            .listColumn, "no registration column", list("l.csv", "▸id,name\n1,2\n"),
            near: list("l.csv", "id,token\n1,\(token)\n")),
        RuleCase(
            .listColumn, "a column twice", list("l.csv", "\n▸fid,token,fid\n"),
            near: list("l.csv", "\nfid,token,name,name\n")),
        RuleCase(
            .listRow, "of text", list("l.txt", "# ours\n\(fid)\n\n▸\(fid)x\n"),
            near: list("l.txt", "# ours\n\(fid)\n\n  \(token)\t\n")),
        RuleCase(
            .listRow, "of CSV", list("l.csv", "fid,spot\n\(fid),ostia\n▸\(fid)\n"),
            near: list("l.csv", "fid,spot\n\(fid),ostia\n\(fid),\n")),
        RuleCase(
            .listRow, "of NDJSON", list("l.ndjson", "{\"fid\":\"\(fid)\"}\n▸{\"fid\":7}\n"),
            near: list("l.ndjson", "{\"fid\":\"\(fid)\",\"n\":7}\n")),
        RuleCase(
            .registrationForm, "a fid too long", audience("fids: [\(fid), ▸\(fid)0]"), near: audience("fids: [\(fid)]")),
        RuleCase(
            .registrationForm, "a fid among tokens", audience("tokens:\n  - ▸\(fid)"),
            near: audience("tokens:\n  - \(token)")),
        RuleCase(
            .registrationForm, "a token among fids", audience("fids:\n  - ▸\(token)"),
            near: audience("fids:\n  - \(fid)")),
        RuleCase(.registrationForm, "a list among fids", audience("fids: [▸[]]"), near: audience("fids: []")),
    ]

    private static let messages: [RuleCase] = [
        RuleCase(
            .messageTarget, "a topic", message("{notification: {title: x}, data: {a: b}, ▸topic: t}"),
            near: message("{notification: {title: x}, data: {topic: t}}")),
        RuleCase(
            .messageTarget, "a token", message("{▸token: x, data: {a: b}}"),
            near: message("{notification: {title: x}, data: {token: x}}")),
        RuleCase(
            .messageTarget, "a fid", message("{▸fid: x}"), near: message("{notification: {title: x}, data: {fid: x}}")),
        RuleCase(
            .messageTarget, "a condition", message("{▸condition: x}"),
            near: message("{notification: {title: x}, data: {condition: x}}")),
        RuleCase(.emptyMessage, "nothing", message("▸{}"), near: message("{notification: {title: x}}")),
        RuleCase(
            .emptyMessage, "a label only", message("▸{fcm_options: {analytics_label: x}}"),
            near: message("{webpush: {notification: {title: x}}}")),
        RuleCase(
            .emptyMessage, "no data in the data", message("▸{data: {}}"),
            near: message("{notification: {title: x}, data: {a: ''}}")),
        RuleCase(
            .emptyMessage, "options only", message("▸{android: {ttl: 60s}}"),
            near: message("{android: {notification: {title: x}, data: {a: b}}}")
        ),
        RuleCase(
            .apsMissing, "a payload without", message("{apns: {▸payload: {a: b}}}"),
            near: message("{notification: {title: x}, apns: {headers: {apns-push-type: alert}, payload: {aps: {}}}}")),
        RuleCase(
            .apsMissing, "an aps that is a text", message("{apns: {▸payload: {aps: x}}}"),
            near: message("{apns: {headers: {apns-push-type: alert}, payload: {aps: {alert: x}}}}")),
    ]
}

private func nested(_ levels: Int) -> String {
    String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
}
