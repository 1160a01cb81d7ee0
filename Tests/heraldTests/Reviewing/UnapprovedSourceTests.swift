import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// Where approvals are required, no run asks a place for a list that no approver has seen. The lists come from an empty
/// SQLite file, of which the query makes the rows.
struct UnapprovedSourceTests: FollowUpScene {
    private static let daily = "schedule: {cron: \"30 9 * * *\", timezone: UTC}"

    private static func guests(_ rest: String, _ keys: String = "") -> String {
        """
        kind: audience
        name: guests
        source:
          sqlite: app.sqlite
          query: query.sql
          columns: {fid: column1}
          fetch: {every: 1h}
          \(keys)
        ---
        \(rest)
        """
    }

    private func query(_ members: ClosedRange<Int>, in town: Town) throws {
        let rows = members.map { "('\(Registration.fid($0).rawValue)')" }.joined(separator: ", ")
        try town.folder.write("VALUES \(rows)", to: "query.sql")
    }

    /// A workspace with the campaign 'welcome' to three people.
    private func town(_ more: [String: String] = [:]) async throws -> Town {
        var files = Self.files(Self.campaign("welcome", to: "members")).merging(more) { $1 }
        files["herald.yaml"] = (files["herald.yaml"] ?? "") + "approval: required\n"
        files["app.sqlite"] = ""
        let town = try Town(files, at: Self.monday)
        #expect(try await town.herald("state", "init").failure == nil)
        return town
    }

    /// The same with the list of guests, which somebody approved, after a run.
    private func town(_ rest: String, guests members: ClosedRange<Int>) async throws -> Town {
        let town = try await town(["guests.yaml": Self.guests(rest), "query.sql": ""])
        try query(members, in: town)
        #expect(try await town.herald("fetch").failure == nil)
        try await town.approve()
        let run = try await town.herald("run")
        #expect(run.failure == nil, "\(run.errors)")
        return town
    }

    private func note(in town: Town) -> String? { try? town.folder.read(".herald/lists/guests.json") }

    /// - Parameter fetches: whether the person who approves fetches the list before.
    @Test(arguments: [true, false])
    func `what goes to a list of a new place waits for an approval, and all else goes on`(
        _ fetches: Bool
    ) async throws {
        let town = try await town()
        try await town.approve()
        try town.folder.write(Self.guests(Self.campaign("party", to: "guests")), to: "guests.yaml")
        try query(4...5, in: town)
        for _ in 1...2 {
            let run = try await town.herald("run")
            #expect(run.failure?.status == .refused, "\(run.errors)")
            #expect(run.failure?.message?.contains("audience 'guests': nobody approved it; its list") == true)
            let command = "herald fetch guests && herald plan --out plan.json && herald approve plan.json"
            #expect(run.failure?.help?.contains(command) == true, "\(run.errors)")
            #expect((run.output + run.errors).contains("campaign 'party' is due and waits"), "\(run.errors)")
            #expect(note(in: town) == nil)
            #expect(town.sent() == fids(1, 2, 3) && town.messages().count == 3)
        }
        let status = try await town.herald("status")
        #expect(status.output.contains("! Not approved: audience 'guests'"), "\(status.output)\(status.errors)")
        let program = "herald -w \(town.folder.path.shellWord)"
        let typed = "\n  \(program) fetch guests && \(program) plan --out plan.json && \(program) approve plan.json"
        #expect(status.output.contains(typed), "\(status.output)")
        if fetches {
            #expect(try await town.herald("fetch", "guests").failure == nil)
            #expect(try await town.herald("run").failure?.status == .refused)
            try await town.approve()
        } else {
            let plan = try await town.herald("plan", "--lists", "skip", "--format", "json")
            try town.folder.write(plan.output, to: "plan.json")
            let path = "\(town.folder.path)/plan.json"
            let approved = try await town.herald("approve", path, "--by", "Anna", "--lists", "skip")
            #expect(approved.failure == nil, "\(approved.errors)")
        }
        let run = try await town.herald("run")
        #expect(run.failure == nil, "\(run.errors)")
        #expect(town.sent("party") == fids(4, 5) && town.messages().count == 5)
    }

    @Test func `nobody leaves a topic, and no guard refuses, while a changed source waits`() async throws {
        let topic = "kind: topic\nname: news\nsubscribers: [guests]\n"
        let town = try await town(topic, guests: 1...120)
        #expect(town.members(of: "news").count == 120)
        let before = note(in: town)
        try query(1...121, in: town)
        for _ in 1...2 {
            let run = try await town.herald("run")
            #expect(run.failure?.status == .refused, "\(run.errors)")
            let told = run.output + run.errors
            #expect(!told.contains("max_unsubscribe_percent") && !told.contains("audience_collapse"), "\(told)")
            #expect(town.members(of: "news").count == 120 && note(in: town) == before)
        }
        #expect(try await town.herald("fetch").failure == nil)
        try await town.approve()
        let run = try await town.herald("run")
        #expect(run.failure == nil, "\(run.errors)")
        #expect(town.members(of: "news").count == 121)
    }

