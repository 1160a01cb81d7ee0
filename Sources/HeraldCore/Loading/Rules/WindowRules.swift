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
        guard let (times, zone) = judgedTimes, !times.isEmpty, times.allSatisfy({ !isMet(at: $0, in: zone) }) else {
            return
        }
        let reason =
            window.whenClosed == .skip ? "and 'when_closed' is skip" : "and 'expires_after' ends before it opens"
        findings.error(
            .windowNever, "the window (\(window.words)) is closed whenever the campaign is due, \(reason)", at: place,
            help: "change the schedule, the window or expires_after")
    }

    /// The schedule's times, and the zone in which they are compared with the window. `nil` where that differs from
    /// recipient to recipient.
    private var judgedTimes: (times: [Date], zone: Zone)? {
        guard let local = campaign.schedule.local else {
            return window.field == nil ? (campaign.schedule.firstTimes(limit: Self.looked), window.zone) : nil
        }
        // Where both go by the same clock, any zone shows how they meet.
        guard window.field?.value == local.field else { return nil }
        return (local.firstTimes(limit: Self.looked).map { Date(wholeSeconds: $0.secondsAsUTC) }, .utc)
    }

    /// How many times of a schedule are looked at.
    private static let looked = 400

    private func isMet(at due: Date, in zone: Zone) -> Bool {
        let standing = window.hours.standing(at: due, in: zone)
        if standing.isOpen { return true }
        guard window.whenClosed == .wait, let opening = standing.until else { return false }
        return campaign.delivery.expiry(from: due).map { opening < $0 } ?? true
    }

    private func checkWaiting(_ findings: inout Findings) {
        guard window.whenClosed == .wait, campaign.delivery.expiresAfter == nil else { return }
        findings.warning(
            .windowWaits,
            "recipients wait for the window (\(window.words)), and nothing says how long the message is worth it",
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
