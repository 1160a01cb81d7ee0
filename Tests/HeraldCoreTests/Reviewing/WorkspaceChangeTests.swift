import FCM
import Testing

@testable import HeraldCore

/// What a reviewer reads about a change of the files, written by hand.
@Suite struct WorkspaceChangeTests {
    private let welcome = "campaigns/welcome.yaml"

    private func words(_ changes: [WorkspaceChange]) -> [String] {
        changes.flatMap { [$0.title] + $0.lines.map { "- \($0)" } }
    }

    @Test func `the same files have no changes`() throws {
        #expect(try ReviewedFiles.changes([:]) == [])
    }

    @Test(arguments: [
        (
            "2026-12-01T09:00", "2026-12-02T10:30",
            "- moved from Tue 2026-12-01 09:00 to Wed 2026-12-02 10:30 Europe/Rome"
        ),
        ("title: Hello", "title: Ciao", "- title changed from “Hello” to “Ciao”"),
        ("body: Welcome", "body: Back", "- text changed from “Welcome to the club” to “Back to the club”"),
        ("audience: members", "audience: testers", "- target.audience changed from “members” to “testers”"),
        ("kind: campaign", "kind: campaign\nrevision: 2", "- revision changed from 1 to 2"),
        ("kind: campaign", "kind: campaign\nowner: anna", "- owner: “anna”"),
        ("kind: campaign", "kind: campaign\nexclude: [testers]", "- exclude: testers"),
    ])
    func `a change of a campaign is told in words`(_ old: String, _ new: String, _ line: String) throws {
        let changes = try ReviewedFiles.changes(ReviewedFiles.replacing(old, with: new, in: welcome))
        #expect(words(changes) == ["campaign 'welcome'", line])
        #expect(changes.map(\.action) == [.changed])
    }

    /// The zone of the workspace is Rome.
    @Test(arguments: [(", default: Asia/Tokyo", "Asia/Tokyo"), ("", "Europe/Rome")])
    func `a new campaign on each clock names the zone of those who have none`(
        _ written: String, _ zone: String
    ) throws {
        let file = """
            kind: campaign
            name: morning
            target: {audience: zoned}
            schedule: {at: "2026-12-01T09:00", timezone: {field: zone\(written)}, if_passed: skip}
            message: {notification: {title: Good morning}}
            ---
            kind: audience
            name: zoned
            source: {file: lists/zoned.csv}
            fields: {zone: {type: timezone}}
            """
        let lines = words(try ReviewedFiles.changes(["campaigns/morning.yaml": file]))
        #expect(lines.contains("- schedule.timezone: “\(zone)”"), "\(lines)")
        #expect(lines.contains("- schedule.timezone.field: “zone”"))
    }

    /// A workspace where 'testers' do not want what has the tag.
    private func leavingOut(_ tag: String, _ campaign: String) throws -> [String: String?] {
        let settings = "herald: 2\nproject: p\ntimezone: Europe/Rome\nsuppress: [{audience: testers, tags: [\(tag)]}]\n"
        return ["herald.yaml": settings].merging(
            try ReviewedFiles.replacing("kind: campaign", with: "kind: campaign\ntags: [\(campaign)]", in: welcome)
        ) { $1 }
    }

