import FCM
import HeraldTestSupport

@testable import HeraldCore

/// When people may get a campaign, as its author writes it.
struct LifeWindow: Hashable, Sendable {
    var hours: DailyHours
    /// Whether it goes by each person's own clock.
    var isLocal = false
    /// Whether nothing is sent to whoever is due when it is closed.
    var skips = false

    static func any(_ random: inout SeededRandom) -> LifeWindow {
        let from = Int.random(in: 0..<1440, using: &random)
        let to = (from + Int.random(in: 60...1200, using: &random)) % 1440
        let days = Bool.random(using: &random) ? DailyHours.everyDay : .random(in: 1...127, using: &random)
        return LifeWindow(
            hours: DailyHours(from: from, to: to == 0 ? 1440 : to, days: days),
            isLocal: Bool.random(using: &random), skips: Int.random(in: 0..<3, using: &random) == 0)
    }

    /// - Parameter name: somebody's zone; `nil` if their row has none.
    func zone(_ name: String?) -> Zone { isLocal ? LifeFiles.zone(name) : .utc }

    /// Nobody knows whose clock is set forward while a window by each one's own is open.
    var clockChange: Duration { isLocal ? .seconds(3600) : .zero }

    /// As in `delivery`.
    var text: String {
        let time = { (minute: Int) in "\"\((minute / 60).digits(2)):\((minute % 60).digits(2))\"" }
        let zone = isLocal ? "{field: zone, default: UTC}" : "UTC"
        return "{from: \(time(hours.from)), to: \(time(hours.to)), days: \"\(hours.daysText)\", timezone: \(zone)"
            + (skips ? ", when_closed: skip}" : "}")
    }
}

/// Windows: nothing starts while they are closed, and some close while a run sends.
extension Life {
    /// When a campaign's people may get it. `nil` at any hour.
    func window(of campaign: LifeFiles.Campaign) -> LifeWindow? {
        switch campaign.written {
        case .ofWorkspace: settings.window.map { LifeWindow(hours: $0.hours) }
        case .always: nil
        case .own(let window): window
        }
    }

    /// Whether its window is closed for all of these. `nil` stands for a target that is one request.
    func isClosed(_ campaign: LifeFiles.Campaign, for people: some Collection<RecipientKey?>, at date: Date) -> Bool {
        guard let window = window(of: campaign) else { return false }
        return people.allSatisfy { person in
            !window.hours.isOpen(at: date, in: window.zone(person.flatMap { runFiles.zones[$0] }))
        }
    }

    /// Until when somebody whose time has come is not late. Lateness counts only while their window is open.
    ///
    /// - Parameter person: `nil` for a target that is one request.
    func end(of campaign: LifeFiles.Campaign, for person: RecipientKey?, after due: Date) -> Date {
        guard let window = window(of: campaign) else { return due.adding(campaign.maxLateness) }
        let zone = window.zone(person.flatMap { runFiles.zones[$0] })
        return window.hours.end(ofOpen: campaign.maxLateness, from: due, in: zone)
    }

    /// The same for the last of those whom the target has. No window keeps seeds waiting.
    func end(of campaign: LifeFiles.Campaign, after due: Date) -> Date {
        guard let window = window(of: campaign) else { return due.adding(campaign.maxLateness) }
        guard let target = runFiles.target(of: campaign) else { return end(of: campaign, for: nil, after: due) }
        let zones = Set(target.subtracting(runFiles.seeds(of: campaign)).map { window.zone(runFiles.zones[$0]) })
        return zones.map { window.hours.end(ofOpen: campaign.maxLateness, from: due, in: $0) }.max()
            ?? due.adding(campaign.maxLateness)
    }

    /// The same for whoever comes last, wherever people are.
    func lastEnd(of campaign: LifeFiles.Campaign, after due: Date) -> Date {
        guard let window = window(of: campaign) else { return due.adding(campaign.maxLateness) }
        let zones = Set((window.isLocal ? LifeFiles.zoneNames : []).map(window.zone) + [.utc])
        let span = campaign.maxLateness + window.clockChange
        return zones.map { window.hours.end(ofOpen: span, from: due, in: $0) }.max() ?? due
    }

    /// A message starts. Seeds may get it at any hour.
    ///
    /// - Parameter person: `nil` if one request reaches many.
    func checkWindow(of key: Key, to person: RecipientKey?, _ campaign: LifeFiles.Campaign, at date: Date) throws {
        guard isClosed(campaign, for: [person], at: date) else { return }
        throw LifeProblem(
            promise: "keeps to the window",
            words: "\(words(key)) started for \(person.map(number(of:)) ?? "many") at \(date.rfc3339)")
    }

