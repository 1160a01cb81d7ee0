import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// Plans of a state on which runs worked since the time that they are for.
struct PlanAfterRunTests {
    /// 2027-01-04T00:00:00Z, a Monday
    private static let monday = Date(timeIntervalSince1970: 1_799_020_800)

    /// A daily campaign for two people.
    private static let files = [
        "herald.yaml": """
        herald: 1
        project: demo-project
        fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s, settle: 0s}

        """,
        "few.txt": (1...2).map { "\(Registration.fid($0).rawValue)\n" }.joined(),
        "daily.yaml": """
        kind: audience
        name: few
        source: {file: few.txt}
        ---
        kind: campaign
        name: daily
        message: {notification: {title: Daily}}
        target: {audience: few}
        schedule: {cron: "30 12 * * *", timezone: UTC}

        """,
    ]

    private func town(_ more: [String: String] = [:]) async throws -> Town {
        let town = try Town(Self.files.merging(more) { $1 }, at: Self.monday)
        #expect(try await town.herald("state", "init").failure == nil)
        return town
    }

    // MARK: plan --at

    @Test(arguments: ["plan", "status"])
    func `a plan for a time before the last run says nothing of a fast clock`(_ command: String) async throws {
        let town = try await town()
        town.pass(7200)
        #expect(try await town.herald("run").failure == nil)
        for at in ["2027-01-04T00:30:00Z", "2027-01-04T02:00:00Z", "2027-01-04T03:00:00Z"] {
            let plan = try await town.herald(command, "--at", at)
            let words = plan.output + plan.errors
            #expect(!words.lowercased().contains("a clock was fast"), "\(at): \(words)")
        }
        // The machine's time is behind that of the run.
        town.pass(-3600)
        for options in [[], ["--at", "2027-01-04T00:30:00Z"]] {
            let plan = try await town.herald([command] + options)
            let words = plan.output + plan.errors
            #expect(words.lowercased().contains("a clock was fast"), "\(options): \(words)")
        }
    }

    /// The clock is four days fast for one run.
    @Test func `what a fast clock ended that is due once is told by every run, and sent after a rewind`() async throws {
        let once = try #require(Self.files["daily.yaml"])
            .replacing(#"cron: "30 12 * * *""#, with: #"at: "2027-01-05T12:30""#)
        let town = try await town(["daily.yaml": once])
        #expect(try await town.herald("run").failure == nil)
        town.go(to: Self.monday + 4 * 86_400)
        #expect(try await town.herald("run").failure?.status == .failed)
        town.go(to: Self.monday + 3600)
        for _ in 1...2 {
            let run = try await town.herald("run")
            #expect(run.failure?.status == .failed, "\(run.output)\(run.errors)")
            #expect((run.output + run.errors).contains("'herald state rewind daily'"), "\(run.output)\(run.errors)")
        }
        let status = try await town.herald("status")
        #expect(status.output.contains("campaign 'daily' counts as over, but was sent to nobody"), "\(status.output)")
        let rewound = try await town.herald("state", "rewind", "daily")
        #expect(rewound.failure == nil, "\(rewound.errors)")
        #expect(try await town.herald("run").failure == nil)
        town.go(to: Self.monday + 36.6 * 3600)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.messages().count == 2)
    }

    // MARK: apply PLAN

    /// A campaign for more people than a guard allows, so that runs leave it out.
    private static let big = [
        "herald.yaml": (files["herald.yaml"] ?? "") + "guards: {max_recipients: 2}\n",
        "many.txt": (1...3).map { "\(Registration.fid($0).rawValue)\n" }.joined(),
        "big.yaml": """
        kind: audience
        name: many
        source: {file: many.txt}
        ---
        kind: campaign
        name: big
        message: {notification: {title: Big}}
        target: {audience: many}

        """,
    ]

    private func apply(
        _ town: Town, _ plan: String, _ options: String...
    ) async throws -> (failure: CommandFailure?, output: String, errors: String) {
        try await town.herald(["apply", "\(town.folder.path)/\(plan)"] + options)
    }

    private func save(_ town: Town, _ plan: String) async throws {
        let saved = try await town.herald("plan", "--out", "\(town.folder.path)/\(plan)")
        try #require(saved.failure == nil, "\(saved.errors)")
    }

