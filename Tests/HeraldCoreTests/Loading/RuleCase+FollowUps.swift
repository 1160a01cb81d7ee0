import HeraldCore
import HeraldTestSupport

private func campaign(_ name: String, to target: String = "audience: all", _ rest: String = "") -> String {
    "---\nkind: campaign\nname: \(name)\ntarget: {\(target)}\nmessage: {notification: {title: x}}\n\(rest)\n"
}

/// A list, an audience chosen from it by what came of a campaign 'sent', and that campaign.
private func following(_ outcome: String, from: String = "from: all", _ more: String = campaign("sent")) -> String {
    "kind: audience\nname: all\nfids: [\(fid)]\n---\nkind: audience\nname: again\n\(from)\noutcome: \(outcome)\n\(more)"
}

private func chosen(_ name: String, _ campaign: String) -> String {
    "---\nkind: audience\nname: \(name)\nfrom: all\noutcome: {campaign: \(campaign), is: [capped]}\n"
}

extension RuleCase {
    static let followUps: [RuleCase] = [
        RuleCase(
            .unknownReference, "the outcome of a campaign that nobody declares",
            following("{campaign: ▸snt◂, is: [rejected]}"), near: following("{campaign: sent, is: [rejected]}")),
        RuleCase(
            .invalidValue, "an outcome that there is not", following("{campaign: sent, is: [▸refused◂]}"),
            near: following("{campaign: sent, is: [rejected]}")),
        RuleCase(
            .invalidValue, "no outcome at all", following("{campaign: sent, ▸is: []}"),
            near: following("{campaign: sent, is: [never]}")),
        RuleCase(
            .missingKey, "an outcome of nobody's campaign", following("▸{is: [rejected]}"),
            near: following("{campaign: sent, is: [rejected]}")),
        RuleCase(
            .unknownKey, "another key of an outcome", following("{campaign: sent, is: [never], ▸last: true}"),
            near: following("{campaign: sent, is: [never]}")),
        RuleCase(
            .missingKey, "a list that is chosen from nothing",
            following("{campaign: sent, is: [never]}", from: "fids: []").replacing("outcome:", with: "▸outcome:"),
            near: following("{campaign: sent, is: [never]}")),
        RuleCase(
            .invalidValue, "another campaign's occurrence",
            following("{campaign: sent, is: [never], occurrence: ▸other@once}"),
            near: following("{campaign: sent, is: [never], occurrence: sent@once}")),
        RuleCase(
            .invalidValue, "a name without a time", following("{campaign: sent, is: [never], occurrence: ▸sent}"),
            near: following("{campaign: sent, is: [never], occurrence: sent@once}")),
        RuleCase(
            .invalidValue, "an occurrence under a name that the campaign never had",
            following(
                "{campaign: sent, is: [never], occurrence: ▸old@once}",
                campaign("sent", to: "audience: all", "previous_names: [older]")),
            near: following(
                "{campaign: sent, is: [never], occurrence: old@once}",
                campaign("sent", to: "audience: all", "previous_names: [old]"))),
        RuleCase(
            .outcomeTarget, "one request to a topic",
            following(
                "{campaign: ▸sent, is: [rejected]}",
                campaign("sent", to: "topic: t") + "---\nkind: topic\nname: t\nsubscribers: [all]\n"),
            near: following("{campaign: sent, is: [rejected]}")),
        RuleCase(
            .outcomeCycle, "a campaign that waits for itself",
            following("{campaign: ▸sent, is: [rejected]}", campaign("sent", to: "audience: again")),
            near: following(
                "{campaign: sent, is: [rejected]}",
                campaign("sent", to: "audience: again", "schedule: {cron: 7 9 * * *}"))),
        RuleCase(
            .outcomeCycle, "a campaign that leaves out whom it reached",
            following("{campaign: ▸sent, is: [accepted]}", campaign("sent", to: "audience: all", "exclude: [again]")),
            near: following(
                "{campaign: sent, is: [accepted]}",
                campaign("sent", to: "audience: all", "exclude: [again]\nrevision: 2"))),
        RuleCase(
            .outcomeCycle, "two campaigns that wait for each other",
            following(
                "{campaign: ▸one, is: [rejected]}",
                chosen("capped", "two") + campaign("one", to: "audience: capped")
                    + campaign("two", to: "audience: again")),
            near: following(
                "{campaign: one, is: [rejected]}",
                chosen("capped", "one") + campaign("one") + campaign("two", to: "audience: capped"))),
        RuleCase(
            .outcomeCycle, "two that repeat, by way of what is left out",
            following(
                "{campaign: ▸one, is: [rejected]}",
                chosen("capped", "two")
                    + campaign("one", to: "audience: all", "exclude: [capped]\nschedule: {cron: 7 9 * * *}")
                    + campaign("two", to: "audience: rest", "schedule: {cron: 7 8 * * *}")
                    + "---\nkind: audience\nname: rest\nfrom: all\nexclude: [again]\n"),
            near: following(
                "{campaign: one, is: [rejected]}",
                chosen("capped", "two")
                    + campaign("one", to: "audience: all", "exclude: [capped]\nschedule: {cron: 7 9 * * *}")
                    + campaign("two", to: "audience: all", "schedule: {cron: 7 8 * * *}"))),
    ]
}
