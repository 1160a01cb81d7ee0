import HeraldCore
import HeraldTestSupport

/// A campaign in a workspace that leaves 'no-promo' out of what has the tag 'promo'.
private func tagged(
    _ rest: String, to target: String = "audience: all", suppress: String = "{audience: no-promo, tags: [promo]}",
    settings: String = ""
) -> [String: String] {
    [
        "herald.yaml": "herald: 2\nproject: p\nsender_id: '7'\nsuppress: [\(suppress)]\n\(settings)\n",
        "audiences.yaml": "kind: audience\nname: all\nfids: []\n---\nkind: audience\nname: no-promo\nfids: []\n"
            + "---\nkind: topic\nname: t\nsubscribers: [all]\n",
        "x.yaml": "kind: campaign\nname: c\ntarget: {\(target)}\nmessage: {notification: {title: x}}\n\(rest)\n",
    ]
}

/// A group of one member, and a campaign to it.
private func grouped(_ rest: String) -> [String: String] {
    var files = tagged(rest, to: "group: g")
    files["group.yaml"] = "kind: group\nname: g\nmembers: {tokens: [\(token)]}\n"
    return files
}

private func suppressing(_ entry: String, version: Int = 2) -> [String: String] {
    [
        "herald.yaml": "herald: \(version)\nproject: p\nsuppress: [\(entry)]\n",
        "x.yaml": "kind: audience\nname: a\nfids: []\n",
    ]
}

extension RuleCase {
    static let tags: [RuleCase] = [
        RuleCase(
            .suppressTarget, "a topic", tagged("tags: ▸[promo]", to: "topic: t"),
            near: tagged("tags: [news]", to: "topic: t")),
        RuleCase(
            .suppressTarget, "a condition", tagged("tags: ▸[news, promo]", to: "condition: \"'t' in topics\""),
            near: tagged("tags: [news]", to: "condition: \"'t' in topics\"")),
        RuleCase(
            .suppressTarget, "the key of a group", grouped("tags: ▸[promo]"),
            near: grouped("tags: [promo]\ndelivery: {members: each}")),
        RuleCase(
            .suppressTarget, "those who are left out", tagged("tags: ▸[promo]", to: "audience: no-promo"),
            near: tagged("tags: [news]", to: "audience: no-promo")),
        RuleCase(
            .missingTags, "a campaign of no kind",
            tagged("", settings: "require_tags: true").merging([
                "x.yaml":
                    "kind: campaign\nname: ▸c\ntarget: {audience: all}\nmessage: {notification: {title: x}}\n"
            ]) { $1 },
            near: tagged("tags: [news]", settings: "require_tags: true")),
        RuleCase(
            .tagSpelling, "a tag that is not the one of 'suppress'", tagged("tags: [▸promos]"),
            near: tagged("tags: [news]")),
        RuleCase(
            .tagSpelling, "a tag that is not the one of a cap",
            tagged(
                "tags: [▸promotion]", suppress: "",
                settings: "frequency_caps: [{name: a, max: 1, per: 1h, tags: [promotions]}]"),
            near: tagged(
                "tags: [promotions]", suppress: "",
                settings: "frequency_caps: [{name: a, max: 1, per: 1h, tags: [promotions]}]")),
        RuleCase(
            .unknownReference, "people who want no promotion", suppressing("{audience: ▸b, tags: [promo]}"),
            near: suppressing("{audience: a, tags: [promo]}")),
        RuleCase(
            .formatVersion, "consent by tag", suppressing("▸{audience: a, tags: [promo]}", version: 1),
            near: suppressing("{audience: a, tags: [promo]}")),
        RuleCase(
            .formatVersion, "tags that are required",
            ["herald.yaml": "herald: 1\nproject: p\n▸require_tags: true\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nrequire_tags: true\n"]),
        RuleCase(
            .wrongType, "a word for whether tags are required",
            ["herald.yaml": "herald: 2\nproject: p\nrequire_tags: ▸always\n"],
            near: ["herald.yaml": "herald: 2\nproject: p\nrequire_tags: true\n"]),
        RuleCase(
            .invalidValue, "consent for no tag", suppressing("{audience: a, ▸tags: []}"),
            near: suppressing("{audience: a, tags: [x]}")),
        RuleCase(
            .missingKey, "consent without tags", suppressing("▸{audience: a}"), near: suppressing("a")),
        RuleCase(
            .unknownKey, "another key of consent", suppressing("{audience: a, ▸tag: [x], tags: [x]}"),
            near: suppressing("{audience: a, tags: [x]}")),
        RuleCase(
            .resourceName, "a tag in capitals", suppressing("{audience: a, tags: [▸Promo]}"),
            near: suppressing("{audience: a, tags: [promo]}")),
        RuleCase(
            .wrongType, "a list in 'suppress'", suppressing("▸[a]"), near: suppressing("a")),
        RuleCase(
            .wrongType, "one name for 'suppress'",
            [
                "herald.yaml": "herald: 2\nproject: p\nsuppress: ▸a\n", "x.yaml": "kind: audience\nname: a\nfids: []\n",
            ],
            near: suppressing("a")),
    ]
}
