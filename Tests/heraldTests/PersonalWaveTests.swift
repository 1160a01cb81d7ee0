import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// Personal messages in local time: a bad row is judged with the first wave, and with its own.
struct PersonalWaveTests {
    /// 2027-01-04T00:00:00Z, a Monday
    private static let monday = Date(timeIntervalSince1970: 1_799_020_800)

    /// 9:07 on Tuesday is 0:07 UTC in Tokyo, 8:07 in Rome and 14:07 in New York.
    private static let zones = ["Asia/Tokyo", "Europe/Rome", "America/New_York", "Europe/Rome"]

    private static func list(bad: Set<Int>) -> String {
        "fid,zone,name\n"
            + zones.enumerated().map { place, zone in
                "\(Registration.fid(place + 1).rawValue),\(zone),\(bad.contains(place + 1) ? "" : "Ann")\n"
            }.joined()
    }

    private func town(badRows: String = "error", more: String = "") async throws -> Town {
        let files = [
            "herald.yaml": """
            herald: 1
            project: demo-project
            fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s, settle: 0s}

            """,
            "members.csv": Self.list(bad: []),
            "x.yaml": """
            kind: audience
            name: members
            source: {file: members.csv}
            fields: {zone: {type: timezone}, name: {}}
            ---
            kind: campaign
            name: hello
            message: {notification: {title: "Hi {{ name }}"}}
            target: {audience: members}
            schedule: {at: "2027-01-05T09:07", if_passed: skip, timezone: {field: zone, default: Europe/Rome}}
            personal: {fields: [name], bad_rows: \(badRows)}
            \(more)

            """,
        ]
        let town = try Town(files, at: Self.monday)
        #expect(try await town.herald("state", "init").failure == nil)
        return town
    }

    /// What a run at that hour since Monday says, and whom it sends to, with those rows without a name.
    private func run(
        _ town: Town, hour: Double, bad: Set<Int> = [], _ command: String = "run"
    ) async throws -> (status: HeraldCommands.ExitStatus?, sent: Set<Int>, output: String) {
        town.go(to: Self.monday + hour * 3600)
        try town.folder.write(Self.list(bad: bad), to: "members.csv")
        let before = town.sent()
        let run = try await town.herald(command.split(separator: " ").map(String.init))
        let sent = town.sent().subtracting(before)
        return (run.failure?.status, Set((1...4).filter { sent.contains(.fid($0)) }), run.output + run.errors)
    }

    /// Whether it is over once the last clock of the world has shown it, at 23:07 UTC at the latest.
    private func ends(_ town: Town, accepted: Int64) async throws -> Bool {
        let last = try await run(town, hour: 48)
        let shown = try await town.herald("state", "show", "--format", "json").output
        let occurrence = try JSONValue(parsing: Array(shown.utf8))["occurrences"]?.array?.first
        let isOver = occurrence?["finished"] != .null && occurrence?["accepted"]?.int == accepted
        return isOver && last.status == nil && last.sent.isEmpty
    }

    @Test func `a bad row stops the wave that is due, also if its own is ahead, until it is corrected`() async throws {
        let town = try await town()
        for (hour, bad, sent) in [(25, 2, [1]), (33, 4, [2, 4]), (39, 3, [3])] as [(Double, Int, Set<Int>)] {
            let refused = try await run(town, hour: hour, bad: [bad])
            #expect(refused.status == .refused && refused.sent.isEmpty, "\(refused.output)")
            #expect(refused.output.contains("1 row of campaign 'hello' makes no message"), "\(refused.output)")
            let corrected = try await run(town, hour: hour + 0.5)
            #expect(corrected.status == nil && corrected.sent == sent, "\(corrected.output)")
        }
        #expect(try await ends(town, accepted: 4))
    }

    @Test(arguments: ["skip", "error"])
    func `a bad row that is let through is skipped with its wave`(_ badRows: String) async throws {
        let town = try await town(badRows: badRows)
        let command = badRows == "skip" ? "run" : "apply --override personal_rows=hello --auto-approve"
        #expect(try await run(town, hour: 25).sent == [1])
        let rome = try await run(town, hour: 33, bad: [2], command)
        #expect(rome.status == nil && rome.sent == [4], "\(rome.output)")
        #expect(rome.output.contains("skipped: 1 bad row"), "\(rome.output)")
        // Whoever's row is corrected after that is no part of it.
        #expect(try await run(town, hour: 33.5).sent.isEmpty)
        // It is the only row of its wave, and the last one.
        let york = try await run(town, hour: 39, bad: [3], command)
        #expect(york.status == nil && york.sent.isEmpty, "\(york.output)")
        #expect(york.output.contains("skipped: 1 bad row"), "\(york.output)")
        #expect(try await ends(town, accepted: 2))
    }

