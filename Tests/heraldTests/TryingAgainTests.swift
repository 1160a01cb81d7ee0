import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// What becomes of people whom a person has tried again, through herald's own command lines.
struct TryingAgainTests {
    private static let monday = Date(timeIntervalSince1970: 1_799_020_800)
    private static let mismatch = Exchange.error(403, "PERMISSION_DENIED", fcm: "SENDER_ID_MISMATCH")

    private static let ebb = """
        kind: campaign
        name: ebb
        tags: [promo]
        target: {audience: members}
        message: {notification: {title: ebb}}

        """

    private static func files(_ campaigns: String..., settings: String = "", zones: [String]? = nil) -> [String: String]
    {
        let rows = (1...4).map { "\(Registration.fid($0).rawValue),\(zones?[$0 - 1] ?? "")\n" }
        return [
            "herald.yaml": """
            herald: 2
            project: demo-project
            fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s, settle: 0s}
            \(settings)

            """,
            "members.csv": "fid,zone\n" + rows.joined(),
            "audience.yaml": """
            kind: audience
            name: members
            source: {file: members.csv}
            fields: {zone: {type: timezone}}

            """,
            "campaigns.yaml": campaigns.joined(separator: "---\n"),
        ]
    }

    private func begin(_ files: [String: String]) async throws -> Town {
        let town = try Town(files, at: Self.monday)
        #expect(try await town.herald("state", "init").failure == nil)
        return town
    }

    private func occurrence(_ id: String, of town: Town) async throws -> JSONValue {
        let shown = try await town.herald("state", "show", "--format", "json")
        let json = try JSONValue(parsing: Array(shown.output.utf8))
        return try #require(json["occurrences"]?.array?.first { $0["occurrence"]?.string == id })
    }

    /// One was accepted, the second rejected, the third may have got it, the fourth was accepted.
    private func sendEbb(_ settings: String) async throws -> Town {
        let town = try await begin(Self.files(Self.ebb, settings: settings))
        town.answer([.fid(2)], with: Self.mismatch)
        town.answer([.fid(3)], with: .lost(reason: "cut"))
        _ = try await town.herald("run")
        town.answer([.fid(2), .fid(3)], with: nil)
        let before = try await occurrence("ebb@once", of: town)
        #expect(before["accepted"] == 2 && before["rejected"] == 1 && before["unknown"] == 1)
        return town
    }

    private static let caps = "frequency_caps: [{name: promo, max: 1, per: 24h, tags: [promo]}]"