    /// Its list takes people out of everything.
    @Test func `nothing is sent while the list of whom to suppress waits`() async throws {
        let town = try await town(Self.campaign("party", to: "members", Self.daily), guests: 1...1)
        let settings = try town.folder.read("herald.yaml")
        try town.folder.write(settings + "suppress: [guests]\n", to: "herald.yaml")
        try await town.approve()
        try query(1...2, in: town)
        town.go(to: Self.monday + (9 * 60 + 35) * 60)
        #expect(try await town.herald("run").failure?.status == .refused)
        #expect(town.sent("party").isEmpty)
        #expect(try await town.herald("fetch").failure == nil)
        try await town.approve()
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent("party") == fids(3))
    }

    @Test func `what comes due while a changed source waits is sent once it is approved`() async throws {
        let town = try await town(Self.campaign("party", to: "guests", Self.daily), guests: 4...5)
        try query(4...6, in: town)
        town.go(to: Self.monday + (9 * 60 + 35) * 60)
        #expect(try await town.herald("run").failure?.status == .refused)
        #expect(town.sent("party").isEmpty)
        town.pass(300)
        #expect(try await town.herald("fetch").failure == nil)
        try await town.approve()
        let run = try await town.herald("run")
        #expect(run.failure == nil, "\(run.errors)")
        #expect(town.sent("party") == fids(4, 5, 6))
    }

    /// Nobody knows whose clock comes to it.
    ///
    /// - Parameter hasBegun: whether people in Tokyo have it.
    @Test(arguments: [false, true])
    func `what is due in local time waits for the approval, too, and is not said to have nobody`(
        _ hasBegun: Bool
    ) async throws {
        let schedule = "schedule: {cron: \"30 9 * * *\", timezone: {field: zone, default: UTC}}"
        let guests = Self.guests(Self.campaign("party", to: "guests", schedule))
            .replacing("---\n", with: "fields: {zone: {column: column2, type: timezone}}\n---\n")
        let tokyo = hasBegun ? "('\(Registration.fid(4).rawValue)', 'Asia/Tokyo'), " : ""
        let list = { (guest: Int) in "VALUES \(tokyo)('\(Registration.fid(guest).rawValue)', 'UTC')" }
        let town = try await town(["guests.yaml": guests, "query.sql": list(5)])
        #expect(try await town.herald("fetch").failure == nil)
        try await town.approve()
        #expect(try await town.herald("run").failure == nil)
        town.go(to: Self.monday + Self.day + 35 * 60)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent("party") == (hasBegun ? fids(4) : []))
        try town.folder.write(list(6), to: "query.sql")
        town.go(to: Self.monday + Self.day + (9 * 60 + 35) * 60)
        let run = try await town.herald("run")
        #expect(run.failure?.status == .refused, "\(run.errors)")
        let told = run.output + run.errors
        let what = hasBegun ? "party@2027-01-05T09:30 is half done" : "campaign 'party' is due"
        #expect(told.contains("\(what) and waits: nobody knows yet"), "\(told)")
        #expect(!told.contains("nobody to send to"), "\(told)")
        // The list that is there came from elsewhere, and its age is nothing to mend.
        let status = try await town.herald("status")
        #expect(!status.output.contains("older than it should be"), "\(status.output)")
        #expect(try await town.herald("fetch").failure == nil)
        try await town.approve()
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent("party") == (hasBegun ? fids(4, 6) : fids(6)))
    }

    /// The place is the same, so that the last list counts.
    @Test(arguments: [("guests.yaml", false), ("herald.yaml", true)])
    func `a list of an audience that nobody approved is not fetched again`(
        _ file: String, _ isFetched: Bool
    ) async throws {
        let town = try await town(Self.campaign("party", to: "guests"), guests: 4...5)
        let before = note(in: town)
        #expect(before != nil)
        let changed =
            file == "herald.yaml"
            ? try town.folder.read(file) + "approval_band: 20%\n"
            : Self.guests(Self.campaign("party", to: "guests"), "expect: {max_row_change: 50%}")
        try town.folder.write(changed, to: file)
        town.pass(2 * 3600)
        let run = try await town.herald("run")
        #expect((note(in: town) != before) == isFetched, "\(run.errors)")
        #expect(run.errors.contains("'guests' is not fetched: nobody approved") == !isFetched, "\(run.errors)")
        try await town.approve()
        #expect(try await town.herald("run").failure == nil)
        #expect(note(in: town) != before)
        #expect(town.sent("party") == fids(4, 5) && town.messages().count == 5)
    }

    /// The list that is there lacks a column that the files name since then.
    @Test func `a run does not take a list that waits for a change of the files`() async throws {
        let topic = "kind: topic\nname: news\nsubscribers: [guests]\n"
        let rows = "VALUES ('\(Registration.fid(4).rawValue)', 'Rome')"
        let town = try await town(["guests.yaml": Self.guests(topic), "query.sql": rows])
        #expect(try await town.herald("fetch").failure == nil)
        let changed = Self.guests(topic)
            .replacing("name: guests\n", with: "name: guests\nwhere: {column2: Rome}\n", maxReplacements: 1)
        try town.folder.write(changed, to: "guests.yaml")
        let files = try LoadedWorkspace.read(
            Common(workspace: town.folder.path), lists: .required, at: Self.monday, cache: nil, about: nil,
            without: ["guests"])
        // The same text, written anew.
        try town.folder.write(changed, to: "guests.yaml")
        let watch = FileWatch(files, environment: [:])
        watch.look()
        #expect(!watch.hasChanged)
    }
}
