import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// Send windows through herald's own command lines, with a clock of the test.
struct WindowTests {
    /// 2027-01-04T00:00:00Z, a Monday
    private static let monday = Date(timeIntervalSince1970: 1_799_020_800)

    private static let zones = ["Asia/Tokyo", "Europe/Rome", "America/New_York", "", "Nowhere/Land", "+05:30"]

    private static func files(
        _ campaign: String, settings: String = "", zones: [String] = zones, version: Int = 1
    ) -> [String: String] {
        let rows = zones.enumerated().map { "\(Registration.fid($0 + 1).rawValue),\($1)\n" }.joined()
        return [
            "herald.yaml": """
            herald: \(version)
            project: demo-project
            fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s, settle: 0s}
            \(settings)

            """,
            "members.csv": "fid,zone\n" + rows,
            "x.yaml": """
            kind: audience
            name: members
            source: {file: members.csv}
            fields: {zone: {type: timezone}}
            ---
            kind: campaign
            name: hello
            message: {notification: {title: Hello}}
            \(campaign)

            """,
        ]
    }

    private static let byZone = """
        target: {audience: members}
        schedule: {at: "2027-01-04T08:07:00Z"}
        delivery:
          expires_after: 1d
          window: {from: "09:00", to: "21:00", timezone: {field: zone, default: Europe/Rome}}
        """

    private func numbers(_ registrations: Set<Registration>) -> Set<Int> {
        Set((1...20).filter { registrations.contains(.fid($0)) })
    }

    @Test func `nobody is sent anything outside of their window, and everybody within it once`() async throws {
        let town = try Town(Self.files(Self.byZone), at: Self.monday)
        #expect(try await town.herald("state", "init").failure == nil)
        var hours: [Int: Int] = [:]
        for hour in 0..<40 {
            let before = town.sent()
            let run = try await town.herald("run")
            #expect(run.failure == nil, "\(hour): \(run.errors)")
            for number in numbers(town.sent().subtracting(before)) { hours[number] = hour }
            town.pass(3600)
        }
        // It is due at 8:07 UTC, and the first run after that is at 9:00: 18:00 in Tokyo, 10:00 in Rome, 14:30 at +05:30.
        // In New York the window opens at 14:00 UTC. Who has no zone has that of Rome.
        #expect(hours == [1: 9, 2: 9, 3: 14, 4: 9, 5: 9, 6: 9])
        #expect(town.messages().count == 6)
        // Nothing is left to do, and nobody is told a second time.
        #expect(try await town.herald("plan", "--detailed-exitcode").failure == nil)
        let lifetimes = Dictionary(
            town.messages().map { ($0["fid"]?.string ?? "", $0["android"]?["ttl"]?.string ?? "") }
        ) { first, _ in first }
        let lifetime = { (number: Int) in lifetimes[Registration.fid(number).rawValue] }
        // Until 21:00 of each.
        #expect(lifetime(1) == "\(3 * 3600)s" && lifetime(2) == "\(11 * 3600)s" && lifetime(3) == "\(12 * 3600)s")
        #expect(lifetime(6) == "\(6 * 3600 + 1800)s")
    }

    @Test(arguments: ["text", "markdown", "html", "json"])
    func `the plan says who waits, why and until when`(_ format: String) async throws {
        let town = try Town(Self.files(Self.byZone), at: Self.monday + 9 * 3600)
        let plan = try await town.herald("plan", "--format", format)
        #expect(plan.output.contains("2027-01-04T14:00:00Z"), "\(plan.output)")
        #expect(plan.output.contains("the window is closed (09:00 to 21:00 by each one"))
        guard format == "json" else {
            #expect(plan.output.contains("hello: 2 recipients with no time zone of their own have the default"))
            return
        }
        let json = try JSONValue(parsing: Array(plan.output.utf8))
        #expect(json["zones_defaulted"] == ["hello": 2])
        #expect(json["waiting"]?.array?.first?["recipients"] == 1)
        #expect(json["steps"]?.array?.first?["planned"] == 5)
    }