    @Test func `whom another message stops keeps what came of the first try`() async throws {
        let town = try await sendEbb(Self.caps)
        let alarm = Self.ebb.replacing("ebb", with: "alarm") + "frequency_caps: {ignore: true}\n"
        try town.folder.write(Self.ebb + "---\n" + alarm, to: "campaigns.yaml")
        town.pass(3600)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent("alarm").count == 4)
        let ways = [["--retry", "SENDER_ID_MISMATCH"], ["--resend"]]
        for way in ways {
            let resolved = try await town.herald(["state", "resolve", "ebb@once"] + way)
            #expect(resolved.failure == nil, "\(resolved.errors)")
        }
        #expect(try await occurrence("ebb@once", of: town)["again"] == 2)
        #expect(try await town.herald("state", "show").output.contains("2 accepted, 2 to be tried again, unfinished"))
        let run = try await town.herald("run")
        #expect(run.output.contains("skipped: 2 by cap 'promo'"), "\(run.output)")
        // Nothing queues behind a cap.
        town.pass(3 * 86_400)
        let later = try await town.herald("run")
        #expect(later.failure == nil, "\(later.errors)")
        #expect(town.messages().count { $0["notification"]?["title"] == "ebb" } == 4)
        let after = try await occurrence("ebb@once", of: town)
        #expect(after["accepted"] == 2 && after["rejected"] == 1 && after["unknown"] == 1 && after["again"] == 0)
        #expect(after["codes"] == ["SENDER_ID_MISMATCH": 1] && after["skipped"] == 0)
        #expect(after["finished"] != .null)
    }

    /// Nobody can send to the third any more.
    private func lose(_ town: Town, by way: String) async throws {
        if way == "erase" {
            let rows = [1, 2, 4].map { "\(Registration.fid($0).rawValue),\n" }.joined()
            try town.folder.write("fid,zone\n" + rows, to: "members.csv")
        }
        let approval = way == "erase" ? ["--auto-approve"] : []
        let lost = try await town.herald(["state", way, Registration.fid(3).rawValue] + approval)
        #expect(lost.failure == nil, "\(lost.errors)")
    }

    @Test(arguments: ["forget", "erase"])
    func `whom nobody can send to stays unknown, and the command says so`(_ way: String) async throws {
        let town = try await sendEbb("")
        try await lose(town, by: way)
        let resolve = ["state", "resolve", "ebb@once"]
        let refused = try await town.herald(resolve + ["--resend"])
        #expect(refused.errors.contains("ebb@once cannot be sent again to the 1 recipient: "), "\(refused.errors)")
        #expect(try await occurrence("ebb@once", of: town)["unknown"] == 1)
        #expect(try await town.herald(resolve + ["--accept"]).failure == nil)
        #expect(try await occurrence("ebb@once", of: town)["unknown"] == 0)
    }

    @Test func `an erased person does not keep an occurrence open`() async throws {
        let town = try await sendEbb("")
        for way in [["--retry", "SENDER_ID_MISMATCH"], ["--resend"]] {
            let resolved = try await town.herald(["state", "resolve", "ebb@once"] + way)
            #expect(resolved.failure == nil, "\(resolved.errors)")
        }
        try await lose(town, by: "erase")
        let run = try await town.herald("run")
        let after = try await occurrence("ebb@once", of: town)
        #expect(after["accepted"] == 3 && after["unknown"] == 1 && after["again"] == 0, "\(run.output)\(run.errors)")
        #expect(after["finished"] != .null)
        let plan = try await town.herald("plan")
        #expect(!plan.output.contains("left the list"), "\(plan.output)")
    }

    /// The report of the town's only run, as if that could not have written that it had tried nobody whose outcome the
    /// state does not know. Returns its path.
    ///
    /// - Parameter isKept: whether it is where herald looks for reports.
    private func unwritten(_ town: Town, isKept: Bool = false) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(town.folder.path)/runs")
        let occurrence = "\"occurrence\" : \"ebb@once\""
        let files = names.filter { $0.hasSuffix(".json") }.map { "runs/\($0)" }
        let file = try #require(try files.first { try town.folder.read($0).contains(occurrence) })
        let text = try town.folder.read(file)
        let outcomes = #"{"accepted": [], "rejected": {}, "deferred": [], "untried": [[1, 4]]}"#
        let path = isKept ? file : "late.json"
        try town.folder.write(text.replacing(occurrence, with: "\(occurrence), \"unrecorded\": \(outcomes)"), to: path)
        return "\(town.folder.path)/\(path)"
    }

    @Test func `status names the report that knows more of whoever may have got it, as long as it does`() async throws {
        let town = try await sendEbb("")
        let path = try unwritten(town, isKept: true)
        let status = try await town.herald("status")
        #expect(status.output.contains(" state resolve --from \(path)\n"), "\(status.output)")
        #expect(!status.output.contains("--accept"), "\(status.output)")
        #expect(try await town.herald("state", "resolve", "--from", path).failure == nil)
        let after = try await town.herald("status")
        #expect(!after.output.contains("--from") && after.output.contains("Due now     ebb@once"), "\(after.output)")
    }

    @Test(arguments: [["ebb@once", "--resend"], ["--from", "late.json"]])
    func `an old report does not take back a later try`(_ way: [String]) async throws {
        let town = try await sendEbb("")
        let path = try unwritten(town)
        let from = ["state", "resolve", "--from", path]
        let way = ["state", "resolve"] + way.map { $0 == "late.json" ? path : $0 }
        #expect(try await town.herald(way).failure == nil)
        // Before the next run, the report says nothing new.
        let unchanged = try await town.herald(from)
        #expect(unchanged.failure == nil)
        #expect(unchanged.errors.contains("the state has these outcomes already"), "\(unchanged.errors)")
        town.answer([.fid(3)], with: .lost(reason: "cut"))
        town.pass(60)
        _ = try await town.herald("run")
        town.answer([.fid(3)], with: nil)
        let before = try await occurrence("ebb@once", of: town)
        #expect(before["unknown"] == 1)
        let refused = try await town.herald(from)
        #expect(refused.failure?.status == .wrong, "\(refused.errors)")
        #expect(refused.errors.contains("\(path) may be out of date for 1 recipient of ebb@once"), "\(refused.errors)")
        #expect(refused.errors.contains("nothing was changed"), "\(refused.errors)")
        #expect(try await occurrence("ebb@once", of: town) == before)
        let count = town.messages().count
        _ = try await town.herald("run")
        #expect(town.messages().count == count)
    }

    @Test func `a report from before a campaign was taken out of the state is not for the next send`() async throws {
        let town = try await sendEbb("")
        let path = try unwritten(town, isKept: true)
        #expect(try await town.herald("state", "rm", "campaign:ebb").failure == nil)
        town.answer([.fid(3)], with: .lost(reason: "cut"))
        town.pass(60)
        _ = try await town.herald("run")
        town.answer([.fid(3)], with: nil)
        #expect(try await occurrence("ebb@once", of: town)["unknown"] == 1)
        let status = try await town.herald("status")
        #expect(!status.output.contains("--from"), "\(status.output)")
        let refused = try await town.herald("state", "resolve", "--from", path)
        #expect(refused.errors.contains("\(path) may be out of date for 4 recipients"), "\(refused.errors)")
        let count = town.messages().count
        _ = try await town.herald("run")
        #expect(town.messages().count == count)
    }

    @Test(arguments: [("--accept", 3, 1, 0), ("--abandon", 2, 1, 1)])
    func `a person may change their mind before the next run`(
        _ decision: String, _ accepted: Int64, _ rejected: Int64, _ abandoned: Int64
    ) async throws {
        let town = try await sendEbb("")
        for way in [["--retry", "SENDER_ID_MISMATCH"], ["--resend"], [decision]] {
            let resolved = try await town.herald(["state", "resolve", "ebb@once"] + way)
            #expect(resolved.failure == nil, "\(way) \(resolved.errors)")
            for words in ["any more to 1 recipient whom it was for", "again to 1 recipient who may have got it"] {
                #expect(resolved.errors.contains("it is not sent \(words)") == (way == ["--abandon"]), "\(way)")
            }
        }
        if decision == "--accept" {
            #expect(try await town.herald("state", "resolve", "ebb@once", "--abandon").failure == nil)
        }
        let after = try await occurrence("ebb@once", of: town)
        #expect(after["accepted"] == .int(accepted) && after["rejected"] == .int(rejected))
        #expect(after["abandoned"] == .int(abandoned) && after["unknown"] == 0 && after["again"] == 0)
        let count = town.messages().count
        _ = try await town.herald("run")
        #expect(town.messages().count == count)
    }

    @Test func `what was abandoned in local time reaches no clock that was ahead`() async throws {
        let daily = Self.ebb + #"schedule: {cron: "7 9 * * *", timezone: {field: zone, default: Europe/Rome}}"# + "\n"
        let zones = ["Asia/Tokyo", "Asia/Tokyo", "Europe/Rome", "America/New_York"]
        let town = try await begin(Self.files(daily, zones: zones))
        _ = try await town.herald("run")
        town.answer([.fid(2)], with: Self.mismatch)
        town.go(to: Self.monday + 25 * 3600)
        _ = try await town.herald("run")
        #expect(town.sent() == [.fid(1), .fid(2)])
        town.answer([.fid(2)], with: nil)
        let id = "ebb@2027-01-05T09:07"
        for way in [["--abandon"], ["--retry", "SENDER_ID_MISMATCH"]] {
            let resolved = try await town.herald(["state", "resolve", id] + way)
            #expect(resolved.failure == nil, "\(way) \(resolved.errors)")
        }
        for hour in [26, 34, 40, 47] {
            town.go(to: Self.monday + Double(hour) * 3600)
            let run = try await town.herald("run")
            #expect(run.failure == nil, "\(run.errors)")
        }
        let to = town.messages().compactMap { $0["fid"]?.string }
        #expect(to == [1, 2, 2].map { Registration.fid($0).rawValue })
        let after = try await occurrence(id, of: town)
        #expect(after["accepted"] == 2 && after["rejected"] == 0 && after["finished"] != .null)
        // The next day is for all.
        for hour in [49, 57, 63] {
            town.go(to: Self.monday + Double(hour) * 3600 + 600)
            _ = try await town.herald("run")
        }
        #expect(town.messages().count == 3 + 4 && town.sent().count == 4)
    }

    @Test(arguments: [true, false])
    func `who was never tried is accounted for when it is over`(_ isAbandoned: Bool) async throws {
        let expiring = Self.ebb + "delivery: {expires_after: 30m, rate: 1/s}\n"
        let town = try await begin(Self.files(expiring))
        town.passWhenSending(3600)
        _ = try await town.herald("run")
        let tried = town.sent().count
        #expect((1..<4).contains(tried))
        if isAbandoned {
            _ = try await town.herald("state", "resolve", "ebb@once", "--abandon")
        } else {
            _ = try await town.herald("run")
        }
        let after = try await occurrence("ebb@once", of: town)
        #expect(after["finished"] != .null)
        let sum = ["accepted", "rejected", "unknown", "abandoned", "skipped"].reduce(0) {
            $0 + (after[$1]?.number ?? 0)
        }
        #expect(sum == 4, "\(after)")
    }
}
