import HeraldCore

private func audience(_ rest: String) -> String { "kind: audience\nname: a\n\(rest)\n" }
private func topic(_ rest: String) -> String { "kind: topic\nname: t\nsubscribers: []\n\(rest)\n" }
private func campaign(_ rest: String) -> String {
    "kind: topic\nname: t\nsubscribers: []\n---\nkind: campaign\nname: c\ntarget: {topic: t}\n\(rest)\n"
}
private func message(_ rest: String) -> String { campaign("message: \(rest)") }
private func nested(_ levels: Int) -> String {
    String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
}

extension RuleCase {
    static let yaml: [RuleCase] = [
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
}
