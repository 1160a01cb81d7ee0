/// A future occurrence, as a calendar shows it.
package struct Occurring: Hashable, Sendable {
    package var campaign: String
    package var occurrence: OccurrenceID
    /// In local time, when the first clock reaches it.
    package var at: Date
    /// In local time, when the last clock reaches it.
    package var last: Date?
    package var local: LocalTime
    /// In local time, that of recipients whose row names none.
    package var zone: Zone
    /// The offset from UTC: `+01:00`, with seconds if there are any. Empty in local time.
    package var offset: String
    /// How a clock change affects it, and what it waits for. Empty if there is nothing to say.
    package var note: String
}

extension Occurring {
    /// The occurrence that is due at `at` by the campaign's schedule.
    package init(of campaign: Campaign, at date: Date) {
        let schedule = campaign.schedule
        self.campaign = campaign.name.value
        occurrence = OccurrenceID(campaign: campaign.name.value, due: date, revision: campaign.revision)
        at = date
        local = schedule.zone.local(at: date)
        zone = schedule.zone
        offset = schedule.zone.offset(at: date).offsetText
        last = nil
        let window = campaign.windowOfTarget?.note(
            at: date, expiring: campaign.delivery.expiry(from: date),
            before: schedule.catchUp == .all ? nil : schedule.next(after: date))
        note = [schedule.note(at: date), window ?? ""].filter { !$0.isEmpty }.joined(separator: "; ")
    }

    /// An occurrence in local time, from the first clock of the world that reaches it to the last; a day later where people
    /// may wait a day.
    init(of campaign: Campaign, at local: LocalTime) {
        self.campaign = campaign.name.value
        occurrence = OccurrenceID(campaign: campaign.name.value, local: local, revision: campaign.revision)
        (at, last) = (local.firstInstant, campaign.schedule.lastInstant(of: local))
        (self.local, zone, offset) = (local, campaign.schedule.zone, "")
        note = campaign.windowOfTarget.map { "window \($0.words)" } ?? ""
    }

    /// One that waits, at the instant at which it goes on.
    init(_ waiting: Plan.Waiting) {
        (campaign, occurrence, at, last) = (waiting.campaign, waiting.occurrence, waiting.until, nil)
        (local, zone) = (waiting.zone.local(at: waiting.until), waiting.zone)
        offset = waiting.zone.offset(at: waiting.until).offsetText
        note = "waits: \(waiting.reason)"
    }

    /// The first `limit` occurrences of a campaign in (after, through]; in local time those that some clock of the
    /// world reaches then. A campaign without a schedule has none.
    package static func coming(of campaign: Campaign, after: Date, through: Date, limit: Int) -> [Occurring] {
        if let schedule = campaign.schedule.local {
            let passed = campaign.schedule.mayWaitADay ? after - 86_400 : after
            let (begin, end) = (LocalTime(earliestAt: passed), LocalTime(latestAt: through))
            return schedule.times(after: begin, through: end, limit: limit).map { Occurring(of: campaign, at: $0) }
        }
        return campaign.schedule.occurrences(after: after, through: through, limit: limit)
            .map { Occurring(of: campaign, at: $0) }
    }
}

extension Campaign {
    /// Its window. Where no row of a list names a zone, because one request reaches all or the file names them, it goes by
    /// the default one.
    var windowOfTarget: SendWindow? {
        var window = delivery.window
        if target.value.isOneRequest(delivery) || target.value.namesRegistrations { window?.field = nil }
        return window
    }
}

extension SendWindow {
    /// What becomes of an occurrence that is due while it is closed, in words. Empty while it is open, and where each
    /// recipient has a zone.
    ///
    /// - Parameter next: when the occurrence is due that takes its place. `nil` if none does.
    fileprivate func note(at date: Date, expiring expiry: Date?, before next: Date?) -> String {
        let standing = hours.standing(at: date, in: zone)
        if field != nil { return "window \(words)" }
        guard !standing.isOpen else { return "" }
        if whenClosed == .skip { return "skipped: outside its window (\(words))" }
        guard let opening = standing.until else { return "" }
        if let expiry, expiry <= opening {
            return "expires at \(zone.local(at: expiry)) \(zone.name), before its window opens"
        }
        let words = "its window, which opens at \(zone.local(at: opening)) \(zone.name)"
        let isSuperseded = next.map { $0 <= opening } ?? false
        return isSuperseded ? "superseded by the next one before \(words)" : "waits for \(words)"
    }
}

