import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands

/// A pause does not stop the clock, and people are told.
struct PauseTests {
    /// 2027-01-04T00:00:00Z, a Monday
    private static let monday = Date(timeIntervalSince1970: 1_799_020_800)

    private func town(_ campaign: String) async throws -> Town {
        let files = [
            "herald.yaml": "herald: 1\nproject: demo-project\nfcm: {ramp: 0s, settle: 0s}\n",
            "x.yaml": "kind: campaign\nname: hello\ntarget: {fids: [cTEST00000000000000001]}\n"
                + "message: {notification: {title: Hello}}\n\(campaign)\n",
        ]
        let town = try Town(files, at: Self.monday)
        #expect(try await town.herald("state", "init").failure == nil)
        return town
    }

    /// A campaign to one person in each of these zones.
    private func town(in zones: [String], _ campaign: String) throws -> Town {
        let rows = zones.enumerated().map { "\(Registration.fid($0 + 1).rawValue),\($1)\n" }
        let files = [
            "herald.yaml": "herald: 1\nproject: demo-project\nfcm: {ramp: 0s, settle: 0s}\n",
            "members.csv": "fid,zone\n" + rows.joined(),
            "x.yaml": """
            kind: audience
            name: members
            source: {file: members.csv}
            fields: {zone: {type: timezone}}
            ---
            kind: campaign
            name: hello
            target: {audience: members}
            message: {notification: {title: Hello}}
            \(campaign)

            """,
        ]
        return try Town(files, at: Self.monday)
    }

    @Test(arguments: [
        ("schedule: {at: 2027-01-04T09:00:00Z, max_lateness: 3h}", "2027-01-04T12:00:00Z (max_lateness)"),
        (
            "schedule: {at: 2027-01-04T09:00:00Z, max_lateness: 3h}\ndelivery: {expires_after: 1h}",
            "2027-01-04T10:00:00Z (expires_after)"
        ), ("schedule: {cron: 7 9 * * *, timezone: UTC, max_lateness: 3h}", "2027-01-04T12:07:00Z (max_lateness)"),
        (
            "schedule: {cron: 7 9 * * *, timezone: UTC, max_lateness: 3h, catch_up: none}",
            "2027-01-04T09:17:00Z (catch_up)"
        ),
    ])
    func `pause says from when on it is missed, and resume that it is`(_ rest: String, _ end: String) async throws {
        let town = try await town(rest)
        #expect(try await town.herald("run").failure == nil)
        let pause = try await town.herald("pause", "hello")
        #expect(pause.errors.contains("hello@2027-01-04T09:"), "\(pause.errors)")
        #expect(pause.errors.contains("is missed if it is still paused at \(end)"), "\(pause.errors)")
        town.pass(8 * 3600)
        let early = try await town.herald("resume", "hello")
        #expect(!early.errors.contains("too late"), "\(early.errors)")
        #expect(try await town.herald("pause").failure == nil)
        town.pass(5 * 3600)
        let late = try await town.herald("resume")
        #expect(late.errors.contains("too late for hello@2027-01-04T09:"), "\(late.errors)")
        #expect(late.errors.contains("it ended at \(end)"), "\(late.errors)")
        // The next run records it, and says so once.
        #expect(try await town.herald("run").failure?.status == .failed)
        #expect(town.messages().isEmpty)
    }

    @Test func `a quiet run says only what needs a person`() async throws {
        let town = try await town("schedule: {at: 2027-01-04T09:00:00Z}")
        #expect(try await town.herald("run").failure == nil)
        #expect(try await town.herald("pause", "hello").failure == nil)
        town.go(to: Self.monday + 9.1 * 3600)
        let loud = try await town.herald("run")
        #expect(loud.failure == nil && loud.errors.contains("is held: the campaign is paused"), "\(loud.errors)")
        let quiet = try await town.herald("run", "--quiet")
        #expect(quiet.failure == nil && quiet.output + quiet.errors == "", "\(quiet.output)\(quiet.errors)")
        #expect(try await town.herald("resume", "hello").failure == nil)
        town.pass(3 * 3600)
        let missed = try await town.herald("run", "--quiet")
        #expect(missed.failure?.status == .failed && missed.output == "")
        #expect(missed.errors.hasPrefix("herald: hello@2027-01-04T09:00:00Z was not sent: "), "\(missed.errors)")
        #expect(missed.errors.split(separator: "\n").count == 2, "\(missed.errors)")
    }

