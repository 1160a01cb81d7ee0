internal import FCM

/// All sends that a site's calendar shows: what was sent this month, what is due now, and what is to come.
struct SiteCalendar {
    struct Month: Hashable, Comparable {
        var year: Int
        var month: Int

        var name: String { WeekGrid.name(ofMonth: month, in: year) }
        var path: String { "months/\(year.digits(4))-\(month.digits(2)).html" }

        /// The month that begins next.
        var next: Month { month < 12 ? Month(year: year, month: month + 1) : Month(year: year + 1, month: 1) }

        init(year: Int, month: Int) { (self.year, self.month) = (year, month) }

        init(_ local: LocalTime) { self.init(year: local.year, month: local.month) }

        static func < (one: Self, other: Self) -> Bool { (one.year, one.month) < (other.year, other.month) }
    }

    /// Sorted by time.
    let entries: [CalendarEntry]
    /// The present one, and those in which something is due. Of those after the next one, only the ones with the next
    /// send of a campaign.
    let months: [Month]
    /// What a run would send now.
    let due: [CalendarEntry]
    /// By campaign, the next one first, with those that wait.
    let coming: [String: [PlanOverview.Upcoming]]
    /// By campaign, the newest first.
    let sent: [String: [RecordedOccurrence]]

    init(_ site: Site) {
        let zones = Dictionary(site.campaigns.map { ($0.name.value, $0.schedule.zone) }) { first, _ in first }
        let later = site.overview.later(besides: site.plan)
        let coming = later.map { CalendarEntry($0, in: site.overview) }
        let due = site.plan.steps.compactMap { site.dueEntry($0) }
        let present = Month(site.today)
        let begin = WeekGrid.days(ofMonth: present.month, in: present.year).lowerBound
        let recorded = (site.snapshot?.occurrences ?? [:]).sorted { $0.key < $1.key }.map(\.value.recorded)
        let sent = recorded.compactMap { site.entry($0, zones) }.filter { $0.local.dayNumber >= begin }
        entries = (sent + due + coming).sorted { $0.rank < $1.rank }
        self.due = due
        self.coming = Dictionary(grouping: later, by: \.occurring.campaign)
        let soon = (due + coming).map { Month($0.local) }.filter { $0 <= present.next }
        let first = self.coming.values.compactMap { $0.first.map { Month($0.occurring.local) } }
        months = Set(soon + first + [present]).sorted()
        self.sent = Dictionary(grouping: recorded.filter { $0.moment != nil }, by: \.campaign).mapValues { all in
            all.sorted { ($0.moment ?? .distantPast, $0.revision) > ($1.moment ?? .distantPast, $1.revision) }
        }
    }

    /// The entries that stand on some days, with links as a page at `path` needs them.
    func entries(on days: ClosedRange<Int>, in site: Site, from path: String) -> [CalendarEntry] {
        linked(in: site, from: path) { days.contains($0.local.dayNumber) }
    }

    /// The entries that go out, or went out, in some days of the site's own clock. By the clock that a campaign goes by, it
    /// may be the day before or after.
    func entries(goingOutOn days: ClosedRange<Int>, in site: Site, from path: String) -> [CalendarEntry] {
        linked(in: site, from: path) { entry in
            // Of one in local time, the first clocks may have passed it.
            let instant = entry.outcome == nil ? max(entry.at, site.plan.at) : entry.at
            return days.contains(site.zone.local(at: instant).dayNumber)
        }
    }

    private func linked(
        in site: Site, from path: String, where isWanted: (CalendarEntry) -> Bool
    ) -> [CalendarEntry] {
        entries.filter(isWanted).map { entry in
            var entry = entry
            // The page says whose clock it is.
            if entry.clock == site.zone.name { entry.clock = nil }
            entry.address = site.address(of: entry.campaign, from: path)
            return entry
        }
    }
}

extension Site {
    /// What a run would send now, and so today, whenever it was due.
    fileprivate func dueEntry(_ step: Plan.Step) -> CalendarEntry? {
        guard case .send(let send) = step.work else { return nil }
        return CalendarEntry(
            local: today, isDue: true, at: plan.at, campaign: send.campaign, clock: zone.name,
            target: send.target.words,
            recipients: overview.figures.words(
                send.recipients, isCounted: send.isCounted, as: count(send.recipients, "recipient")))
    }

    fileprivate func entry(_ recorded: RecordedOccurrence, _ zones: [String: Zone]) -> CalendarEntry? {
        guard let moment = recorded.moment, moment <= plan.at else { return nil }
        let zone = zones[recorded.campaign] ?? zone
        return CalendarEntry(
            local: recorded.local ?? zone.local(at: moment), at: moment, campaign: recorded.campaign,
            clock: recorded.local == nil ? zone.name : "on each clock", outcome: recorded.outcome)
    }
}

extension RecordedOccurrence {
    /// When it was due, or began. `nil` if that is not known.
    var moment: Date? { due ?? begun ?? finished }

    /// What became of it: `1,204 accepted, 3 rejected`.
    var outcome: String {
        let counts = counts
        let figures = [
            (counts[.accepted], "accepted"), (counts[.rejected], "rejected"), (counts.uncertain, "unknown"),
            (counts[.skipped], "skipped"),
        ].filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }
        let words = figures.isEmpty ? (finished == nil ? "nobody yet" : "not sent") : figures.joined(separator: ", ")
        return finished == nil ? "under way: \(words)" : words
    }
}
