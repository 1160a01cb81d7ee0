import HeraldCore
import HeraldTestSupport

/// A campaign in stages.
private func staged(
    _ delivery: String, to target: String = "fids: [\(fid)]", schedule: String = "at: 2026-12-01T10:07Z"
) -> String {
    "kind: campaign\nname: c\ntarget: {\(target)}\nmessage: {notification: {title: x}}\n"
        + "schedule: {\(schedule)}\ndelivery: {\(delivery)}\n"
}

/// A campaign with seeds, and the list of its audience.
private func seeded(_ delivery: String, samples: String = "", title: String = "x") -> [String: String] {
    [
        "all.csv": "fid,first\n\(fid),Ada\n", "few.csv": "fid\n\(fid)\n",
        "x.yaml": "kind: audience\nname: all\nsource: {file: all.csv}\nfields: {first: {}}\n\(samples)---\n"
            + "kind: audience\nname: few\nsource: {file: few.csv}\n---\n"
            + "kind: campaign\nname: c\ntarget: {audience: all}\nmessage: {notification: {title: \"\(title)\"}}\n"
            + (title == "x" ? "" : "personal: {fields: [first]}\n") + "delivery: {\(delivery)}\n",
    ]
}

extension RuleCase {
    static let stages: [RuleCase] = [
        RuleCase(
            .stageTarget, "a topic",
            ["x.yaml": "kind: topic\nname: t\nsubscribers: []\n---\n" + staged("stages: ▸[1%, 100%]", to: "topic: t")],
            near: ["x.yaml": "kind: topic\nname: t\nsubscribers: []\n---\n" + staged("stages: [1%, 100%]")]),
        RuleCase(
            .stageTimes, "they soak longer than the message lives",
            staged("stages: ▸[1%, 10%, 100%], soak: 30m, expires_after: 1h"),
            near: staged("stages: [1%, 10%, 100%], soak: 29m, expires_after: 1h")),
        RuleCase(
            .stageWindow, "they soak longer than the window is open",
            staged(
                "stages: ▸[1%, 10%, 100%], soak: 91m, window: {from: \"10:00\", to: \"13:00\", when_closed: skip}"),
            near: staged(
                "stages: [1%, 10%, 100%], soak: 90m, window: {from: \"10:00\", to: \"13:00\", when_closed: skip}")),
        RuleCase(
            .stageSeeds, "a personal message without a sample",
            seeded("seeds: ▸few", title: "Hi {{first}}"),
            near: seeded("seeds: few", samples: "samples: [{first: Ada}]\n", title: "Hi {{first}}")),
        RuleCase(.unknownReference, "seeds", seeded("seeds: ▸fev"), near: seeded("seeds: few")),
        RuleCase(.missingKey, "'soak' without stages", staged("▸soak: 5m"), near: staged("stages: [100%], soak: 5m")),
        RuleCase(
            .missingKey, "limits without stages", staged("▸halt_when: {dead_percent: 5}"),
            near: staged("stages: [100%], halt_when: {dead_percent: 5}")),
        RuleCase(
            .invalidValue, "shares that do not rise", staged("stages: [10%, ▸10%, 100%]"),
            near: staged("stages: [10%, 10.1%, 100%]")),
        RuleCase(
            .invalidValue, "a last stage that is not everybody", staged("stages: [1%, ▸10%]"),
            near: staged("stages: [1%, 100%]")),
        RuleCase(.invalidValue, "no share", staged("stages: [▸1, 100%]"), near: staged("stages: [1%, 100%]")),
        RuleCase(.invalidValue, "nobody", staged("stages: [▸0%, 100%]"), near: staged("stages: [0.0001%, 100%]")),
        RuleCase(.wrongType, "one stage as a text", staged("stages: ▸1%"), near: staged("stages: [100%]")),
        RuleCase(.wrongType, "no stages at all", staged("stages: ▸[]"), near: staged("stages: [100%]")),
        RuleCase(
            .invalidValue, "a soak that is no time", staged("stages: [1%, 100%], soak: ▸soon"),
            near: staged("stages: [1%, 100%], soak: manual")),
        RuleCase(
            .wrongType, "a limit beyond all", staged("stages: [100%], halt_when: {dead_percent: ▸101}"),
            near: staged("stages: [100%], halt_when: {dead_percent: 100}")),
        RuleCase(
            .unknownKey, "another limit", staged("stages: [100%], halt_when: {▸accepted_percent: 1}"),
            near: staged("stages: [100%], halt_when: {}")),
    ]
}
