internal import FCM

/// Rules about several parts of a campaign: message and target, schedule and target.
struct CampaignRules {
    private let campaign: Campaign
    private let document: Node

    /// - Parameter document: The document that the campaign was read from.
    init(_ campaign: Campaign, in document: Node) {
        self.campaign = campaign
        self.document = document
    }

    func check(with settings: Settings, _ findings: inout Findings) {
        checkRoundTime(&findings)
        checkLateness(settings.runEvery, &findings)
        TagRules(campaign, in: document).check(with: settings, &findings)
        CapRules(campaign, in: document).check(with: settings, &findings)
        WindowRules(campaign, in: document)?.check(&findings)
        StageRules(campaign, in: document)?.check(&findings)
        if case .condition(let condition) = campaign.target.value {
            let places = ConditionPlaces(document.value(at: "target"), condition, file: findings.file)
            ConditionLogic(condition).check(campaign, places, &findings)
        }
        guard let node = document.value(at: "message") else { return }
        let draft = MessageDraft(node: node, json: campaign.message.value)
        switch campaign.target.value {
        case .topic, .condition: PayloadSize(draft).checkFanOut(&findings)
        case .group, .audience, .registrations: break
        }
        checkActivityTarget(draft, &findings)
    }

    /// Many crons fire on the quarter hours, and FCM asks senders to avoid those times.
    private func checkRoundTime(_ findings: inout Findings) {
        switch campaign.target.value {
        case .topic, .condition, .audience: break
        case .group, .registrations: return
        }
        let place: Node?
        switch campaign.schedule.times {
        case .once: return
        case .at(let date):
            // All time zones of today have offsets of whole quarter hours from UTC. A time that the clocks skip is
            // judged as its author wrote it, since another minute would not change when it is due.
            let seconds = campaign.schedule.skipped.map { Double($0.secondsAsUTC) } ?? date.timeIntervalSince1970
            guard seconds.truncatingRemainder(dividingBy: 900) == 0 else { return }
            place = document.value(at: "schedule", "at")
        case .local(let local):
            guard case .cron(let cron, _, _) = local.times, isRound(cron) else { return }
            place = document.value(at: "schedule", "cron")
        case .cron(let cron, _, _):
            guard isRound(cron) else { return }
            place = document.value(at: "schedule", "cron")
        }
        guard let place else { return }
        findings.advice(
            .roundTime, "everybody sends on the quarter hours, when FCM is busiest", at: place.range,
            help: "choose a minute like 7 or 41")
    }

    private func isRound(_ cron: Cron) -> Bool {
        (0..<60).allSatisfy { !cron.minutes.contains($0) || $0 % 15 == 0 }
    }

    /// - Parameter runEvery: How often something looks for due sends.
    private func checkLateness(_ runEvery: Duration, _ findings: inout Findings) {
        guard campaign.schedule.times != .once, campaign.schedule.maxLateness < runEvery,
            let place = document.value(at: "schedule", "max_lateness") ?? document.value(at: "schedule")
        else { return }
        findings.warning(
            .shortLateness,
            "'max_lateness' is shorter than the time between two runs, so that occurrences are missed", at: place.range,
            help: "make it longer than the \(Int(runEvery.seconds)) s of 'runner: {every: …}'")
    }

    private func checkActivityTarget(_ draft: MessageDraft, _ findings: inout Findings) {
        guard draft["apns", "live_activity_token"] != nil else { return }
        let target: String
        switch campaign.target.value {
        // Lists say how many it has.
        case .audience: return
        case .registrations(let listed):
            let devices = Set(listed.map(\.recipientKey)).count
            if devices <= 1 { return }
            target = "has \(count(devices, "device"))"
        case .topic, .condition, .group: target = "is a \(campaign.target.value.named.key)"
        }
        findings.error(
            .liveActivity, "a live activity's token is one device's, and the target \(target)",
            at: draft.key("apns", "live_activity_token"), help: Self.activityHelp)
    }

    static let activityHelp = "send it to that device's token or fid"
}