    @Test func `an edit of the window, a move and a correction of the message`() async throws {
        let town = try Town(Self.files(Self.byZone), at: Self.monday + 9 * 3600)
        #expect(try await town.herald("state", "init").failure == nil)
        #expect(try await town.herald("run").failure == nil)
        #expect(numbers(town.sent()) == [1, 2, 4, 5, 6])
        // A message that is corrected while somebody waits is held for them, as any half-done send.
        let corrected = Self.files(Self.byZone)["x.yaml"]?.replacing("title: Hello", with: "title: Hullo") ?? ""
        try town.folder.write(corrected, to: "x.yaml")
        let held = try await town.herald("run")
        #expect(held.errors.contains("its message, target or time changed since"))
        try town.folder.write(Self.files(Self.byZone)["x.yaml"] ?? "", to: "x.yaml")
        // Number 3 moves to Lisbon, where it is 9:00, and two people join the list.
        var moved = Self.zones
        moved[2] = "Europe/Lisbon"
        try town.folder.write(
            Self.files("", zones: moved + ["Europe/Rome", "Asia/Tokyo"])["members.csv"] ?? "", to: "members.csv")
        #expect(try await town.herald("run").failure == nil)
        #expect(numbers(town.sent()) == [1, 2, 3, 4, 5, 6])
        #expect(town.messages().count == 6)
    }

    @Test func `the workspace's window holds for every campaign that does not lift it`() async throws {
        let night = "delivery: {window: {from: \"22:00\", to: \"06:00\", timezone: UTC}}"
        let plain = "target: {audience: members}\ndelivery: {expires_after: 1d"
        for (campaign, isSent) in [("\(plain)}", false), ("\(plain), window: always}", true)] {
            let town = try Town(
                Self.files(campaign, settings: night, version: 2), at: Self.monday + 12 * 3600)
            #expect(try await town.herald("state", "init").failure == nil)
            #expect(try await town.herald("run").failure == nil)
            #expect(numbers(town.sent()) == (isSent ? Set(1...6) : []), "\(campaign)")
            town.pass(10 * 3600)
            #expect(try await town.herald("run").failure == nil)
            #expect(numbers(town.sent()) == Set(1...6))
            #expect(town.messages().count == 6)
        }
    }