    /// Runs that send nothing note how far the daily campaign is dealt with. The first one sees it for the first time.
    @Test(arguments: [true, false], [30.0, 600.0, 39_600.0])
    func `runs with nothing to do leave a saved plan true`(_ wasSeen: Bool, _ seconds: Double) async throws {
        let town = try await town(Self.big)
        if wasSeen { #expect(try await town.herald("run").failure?.status == .refused) }
        town.pass(60)
        try await save(town, "plan.json")
        for _ in 1...2 {
            town.pass(seconds / 2)
            #expect(try await town.herald("run").failure?.status == .refused)
        }
        let applied = try await apply(town, "plan.json", "--override", "max_recipients=big")
        #expect(applied.failure == nil, "\(applied.output)\(applied.errors)")
        #expect(town.sent("Big").count == 3)
        #expect(town.sent("Daily").isEmpty)
        #expect(try await apply(town, "plan.json").failure?.status == .stalePlan, "it is used")
        // What the daily campaign is to send is still ahead of it.
        town.go(to: Self.monday + 12.6 * 3600)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent("Daily").count == 2)
    }

    /// The campaign is seen for the first time after its time of the day.
    @Test func `a time that passed before the first run was no part of a saved plan`() async throws {
        let town = try await town(Self.big)
        try await save(town, "plan.json")
        town.pass(13 * 3600)
        #expect(try await town.herald("run").failure?.status == .refused)
        let applied = try await apply(town, "plan.json", "--override", "max_recipients=big")
        #expect(applied.failure == nil, "\(applied.output)\(applied.errors)")
        #expect(town.sent("Big").count == 3 && town.sent("Daily").isEmpty)
    }

    @Test(arguments: ["a send", "a pause", "somebody who dropped out of the list"])
    func `what changes the work makes a saved plan stale`(_ change: String) async throws {
        let town = try await town(Self.big)
        #expect(try await town.herald("run").failure?.status == .refused)
        try await save(town, "plan.json")
        switch change {
        case "a send":
            town.pass(13 * 3600)
            _ = try await town.herald("run")
            #expect(town.sent("Daily").count == 2)
        case "a pause": #expect(try await town.herald("pause", "big").failure == nil)
        default: try town.folder.write("\(Registration.fid(1).rawValue)\n", to: "few.txt")
        }
        let applied = try await apply(town, "plan.json", "--override", "max_recipients=big")
        #expect(applied.failure?.status == .stalePlan, "\(applied.output)\(applied.errors)")
        #expect(applied.errors.contains("changed since the plan was saved"), "\(applied.errors)")
        #expect(town.sent("Big").isEmpty)
    }

    /// On Wednesday, Tuesday's is missed. A guard refuses Wednesday's, and with it that anything of it is missed.
    @Test func `what a guard leaves out does not make a saved plan stale`() async throws {
        let rows = (1...2).map { "\(Registration.fid($0).rawValue),Asia/Tokyo,\($0 == 1 ? "Ann" : "")\n" }
        let town = try await town([
            "named.csv": "fid,zone,name\n" + rows.joined(),
            "hello.yaml": """
            kind: audience
            name: named
            source: {file: named.csv}
            fields: {zone: {type: timezone}, name: {}}
            ---
            kind: campaign
            name: hello
            message: {notification: {title: "Hi {{ name }}"}}
            target: {audience: named}
            schedule: {cron: "7 9 * * *", timezone: {field: zone, default: Europe/Rome}}
            personal: {fields: [name], bad_rows: error}

            """,
        ])
        #expect(try await town.herald("run").failure == nil)
        town.go(to: Self.monday + 48.5 * 3600)
        try town.folder.write(Self.once, to: "once.yaml")
        try await save(town, "plan.json")
        let plan = try JSONValue(parsing: Array(town.folder.read("plan.json").utf8))
        #expect(plan["missed"]?.array?.contains { $0["occurrence"] == "hello@2027-01-05T09:07" } == true, "\(plan)")
        let applied = try await apply(town, "plan.json")
        #expect(applied.failure?.status != .stalePlan, "\(applied.output)\(applied.errors)")
        #expect(applied.errors.contains("guard personal_rows"), "\(applied.errors)")
        #expect(town.sent("Once").count == 2)
        #expect(town.sent("Hi Ann").isEmpty)
    }

    private static let once = """
        kind: campaign
        name: once
        message: {notification: {title: Once}}
        target: {audience: few}

        """

    /// A dry run of files may come before their approval. One of a saved plan does what that says.
    @Test func `a dry run of a saved plan leaves out what nobody approved`() async throws {
        let settings = (Self.files["herald.yaml"] ?? "").replacing("herald: 1", with: "herald: 2")
        let town = try await town(["herald.yaml": settings + "approval: required\n", "once.yaml": Self.once])
        try await save(town, "plan.json")
        let dry = try await apply(town, "plan.json", "--dry-run")
        #expect(dry.failure?.status != .stalePlan, "\(dry.output)\(dry.errors)")
        #expect(town.messages().isEmpty)
    }
}
