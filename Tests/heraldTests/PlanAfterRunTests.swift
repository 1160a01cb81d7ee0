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
}
