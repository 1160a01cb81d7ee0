import HeraldCore

private func audience(_ rest: String) -> String { "kind: audience\nname: a\n\(rest)\n" }
private func topic(_ rest: String) -> String { "kind: topic\nname: t\nsubscribers: []\n\(rest)\n" }
private func campaign(_ rest: String) -> String {
    "kind: topic\nname: t\nsubscribers: []\n---\nkind: campaign\nname: c\ntarget: {topic: t}\n\(rest)\n"
}
private func message(_ rest: String) -> String { campaign("message: \(rest)") }
private func sent(_ rest: String) -> String { message("{notification: {title: x}, data: {a: b}}\n\(rest)") }

extension RuleCase {
    static let resources: [RuleCase] = [
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
            .previousName, "an audience's own", audience("fids: []\nprevious_names: [▸a]"),
            near: audience("fids: []\nprevious_names: [b]")),
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
}
