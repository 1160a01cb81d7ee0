import Crypto
import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A workspace as pages.
@Suite struct SiteTests {
    private static func campaign(_ name: String, _ text: String = "High tide", cron: String? = "0 9 * * *") throws
        -> Campaign
    {
        let message: [String: JSONValue] = [
            "notification": [
                "title": .string(text), "body": .string(text), "image": .string("https://x.example/\(text)"),
            ],
            "apns": ["payload": ["aps": ["mutable-content": 1]]],
        ]
        var campaign = PreviewSamples.campaign(.audience("anglers"), message: message)
        campaign.name = Located(name, at: SourceRange(file: "tide.yaml"))
        campaign.description = text
        if let cron { campaign.schedule = try .cron(cron, in: "Europe/Rome") }
        return campaign
    }

    /// A site with something in every part, and this text in all places where a person may write one.
    private static func site(_ text: String, campaigns: [Campaign]? = nil, days: Int = 62) throws -> Site {
        let campaigns = try campaigns ?? [campaign("tide-rome", text), campaign("once", text, cron: nil)]
        let now = DocumentSamples.now
        var proposal = DocumentSamples.proposal
        proposal.overview.upcoming = campaigns.flatMap { campaign in
            Occurring.coming(of: campaign, after: now, through: now.adding(.seconds(days * 86_400)), limit: 1000).map {
                var upcoming = PlanOverview.Upcoming(
                    occurring: $0, target: campaign.target.value, recipients: 1204)
                upcoming.occurring.note = text
                return upcoming
            }
        }
        proposal.plan.held[0].reason = text
        proposal.overview.pauses = DocumentSamples.state.pauses
        proposal.overview.pauses.campaigns = ["once"]
        var standing = StatusDocument.Standing(lastRun: nil, every: .seconds(300))
        standing.workers = [text]
        var site = Site(
            StatusDocument(proposal, standing, workspace: text), of: campaigns, texts: [:],
            zone: try #require(Zone(named: "Europe/Rome")))
        site.snapshot = StateSnapshot(DocumentSamples.state, tombstones: 0, at: now)
        var report = DocumentSamples.report
        (report.run, report.notes) = (text, [text])
        site.reports = [ReportDocument(report), ReportDocument(DocumentSamples.report)]
        let field = WorkspaceChange.Field(path: text, before: .json(.string("old")), after: .json(.string(text)))
        site.changes = RecentChanges(
            changes: [WorkspaceChange(kind: .campaign, name: "tide-rome", action: .changed, fields: [field])],
            remarks: [text])
        site.changes.commits = [.init(id: text, time: now.adding(.seconds(-4000)), subject: text)]
        return site
    }

    private static func made(_ site: Site) -> [String: String] {
        Dictionary(uniqueKeysWithValues: site.pages.map { ($0.path, $0.html()) })
    }

    private static let hostile = [
        "</script><script>window.ran = 1</script>", "</style></title><!--", "\"><img src=x onerror=\"window.ran = 1\">",
        "\u{111C2}<script>window.ran = 1</script>", "{{title}}{{{title}}}{{>head}}",
        "\u{202E}gnp\u{2066}.\u{2028}\u{0}\u{7F}", String(repeating: "W", count: 300), "../../../etc/passwd", "שלום",
    ]

    @Test(arguments: hostile)
    func `no text is markup, and none gives a file its name`(_ text: String) throws {
        let (found, tame) = (Self.made(try Self.site(text)), Self.made(try Self.site("plain")))
        #expect(found.count == tame.count)
        for path in found.keys {
            #expect(path.wholeMatch(of: #/([a-z]+/)?[a-z0-9][A-Za-z0-9._-]*\.html/#) != nil, "\(path)")
        }
        // The report whose run has the hostile name is in another file.
        let same = Set(found.keys).intersection(tame.keys)
        #expect(same.count >= found.count - 1)
        for path in same {
            let html = found[path] ?? ""
            for tag in ["<script", "<img", "<iframe", "<style", "<title", "<body", "<main", "<a "] {
                let count = { (page: String) in page.unicodeScalars.split(separator: tag.unicodeScalars).count }
                #expect(count(html) == count(tame[path] ?? ""), "\(path): \(tag)")
            }
            #expect(!html.unicodeScalars.contains { "\u{202E}\u{2066}\u{2028}\u{0}\u{7F}".unicodeScalars.contains($0) })
        }
    }

    @Test func `a page may load nothing, and runs only the script that is in it`() throws {
        for (path, html) in Self.made(try Self.site("plain")) {
            let policy = try #require(html.firstMatch(of: #/Content-Security-Policy" content="([^"]*)"/#)).1
                .replacing("&#39;", with: "'").replacing("&#x27;", with: "'")
            #expect(
                policy.hasPrefix("default-src 'none'; style-src 'sha256-") && !policy.contains("unsafe"), "\(policy)")
            #expect(html.contains("<meta name=\"robots\" content=\"noindex, nofollow, noarchive\">"))
            for tag in ["style", "script"] {
                let parts = html.components(separatedBy: "<\(tag)>").dropFirst()
                #expect(parts.count == (tag == "style" || path == "index.html" ? 1 : 0), "\(path)")
                for part in parts {
                    let text = part.components(separatedBy: "</\(tag)>")[0]
                    let digest = Data(SHA256.hash(data: Array(text.utf8))).base64EncodedString()
                    #expect(policy.contains("\(tag)-src 'sha256-\(digest)'"), "\(path)")
                }
            }
            #expect(html.matches(of: #/\ssrc=|url\(|@import|\sstyle=|\son[a-z]+=/#).isEmpty, "\(path)")
        }
    }

