import FCM
import Foundation
import HeraldTestSupport
import Synchronization
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// Audiences whose `where` compares, through herald's own command lines and with a clock of the test.
struct ComparedAudienceTests {
    /// 2027-01-01T00:00:00Z
    private static let newYear = Date(timeIntervalSince1970: 1_798_761_600)
    private static let edge = "2026-07-05T00:00:00Z"

    private static func files(_ rows: [String]) -> [String: String] {
        [
            "herald.yaml": """
            herald: 1
            project: demo-project
            fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s, settle: 0s}

            """,
            "members.csv": (["fid,last_seen,points"] + rows).joined(separator: "\n") + "\n",
            "x.yaml": """
            kind: audience
            name: members
            source: {file: members.csv, columns: {seen: last_seen}}
            ---
            kind: audience
            name: active
            from: members
            where: {seen: {within: 180d}}
            ---
            kind: topic
            name: news
            subscribers: [active]
            ---
            kind: campaign
            name: hello
            target: {audience: active}
            message: {notification: {title: Hello}}

            """,
        ]
    }

    /// Ten that were seen in the new year, one at the edge of 180 days, one beyond.
    private static let rows =
        (1...10).map { row($0, "2027-01-01T00:00:00Z") } + [row(11, edge), row(12, "2026-07-04T23:59:59Z")]

    private static func row(_ number: Int, _ seen: String, _ points: String = "1") -> String {
        "\(Registration.fid(number).rawValue),\(seen),\(points)"
    }

    @Test func `who was not seen for 180 days is left out, and comes back when the list says so`() async throws {
        let town = try Town(Self.files(Self.rows), at: Self.newYear)
        let plan = try await town.herald("plan", "--format", "json")
        #expect(
            try JSONValue(parsing: Array(plan.output.utf8))["left_out"] == [
                ["audience": "active", "filter": "seen within 180d", "reason": "time", "recipients": 1]
            ])
        for format in ["text", "markdown", "html"] {
            let shown = try await town.herald("plan", "--format", format).output
            #expect(shown.contains("active: seen within 180d: 1 recipient"), "\(format)")
        }
        let applied = try await town.herald("apply", "--auto-approve")
        #expect(applied.failure == nil, "\(applied.errors)")
        #expect(applied.output.contains("left out by 'where': active: seen within 180d: 1 recipient"))
        #expect(town.sent() == Set((1...11).map { Registration.fid($0) }))
        #expect(town.members(of: "news") == Set((1...11).map { Registration.fid($0) }))
        #expect(try await town.herald("plan", "--detailed-exitcode").failure == nil)

        // The list stays as it is, and a second passes.
        town.pass(1)
        let later = try await town.herald("plan", "--detailed-exitcode")
        #expect(later.failure?.status == .changes)
        #expect(later.output.contains("active: seen within 180d: 2 recipients"))
        #expect(later.output.contains("- unsubscribe"))
        #expect(try await town.herald("run").failure == nil)
        #expect(town.members(of: "news") == Set((1...10).map { Registration.fid($0) }))

        // The app is opened again, and the list has a second row for it.
        try town.folder.write(
            Self.files(Self.rows + [Self.row(12, "2027-01-01T00:00:01Z")])["members.csv"] ?? "", to: "members.csv")
        #expect(try await town.herald("run").failure == nil)
        #expect(town.members(of: "news") == Set(((1...10) + [12]).map { Registration.fid($0) }))
        // Whoever got the message is not sent it again, and who was not part of it does not get it later.
        #expect(town.sent() == Set((1...11).map { Registration.fid($0) }))
    }

    @Test func `a saved plan goes by its own time`() async throws {
        let town = try Town(Self.files(Self.rows), at: Self.newYear)
        let path = "\(town.folder.path)/plan.json"
        #expect(try await town.herald("plan", "--out", path).failure == nil)
        town.pass(3600)
        let applied = try await town.herald("apply", path)
        #expect(applied.failure == nil, "\(applied.errors)")
        #expect(town.sent() == Set((1...11).map { Registration.fid($0) }))
    }

    @Test func `what --at says is the plan's time`() async throws {
        let town = try Town(Self.files(Self.rows), at: Self.newYear)
        let plan = try await town.herald("plan", "--at", "2027-07-01T00:00:00Z", "--lists", "required")
        #expect(plan.output.contains("active: seen within 180d: 12 recipients"))
        let dry = try await town.herald("apply", "--dry-run", "--at", "2026-12-01T00:00:00Z")
        #expect(dry.failure == nil, "\(dry.errors)")
        #expect(town.sent().count == 12)
        let skipped = try await town.herald("plan", "--lists", "skip", "--format", "json")
        #expect(try JSONValue(parsing: Array(skipped.output.utf8))["left_out"] == nil)
    }

    /// A list with a clock that is fast may say of an app that FCM calls dead that it was seen since.
    @Test(arguments: [[], [row(13, "2027-01-02T00:00:00Z")]])
    func `a send that comes due during a run goes by the times of that moment`(_ dead: [String]) async throws {
        var files = Self.files(Self.rows + dead)
        files["late.yaml"] = """
            kind: audience
            name: newcomers
            from: members
            where: {seen: {before: 180d}}
            ---
            kind: campaign
            name: late
            target: {audience: active}
            schedule: {at: "2027-01-01T00:01:00Z"}
            message: {notification: {title: Late}}
            ---
            kind: campaign
            name: come-back
            target: {audience: newcomers}
            schedule: {at: "2027-01-01T00:01:00Z"}
            message: {notification: {title: Come back}}

            """
        let town = try Town(files, at: Self.newYear)
        town.answer([.fid(13)], with: .unregistered)
        // Two minutes pass after the first messages.
        town.passWhenJoining(120)
        #expect(try await town.herald("state", "init").failure == nil)
        let run = try await town.herald("run")
        #expect(run.failure == nil, "\(run.errors)")
        #expect(town.sent("Hello").subtracting([.fid(13)]) == Set((1...11).map { Registration.fid($0) }))
        #expect(town.sent("Late") == Set((1...10).map { Registration.fid($0) }))
        #expect(town.sent("Come back") == [.fid(11), .fid(12)])
    }

    @Test func `a value of another type is told`() async throws {
        var files = Self.files([Self.row(1, "", "1000"), Self.row(2, "", "999.99"), Self.row(3, "", "many")])
        files["x.yaml"] = files["x.yaml"]?.replacing("{seen: {within: 180d}}", with: "{points: {at_least: 1000}}")
        let town = try Town(files, at: Self.newYear)
        let plan = try await town.herald("plan")
        #expect(plan.output.contains("active: points at_least 1000: 1 recipient with a value of another type"))
        let report = try await town.herald("apply", "--auto-approve")
        #expect(report.failure == nil, "\(report.errors)")
        #expect(town.sent() == [.fid(1)])
    }
}
