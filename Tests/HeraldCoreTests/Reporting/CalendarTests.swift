import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct CalendarTests {
    private func campaign(_ name: String, _ schedule: Schedule) -> Campaign {
        var campaign = Campaign.tide(name)
        campaign.schedule = schedule
        return campaign
    }

    private func calendar(
        _ campaigns: [Campaign], after: String, through: String, limit: Int = 100
    ) throws -> CalendarDocument {
        CalendarDocument(of: campaigns, after: try .at(after), through: try .at(through), limit: limit)
    }

    /// Local time, offset and note of each occurrence.
    private func lines(
        _ cron: String, _ gap: DST.Gap = .next, _ overlap: DST.Overlap = .first, after: String, through: String
    )
        throws -> [String]
    {
        let campaign = campaign("tide", try .cron(cron, in: "Europe/Rome", gap, overlap))
        return Occurring.coming(of: campaign, after: try .at(after), through: try .at(through), limit: 100)
            .map { "\($0.local) \($0.offset) \($0.note)" }
    }

    @Test func `a time that the clocks jump over is moved, and says so`() throws {
        #expect(
            try lines("30 2 * * *", after: "2026-03-27T23:00:00Z", through: "2026-03-30T22:00:00Z") == [
                "2026-03-28T02:30:00 +01:00 ",
                "2026-03-29T03:00:00 +02:00 02:30 does not exist that day; moved to 03:00",
                "2026-03-30T02:30:00 +02:00 ",
            ])
        #expect(
            try lines("*/15 2 * * *", after: "2026-03-28T23:00:00Z", through: "2026-03-29T22:00:00Z")
                == ["2026-03-29T03:00:00 +02:00 02:00 to 02:45 do not exist that day; moved to 03:00"])
        #expect(
            try lines("30 2 * * *", .skip, after: "2026-03-27T23:00:00Z", through: "2026-03-30T22:00:00Z") == [
                "2026-03-28T02:30:00 +01:00 ",
                "2026-03-30T02:30:00 +02:00 02:30 does not exist on 2026-03-29; left out; "
                    + "the offset changes from +01:00 to +02:00 since the last one",
            ])
        #expect(
            try lines("*/15 2,3 * * *", .skip, after: "2026-03-28T23:00:00Z", through: "2026-03-29T01:10:00Z") == [
                "2026-03-29T03:00:00 +02:00 02:00 to 02:45 do not exist on 2026-03-29; left out; "
                    + "the offset changes from +01:00 to +02:00 since the last one"
            ])
    }

    @Test func `a time that the clocks show twice says which it is`() throws {
        let (after, through) = ("2026-10-24T12:00:00Z", "2026-10-26T02:00:00Z")
        #expect(
            try lines("30 2 * * *", .next, .both, after: after, through: through) == [
                "2026-10-25T02:30:00 +02:00 02:30 happens twice; the first",
                "2026-10-25T02:30:00 +01:00 02:30 happens twice; the second",
                "2026-10-26T02:30:00 +01:00 ",
            ])
        #expect(
            try lines("30 2 * * *", .next, .first, after: after, through: through) == [
                "2026-10-25T02:30:00 +02:00 02:30 happens twice; the first",
                "2026-10-26T02:30:00 +01:00 the offset changes from +02:00 to +01:00 since the last one",
            ])
    }

    @Test func `a change is noted in the first one listed too`() throws {
        #expect(
            try lines("30 9 * * MON", after: "2026-10-25T12:00:00Z", through: "2026-11-03T00:00:00Z") == [
                "2026-10-26T09:30:00 +01:00 the offset changes from +02:00 to +01:00 since the last one",
                "2026-11-02T09:30:00 +01:00 ",
            ])
    }

    @Test func `another day's time is named with its day`() throws {
        let campaign = campaign("tide", try .cron("0 12 30 12 *", in: "Pacific/Apia"))
        let coming = try Occurring.coming(
            of: campaign, after: .at("2011-12-01T00:00:00Z"), through: .at("2012-01-01T00:00:00Z"), limit: 9)
        #expect(coming.map(\.note) == ["2011-12-30 12:00 does not exist that day; moved to 00:00"])
        #expect(coming.map(\.local.description) == ["2011-12-31T00:00:00"])
    }

    @Test func `one time is listed, and none that has no time or is disabled`() throws {
        let rome = try Zone.known("Europe/Rome")
        var disabled = campaign("off", try .cron("0 9 * * *"))
        disabled.enabled = false
        var second = campaign("summer", Schedule(.at(try .at("2026-10-25T00:30:00Z")), zone: rome))
        second.revision = 2
        let document = try calendar(
            [campaign("now", Schedule()), disabled, second], after: "2026-10-25T00:29:59Z",
            through: "2027-01-01T00:00:00Z")
        #expect(document.occurrences.map(\.occurrence.rawValue) == ["summer@2026-10-25T00:30:00Z#2"])
        #expect(document.occurrences.map(\.note) == ["02:30 happens twice; the first"])
        #expect(document.occurrences.map(\.local.description) == ["2026-10-25T02:30:00"])
    }

    /// The window opens on weekdays. 2026-11-28 is a Saturday.
    @Test(arguments: [
        (4, "expires at 2026-11-29T00:00:00 UTC, before its window opens"),
        (48, "waits for its window, which opens at 2026-11-30T09:00:00 UTC"),
    ])
    func `what waits for its window says if it expires before that`(_ hours: Int, _ note: String) throws {
        var campaign = campaign("tide", try .cron("0 20 28 11 *", in: "UTC"))
        campaign.delivery.window = SendWindow(
            hours: DailyHours(from: 9 * 60, to: 21 * 60, days: 0b11_1110), zone: .utc, whenClosed: .wait)
        campaign.delivery.expiresAfter = .seconds(hours * 3600)
        let coming = try Occurring.coming(
            of: campaign, after: .at("2026-11-28T00:00:00Z"), through: .at("2026-11-29T00:00:00Z"), limit: 9)
        #expect(coming.map(\.note) == [note])
    }

    /// Saturday, Sunday and Monday. The window opens on Monday at 9:00.
    @Test(arguments: Schedule.CatchUp.allCases)
    func `what waits for its window says if the next one takes its place`(_ catchUp: Schedule.CatchUp) throws {
        var campaign = campaign("tide", try .cron("7 9 28-30 11 *", in: "UTC"))
        campaign.schedule.catchUp = catchUp
        campaign.delivery.window = SendWindow(
            hours: DailyHours(from: 9 * 60, to: 21 * 60, days: 0b11_1110), zone: .utc, whenClosed: .wait)
        let coming = try Occurring.coming(
            of: campaign, after: .at("2026-11-28T00:00:00Z"), through: .at("2026-12-01T00:00:00Z"), limit: 9)
        let opening = "its window, which opens at 2026-11-30T09:00:00 UTC"
        let saturday = catchUp == .all ? "waits for \(opening)" : "superseded by the next one before \(opening)"
        #expect(coming.map(\.note) == [saturday, "waits for \(opening)", ""])
    }

    @Test func `one time that the clocks skip is told of`() throws {
        var schedule = Schedule(.at(try .at("2026-03-29T01:00:00Z")), zone: try .known("Europe/Rome"))
        schedule.skipped = LocalTime(written: "2026-03-29T02:31")
        let document = try calendar(
            [campaign("tide", schedule)], after: "2026-03-28T12:00:00Z", through: "2026-03-30T00:00:00Z")
        #expect(document.occurrences.map(\.note) == ["02:31 does not exist that day; moved to 03:00"])
        #expect(document.occurrences.map(\.local.description) == ["2026-03-29T03:00:00"])
    }

    /// The last clock of the world shows it at 23:00 UTC.
    @Test(arguments: LocalSchedule.IfPassed.allCases)
    func `a local time is listed until those have it who wait a day`(_ ifPassed: LocalSchedule.IfPassed) throws {
        let time = LocalTime(year: 2026, month: 12, day: 2, hour: 9)
        let campaign = campaign("tide", Schedule(.local(LocalSchedule(.at(time, ifPassed), field: "zone"))))
        let document = try calendar([campaign], after: "2026-12-02T23:30:00Z", through: "2026-12-09T00:00:00Z")
        let last = document.occurrences.map { $0.last?.rfc3339 }
        #expect(last == (ifPassed == .nextDay ? ["2026-12-03T23:00:00Z"] : []))
    }

    @Test func `campaigns are listed by time, then by name`() throws {
        let document = try calendar(
            [campaign("b", try .cron("0 9 * * *")), campaign("a", try .cron("0 9,10 * * *"))],
            after: "2026-12-01T00:00:00Z", through: "2026-12-01T23:00:00Z")
        #expect(document.occurrences.map(\.campaign) == ["a", "b", "a"])
    }

    @Test func `what is left out is known`() throws {
        let minutely = campaign("minutely", try .cron("* * * * *"))
        let daily = campaign("daily", try .cron("0 9 * * *"))
        let document = try calendar(
            [minutely, daily], after: "2026-12-01T00:00:00Z", through: "2026-12-05T12:00:00Z", limit: 5)
        #expect(document.shortened == ["minutely"])
        #expect(document.occurrences.count == 10)
    }

    @Test func `its JSON is that of its schema`() throws {
        let document = try calendar(
            [campaign("tide-rome", try .cron("30 2 * * *", in: "Europe/Rome"))], after: "2026-03-28T12:00:00Z",
            through: "2026-03-29T12:00:00Z")
        #expect(
            document.json == [
                "schema": "herald.calendar/1",
                "occurrences": [
                    [
                        "campaign": "tide-rome", "occurrence": "tide-rome@2026-03-29T01:00:00Z",
                        "at": "2026-03-29T01:00:00Z", "local": "2026-03-29T03:00:00", "timezone": "Europe/Rome",
                        "offset": "+02:00", "note": "02:30 does not exist that day; moved to 03:00",
                    ]
                ],
            ])
    }

    @Test func `its text is a table`() throws {
        let document = try calendar(
            [
                campaign("tide-rome", try .cron("30 2 * * *", in: "Europe/Rome")),
                campaign("ebb", try .cron("0 0 * * *")),
            ],
            after: "2026-03-28T12:00:00Z", through: "2026-03-29T12:00:00Z")
        #expect(
            document.text(.plain) == """
                2026-03-29 00:00:00 +00:00 UTC          2026-03-29T00:00:00Z  ebb
                2026-03-29 03:00:00 +02:00 Europe/Rome  2026-03-29T01:00:00Z  tide-rome  \
                02:30 does not exist that day; moved to 03:00

                """)
        let empty = try calendar([], after: "2026-03-28T12:00:00Z", through: "2026-03-29T12:00:00Z")
        #expect(empty.text(.plain) == "Nothing is due until 2026-03-29T12:00:00Z.\n")
    }
}