    @Test func `every link leads to a page of the site, or says that it leads elsewhere`() throws {
        let pages = Self.made(try Self.site("plain"))
        for (path, html) in pages {
            for link in html.matches(of: #/<a [^>]*href="([^"]*)"([^>]*)>/#).map({ (String($0.1), String($0.2)) }) {
                if link.0.hasPrefix("#") {
                    #expect(html.contains("id=\"\(link.0.dropFirst())\""))
                } else if link.0.hasPrefix("https://") {
                    #expect(link.1.contains("noreferrer") && path.hasPrefix("campaigns/"))
                } else {
                    let target = path.contains("/") && link.0.hasPrefix("../") ? String(link.0.dropFirst(3)) : link.0
                    #expect(pages[target] != nil, "\(path): \(link.0)")
                }
            }
        }
    }

    @Test func `the same values give the same bytes`() throws {
        #expect(Self.made(try Self.site("plain")) == Self.made(try Self.site("plain")))
    }

    @Test func `it shows what goes out, with its pictures, and what became of it`() throws {
        let pages = Self.made(try Self.site("Alta marea"))
        let start = try #require(pages["index.html"])
        for words in ["sends in the next 7 days", "tide-rome", "Alta marea", "1,204 recipients", "paused"] {
            #expect(start.contains(words), "\(words)")
        }
        let campaign = try #require(pages["campaigns/tide-rome.html"])
        for words in [
            "iPhone and iPad", "Android", "Web", "every day 09:00 Europe/Rome", "https://x.example/Alta marea",
        ] {
            #expect(campaign.contains(words), "\(words)")
        }
        #expect(
            pages.keys.filter { $0.hasPrefix("months/") }.sorted() == [
                "months/2026-12.html", "months/2027-01.html",
            ])
        #expect(try #require(pages["months/2026-12.html"]).contains("<b>now</b>"))
        #expect(
            try #require(pages["health.html"]).contains("herald apply --override max_unsubscribe_percent=tide-alerts"))
        #expect(try #require(pages["changes.html"]).contains("campaign &#39;tide-rome&#39;"))
        let run = DocumentSamples.report.run
        #expect(try #require(pages["runs.html"]).contains("runs/\(run).html"))
        let report = try #require(pages["runs/\(run).html"])
        #expect(report.contains("UNREGISTERED") && !report.contains("r_0123456789abcdef"))
    }

    /// It is Monday, 04:15 in UTC. In Lima it is still Sunday, 23:15.
    @Test(
        arguments: zip(
            ["due", "lima", "clocks", "all", "week"], ["1 send", "1 send", "1 send", "3 sends", "7 sends"]))
    func `the next 7 days are those of the site, whatever day a campaign's clock shows`(
        _ name: String, _ sends: String
    ) throws {
        let now = try Date.at("2026-11-30T04:15:00Z")
        var lima = try Self.campaign("lima")
        lima.schedule = try .cron("57 23 * * *", in: "America/Lima")
        var plan = Plan(at: now, workspaceDigest: "", state: nil)
        var send = DocumentSamples.send(lateness: .seconds(43_200))
        (send.campaign, send.due) = ("late", now.adding(.seconds(-5 * 3600)))
        if ["due", "all"].contains(name) { plan.steps = [.init(work: .send(send), reason: "it is due", seconds: 1)] }
        // The first clocks of the world have passed it. Los Angeles and Honolulu have not.
        var clocks = Occurring(of: lima, at: try #require(LocalTime(written: "2026-11-29T22:07")))
        clocks.last = try Date.at("2026-11-30T08:07:00Z")
        var coming = ["clocks", "all"].contains(name) ? [clocks] : []
        if ["lima", "all", "week"].contains(name) {
            let end = now.adding(.seconds((name == "week" ? 9 : 1) * 86_400 - 3600))
            coming += Occurring.coming(of: lima, after: now, through: end, limit: 9)
        }
        var overview = PlanOverview()
        overview.upcoming = coming.map { .init(occurring: $0, target: lima.target.value, recipients: 5) }
        let status = StatusDocument(
            Proposal(plan, overview), .init(lastRun: nil, every: .seconds(300)), workspace: "tide")
        let start = try #require(Self.made(Site(status, of: [lima], texts: [:], zone: .utc))["index.html"])
        #expect(start.contains(">\(sends) in the next 7 days<"))
        #expect(start.contains("<b>now</b>") == !plan.steps.isEmpty)
        #expect(!start.contains("Nothing is due."))
    }

    @Test func `months that are not complete say so`() throws {
        let later = try Self.campaign("later", cron: "0 9 15 2 *")
        let pages = Self.made(try Self.site("plain", campaigns: [Self.campaign("tide-rome"), later], days: 80))
        #expect(try #require(pages["months/2026-12.html"]).contains("Not complete") == false)
        #expect(try #require(pages["months/2027-02.html"]).contains("Not complete: after January 2027"))
    }

    @Test func `an empty workspace has all its pages, too`() throws {
        var status = StatusDocument(
            Proposal(Plan(at: DocumentSamples.now, workspaceDigest: "", state: nil)),
            .init(lastRun: nil, every: .seconds(300)), workspace: "tide")
        #expect(status.isCalm == false)
        status = StatusDocument(status.proposal, status.standing, workspace: "tide")
        let pages = Self.made(Site(status, of: [], texts: [:], zone: .utc))
        #expect(
            pages.keys.sorted() == [
                "changes.html", "health.html", "index.html", "months/2026-12.html", "runs.html",
            ])
        #expect(try #require(pages["index.html"]).contains("No file declares a campaign yet."))
        #expect(try #require(pages["runs.html"]).contains("No run is known here yet."))
    }

    @Test func `each page names its address, if that is known`() throws {
        var site = try Self.site("plain")
        site.base = "https://push.example/site"
        let pages = Self.made(site)
        let canonical = { (path: String) in
            pages[path]?.firstMatch(of: #/rel="canonical" href="([^"]*)"/#).map { String($0.1) }
        }
        #expect(canonical("index.html") == "https://push.example/site/")
        #expect(canonical("campaigns/once.html") == "https://push.example/site/campaigns/once.html")
    }

    // MARK: Names of files

    @Test(arguments: [
        ["tide", "TIDE", "Tide"], ["con", "CON.x", "aux"], ["", ".", "..", "/", "\\", "a/b", "a\\b"],
        ["ä", "a\u{308}", "ﬁ", "fi"], [String(repeating: "n", count: 101), String(repeating: "n", count: 102)],
        ["x-e3b0c44298fc", ""], ["a\u{0}b", "a\nb", "a b"], ["שלום", "\u{202E}x"], ["-rf", "--help", ".hidden"],
    ])
    func `names that may be anything give different files everywhere`(_ all: [String]) {
        var names = SiteNames()
        let files = all.map { names.file(for: $0) }
        #expect(Set(files.map { $0.lowercased() }).count == all.count)
        for file in files {
            #expect(file.wholeMatch(of: #/[A-Za-z0-9][A-Za-z0-9._-]{0,119}/#) != nil, "\(file)")
            #expect(!["con", "aux", "nul", "prn"].contains(file.lowercased().prefix { $0 != "." }))
        }
    }

    @Test func `a name that a file may have is the file's name`() {
        var names = SiteNames()
        for name in ["tide-rome", "a.b_c", "20261201T080000Z-1a2b"] { #expect(names.file(for: name) == name) }
    }

    @Test(arguments: [("2026-12-01T08:00:00Z", 62), ("2026-11-30T23:30:00Z", 62), ("2026-10-31T22:00:00Z", 37)])
    func `the calendar looks through the week in which the next month ends`(_ now: String, _ days: Int) throws {
        let zone = try #require(Zone(named: "Europe/Rome"))
        #expect(Site.days(from: try Date.at(now), in: zone) == days)
    }
}