    /// New York's window is closed while it gets too late in Rome.
    @Test(arguments: ["", #"delivery: {window: {from: "08:00", to: "21:00"}}"#])
    func `a wave that a bad row stopped for too long is missed, and later ones go out`(_ more: String) async throws {
        let town = try await town(more: more)
        #expect(try await run(town, hour: 25).sent == [1])
        #expect(try await run(town, hour: 33, bad: [2]).status == .refused)
        let late = try await run(town, hour: 36, bad: [2])
        #expect(late.status == .failed && late.sent.isEmpty, "\(late.output)")
        #expect(late.output.contains("skipped: 1 bad row, 1 too late"), "\(late.output)")
        let york = try await run(town, hour: 39, bad: [2])
        #expect(york.status == nil && york.sent == [3], "\(york.output)")
        #expect(try await ends(town, accepted: 2))
    }

    @Test func `whom a refused run leaves out is counted once, by the run that notes it`() async throws {
        let town = try await town()
        #expect(try await run(town, hour: 25).sent == [1])
        // Rome was due at 8:07 UTC, and nobody is in its wave yet.
        let refused = try await run(town, hour: 39, bad: [3])
        #expect(refused.status == .refused && refused.sent.isEmpty, "\(refused.output)")
        // The plan says who is too late and whose row is bad, and the report counts nobody for it.
        #expect(!refused.output.contains("skipped: 1 bad row"), "\(refused.output)")
        #expect(refused.output.contains("0 of 3 accepted, 3 held"), "\(refused.output)")
        let corrected = try await run(town, hour: 39.5)
        #expect(corrected.status == .failed && corrected.sent == [3], "\(corrected.output)")
        #expect(corrected.output.contains("skipped: 2 too late"), "\(corrected.output)")
        #expect(try await ends(town, accepted: 2))
    }

    @Test func `the texts of each wave add up to its step, and its holdouts count once`() async throws {
        let town = try await town(more: "variants: {a: {weight: 1}, none: {weight: 1, holdout: true}}")
        let rows = (1...40).map { number in
            "\(Registration.fid(number).rawValue),\(number > 20 ? "Europe/Rome" : "Asia/Tokyo"),Ann\n"
        }
        try town.folder.write("fid,zone,name\n" + rows.joined(), to: "members.csv")
        for hour in [25.0, 33] {
            town.go(to: Self.monday + hour * 3600)
            let run = try await town.herald("run", "--report", "\(town.folder.path)/report.json")
            #expect(run.failure == nil, "\(run.errors)")
            let report = try JSONValue(parsing: Array(town.folder.read("report.json").utf8))
            let step = try #require(report["steps"]?.array?.first)
            let variants: [JSONValue] = ["a", "none"].map { step["variants"]?[$0] ?? .null }
            #expect(step["planned"] == 20 && variants[1]["skipped"] == step["skipped"], "\(run.output)")
            for figure in ["planned", "accepted", "skipped", "pending"] {
                #expect(step["locales"]?["message"]?[figure] == step[figure], "\(run.output)")
                let sum = variants.reduce(Int64(0)) { $0 + ($1[figure]?.int ?? 0) }
                #expect(sum == step[figure]?.int && (figure == "pending" || sum > 0), "\(run.output)")
            }
        }
    }

    @Test func `who is held out or has a bad row is no recipient, before a wave is due and after`() async throws {
        let variants = "variants: {a: {weight: 1}, none: {weight: 1, holdout: true}}"
        let town = try await town(badRows: "skip", more: variants)
        let rows = (1...40).map { number in
            let zone = number > 20 ? "Europe/Rome" : "Asia/Tokyo"
            return "\(Registration.fid(number).rawValue),\(zone),\(number.isMultiple(of: 10) ? "" : "Ann")\n"
        }
        try town.folder.write("fid,zone,name\n" + rows.joined(), to: "members.csv")
        var planned: [[Int64]] = []
        var headlines: [String] = []
        // Before both waves, when each is due, and whenever one of them is over.
        for (hour, command) in [(20.0, "plan"), (25, "run"), (33, "run")] {
            town.go(to: Self.monday + hour * 3600)
            let plan = try await town.herald("plan", "--format", "json")
            let json = try JSONValue(parsing: Array(plan.output.utf8))
            let waves = json["steps"]?.array?.first?["waves"]?.array?.compactMap { $0["planned"]?.int }
            planned.append(waves ?? [json["upcoming"]?.array?.first?["recipients"]?.int ?? 0])
            headlines.append(try await town.herald("plan", "--format", "markdown").output)
            #expect(try await town.herald(command).failure == nil)
        }
        let sent = town.sent()
        let waves = [1...20, 21...40].map { wave in Int64(wave.count { sent.contains(.fid($0)) }) }
        #expect(planned == [[Int64(sent.count)], waves, waves] && waves.allSatisfy { $0 > 0 }, "\(planned)")
        #expect(headlines.allSatisfy { $0.contains("1 campaign to \(sent.count) recipients") }, "\(headlines)")
    }

    @Test func `a plan warns of bad rows that stop a wave, and not of those whose wave is fixed`() async throws {
        let town = try await town()
        #expect(try await run(town, hour: 25).sent == [1])
        let fixed = try await run(town, hour: 26, bad: [1], "plan")
        #expect(!fixed.output.contains("stops the campaign"), "\(fixed.output)")
        let ahead = try await run(town, hour: 26, bad: [1, 2], "plan")
        #expect(ahead.output.contains("1 row of campaign 'hello' makes no message. Correct"), "\(ahead.output)")
    }
}
