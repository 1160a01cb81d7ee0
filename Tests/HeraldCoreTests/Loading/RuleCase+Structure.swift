import HeraldCore

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
private func list(_ name: String, _ text: String) -> [String: String] {
    ["x.yaml": audience("source: {file: \(name)}"), name: text]
}

extension RuleCase {
    static let structure: [RuleCase] = [
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
        RuleCase(.missingKey, "a topic without a name", "▸kind: topic\nsubscribers: []\n", near: topic("")),
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
        RuleCase(
            .missingKey, "exclusions from a topic of the app", "kind: topic\nname: t\n▸exclude: []\n",
            near: "kind: topic\nname: t\n"),
        RuleCase(
            .missingKey, "a topic of the app that is pruned", "kind: topic\nname: t\n▸prune: true\n",
            near: "kind: topic\nname: t\nsubscribers: []\nprune: true\n"),
        RuleCase(
            .missingKey, "a topic of the app that adopts", "kind: topic\nname: t\n▸adopt: true\n",
            near: "kind: topic\nname: t\nsubscribers: []\nadopt: true\n"),
        RuleCase(.invalidValue, "drift of no kind", topic("drift: ▸ignore"), near: topic("drift: restore")),
        RuleCase(.wrongType, "an adoption that is a text", topic("adopt: ▸'true'"), near: topic("adopt: true")),
    ]
}
