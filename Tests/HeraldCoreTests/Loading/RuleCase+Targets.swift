import FCM
import HeraldCore
import HeraldTestSupport

private let one = "members: {tokens: [\(token)]}"
private func tokens(_ count: Int) -> String {
    (0..<count).map { Registration.token($0).rawValue }.joined(separator: ", ")
}
private func group(_ rest: String) -> [String: String] {
    ["herald.yaml": settingsText + "sender_id: '123'\n", "x.yaml": "kind: group\nname: g\n\(rest)\n"]
}
private func group(_ rest: String, beside audience: String) -> [String: String] {
    group("\(rest)\n---\nkind: audience\nname: a\n\(audience)")
}
/// A campaign with a topic `t` and an audience `a`.
private func target(_ target: String, _ rest: String = "", and other: String = "") -> String {
    ["t", "p", "q", "r", "s"].map { "kind: topic\nname: \($0)\nsubscribers: []\n---\n" }.joined()
        + "kind: audience\nname: a\nfids: []\n---\n"
        + "kind: campaign\nname: c\nmessage: {notification: {title: x}, data: {a: b}}\ntarget: {\(target)}\n\(rest)\n\(other)"
}
private func condition(_ text: String, _ rest: String = "") -> String { target("condition: \(text)", rest) }
/// A campaign to a group in the same file.
private func groupTarget(_ rest: String) -> [String: String] {
    group(
        "\(one)\n---\nkind: campaign\nname: c\nmessage: {notification: {title: x}, data: {a: b}}\ntarget: {group: g}\n\(rest)"
    )
}
private func another(_ rest: String) -> String {
    "---\nkind: campaign\nname: d\ntarget: {topic: t}\nmessage: {notification: {title: x}, data: {a: b}}\n\(rest)\n"
}
private func topic(_ rest: String, and other: String = "") -> String {
    "kind: topic\nname: t\nsubscribers: []\n\(rest)\n\(other)"
}

extension RuleCase {
    static let groups: [RuleCase] = [
        RuleCase(
            .fcmSunset, "groups, told once",
            group("\(one)\n---\nkind: group\nname: h\n\(one)").mapValues {
                $0.replacing("name: g", with: "name: ▸g◂")
            }, near: target("audience: a")),
        RuleCase(
            .groupName, "a space", group("\(one)\n---\nkind: group\nname: ▸a b\n\(one)"),
            near: group("\(one)\n---\nkind: group\nname: a-b\n\(one)")),
        RuleCase(.groupMembers, "nobody", group("members: {tokens: ▸[]}"), near: group(one)),
        RuleCase(
            .groupMembers, "21 devices", group("members: {tokens: ▸[\(tokens(21))]}"),
            near: group("members: {tokens: [\(tokens(20)), \(Registration.token(0, version: 1).rawValue)]}")),
        RuleCase(
            .groupMembers, "two places", group("members: {audience: a, ▸tokens: []}", beside: "fids: []"),
            near: group("members: {audience: a}", beside: "fids: []")),
        RuleCase(.groupMembers, "no place", group("members: ▸{}"), near: group(one)),
        RuleCase(
            .groupMembers, "an audience of 21", group("members: {audience: ▸a}", beside: "tokens: [\(tokens(21))]"),
            near: group(
                "members: {audience: a}",
                beside: "tokens: [\(tokens(21))]\nexclude: [b]\n---\nkind: audience\nname: b\nfids: [\(fid)]")),
        RuleCase(.groupFids, "a fid", group("members: {▸fids: [\(fid)]}"), near: group(one)),
        RuleCase(.groupSender, "no project number", "kind: group\nname: ▸g\n\(one)\n", near: group(one)),
        RuleCase(
            .unknownReference, "a group's audience", group("members: {audience: ▸b}"),
            near: group("members: {audience: a}", beside: "fids: [\(fid)]")),
        RuleCase(
            .duplicateResource, "a group twice", group("\(one)\n---\nkind: group\nname: ▸g\n\(one)"),
            near: group("\(one)\n---\nkind: group\nname: G\n\(one)")),
        RuleCase(.unknownKey, "of a group", group("\(one)\n▸size: 1"), near: group(one)),
        RuleCase(
            .registrationForm, "a fid among a group's tokens", group("members: {tokens: [▸\(fid)]}"),
            near: group(one)),
    ]

