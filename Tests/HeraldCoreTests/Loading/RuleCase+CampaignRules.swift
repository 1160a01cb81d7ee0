import HeraldCore
import HeraldTestSupport

private func campaign(_ message: String, to target: String = "fids: [\(fid)]", _ rest: String = "") -> String {
    "kind: topic\nname: t\nsubscribers: []\n---\nkind: audience\nname: a\nfids: [\(fid)]\n---\n"
        + "kind: campaign\nname: c\ntarget: {\(target)}\nmessage: \(message)\n\(rest)\n"
}
private func block(_ body: String) -> String { campaign("\n  notification:\n    title: x\n    \(body)") }
private func timed(_ schedule: String, to target: String) -> String {
    campaign("{notification: {title: x}}", to: target, "schedule: {\(schedule)}")
}
private func condition(_ text: String, _ rest: String = "") -> String {
    campaign("{notification: {title: x}}", to: "condition: \(text)", rest)
}
private func beside(_ topics: String...) -> String {
    topics.map { "---\nkind: topic\nname: \($0)\nsubscribers: []\n" }.joined()
}

extension RuleCase {
    static let campaignRules: [RuleCase] = [
        RuleCase(
            .ttlRange, "an expiry beyond what FCM keeps",
            campaign("{notification: {title: x}}", to: "topic: t", "delivery: {expires_after: ▸29d◂}"),
            near: campaign("{notification: {title: x}}", to: "topic: t", "delivery: {expires_after: 28d}")),
        RuleCase(
            .roundTime, "at the hour", timed("at: ▸2026-12-01T09:00Z", to: "topic: t"),
            near: timed("at: 2026-12-01T09:00:30Z", to: "topic: t")),
        RuleCase(
            .roundTime, "at a quarter hour that the clocks skip",
            timed("at: ▸2026-03-29T02:30, timezone: Europe/Rome", to: "topic: t"),
            near: timed("at: 2026-03-29T02:31, timezone: Europe/Rome", to: "topic: t")),
        RuleCase(
            .roundTime, "every quarter", timed("cron: ▸'*/15 * * * *'", to: "audience: a"),
            near: timed("cron: '*/10 * * * *'", to: "audience: a")),
        RuleCase(
            .roundTime, "to a condition", timed("cron: ▸30 9 * * MON", to: "condition: \"'t' in topics\""),
            near: timed("cron: 30 9 * * MON", to: "fids: [\(fid)]")),
        RuleCase(
            .shortLateness, "a minute", timed("cron: 7 9 * * *, max_lateness: ▸4m", to: "topic: t"),
            near: timed("cron: 7 9 * * *, max_lateness: 5m", to: "topic: t")),
        RuleCase(
            .shortLateness, "two hours by default",
            [
                "herald.yaml": settingsText + "runner: {every: 3h}\n",
                "x.yaml": timed("cron: 7 9 * * *", to: "topic: t").replacing("schedule: {", with: "schedule: ▸{"),
            ],
            near: [
                "herald.yaml": settingsText + "runner: {every: 3h}\n", "x.yaml": campaign("{notification: {title: x}}"),
            ]),
        RuleCase(
            .conditionNever, "a topic and its absence", condition("▸\"'t' in topics && !('t' in topics)\""),
            near: condition("\"'t' in topics && !('u' in topics)\"") + beside("u")),
        RuleCase(
            .conditionNever, "in one of its parts",
            condition("\"▸('u' in topics && !('u' in topics))◂ && 't' in topics\"") + beside("u"),
            near: condition("\"('u' in topics && !('v' in topics)) && 't' in topics\"") + beside("u", "v")),
        RuleCase(
            .conditionNever, "as lists", campaign("{notification: {title: x}}", to: "topics: ▸{any: [t], none: [t]}"),
            near: campaign("{notification: {title: x}}", to: "topics: {any: [t], none: [u]}") + beside("u")),
        RuleCase(
            .conditionRedundant, "a topic twice", condition("\"'t' in topics || ▸'t' in topics◂\""),
            near: condition("\"'t' in topics || 'u' in topics\"") + beside("u")),
        RuleCase(
            .conditionRedundant, "a part within another",
            condition("\"'t' in topics || ▸('t' in topics && 'u' in topics)◂\"") + beside("u"),
            near: condition("\"'t' in topics && ('v' in topics || 'u' in topics)\"") + beside("u", "v")),
        RuleCase(
            .conditionRedundant, "a branch that nobody takes",
            condition("\"▸( 'u' in topics && !('u' in topics) )◂ || 't' in topics\"") + beside("u"),
            near: condition("\"('u' in topics && !('v' in topics)) || 't' in topics\"") + beside("u", "v")),
        RuleCase(
            .conditionRedundant, "a negation that the rest implies",
            condition("\"'t' in topics && ('u' in topics || ▸!('t' in topics)◂)\"") + beside("u"),
            near: condition("\"'t' in topics && ('u' in topics || !('v' in topics))\"") + beside("u", "v")),
        RuleCase(
            .conditionRedundant, "of doubled quotes",
            condition("'''t'' in topics || ▸''t'' in topics◂'"),
            near: condition("'''t'' in topics || ''u'' in topics'") + beside("u")),
        RuleCase(
            .conditionRedundant, "as lists",
            campaign("{notification: {title: x}}", to: "topics: {any: [t], all: [▸t◂]}"),
            near: campaign("{notification: {title: x}}", to: "topics: {any: [t], all: [u]}") + beside("u")),
        RuleCase(
            .conditionRedundant, "everybody",
            condition("▸\"'t' in topics || !('t' in topics)\"", "acknowledge: [broadcast]"),
            near: condition("\"!('t' in topics)\"", "acknowledge: [broadcast]")),
        RuleCase(
            .broadcast, "always true", condition("▸\"'t' in topics || !('t' in topics)\""),
            near: condition("\"!('t' in topics)\"", "acknowledge: [broadcast]")),
        RuleCase(
            .allowUnused, "no such warning",
            campaign("{notification: {title: x}}") + "▸# herald: allow image-http old phones\n",
            near: campaign("{notification: {title: x}}") + "# herald: deny image-http old phones\n"),
        RuleCase(
            .allowUnused, "no such rule",
            campaign("{notification: {title: x}}") + "▸# herald: allow image old phones\n",
            near: campaign("{notification: {title: '# herald: allow image x'}}")),
        RuleCase(
            .allowReason, "none",
            block("body: {{x}} ▸# herald: allow unfinished-text").replacing("{{x}}", with: "'{{x}}'"),
            near: block("body: '{{x}}' # herald: allow unfinished-text the app fills it in")),
        RuleCase(
            .allowReason, "none above",
            block("▸# herald: allow unfinished-text\n    body: '{{x}}'"),
            near: block(
                "# herald: allow unfinished-text the app fills it in\n"
                    + "    # herald: allow cut-text as the old one was\n    body: {{x #1"
            ).replacing("{{x #1", with: "Hi <%x #1")),
        RuleCase(
            .unfinishedText, "allowed two lines above",
            block("body: ▸'{{x}}'"),
            near: block("body: '{{x}}'  # herald: allow unfinished-text yes")),
    ]
}
