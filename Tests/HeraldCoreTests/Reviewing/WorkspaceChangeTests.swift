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

    @Test func `settings are shown as they are written`() throws {
        let changes = try ReviewedFiles.changes([
            "herald.yaml": "herald: 1\nproject: ${PROJECT:-p}\nguards: {max_recipients: 5}\ntimezone: Europe/Rome\n"
        ])
        #expect(
            words(changes) == [
                "settings", "- guards.max_recipients: 5", "- project changed from “p” to “${PROJECT:-p}”",
            ])
    }
}