    @Test func `what is sent, or has no time, is not spoken of`() async throws {
        let sent = try await town("schedule: {at: 2027-01-04T00:00:00Z}")
        #expect(try await sent.herald("run").failure == nil)
        #expect(!(try await sent.herald("pause").errors.contains("missed")))
        let once = try await town("")
        #expect(!(try await once.herald("pause", "hello").errors.contains("missed")))
    }

    @Test func `a revision that is lower than one that was sent is not spoken of`() async throws {
        let town = try await town("schedule: {at: 2027-01-04T00:00:00Z}\nrevision: 2")
        #expect(try await town.herald("run").failure == nil)
        let lowered = try town.folder.read("x.yaml").replacing("T00:00", with: "T09:00")
            .replacing("revision: 2", with: "revision: 1")
        try town.folder.write(lowered, to: "x.yaml")
        let pause = try await town.herald("pause", "hello")
        #expect(pause.failure == nil && !pause.errors.contains("missed"), "\(pause.errors)")
    }

    @Test(arguments: [
        ("", ""),
        (
            ", catch_up: none",
            ", or 10m after their clock comes to it, if no run notes that (catch_up)"
        ),
    ])
    func `a cron in local time says what is missed on each clock`(_ catchUp: String, _ unnoted: String) async throws {
        let town = try town(
            in: ["Asia/Tokyo", "Europe/Rome"],
            "schedule: {cron: 7 9 * * *, timezone: {field: zone, default: Europe/Rome}\(catchUp)}")
        #expect(try await town.herald("state", "init").failure == nil)
        #expect(try await town.herald("run").failure == nil)
        // Tokyo's clock shows it at 0:07 UTC, and Rome's at 8:07.
        town.go(to: Self.monday + 24.2 * 3600)
        #expect(try await town.herald("run").failure == nil)
        let pause = try await town.herald("pause", "hello")
        let words = "people are missed when their max_lateness of 2h is over\(unnoted), the last at 2027-01-06T"
        #expect(pause.errors.contains(words), "\(pause.errors)")
        // Twelve minutes after Rome's clock came to it.
        town.go(to: Self.monday + 32.32 * 3600)
        let resume = try await town.herald("resume", "hello")
        let late = ", or whose clock came to it more than 10m ago, if no run noted that (catch_up)"
        #expect(resume.errors.contains(late) == !catchUp.isEmpty, "\(resume.errors)")
        _ = try await town.herald("run")
        #expect(town.sent() == (catchUp.isEmpty ? [.fid(1), .fid(2)] : [.fid(1)]))
    }