    @Test func `one request to a topic waits by the default zone`() async throws {
        let campaign = """
            target: {topic: news}
            delivery: {expires_after: 1d, window: {from: "20:00", to: "22:00", timezone: Europe/Rome}}
            ---
            kind: topic
            name: news
            subscribers: [members]
            """
        let town = try Town(Self.files(campaign), at: Self.monday + 12 * 3600)
        #expect(try await town.herald("state", "init").failure == nil)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.messages().isEmpty && town.members(of: "news").count == 6)
        town.pass(7 * 3600)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.messages().map { $0["topic"]?.string } == ["news"])
    }

    @Test func `a window that closes during a run keeps the rest for the next opening`() async throws {
        let campaign = Self.byZone.replacing("{field: zone, default: Europe/Rome}", with: "Europe/Rome")
            .replacing("08:07", with: "19:58")
        let town = try Town(Self.files(campaign), at: Self.monday + 20 * 3600 - 60)
        #expect(try await town.herald("state", "init").failure == nil)
        town.passWhenSending(120)
        let run = try await town.herald("run")
        #expect(run.failure == nil, "\(run.errors)")
        #expect(town.messages().count < 6)
        #expect(run.output.contains("the window closed (09:00 to 21:00 Europe/Rome); it goes on when it opens"))
        // At night nothing happens, however often cron calls.
        for _ in 0..<3 {
            town.pass(3600)
            let sent = town.messages().count
            #expect(try await town.herald("run").failure == nil)
            #expect(town.messages().count == sent)
        }
        // The window opens at 8:00 UTC. Cron was late, and within max_lateness.
        town.pass(9 * 3600 + 1800)
        #expect(try await town.herald("run").failure == nil)
        #expect(numbers(town.sent()) == Set(1...6))
        #expect(town.messages().count == 6)
    }

    @Test func `whoever nobody waits for is skipped for good, and accounted for`() async throws {
        let campaign = Self.byZone.replacing("Europe/Rome}}", with: "Europe/Rome}, when_closed: skip}")
        let town = try Town(Self.files(campaign), at: Self.monday + 9 * 3600)
        #expect(try await town.herald("state", "init").failure == nil)
        let plan = try await town.herald("plan")
        #expect(plan.output.contains("5 recipients, skipped: 1 outside of their window"), "\(plan.output)")
        let run = try await town.herald("run")
        #expect(run.failure == nil, "\(run.errors)")
        #expect(run.output.contains("skipped: 1 outside of their window"))
        #expect(numbers(town.sent()) == [1, 2, 4, 5, 6])
        // It is over: the window opens in New York, and nobody is sent anything any more.
        town.pass(8 * 3600)
        #expect(try await town.herald("plan", "--detailed-exitcode").failure == nil)
        let state = try await town.herald("state", "show")
        #expect(state.output.contains("5 accepted, skipped: 1 outside of their window, finished"))
        let found = try await town.herald("state", "find", Registration.fid(3).rawValue)
        #expect(found.output.contains("skipped (outside_window)"), "\(found.output)\(found.errors)")
    }

    @Test func `whom FCM refused for now may have it, and ends as rejected when the window closes`() async throws {
        let campaign = Self.byZone.replacing("08:07", with: "19:58")
            .replacing("{field: zone, default: Europe/Rome}", with: "Europe/Rome, when_closed: skip")
        let town = try Town(Self.files(campaign), at: Self.monday + 20 * 3600 - 60)
        #expect(try await town.herald("state", "init").failure == nil)
        let refusal = Exchange.error(503, "UNAVAILABLE", fcm: "UNAVAILABLE", retryAfter: "99999")
        town.answer([.fid(6)], with: refusal)
        #expect(try await town.herald("run").failure?.status == .failed)
        #expect(numbers(town.sent()) == Set(1...6))
        town.pass(120)
        let plan = try await town.herald("plan")
        #expect(plan.output.contains("1 refused for now, not tried again"), "\(plan.output)")
        let run = try await town.herald("run")
        #expect(run.failure?.status == .failed, "\(run.output)\(run.errors)")
        #expect(town.messages().count == 6)
        let state = try await town.herald("state", "show", "--format", "json")
        let occurrence = try JSONValue(parsing: Array(state.output.utf8))["occurrences"]?.array?.first
        #expect(occurrence?["accepted"] == 5 && occurrence?["rejected"] == 1 && occurrence?["skipped"] == 0)
        #expect(occurrence?["finished"] != .null)
        #expect(try await town.herald("run").failure == nil)
    }

    @Test func `max_recipients and the first line count those who wait`() async throws {
        let town = try Town(
            Self.files(Self.byZone, settings: "guards: {max_recipients: 5}"), at: Self.monday + 9 * 3600)
        #expect(try await town.herald("state", "init").failure == nil)
        let plan = try await town.herald("plan", "--format", "markdown")
        #expect(plan.output.contains("1 campaign to 6 recipients"), "\(plan.output)")
        // In New York the window opens at 14:00 UTC.
        for _ in 0..<2 {
            #expect(try await town.herald("run").failure?.status == .refused)
            town.pass(6 * 3600)
        }
        #expect(town.messages().isEmpty)
    }

    @Test func `the last stage is not done while somebody waits for their window`() async throws {
        let town = try Town(
            Self.files(Self.byZone + "\n  stages: [100%]", version: 2), at: Self.monday + 9 * 3600)
        #expect(try await town.herald("state", "init").failure == nil)
        let first = try await town.herald("run")
        #expect(first.output.contains("stage 100 % open, 6 recipients: 5 accepted"), "\(first.output)")
        town.pass(6 * 3600)
        let last = try await town.herald("run")
        #expect(last.output.contains("stage 100 % done, 6 recipients: 6 accepted"), "\(last.output)")
    }

    @Test func `whoever's window was open for too long while nothing ran is missed once`() async throws {
        let town = try Town(Self.files(Self.byZone), at: Self.monday + 9 * 3600)
        #expect(try await town.herald("state", "init").failure == nil)
        // No run came for seven hours. Only in New York the window opened a short while ago.
        town.pass(6 * 3600)
        let status = try await town.herald("status", "--format", "json")
        let needs = try JSONValue(parsing: Array(status.output.utf8))["needs"]?.array ?? []
        #expect(
            needs.contains {
                $0["kind"] == "missed" && $0["sentence"]?.string?.contains("too late for 5 recipients") == true
            }, "\(status.output)")
        let run = try await town.herald("run")
        #expect(run.failure?.status == .failed, "\(run.output)\(run.errors)")
        #expect(run.output.contains("skipped: 5 too late\n"))
        #expect(numbers(town.sent()) == [3])
        let again = try await town.herald("run")
        #expect(again.failure == nil, "\(again.output)\(again.errors)")
        #expect(town.messages().count == 1)
    }
}
