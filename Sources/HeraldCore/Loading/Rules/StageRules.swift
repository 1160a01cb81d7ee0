/// What a campaign's stages do not go together with.
struct StageRules {
    private let campaign: Campaign
    private let stages: Stages
    private let place: TextRange

    /// `nil` without stages.
    init?(_ campaign: Campaign, in document: Node) {
        guard let stages = campaign.delivery.stages else { return nil }
        (self.campaign, self.stages) = (campaign, stages)
        place =
            (document.value(at: "delivery", "stages") ?? document.value(at: "delivery", "seeds") ?? document).range
    }

    func check(_ findings: inout Findings) {
        if campaign.target.value.isOneRequest(campaign.delivery) {
            let target = campaign.target.value.named.key
            findings.error(
                .stageTarget, "one request to a \(target) reaches everybody at once, so there are no stages",
                at: place,
                help: target == "group"
                    ? "add delivery: {members: each}, or leave stages and seeds out"
                    : "send to an audience, or leave stages and seeds out")
        }
        guard let soaking = stages.soaking, soaking > .zero else { return }
        if let span = campaign.delivery.expiresAfter, soaking >= span {
            findings.error(
                .stageTimes,
                "the stages wait \(soaking.written) in all, and the message expires after \(span.written): the last stage gets nothing",
                at: place, help: "shorten 'soak', or let the message expire later")
        } else if let window = campaign.delivery.window {
            let open = Duration.seconds((window.hours.to - window.hours.from + 1440) % 1440 * 60)
            guard open > .zero, soaking > open else { return }
            findings.warning(
                .stageWindow,
                "the stages wait \(soaking.written) in all, longer than the window is open (\(window.words)): the last ones open on another day",
                at: place, help: "shorten 'soak', or take it into account")
        }
    }
}