    @Test func `in local time, a time that only moves what was sent is left out`() async throws {
        let town = try town(
            in: ["Asia/Tokyo", "Europe/Rome"],
            "schedule: {cron: 7 9 * * *, timezone: {field: zone, default: Europe/Rome}}")
        #expect(try await town.herald("state", "init").failure == nil)
        #expect(try await town.herald("run").failure == nil)
        town.go(to: Self.monday + 24.2 * 3600)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent() == [.fid(1)])
        let text = try town.folder.read("x.yaml")
        try town.folder.write(text.replacing("cron: 7 9", with: "cron: 37 9"), to: "x.yaml")
        let pause = try await town.herald("pause", "hello")
        #expect(pause.errors.contains("hello@2027-01-05T09:07 goes by"), "\(pause.errors)")
        #expect(!pause.errors.contains("hello@2027-01-05T09:37"), "\(pause.errors)")
        #expect(pause.errors.contains("hello@2027-01-06T09:37 goes by"), "\(pause.errors)")
    }

    /// It is due at 9:07 UTC, when the window of the first opens. That of the second opens five hours later.
    @Test func `with a window by each person's clock, their own open hours count`() async throws {
        let town = try town(
            in: ["UTC", "America/New_York"],
            "schedule: {at: 2027-01-04T09:07:00Z}\n"
                + "delivery: {window: {from: \"09:07\", to: \"18:00\", timezone: {field: zone, default: UTC}}}")
        #expect(try await town.herald("state", "init").failure == nil)
        let pause = try await town.herald("pause", "hello")
        // Nobody's zone is known, so one of the two hours may be lost to a clock that is set forward. Eight hours ahead of
        // UTC it is open for 53 minutes more, and for the other 127 on the next day from 01:07 UTC on. Nobody is later.
        let each = "hello@2027-01-04T09:07:00Z goes by each person's clock:"
        let last = "people are missed when their max_lateness of 2h is over, the last at 2027-01-05T03:14:00Z"
        #expect(pause.errors.contains("\(each) while it is paused, \(last)"), "\(pause.errors)")
        town.go(to: Self.monday + 12 * 3600)
        let resume = try await town.herald("resume", "hello")
        #expect(resume.errors.contains("\(each) it is too late for those whose max_lateness"), "\(resume.errors)")
        _ = try await town.herald("run")
        town.go(to: Self.monday + 14.5 * 3600)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent() == [.fid(2)])
    }

    /// The window keeps some waiting until the message expires. For those whose window is open, it is too late before that.
    @Test(arguments: [
        ("at: 2027-01-04T09:07:00Z", "2027-01-04T13:07:00Z"),
        ("at: 2027-01-04T09:07, if_passed: skip, timezone: {field: zone, default: UTC}", "2027-01-05T03:07:00Z"),
    ])
    func `with a window and expires_after, people may be late before a message expires`(
        _ times: String, _ last: String
    ) async throws {
        let town = try town(
            in: ["UTC", "America/New_York"],
            "schedule: {\(times), max_lateness: 30m}\ndelivery: {expires_after: 4h, window: "
                + "{from: \"09:00\", to: \"18:00\", timezone: {field: zone, default: UTC}}}")
        #expect(try await town.herald("state", "init").failure == nil)
        let pause = try await town.herald("pause", "hello")
        let settings = "max_lateness of 30m or expires_after of 4h is over"
        let end = "people are missed when their \(settings), the last at \(last)"
        #expect(pause.errors.contains(end), "\(pause.errors)")
        town.go(to: Self.monday + 10 * 3600)
        let resume = try await town.herald("resume", "hello")
        #expect(resume.errors.contains("it is too late for those whose \(settings)"), "\(resume.errors)")
    }

    @Test func `in local time each person's own clock says what is missed`() async throws {
        let town = try town(
            in: ["Asia/Tokyo", "Europe/Rome", "America/New_York"],
            "schedule: {at: 2027-01-05T09:07, if_passed: skip, timezone: {field: zone, default: Europe/Rome}}")
        #expect(try await town.herald("state", "init").failure == nil)
        #expect(try await town.herald("run").failure == nil)
        // Tokyo's clock shows it at 0:07 UTC, Rome's at 8:07 and New York's at 14:07.
        town.go(to: Self.monday + 24.5 * 3600)
        #expect(try await town.herald("run").failure == nil)
        let pause = try await town.herald("pause", "hello")
        let each = "hello@2027-01-05T09:07 goes by each person's clock:"
        let last = "people are missed when their max_lateness of 2h is over, the last at 2027-01-06T01:07:00Z"
        #expect(pause.errors.contains("\(each) while it is paused, \(last)"), "\(pause.errors)")
        town.go(to: Self.monday + 35 * 3600)
        let resume = try await town.herald("resume", "hello")
        let late = "it is too late for those whose max_lateness of 2h is over"
        #expect(resume.errors.contains("\(each) \(late)"), "\(resume.errors)")
        #expect(try await town.herald("run").failure?.status == .failed)
        town.go(to: Self.monday + 38.5 * 3600)
        #expect(try await town.herald("run").failure == nil)
        #expect(town.sent() == [.fid(1), .fid(3)])
    }

    /// The first clock of the world comes to it at 19:07 UTC of the day before.
    @Test(arguments: ["at: 2027-01-05T09:07, if_passed: skip", "cron: 7 9 * * *"])
    func `in local time, what nobody has had yet is spoken of, too`(_ times: String) async throws {
        let town = try town(
            in: ["Asia/Tokyo", "Europe/Rome"],
            "schedule: {\(times), max_lateness: 1h, timezone: {field: zone, default: Europe/Rome}}")
        #expect(try await town.herald("state", "init").failure == nil)
        #expect(try await town.herald("run").failure == nil)
        town.pass(3600)
        let pause = try await town.herald("pause", "hello")
        let each = "hello@2027-01-05T09:07 goes by each person's clock:"
        let last = "people are missed when their max_lateness of 1h is over, the last at 2027-01-06T00:07:00Z"
        #expect(pause.errors.contains("\(each) while it is paused, \(last)"), "\(pause.errors)")
        let soon = try await town.herald("resume", "hello")
        #expect(!soon.errors.contains("too late"), "\(soon.errors)")
        #expect(try await town.herald("pause", "hello").failure == nil)
        town.go(to: Self.monday + 22 * 3600)
        let resume = try await town.herald("resume", "hello")
        let late = "it is too late for those whose max_lateness of 1h is over"
        #expect(resume.errors.contains("\(each) \(late)"), "\(resume.errors)")
    }

    /// It is due at 7:07 in Tokyo. No row of a list says another zone.
    @Test func `whom no list names has the default zone of the window`() async throws {
        let town = try await town(
            "schedule: {at: 2027-01-04T22:07:00Z, max_lateness: 2h}\ndelivery: {expires_after: 1d, "
                + "window: {from: \"09:00\", to: \"21:00\", timezone: {field: zone, default: Asia/Tokyo}}}")
        let pause = try await town.herald("pause", "hello")
        let end = "hello@2027-01-04T22:07:00Z is missed if it is still paused at 2027-01-05T02:00:00Z (max_lateness)"
        #expect(pause.errors.contains(end), "\(pause.errors)")
    }

    @Test func `what is over by now does not hide what comes next`() async throws {
        let town = try await town("schedule: {cron: 7 * * * *, timezone: UTC, max_lateness: 1h, catch_up: none}")
        #expect(try await town.herald("run").failure == nil)
        town.pass(1800)
        let pause = try await town.herald("pause", "hello")
        let end = "hello@2027-01-04T01:07:00Z is missed if it is still paused at 2027-01-04T01:17:00Z (catch_up)"
        #expect(pause.errors.contains(end), "\(pause.errors)")
    }

    /// 9:07 was sent, and counts as 14:07 of that day.
    @Test func `a time that an edit moved is not spoken of`() async throws {
        let schedule = "schedule: {cron: 7 9 * * *, timezone: UTC}"
        let town = try await town(schedule)
        #expect(try await town.herald("run").failure == nil)
        town.go(to: Self.monday + 9.2 * 3600)
        #expect(try await town.herald("run").failure == nil)
        try town.folder.write(try town.folder.read("x.yaml").replacing("7 9 *", with: "7 14 *"), to: "x.yaml")
        let pause = try await town.herald("pause", "hello")
        #expect(!pause.errors.contains("hello@2027-01-04T14:07:00Z"), "\(pause.errors)")
        #expect(pause.errors.contains("hello@2027-01-05T14:07:00Z is missed"), "\(pause.errors)")
    }
}
