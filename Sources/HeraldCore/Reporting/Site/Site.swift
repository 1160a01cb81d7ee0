internal import FCM

/// A workspace as pages for people who do not read YAML. It holds no registration, and the same values give the same
/// bytes.
package struct Site: Sendable {
    let status: StatusDocument
    let campaigns: [Campaign]
    /// The texts of personal campaigns, by the campaign's name.
    let texts: [String: [ChosenText]]
    /// Where the days of the calendar begin that no campaign decides.
    let zone: Zone
    /// What was sent. `nil` without a state.
    package var snapshot: StateSnapshot?
    /// The newest first.
    package var reports: [ReportDocument] = []
    /// Runs whose reports may be elsewhere, the newest first.
    package var runs: [RecordedRun] = []
    package var changes = RecentChanges()
    /// Where the site will be, without a slash at the end.
    package var base: String?
    /// The names of the pages of campaigns and reports.
    let files: [String: String]

    /// - Parameters:
    ///   - texts: of personal campaigns, by the campaign's name.
    ///   - zone: the workspace's.
    package init(
        _ status: StatusDocument, of campaigns: [Campaign], texts: [String: [ChosenText]], zone: Zone
    ) {
        (self.status, self.campaigns, self.texts, self.zone) = (status, campaigns, texts, zone)
        var names = SiteNames()
        files = campaigns.reduce(into: [:]) { $0[$1.name.value] = names.file(for: $1.name.value) }
    }

    /// How many days ahead its calendar looks: through the week in which the next month ends.
    package static func days(from now: Date, in zone: Zone) -> Int {
        let today = zone.local(at: now)
        let next = SiteCalendar.Month(today).next
        return WeekGrid.days(ofMonth: next.month, in: next.year).upperBound + 1 - today.dayNumber
    }

    var plan: Plan { status.plan }
    var overview: PlanOverview { status.overview }
    var today: LocalTime { zone.local(at: plan.at) }

    /// All files of the site. Their paths differ also where upper and lower case are the same.
    package var pages: [SitePage] {
        var names = SiteNames()
        let reports = reports.map { ($0, "runs/\(names.file(for: $0.report.run)).html") }
        let calendar = SiteCalendar(self)
        var pages = [
            page("index.html") { start(calendar, $0) }, page("health.html") { status.page(in: $0) },
            page("changes.html") { changesPage($0) },
            page("runs.html") { frame in runsPage(reports.map { ($0.report, $1) }, frame) },
        ]
        pages += calendar.months.map { month in page(month.path) { monthPage(month, calendar, $0) } }
        pages += campaigns.map { campaign in page(address(of: campaign)) { campaignPage(campaign, calendar, $0) } }
        pages += reports.map { report, path in page(path) { report.page(in: $0) } }
        return pages
    }

    private func page(_ path: String, _ html: @escaping @Sendable (SiteFrame) -> String) -> SitePage {
        let frame = SiteFrame(path: path, base: base)
        return SitePage(path: path) { html(frame) }
    }

    func address(of campaign: Campaign) -> String { "campaigns/\(files[campaign.name.value] ?? "").html" }

    /// The page of a campaign, seen from another page. `nil` for one that no file declares.
    func address(of campaign: String, from path: String) -> String? {
        files[campaign].map { "\(SiteFrame.root(of: path))campaigns/\($0).html" }
    }

    /// What is to be known about a campaign before anything else.
    func notes(on campaign: Campaign) -> [String] {
        let name = campaign.name.value
        let pauses = overview.pauses
        var notes: [String] = []
        if !campaign.enabled { notes.append("disabled: no run sends it") }
        if pauses.include(name) { notes.append(pauses.everything ? "paused, as all campaigns are" : "paused") }
        for held in plan.held where held.kind != .paused && held.occurrence.isOf(campaign) {
            notes.append("\(held.occurrence) is held: \(held.reason)")
        }
        return notes
    }
}

extension OccurrenceID {
    func isOf(_ campaign: Campaign) -> Bool {
        self.campaign == campaign.name.value || campaign.previousNames.contains { $0.value == self.campaign }
    }
}
