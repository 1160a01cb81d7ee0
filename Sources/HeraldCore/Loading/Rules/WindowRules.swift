internal import FCM

/// What a campaign's window does not go together with.
struct WindowRules {
    private let campaign: Campaign
    private let window: SendWindow
    /// The place of the campaign's own window, or of its schedule or name where the window is the workspace's.
    private let place: TextRange

    /// `nil` without a window.
    init?(_ campaign: Campaign, in document: Node) {
        guard let window = campaign.delivery.window else { return nil }
        (self.campaign, self.window) = (campaign, window)
        place =
            (document.value(at: "delivery", "window") ?? document.value(at: "schedule") ?? document.value(at: "name")
            ?? document).range
    }

    func check(_ findings: inout Findings) {
        checkOpening(&findings)
        checkWaiting(&findings)
        checkLifetimes(&findings)
    }

    /// A schedule that the window never meets. Where each recipient has a zone, some zone meets it.
    private func checkOpening(_ findings: inout Findings) {
        guard let (next, zone) = judgedTimes, let first = next(.clocksOfNow) ?? next(Date(timeIntervalSince1970: -1)),
            !isMet(from: first, next, in: zone)
        else { return }
        let reason =
            window.whenClosed == .skip ? "and 'when_closed' is skip" : "and 'expires_after' ends before it opens"
        findings.error(
            .windowNever, "the window (\(window.words)) is closed whenever the campaign is due, \(reason)", at: place,
            help: "change the schedule, the window or expires_after")
    }

    /// What finds the schedule's next time, and the zone in which its times are compared with the window. `nil` where that
    /// differs from recipient to recipient.
    private var judgedTimes: (next: (Date) -> Date?, zone: Zone)? {
        let schedule = campaign.schedule
        guard let local = schedule.local else {
            guard window.field == nil else { return nil }
            return ({ schedule.next(after: $0) }, window.zone)
        }
        // Where both go by the same clock, any zone shows how they meet.
        guard window.field?.value == local.field else { return nil }
        let next = { (instant: Date) -> Date? in
            local.times(after: LocalTime(secondsAsUTC: instant.wholeSeconds), through: .far, limit: 1).first
                .map { Date(wholeSeconds: $0.secondsAsUTC) }
        }
        return (next, .utc)
    }

    /// How many times of a schedule are looked at after the last one that was on a new day of the week, or at a new hour.
    private static let looked = 400
    /// In seconds. After 28 years all dates have been on all days of the week.
    private static let cycle = 10_227.0 * 86_400
    /// In seconds.
    private static let week = 7 * 86_400

    /// Whether a time of the schedule, from the first one on, is in the window or waits for its opening.
    private func isMet(from first: Date, _ next: (Date) -> Date?, in zone: Zone) -> Bool {
        // For how long before an opening what is due waits for it. Times are whole seconds.
        guard let head = window.whenClosed == .skip ? 1 : campaign.delivery.expiresAfter?.seconds else { return true }
        var seen: Set<Int> = []
        var (due, repeats) = (first, 0)
        while due < first + Self.cycle, repeats < Self.looked {
            let standing = window.hours.standing(at: due, in: zone)
            if standing.isOpen { return true }
            guard let opening = standing.until else { return false }
            if due > opening - head { return true }
            repeats = seen.insert(zone.local(at: due).secondsAsUTC % Self.week).inserted ? 0 : repeats + 1
            // None before that does.
            guard let following = next(max(due, opening - head)) else { return false }
            due = following
        }
        return false
    }

    private func checkWaiting(_ findings: inout Findings) {
        guard window.whenClosed == .wait, campaign.delivery.expiresAfter == nil else { return }
        findings.warning(
            .windowWaits,
            "recipients wait for the window (\(window.words)), and nothing says how long the message stays useful",
            at: place, help: "add delivery: {expires_after: 12h}, or write when_closed: skip")
    }

    /// Lifetimes that the author wrote, and that are longer than the window.
    private func checkLifetimes(_ findings: inout Findings) {
        let minutes = (window.hours.to - window.hours.from + 1440) % 1440
        guard minutes > 0 else { return }
        let message = campaign.message.value
        let android = ["android", "android_v2"].compactMap { message[$0]?["ttl"]?.string }
            .compactMap { Duration(written: $0) }
        let web = message["webpush"]?["headers"]?["TTL"]?.string.flatMap { Int64($0) }
        let longest = (android + [web.map { .seconds($0) }].compactMap(\.self)).max()
        guard let longest, longest > .seconds(minutes * 60) else { return }
        findings.warning(
            .windowLifetime, "the message lives longer than the window is open (\(window.words))", at: place,
            help: "leave 'ttl' out: herald fills it up to the window's end")
    }
}
