import HeraldCore

private func campaign(_ message: String, to target: String = "fids: [\(fid)]", _ rest: String = "") -> String {
    "kind: topic\nname: t\nsubscribers: []\n---\nkind: audience\nname: a\nfids: [\(fid)]\n---\n"
        + "kind: campaign\nname: c\ntarget: {\(target)}\nmessage: \(message)\n\(rest)\n"
}
/// Of a message that everybody sees.
private func message(_ rest: String) -> String { campaign("{notification: {title: x}, \(rest)}") }
private func android(_ rest: String) -> String { message("android: {\(rest)}") }
private func apns(_ rest: String) -> String { message("apns: {\(rest)}") }
private func aps(_ rest: String) -> String { apns("headers: {apns-push-type: alert}, payload: {aps: {\(rest)}}") }
private func web(_ rest: String) -> String { message("webpush: {\(rest)}") }
private func webShown(_ rest: String) -> String { web("notification: {\(rest)}") }
private func text(_ bytes: Int) -> String { String(repeating: "x", count: bytes) }
private func block(_ body: String) -> String { campaign("\n  notification:\n    title: x\n    \(body)") }

extension RuleCase {
    static let wholeMessages: [RuleCase] = [
        // Keys and values: title, x and a are 7 bytes.
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
}