    static let targets: [RuleCase] = [
        RuleCase(
            .unknownReference, "a group target", target("group: ▸h"), near: groupTarget("delivery: {members: each}")),
        RuleCase(.groupName, "a group target with a space", target("group: ▸g h"), near: groupTarget("")),
        RuleCase(.invalidValue, "no tokens", target("tokens: ▸[]"), near: target("tokens: [\(token)]")),
        RuleCase(.invalidValue, "no fids", target("fids: ▸[]"), near: target("fids: [\(fid)]")),
        RuleCase(
            .registrationForm, "a fid among a target's tokens", target("tokens: [▸\(fid)]"),
            near: target("fids: [\(fid)]")),
        RuleCase(.oneTarget, "a topic and tokens", target("topic: t, ▸tokens: [\(token)]"), near: target("topic: t")),
        RuleCase(.unknownKey, "of a target", target("▸topik: t"), near: target("topic: t")),
        RuleCase(
            .excludeTarget, "of a topic", target("topic: t", "▸exclude: [a]"),
            near: target("audience: a", "exclude: [a]")),
        RuleCase(
            .excludeTarget, "of a condition", condition("\"'t' in topics\"", "▸exclude: [a]"),
            near: target("fids: [\(fid)]", "exclude: [a]")),
        RuleCase(
            .excludeTarget, "of a group", groupTarget("▸exclude: []"),
            near: target("tokens: [\(token)]", "exclude: []")),
        RuleCase(
            .unknownReference, "a campaign's exclusion", target("audience: a", "exclude: [▸b]"),
            near: target("audience: a", "exclude: [a]")),
        RuleCase(
            .invalidValue, "members of a topic", target("topic: t", "delivery: {▸members: key}"),
            near: groupTarget("delivery: {members: key}")),
        RuleCase(
            .invalidValue, "members in no way", groupTarget("delivery: {members: ▸all}"),
            near: groupTarget("delivery: {members: each}")),
        RuleCase(
            .previousName, "a campaign's own", target("topic: t", "previous_names: [▸c]"),
            near: target("topic: t", "previous_names: [b]")),
        RuleCase(
            .previousName, "another campaign's", target("topic: t", "previous_names: [▸d]", and: another("")),
            near: target("topic: t", "previous_names: [e]", and: another(""))),
        RuleCase(
            .previousName, "one that two campaigns had",
            target("topic: t", "previous_names: [e]", and: another("previous_names: [▸e]")),
            near: target("topic: t", "previous_names: [e]", and: another("previous_names: [f]"))),
        RuleCase(
            .previousName, "another topic's",
            topic("previous_names: [▸u]", and: "---\nkind: topic\nname: u\nsubscribers: []\n"),
            near: topic("previous_names: [U]", and: "---\nkind: topic\nname: u\nsubscribers: []\n")),
        RuleCase(.previousName, "a topic's own", topic("previous_names: [▸t]"), near: topic("previous_names: [T]")),
        RuleCase(
            .resourceName, "a previous name in capitals", target("topic: t", "previous_names: [▸Tide]"),
            near: target("topic: t", "previous_names: [tide]")),
        RuleCase(
            .topicName, "a previous name with a space", topic("previous_names: [▸a b]"),
            near: topic("previous_names: [a]")),
        RuleCase(
            .invalidValue, "a guard that nobody knows", target("topic: t", "acknowledge: [▸renamed]"),
            near: target("topic: t", "acknowledge: [broadcast]")),
        RuleCase(
            .unknownKey, "of what is acknowledged", target("topic: t", "acknowledge: [{max_recipients: 5, ▸most: 5}]"),
            near: target("topic: t", "acknowledge: [broadcast, {max_recipients: 5}]")),
        RuleCase(
            .missingKey, "nothing acknowledged", target("topic: t", "acknowledge: [▸{}]"),
            near: target("topic: t", "acknowledge: []")),
        RuleCase(
            .wrongType, "a single acknowledgement", target("topic: t", "acknowledge: ▸broadcast"),
            near: target("topic: t", "acknowledge: [broadcast]")),
        RuleCase(
            .wrongType, "a quoted number of recipients", target("topic: t", "acknowledge: [{max_recipients: ▸'5'}]"),
            near: target("topic: t", "acknowledge: [{max_recipients: 5}]")),
    ]

