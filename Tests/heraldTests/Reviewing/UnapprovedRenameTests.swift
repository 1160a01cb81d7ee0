import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// A name that nobody approved takes no history, so that the files may be changed back.
struct UnapprovedRenameTests: FollowUpScene {
    private static func campaign(_ name: String, title: String = "Hi", _ rest: String = "") -> String {
        campaign(name, to: "members", rest).replacing("title: \(name)", with: "title: \(title)")
    }

    private static func renamed(title: String = "Hi", _ rest: String = "") -> String {
        campaign("hello", title: title, "previous_names: [welcome]\n\(rest)")
    }

    /// Somebody approved the campaign 'welcome'.
    private func town(_ rest: String = "") async throws -> Town {
        var files = Self.files(Self.campaign("welcome", rest))
        files["herald.yaml"] = (files["herald.yaml"] ?? "") + "approval: required\n"
        let town = try Town(files, at: Self.monday)
        #expect(try await town.herald("state", "init").failure == nil)
        try await town.approve()
        #expect(try await town.herald("run").failure == nil)
        return town
    }

    private func write(_ campaign: String, _ town: Town) throws {
        try town.folder.write(campaign, to: "campaigns.yaml")
    }

    @Test func `what was sent is not sent again after a rename that nobody approved`() async throws {
        let town = try await town()
        #expect(town.messages().count == 3)
        try write(Self.renamed(), town)
        _ = try await town.herald("run")
        try write(Self.campaign("welcome", title: "Hello"), town)
        try await town.approve()
        #expect(try await town.herald("run").failure == nil)
        #expect(town.messages().count == 3)
        // Once somebody approves the new name, it has the history.
        try write(Self.renamed(title: "Hello"), town)
        try await town.approve()
        #expect(try await town.herald("run").failure == nil)
        #expect(town.messages().count == 3)
        let shown = try await town.herald("state", "show", "--format", "json")
        let state = try JSONValue(parsing: Array(shown.output.utf8))
        #expect(state["occurrences"]?.array?.map { $0["campaign"] } == ["hello"])
    }

    /// One is due at 9:30.
    @Test(arguments: [9 * 60, 9 * 60 + 35])
    func `what is due is sent once a rename is reverted that nobody approved`(_ minute: Int) async throws {
        let daily = "schedule: {cron: \"30 9 * * *\", timezone: UTC}"
        let town = try await town(daily)
        town.go(to: Self.monday + Double(minute) * 60)
        try write(Self.renamed(daily), town)
        _ = try await town.herald("run")
        #expect(town.messages().isEmpty)
        try write(Self.campaign("welcome", daily), town)
        town.go(to: Self.monday + (9 * 60 + 40) * 60)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.messages().count == 3)
    }

    @Test func `a pause holds under both names, and stays when the rename is reverted`() async throws {
        let daily = "schedule: {cron: \"30 9 * * *\", timezone: UTC}"
        let town = try await town(daily)
        #expect(try await town.herald("pause", "welcome").failure == nil)
        try write(Self.renamed(daily), town)
        town.go(to: Self.monday + (9 * 60 + 35) * 60)
        _ = try await town.herald("run")
        try write(Self.campaign("welcome", daily), town)
        _ = try await town.herald("run")
        #expect(town.messages().isEmpty)
        #expect(try await town.herald("resume", "welcome").failure == nil)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.messages().count == 3)
    }
}
