import FCM
import HeraldCore
import HeraldTestSupport

private func campaign(_ message: String, to target: String = "fids: [\(fid)]", _ rest: String = "") -> String {
    "kind: topic\nname: t\nsubscribers: []\n---\nkind: audience\nname: a\nfids: [\(fid)]\n---\n"
        + "kind: campaign\nname: c\ntarget: {\(target)}\nmessage: \(message)\n\(rest)\n"
}
/// Of a message that everybody sees.
private func message(_ rest: String) -> String { campaign("{notification: {title: x}, \(rest)}") }
private func apns(_ rest: String) -> String { message("apns: {\(rest)}") }
private func headers(_ rest: String) -> String { apns("headers: {apns-push-type: alert, \(rest)}") }
private func aps(_ rest: String) -> String { apns("headers: {apns-push-type: alert}, payload: {aps: {\(rest)}}") }
/// Of a message that wakes the app and shows nothing.
private func silent(_ headers: String, _ aps: String = "content-available: 1") -> String {
    campaign("{data: {a: b}, apns: {headers: {\(headers)}, payload: {aps: {\(aps)}}}}")
}
private func activity(_ aps: String, to target: String = "fids: [\(fid)]", _ headers: String = "") -> String {
    campaign(
        "{apns: {headers: {apns-push-type: liveactivity}, live_activity_token: x, payload: {aps: {\(aps)}}}}",
        to: target)
}
private func activity(toAudience name: String, _ rest: String = "") -> String {
    "kind: audience\nname: one\nfids: [\(fid)]\n---\n"
        + "kind: audience\nname: two\nfids: [\(fid), \(Registration.fid(2).rawValue)]\n---\n"
        + activity(state, to: "audience: \(name)") + rest + "\n"
}
private let state = "timestamp: 1796112000, event: update, content-state: {height: 3}"
private func text(_ bytes: Int) -> String { String(repeating: "x", count: bytes) }

extension RuleCase {
    static let appleParts: [RuleCase] = [
        RuleCase(
            .apnsHeader, "a type", apns("headers: {apns-push-type: ▸loud}, payload: {aps: {badge: 1}}"),
            near: apns("headers: {apns-push-type: voip}, payload: {aps: {badge: 1}}")),
        RuleCase(.apnsHeader, "a priority", headers("apns-priority: ▸high"), near: headers("apns-priority: '5'")),
        RuleCase(
            .apnsHeader, "a name twice", headers("apns-priority: '5', ▸Apns-Priority: '10'"),
            near: headers("Apns-Priority: '10'")),
        RuleCase(.apnsHeader, "a duration", headers("apns-expiration: ▸4h"), near: headers("apns-expiration: '0'")),
        RuleCase(
            .apnsHeader, "65 bytes", headers("apns-collapse-id: ▸\(text(65))"),
            near: headers("apns-collapse-id: \(text(64))")),
        RuleCase(
            .apnsHeader, "a line break in a collapse id", headers("apns-collapse-id: ▸\"a\\nb\""),
            near: headers("apns-collapse-id: \"a b\"")),
        RuleCase(
            .apnsHeader, "a control character in a collapse id", headers("apns-collapse-id: ▸\"a\\u0085\""),
            near: headers("apns-collapse-id: \"é\"")),
        RuleCase(
            .apnsHeader, "an id that is no UUID", headers("apns-id: ▸\"7\""),
            near: headers("apns-id: 123e4567-e89b-12d3-a456-4266554400a0")),
        RuleCase(
            .apnsHeaderUnknown, "a slip", headers("▸apns-colapse-id◂: x"), near: headers("apns-collapse-id: x")),
        RuleCase(
            .apnsHeaderUnknown, "in capitals", headers("▸APNS-Urgency: x"), near: headers("APNS-Topic: x")),
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
            .apsValue, "a volume", aps("sound: {critical: 1, name: x, volume: ▸1.5◂}"),
            near: aps("sound: {critical: 1, name: x, volume: 1}")),
        RuleCase(
            .apsValue, "a critical sound that is a boolean", aps("sound: {critical: ▸true◂, name: x}"),
            near: aps("sound: {critical: 1, name: x}")),
        RuleCase(
            .apsValue, "a critical sound without a name in it", aps("sound: {critical: 1, name: ▸''◂}"),
            near: aps("sound: {critical: 1, name: x}")),
        RuleCase(
            .integerRounded, "in a payload",
            apns("headers: {apns-push-type: alert}, payload: {aps: {badge: 1}, n: ▸9007199254740993}"),
            near: apns("headers: {apns-push-type: alert}, payload: {aps: {badge: 1}, n: \"9007199254740993\"}")),
        RuleCase(
            .apsFlag, "true", aps("mutable-content: ▸true◂"), near: aps("mutable-content: 1")),
        RuleCase(
            .apsFlag, "false", aps("badge: 1, mutable-content: ▸false◂"), near: aps("badge: 1")),
        RuleCase(.apsValue, "a flag", aps("mutable-content: ▸'1'"), near: aps("mutable-content: 1")),
        RuleCase(
            .apsValue, "a level", aps("interruption-level: ▸loud"), near: aps("interruption-level: time-sensitive")),
        RuleCase(.apsValue, "a score", aps("relevance-score: ▸7"), near: aps("relevance-score: 0.7")),
        RuleCase(.apsValue, "a category", aps("category: ▸7"), near: aps("category: '7'")),
        RuleCase(.apsKey, "in snake case", aps("▸mutable_content: 1"), near: aps("mutable-content: 1")),
        RuleCase(.apsKey, "of an alert", aps("alert: {title: x, ▸text: z}"), near: aps("alert: {title: x, body: z}")),
        RuleCase(
            .apsKey, "of a sound", aps("sound: {critical: 1, name: x, ▸loudness: 1}"),
            near: aps("sound: {critical: 1, name: x, volume: 1}")),
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
            .silentPush, "an alert that wakes", aps("▸content-available: 1"), near: aps("badge: 1")),
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
            .liveActivity, "to two devices",
            activity(state, to: "fids: [\(fid), \(Registration.fid(2).rawValue)]").replacing("live_", with: "▸live_"),
            near: activity(state)),
        RuleCase(
            .liveActivity, "to an audience of two", activity(toAudience: "▸two"),
            near: activity(toAudience: "two", "exclude: [one]")),
        RuleCase(
            .liveActivity, "to an audience of two, as 'validate' sees it", activity(toAudience: "▸two"),
            near: activity(toAudience: "one")
        ).checkingRows(),
        RuleCase(
            .liveActivity, "to one device and a seed", activity(toAudience: "▸one", "delivery: {seeds: two}"),
            near: activity(toAudience: "one", "delivery: {seeds: one}")),
        RuleCase(
            .invalidValue, "an activity without a token",
            activity(state).replacing("token: x", with: "token: ▸''"), near: activity(state)),
        RuleCase(
            .apsValue, "an event", activity("timestamp: 1, content-state: {}, event: ▸stop"), near: activity(state)),
    ]
}
