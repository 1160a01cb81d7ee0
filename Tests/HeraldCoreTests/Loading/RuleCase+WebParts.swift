import HeraldCore

private func campaign(_ message: String, to target: String = "fids: [\(fid)]", _ rest: String = "") -> String {
    "kind: topic\nname: t\nsubscribers: []\n---\nkind: audience\nname: a\nfids: [\(fid)]\n---\n"
        + "kind: campaign\nname: c\ntarget: {\(target)}\nmessage: \(message)\n\(rest)\n"
}
/// Of a message that everybody sees.
private func message(_ rest: String) -> String { campaign("{notification: {title: x}, \(rest)}") }
private func web(_ rest: String) -> String { message("webpush: {\(rest)}") }
private func webShown(_ rest: String) -> String { web("notification: {\(rest)}") }
private func text(_ bytes: Int) -> String { String(repeating: "x", count: bytes) }

extension RuleCase {
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
        RuleCase(
            .integerRounded, "in a web notification", webShown("data: {ids: [1, ▸-9007199254740992]}"),
            near: webShown("data: {ids: [1, -9007199254740991]}")),
        RuleCase(.webNotification, "renotify", webShown("▸renotify: true"), near: webShown("renotify: true, tag: t")),
        RuleCase(
            .webNotification, "a silent vibration", webShown("silent: true, ▸vibrate: 7"),
            near: webShown("silent: true")),
    ]
}
