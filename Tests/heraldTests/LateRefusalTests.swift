import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// What a guard of one campaign refuses while it gets late.
struct LateRefusalTests {
    /// 2027-01-04T00:00:00Z, a Monday
    private static let monday = Date(timeIntervalSince1970: 1_799_020_800)

    private static let schedules = [
        #"at: "2027-01-05T09:07""#, #"cron: "7 9 * * *""#,
        #"at: "2027-01-05T09:07", if_passed: skip, timezone: {field: zone, default: Etc/UTC}"#,
        #"cron: "7 9 * * *", timezone: {field: zone, default: Etc/UTC}"#,
    ]

    /// - Parameter isMended: whether the guard has nothing to refuse any more, and it may be two days late.
    private static func files(_ schedule: String, _ guarded: Guard, isMended: Bool = false) -> [String: String] {
        // Without a name, the row makes no message.
        let names = ["Ada", "Bea", guarded == .personalRows && !isMended ? "" : "Cem"]
        return [
            "herald.yaml": """
            herald: 1
            project: demo-project
            timezone: UTC
            fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s, settle: 0s}
            guards: {max_recipients: \(guarded == .maxRecipients && !isMended ? 2 : 3)}

            """,
            "members.csv": "fid,zone,name\n"
                + names.enumerated().map { "\(Registration.fid($0 + 1).rawValue),,\($1)\n" }.joined(),
            "x.yaml": """
            kind: audience
            name: members
            source: {file: members.csv}
            fields: {zone: {type: timezone}, name: {}}
            ---
            kind: campaign
            name: hello
            message: {notification: {title: "Hi {{ name }}"}}
            personal: {fields: [name], bad_rows: error}
            target: {audience: members}
            schedule: {\(schedule)\(isMended ? ", max_lateness: 2d" : "")}

            """,
        ]
    }

    private func run(
        _ town: Town, at hour: Double, _ command: String = "run"
    ) async throws -> (sent: Int, status: HeraldCommands.ExitStatus?, words: String) {
        town.go(to: Self.monday + hour * 3600)
        let before = town.messages().count
        let run = try await town.herald(command.split(separator: " ").map(String.init))
        return (town.messages().count - before, run.failure?.status, run.output + run.errors)
    }

    /// Every run refuses what was due at 9:07 UTC on Tuesday, also after the last clock of the world has shown that.
    private func refused(_ schedule: String, _ guarded: Guard) async throws -> Town {
        let town = try Town(Self.files(schedule, guarded), at: Self.monday)
        #expect(try await town.herald("state", "init").failure == nil)
        #expect(try await run(town, at: 0).status == nil)
        for hour in [33.2, 36, 56, 56.1] {
            let run = try await run(town, at: hour)
            #expect(run.status == .refused && run.sent == 0, "\(hour): \(run.words)")
            #expect(run.words.contains("guard \(guarded.rawValue)"), "\(hour): \(run.words)")
            #expect(!run.words.contains("Missed:"), "\(hour): \(run.words)")
        }
        return town
    }

    @Test(arguments: Self.schedules, [Guard.maxRecipients, .personalRows])
    func `what a guard refused goes out once it may, if max_lateness allows`(
        _ schedule: String, _ guarded: Guard
    ) async throws {
        let town = try await refused(schedule, guarded)
        let files = Self.files(schedule, guarded, isMended: true)
        for (name, text) in files { try town.folder.write(text, to: name) }
        let run = try await run(town, at: 56.2)
        #expect(run.status == nil && run.sent == 3, "\(run.words)")
    }

    @Test(arguments: Self.schedules, [Guard.maxRecipients, .personalRows])
    func `what a guard refused is missed once a person lets it through too late`(
        _ schedule: String, _ guarded: Guard
    ) async throws {
        let town = try await refused(schedule, guarded)
        let applied = try await run(town, at: 56.2, "apply --override \(guarded.rawValue)=hello --auto-approve")
        #expect(applied.status == .failed && applied.sent == 0 && applied.words.contains("Missed:"), "\(applied.words)")
        let next = try await run(town, at: 56.3)
        #expect(next.status == nil && next.sent == 0, "\(next.words)")
    }
}