    @Test func `who is left out for a tag is told where the campaign is`() throws {
        let (none, some) = (try leavingOut("promo", "news"), try leavingOut("promo", "promo"))
        let between = { (one: [String: String?], other: [String: String?]) in
            words(
                WorkspaceChange.between(try ReviewedFiles.definitions(one), try ReviewedFiles.definitions(other)))
        }
        #expect(
            try between(none, some) == [
                "campaign 'welcome'", "- left out for its tags: testers", "- tags now also promo, no longer news",
            ])
        #expect(try between(some, none).contains("- left out for its tags no longer testers"))
        // The setting alone does it, too: no campaign's file has changed.
        #expect(
            try between(some, leavingOut("sale", "promo")).suffix(2) == [
                "campaign 'welcome'", "- left out for its tags no longer testers",
            ])
    }

    @Test func `who is left out for a tag is approved with the campaigns that have it`() throws {
        let approval = { (files: [String: String?]) in
            Approval(try ReviewedFiles.definitions(files).filter { $0.kind != .settings }, suppress: [])
        }
        let some = try leavingOut("promo", "promo")
        let (before, after) = (try approval(leavingOut("sale", "promo")), try approval(some))
        #expect(
            before.digests.filter { after.digests[$0.key] != $0.value }.keys.map(\.text) == ["campaign:welcome"])
        let other = try ReviewedFiles.replacing(
            ReviewedFiles.fid("u"), with: ReviewedFiles.fid("v"), in: "audiences.yaml")
        let later = try approval(some.merging(other) { $1 })
        #expect(
            Set(after.digests.filter { later.digests[$0.key] != $0.value }.keys.map(\.text))
                == ["audience:testers", "campaign:welcome"])
    }

    @Test func `comments, the order of keys and another way to write the same are no change`() throws {
        let text = """
            # The club's welcome.
            name: welcome
            kind: campaign
            message:
              notification:
                body: "Welcome to the club"
                title: 'Hello'
            schedule: {at: "2026-12-01T09:00:00+01:00"}
            target:
              audience: members
            """
        #expect(try ReviewedFiles.changes([welcome: text]) == [])
    }

    @Test func `a file that moves changes nothing`() throws {
        let text = try #require(ReviewedFiles.files[welcome])
        #expect(try ReviewedFiles.changes([welcome: nil, "other/place.yaml": text]) == [])
    }

    @Test func `what is new and what is gone`() throws {
        let text = try #require(ReviewedFiles.files[welcome]).replacing("name: welcome", with: "name: winter")
        let changes = try ReviewedFiles.changes([welcome: text])
        #expect(
            words(changes) == [
                "campaign 'welcome' is removed", "new campaign 'winter'",
                "- title: “Hello”", "- text: “Welcome to the club”", "- target.audience: “members”",
                "- time: Tue 2026-12-01 09:00 Europe/Rome",
            ])
        #expect(changes.map(\.action) == [.removed, .added])
    }

    @Test func `a new name with the former one is a renaming, with what changed besides`() throws {
        let text = try #require(ReviewedFiles.files[welcome])
            .replacing("name: welcome", with: "name: hello\nprevious_names: [welcome]")
            .replacing("title: Hello", with: "title: Ciao")
        let changes = try ReviewedFiles.changes([welcome: text])
        #expect(
            words(changes) == [
                "campaign 'welcome' is now called 'hello'", "- title changed from “Hello” to “Ciao”",
            ])
        #expect(changes.first?.from == "welcome")
    }

    @Test func `a former name that is kept is no renaming`() throws {
        let text = try #require(ReviewedFiles.files[welcome])
        let kept = text.replacing("name: welcome", with: "name: welcome\nprevious_names: [winter]")
        let changes = try ReviewedFiles.changes([welcome: kept])
        #expect(changes.map(\.action) == [.changed])
        #expect(words(changes) == ["campaign 'welcome'", "- previous_names: winter"])
    }

    @Test func `registrations are counted and never shown`() throws {
        let (old, new) = (ReviewedFiles.fid("u"), ReviewedFiles.fid("v"))
        let changes = try ReviewedFiles.changes(
            ReviewedFiles.replacing(old, with: "\(new), \(ReviewedFiles.fid("w"))", in: "audiences.yaml"))
        #expect(words(changes) == ["audience 'testers'", "- 2 registrations added, 1 removed"])
        let json = JSONValue.array(changes.map(\.json)).prettyText
        #expect(!json.contains(old) && !json.contains(new))
        #expect(changes.first?.json["fields"]?.array?.first?["after"] == 3)
    }

    @Test func `audiences and topics are told too`() throws {
        #expect(
            words(
                try ReviewedFiles.changes(
                    ReviewedFiles.replacing("[gold]", with: "[gold, silver]", in: "audiences.yaml")))
                == ["audience 'members'", "- where.plan now also silver"])
        #expect(
            words(
                try ReviewedFiles.changes(
                    ReviewedFiles.replacing("[members]", with: "[testers]", in: "topics.yaml")))
                == ["topic 'news'", "- subscribers now also testers, no longer members"])
    }

    @Test(
        arguments: [
            ("{plan: {not: [gold]}}", "{plan: {not: [gold, silver]}}", "where.plan.not now also silver"),
            (
                "{points: {at_least: 1000}}", "{points: {at_least: 500.50}}",
                "where.points.at_least changed from “1000” to “500.5”"
            ),
            ("{seen: {within: 180d}}", "{seen: {within: 36h}}", "where.seen.within changed from “180d” to “36h”"),
            ("{born: {below: 2008-01-01}}", "{}", "where.born.below is gone; it was “2008-01-01”"),
            ("{}", "{seen: {before: 30d}}", "where.seen.before: “30d”"),
            ("{seen: {within: 48h}}", "{seen: {within: 2d}}", nil),
            ("{points: {below: 10}}", "{points: {below: 10.0}}", nil),
        ] as [(String, String, String?)])
    func `an edit of a comparison is told`(_ before: String, _ after: String, _ expected: String?) throws {
        let definitions = try [before, after].map { filter in
            try ReviewedFiles.definitions(
                ReviewedFiles.replacing(
                    "where: {plan: [gold]}", with: "where: \(filter)", in: "audiences.yaml"))
        }
        let changes = WorkspaceChange.between(definitions[0], definitions[1])
        #expect(words(changes) == (expected.map { ["audience 'members'", "- \($0)"] } ?? []))
        let digests = definitions.map { Approval($0, suppress: []).digest }
        #expect((digests[0] == digests[1]) == (expected == nil))
    }

    @Test func `settings are shown as they are written`() throws {
        let changes = try ReviewedFiles.changes([
            "herald.yaml": "herald: 1\nproject: ${PROJECT:-p}\nguards: {max_recipients: 5}\ntimezone: Europe/Rome\n"
        ])
        #expect(
            words(changes) == [
                "settings", "- guards.max_recipients: 5", "- project changed from “p” to “${PROJECT:-p}”",
            ])
    }

    @Test(arguments: [
        ("3 9 * * 1", "3 10 * * 2", "moved from Mon 09:03 to Tue 10:03 Europe/Rome"),
        ("3 9 * * 1-3", "0 8,20 * * *", "moved from Mon, Tue, Wed 09:03 to every day 08:00 and 20:00 Europe/Rome"),
        ("30 7 1,15 * *", "*/5 * * * *", "moved from day 1, 15 of each month 07:30 to “*/5 * * * *” Europe/Rome"),
    ])
    func `a moved schedule is told in words`(_ old: String, _ new: String, _ line: String) throws {
        let tides = "campaigns/tides.yaml"
        let before = try ReviewedFiles.definitions(ReviewedFiles.replacing("30 7 * * 1", with: old, in: tides))
        let after = try ReviewedFiles.definitions(ReviewedFiles.replacing("30 7 * * 1", with: new, in: tides))
        #expect(words(WorkspaceChange.between(before, after)) == ["campaign 'tides'", "- \(line)"])
    }

    @Test func `of a new campaign everything is told that is not as usual`() throws {
        let text = """
            kind: campaign
            name: winter
            target: {audience: members}
            schedule: {cron: "3 9 * * 1", catch_up: all}
            delivery: {on_unknown: resend, rate: 5/s, expires_after: 1h}
            acknowledge: [{max_recipients: 7654321}]
            message:
              notification: {title: Hello}
              data: {link: "https://example.com/a"}
              webpush: {fcm_options: {link: "https://example.com/b"}}
              apns: {payload: {aps: {interruption-level: critical}}}
            """
        #expect(
            words(try ReviewedFiles.changes(["campaigns/winter.yaml": text])) == [
                "new campaign 'winter'", "- title: “Hello”", "- target.audience: “members”",
                "- time: Mon 09:03 Europe/Rome", "- schedule.catch_up: “all”",
                "- message.apns.payload.aps.interruption-level: “critical”",
                "- message.data.link: “https://example.com/a”",
                "- message.webpush.fcm_options.link: “https://example.com/b”", "- delivery.rate: 5",
                "- delivery.expires_after: “3600s”", "- delivery.on_unknown: “resend”",
                "- acknowledge.max_recipients: 7654321",
            ])
    }

    /// Whatever an edit shows, the comment on the same campaign as a new one shows, too.
    @Test(arguments: [
        "enabled: false", "revision: 2", "exclude: [testers]", "delivery: {on_error: hold}",
        "delivery: {stop_when_rejected_percent: 9}", "owner: anna", "description: A club", "previous_names: [spring]",
    ])
    func `a new campaign shows what its edit shows`(_ line: String) throws {
        let text = try #require(ReviewedFiles.files[welcome]) + "\n\(line)"
        let edit = try ReviewedFiles.changes([welcome: text]).flatMap { $0.fields.map(\.path) }
        let added = try ReviewedFiles.changes([
            "campaigns/winter.yaml": text.replacing("name: welcome", with: "name: winter")
        ])
        let shown = added.flatMap(\.lines)
        for path in edit { #expect(shown.contains { $0.hasPrefix("\(path)") }, "\(path) is not in \(shown)") }
    }
}
