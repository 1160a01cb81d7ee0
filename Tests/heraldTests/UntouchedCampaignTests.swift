import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands

/// A list that collapsed, beside a campaign that has nothing to do with it.
struct UntouchedCampaignTests {
    /// 2027-01-04T00:00:00Z, a Monday
    private static let monday = Date(timeIntervalSince1970: 1_799_020_800)

    private static func list(_ members: some Sequence<Int>) -> String {
        "fid\n" + members.map { "\(Registration.fid($0).rawValue)\n" }.joined()
    }

    /// `hourly` goes to number 900 at each full hour, and `daily` to 200 people at nine. Then all but one of those are
    /// gone from their list.
    private func town() async throws -> Town {
        let campaign = { (name: String, audience: String, cron: String) in
            """
            ---
            kind: campaign
            name: \(name)
            target: {audience: \(audience)}
            message: {notification: {title: \(name)}}
            schedule: {cron: "\(cron)", timezone: UTC}

            """
        }
        let files = [
            "herald.yaml": """
            herald: 1
            project: demo-project
            fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s, settle: 0s}

            """,
            "members.csv": Self.list(1...200),
            "all.yaml": """
            kind: audience
            name: members
            source: {file: members.csv}
            ---
            kind: audience
            name: one
            fids: [\(Registration.fid(900).rawValue)]

            """ + campaign("daily", "members", "0 9 * * *") + campaign("hourly", "one", "0 * * * *"),
        ]
        let town = try Town(files, at: Self.monday)
        #expect(try await town.herald("state", "init").failure == nil)
        #expect(try await town.herald("run").failure == nil)
        try town.folder.write(Self.list([1]), to: "members.csv")
        return town
    }

    @Test func `a run ends with 3 while a guard refuses, whatever else is due`() async throws {
        let town = try await town()
        for (hour, isDue) in [(1.1, true), (1.2, false), (2.1, true), (9.1, true)] {
            town.go(to: Self.monday + hour * 3600)
            let before = town.messages().count
            let run = try await town.herald("run", "--report", "\(town.folder.path)/report.json")
            #expect(run.failure?.status == .refused, "\(hour): \(run.output)\(run.errors)")
            #expect(run.errors.contains("guard audience_collapse: audience 'members' shrank"), "\(run.errors)")
            #expect((town.messages().count > before) == isDue, "\(hour)")
            let report = try town.folder.read("report.json")
            #expect(report.contains("\"refused\"") && report.contains("--override audience_collapse=members"))
            #expect(try await town.herald("plan", "--detailed-exitcode").failure?.status == .refused)
        }
        #expect(town.sent("daily").isEmpty)
        try town.folder.write(Self.list(1...190), to: "members.csv")
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent("daily").count == 190)
    }

    @Test func `an apply of one campaign judges and records only the lists that it is for`() async throws {
        let town = try await town()
        for options in [[], ["--override", "audience_collapse=members"]] {
            town.pass(3600)
            let plan = try await town.herald("plan", "--campaign", "hourly", "--detailed-exitcode")
            #expect(plan.failure?.status == .changes, "\(plan.output)")
            let apply = try await town.herald(["apply", "--auto-approve", "--campaign", "hourly"] + options)
            #expect(apply.failure == nil, "\(apply.output)\(apply.errors)")
        }
        #expect(town.messages().count == 2)
        // The collapse is still one, for the campaign that it concerns and for a run.
        for command in [["plan", "--campaign", "daily", "--detailed-exitcode"], ["run"]] {
            let refused = try await town.herald(command)
            #expect(refused.failure?.status == .refused, "\(refused.output)\(refused.errors)")
        }
        #expect(town.messages().count == 2)
    }
}