    /// Whoever is skipped for a window was due while it was closed, and is no seed.
    ///
    /// - Parameter person: `nil` if one request reaches many.
    func checkSkipped(
        _ person: RecipientKey?, for key: Key, _ campaign: LifeFiles.Campaign, _ content: LifeRun.Content
    ) throws {
        let due = person.flatMap { instants(of: key, campaign, for: $0).min() }
        let isSeed = person.map(runFiles.seeds(of: campaign).contains) ?? false
        let isRight = content.plans.map(\.plan.at).contains { date in
            isClosed(campaign, for: [person], at: date) && (!campaign.isInLocalTime || due.map { $0 <= date } ?? false)
        }
        if window(of: campaign)?.skips == true, isRight, !isSeed { return }
        throw LifeProblem(
            promise: "skips only whose window is closed",
            words: "\(words(key)) ('\(campaign.name)') leaves out \(person.map(number(of:)) ?? "many")")
    }

    // MARK: People

    func editWindow(_ random: inout SeededRandom) {
        guard let place = files.campaigns.indices.randomElement(using: &random) else { return }
        files.campaigns[place].edit(&random)
        tell("\(files.campaigns[place].name): \(window(of: files.campaigns[place])?.text ?? "at any hour")")
    }

    /// FCM answers slowly, and the window closes while a run waits for it. Later runs go on with the rest, and with
    /// those whose clock or stage comes later.
    func runIntoClosing(_ random: inout SeededRandom) async throws {
        guard let (closing, campaign, hours, zone) = nextClosing(&random) else { return try await call(.run) }
        let spare = Int.random(in: 1...10, using: &random)
        time.advance(by: .seconds(closing.timeIntervalSince(now) - Double(spare)))
        tell("answers are slow, and a window closes at \(closing.rfc3339)")
        let latency = spare + Int.random(in: 0...10, using: &random)
        try await call(.run, LifeFate(latency: .seconds(latency), seed: random.next()))
        if let opening = hours.standing(at: now, in: zone).until, !hours.isOpen(at: now, in: zone),
            opening < now + 172_800
        {
            let rest = Double.random(in: 0...7200, using: &random).rounded()
            pass(.seconds(opening.timeIntervalSince(now) + rest), "the window is open again")
            try await call(.run)
        }
        try await runOn(with: campaign, &random)
    }

    /// When a window closes next under what is due to each person and not late by then, within two days.
    private func nextClosing(
        _ random: inout SeededRandom
    ) -> (closing: Date, campaign: LifeFiles.Campaign, hours: DailyHours, zone: Zone)? {
        for campaign in files.campaigns.shuffled(using: &random) {
            guard let window = window(of: campaign) else { continue }
            let (hours, zone) = (window.hours, window.zone(LifeFiles.zoneNames.randomElement(using: &random)))
            var instant = now
            while let until = hours.standing(at: instant, in: zone).until, until < now + 172_800 {
                if hours.isOpen(at: instant, in: zone), isDue(campaign, until) { return (until, campaign, hours, zone) }
                instant = until
            }
        }
        return nil
    }

    /// Whether somebody's time to get a campaign comes shortly before that.
    private func isDue(_ campaign: LifeFiles.Campaign, _ closing: Date) -> Bool {
        guard campaign.isEnabled, campaign.isForEach else { return false }
        let begin = max(now, closing - campaign.maxLateness.seconds)
        return campaign.nextInstant(after: begin).map { $0 < closing } ?? false
    }
}

extension LifeFiles.Campaign {
    mutating func edit(_ random: inout SeededRandom) {
        window =
            switch Int.random(in: 0..<6, using: &random) {
            case 0: .always
            case 1: .ofWorkspace
            default: .own(.any(&random))
            }
    }

    /// The window that its file has. One together with an expiry may be refused, and so is one that skips everybody. One
    /// request to many goes by one clock.
    var written: Window {
        if expiresAfter != nil { return .always }
        guard case .own(var window) = window else { return window }
        window.isLocal = window.isLocal && isForEach
        window.skips = window.skips && !isNeverOpen(window)
        return .own(window)
    }

    /// Whether it is closed at all times of the schedule, where both go by the same clock.
    private func isNeverOpen(_ window: LifeWindow) -> Bool {
        guard window.isLocal == isInLocalTime else { return false }
        let begin = Date(timeIntervalSince1970: 1_796_112_000)
        let times = at.map { [$0] } ?? due.firings(after: begin, through: begin + 15 * 86_400)
        return !times.isEmpty && times.allSatisfy { !window.hours.isOpen(at: $0, in: .utc) }
    }
}