extension Schedule {
    /// How clock changes affect an occurrence, in words.
    fileprivate func note(at date: Date) -> String {
        let local = zone.local(at: date)
        if let skipped = skipped(before: date) {
            return "\(skipped.words(on: local)) not exist that day; moved to \(local.clock)"
        }
        if let repetition = repetition(of: local, at: date) { return repetition }
        guard case .cron(let cron, _, _) = times,
            let previous = latest(after: .distantPast, through: date.addingTimeInterval(-1))
        else { return "" }
        let (before, now) = (zone.offset(at: previous), zone.offset(at: date))
        let change =
            before == now ? "" : "the offset changes from \(before.offsetText) to \(now.offsetText) since the last one"
        return [leftOut(of: cron, after: previous, before: date) ?? "", change].filter { !$0.isEmpty }
            .joined(separator: "; ")
    }

    /// Which times the clocks skip between two occurrences, in words. `nil` where none is left out for that.
    private func leftOut(of cron: Cron, after previous: Date, before date: Date) -> String? {
        guard dst.gap == .skip else { return nil }
        var search = CronSearch(cron, zone: zone, dst: dst)
        var start = zone.stretch(at: date.wholeSeconds).start
        while start > previous.wholeSeconds {
            if let clock = search.leftOut(at: start) {
                let times = LocalTime(secondsAsUTC: clock.lowerBound)...LocalTime(secondsAsUTC: clock.upperBound)
                let day = times.lowerBound.description.prefix { $0 != "T" }
                return "\(times.words(on: times.lowerBound)) not exist on \(day); left out"
            }
            start = zone.stretch(at: start - 1).start
        }
        return nil
    }

    /// The first and last local time that the clocks skip at an instant, and that are due there instead.
    private func skipped(before date: Date) -> ClosedRange<LocalTime>? {
        guard case .cron(let cron, _, _) = times else { return skipped.map { $0...$0 } }
        var search = CronSearch(cron, zone: zone, dst: dst)
        guard dst.gap == .next, let clock = search.leftOut(at: date.wholeSeconds) else { return nil }
        return LocalTime(secondsAsUTC: clock.lowerBound)...LocalTime(secondsAsUTC: clock.upperBound)
    }

    private func repetition(of local: LocalTime, at date: Date) -> String? {
        guard case .overlap(let first, _) = zone.instants(of: local) else { return nil }
        return "\(local.clock) happens twice; the \(date < first.addingTimeInterval(1) ? "first" : "second")"
    }
}

extension ClosedRange<LocalTime> {
    /// `02:30 does`, or `02:00 to 02:45 do`. With dates if they are of another day than `local`.
    fileprivate func words(on local: LocalTime) -> String {
        let (first, last) = (lowerBound.text(on: local), upperBound.text(on: local))
        return first == last ? "\(first) does" : "\(first) to \(last) do"
    }
}

extension LocalTime {
    /// The time of day, with the date if it differs from the other's.
    fileprivate func text(on other: LocalTime) -> String {
        let isSameDay = (year, month, day) == (other.year, other.month, other.day)
        return isSameDay ? clock : "\(description.prefix { $0 != "T" }) \(clock)"
    }
}

extension Int {
    /// Seconds east of UTC as `+01:00`.
    fileprivate var offsetText: String {
        let distance = Swift.abs(self)
        let text = "\(self < 0 ? "-" : "+")\((distance / 3600).digits(2)):\((distance / 60 % 60).digits(2))"
        return distance % 60 == 0 ? text : "\(text):\((distance % 60).digits(2))"
    }
}
