internal import FCM

/// What a campaign's schedule and target do not go together with, where the workspace has frequency caps.
struct CapRules {
    private let campaign: Campaign
    private let document: Node

    init(_ campaign: Campaign, in document: Node) { (self.campaign, self.document) = (campaign, document) }

    func check(with settings: Settings, _ findings: inout Findings) {
        let frequency = campaign.delivery.frequency
        guard !frequency.caps.isEmpty else { return }
        if campaign.target.value.isOneRequest(campaign.delivery) {
            guard !frequency.tags.isEmpty, let node = document.value(at: "tags") else { return }
            findings.warning(
                .capUncounted,
                "nobody knows whom one request to a \(campaign.target.value.named.key) reaches, so no cap holds for it",
                at: node.range, help: "send to an audience, where each person is counted")
        } else if !frequency.ignoresCaps, frequency.counts {
            for cap in frequency.caps { checkSchedule(cap, settings, &findings) }
        }
        checkHours(&findings)
    }

    /// What is counted by its tags is seldom so urgent that it may wake people.
    private func checkHours(_ findings: inout Findings) {
        let frequency = campaign.delivery.frequency
        guard campaign.delivery.isAtAnyHour, !frequency.ignoresCaps,
            let cap = frequency.caps.first(where: { $0.tags != nil }),
            let node = document.value(at: "delivery", "window")
        else { return }
        findings.warning(
            .windowLifted, "it goes out at any hour, although cap '\(cap.name)' counts messages of its kind",
            at: node.range, help: "leave 'window' out, or write frequency_caps: {ignore: true} for what must arrive")
    }

    /// A schedule that fires more often than the cap allows: the cap would stop the campaign by itself.
    private func checkSchedule(_ cap: FrequencyCap, _ settings: Settings, _ findings: inout Findings) {
        guard let place = document.value(at: "schedule", "cron") else { return }
        let limit = cap.max + Self.looked
        let times =
            campaign.schedule.local?.firstTimes(limit: limit).map { Date(wholeSeconds: $0.secondsAsUTC) }
            ?? campaign.schedule.firstTimes(limit: limit)
        // As many messages as the cap allows, and one more.
        let spans = zip(times, times.dropFirst(cap.max)).map { $1.timeIntervalSince($0) }
        // A message may count that much longer than `per`.
        let longer = Double(StartCounting(campaign.delivery.frequency, settings.frequencyCaps)?.span ?? 0)
        guard let shortest = spans.min(), shortest < cap.per.seconds + longer else { return }
        // Runs are not always on time, so it needs room.
        let fitting = Int(shortest * 5 / 6)
        let span = fitting >= 7200 ? "\(fitting / 3600)h" : "\(max(1, fitting / 60))m"
        findings.warning(
            .capSchedule, "cap '\(cap.name)' (\(cap.words)) stops this campaign by itself: it is due too often",
            at: place.range,
            help: fitting < 60
                ? "let it be due less often" : "let the cap have per: \(span), or let it be due less often")
    }

    /// How many times of a schedule are looked at.
    private static let looked = 500
}