    static let conditions: [RuleCase] = [
        RuleCase(
            .conditionSyntax, "a word for an operator", condition("\"'t' in topics ▸and 't' in topics\""),
            near: condition("\"'t' in topics && 'p' in topics\"")),
        RuleCase(
            .conditionSyntax, "a plain scalar", condition("(▸t in topics)"), near: condition("('t' in topics)")),
        RuleCase(
            .conditionSyntax, "doubled quotes", condition("'''t'' in topics || ▸t in topics'"),
            near: condition("'''t'' in topics || ''p'' in topics'")),
        RuleCase(
            .conditionSyntax, "escaped quotes", condition(#""\"t\" in topics ▸& \"t\" in topics""#),
            near: condition(#""\"t\" in topics && \"p\" in topics""#)),
        RuleCase(
            .conditionSyntax, "other escapes", condition(#"▸"\x27t\x27 in topics &""#),
            near: condition(#""\x27t\x27 in topics""#)),
        RuleCase(.conditionSyntax, "nothing", condition("\"▸\""), near: condition("\"'t' in topics\"")),
        RuleCase(
            .conditionSyntax, "the end is missing", condition("\"'t' in topics ▸&&\""),
            near: condition("\"'t' in topics \"")),
        RuleCase(
            .conditionSyntax, "over two lines", target("condition: ▸\"'t' in topics\n  and 't' in topics\""),
            near: target("condition: \"'t' in topics\n  && 'p' in topics\"")),
        RuleCase(.conditionSyntax, "no topics", target("topics: ▸{}"), near: target("topics: {any: [t]}")),
        RuleCase(
            .conditionMixed, "no parentheses", condition("\"'t' in topics && 't' in topics ▸|| 't' in topics\""),
            near: condition("\"('t' in topics && 'p' in topics) || 'q' in topics\"")),
        RuleCase(
            .conditionTerms, "six topics",
            condition("\"\(String(repeating: "'t' in topics && ", count: 5))▸'t' in topics\""),
            near: condition("\"\(["t", "p", "q", "r"].map { "'\($0)' in topics && " }.joined())'s' in topics\"")),
        RuleCase(
            .conditionTerms, "six topics in lists", target("topics: {none: [t, t], any: [t, t], all: [t, ▸t]}"),
            near: target("topics: {none: [t, p], any: [q], all: [r, s]}")),
        RuleCase(
            .topicName, "a word with a space among topics", target("topics: {any: [t, ▸a b]}"),
            near: target("topics: {any: [t]}")),
        RuleCase(
            .unknownKey, "of topics", target("topics: {any: [t], ▸some: [t]}"), near: target("topics: {all: [t]}")),
        RuleCase(
            .unknownReference, "a topic nobody declares", condition("\"'t' in topics || '▸u◂' in topics\""),
            near: condition("\"'t' in topics || 'p' in topics\"")),
        RuleCase(
            .unknownReference, "one of a list that nobody declares", target("topics: {any: [t], none: [▸T◂]}"),
            near: target("topics: {any: [t], none: [p]}")),
        RuleCase(
            .broadcast, "everybody but some", condition("▸\"!('t' in topics)\""),
            near: condition("\"!('t' in topics)\"", "acknowledge: [broadcast]")),
        RuleCase(
            .broadcast, "nothing but exclusions", target("topics: ▸{none: [t]}"),
            near: target("topics: {any: [t], none: [p]}")),
    ]
}
