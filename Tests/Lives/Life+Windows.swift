import HeraldTestSupport

@testable import HeraldCore

/// Windows that close while a run sends.
extension Life {
    /// FCM answers slowly, and the window closes while a run waits for it. Later runs go on with the rest, and with
    /// those whose clock or stage comes later.
    func runIntoClosing(of hours: DailyHours, _ random: inout SeededRandom) async throws {
        guard let (closing, campaign) = nextClosing(of: hours) else { return try await call(.run) }
        let spare = Int.random(in: 1...10, using: &random)
        time.advance(by: .seconds(closing.timeIntervalSince(now) - Double(spare)))
        tell("answers are slow, and the window closes at \(closing.rfc3339)")
        let latency = spare + Int.random(in: 0...10, using: &random)
        try await call(.run, LifeFate(latency: .seconds(latency), seed: random.next()))
        if let opening = hours.standing(at: now, in: .utc).until, !hours.isOpen(at: now, in: .utc),
            opening < now + 172_800
        {
            let rest = Double.random(in: 0...7200, using: &random).rounded()
            pass(.seconds(opening.timeIntervalSince(now) + rest), "the window is open again")
            try await call(.run)
        }
        try await runOn(with: campaign, &random)
    }

    /// When the window closes next under what is due to each person and not late by then, within two days.
    private func nextClosing(of hours: DailyHours) -> (closing: Date, campaign: LifeFiles.Campaign)? {
        var instant = now
        while let until = hours.standing(at: instant, in: .utc).until, until < now + 172_800 {
            if hours.isOpen(at: instant, in: .utc), let campaign = files.campaigns.first(where: { isDue($0, until) }) {
                return (until, campaign)
            }
            instant = until
        }
        return nil
    }

    /// Whether somebody's time to get a campaign comes shortly before that.
    private func isDue(_ campaign: LifeFiles.Campaign, _ closing: Date) -> Bool {
        guard campaign.isEnabled, campaign.isForEach, campaign.expiresAfter == nil else { return false }
        let begin = max(now, closing - campaign.maxLateness.seconds)
        return campaign.nextInstant(after: begin).map { $0 < closing } ?? false
    }
}
