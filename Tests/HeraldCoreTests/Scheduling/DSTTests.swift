import Foundation
import HeraldCore
import Testing

struct DSTTests {
    /// Rome in 2026: at 1:00 UTC on 29 March 2:00 becomes 3:00, at 1:00 UTC on 25 October 3:00 becomes 2:00.
    static let spring = ("2026-03-28T22:00:00Z", "2026-03-29T22:00:00Z")
    static let autumn = ("2026-10-24T21:00:00Z", "2026-10-25T22:00:00Z")

    @Test(
        arguments: [
            ("30 2 * * *", .next, ["2026-03-29T01:00:00Z"]),
            ("30 2 * * *", .skip, []),
            ("0 2 * * *", .next, ["2026-03-29T01:00:00Z"]),
            ("59 1 * * *", .skip, ["2026-03-29T00:59:00Z"]),
            ("0 3 * * *", .skip, ["2026-03-29T01:00:00Z"]),
            // Every local time in the gap gives the same instant as the time at its end.
            ("*/20 2-3 * * *", .next, ["2026-03-29T01:00:00Z", "2026-03-29T01:20:00Z", "2026-03-29T01:40:00Z"]),
            ("30 1-3 * * *", .next, ["2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z"]),
            ("30 1-3 * * *", .skip, ["2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z"]),
        ] as [(String, DST.Gap, [String])])
    func `a time that the clocks jump over`(_ cron: String, _ gap: DST.Gap, _ times: [String]) throws {
        let schedule = try Schedule.cron(cron, in: "Europe/Rome", gap)
        #expect(try schedule.times(after: Self.spring.0, through: Self.spring.1) == times)
        #expect(try schedule.latest(after: .at(Self.spring.0), through: .at(Self.spring.1))?.rfc3339 == times.last)
    }

    @Test(
        arguments: [
            ("30 2 * * *", .first, ["2026-10-25T00:30:00Z"]),
            ("30 2 * * *", .second, ["2026-10-25T01:30:00Z"]),
            ("30 2 * * *", .both, ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"]),
            ("0 2,3 * * *", .first, ["2026-10-25T00:00:00Z", "2026-10-25T02:00:00Z"]),
            ("0 2,3 * * *", .second, ["2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z"]),
            ("59 1-2 * * *", .second, ["2026-10-24T23:59:00Z", "2026-10-25T01:59:00Z"]),
            (
                "*/30 2 * * *", .both,
                ["2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z", "2026-10-25T01:30:00Z"]
            ),
        ] as [(String, DST.Overlap, [String])])
    func `a time that the clocks show twice`(_ cron: String, _ overlap: DST.Overlap, _ times: [String]) throws {
        let schedule = try Schedule.cron(cron, in: "Europe/Rome", .next, overlap)
        #expect(try schedule.times(after: Self.autumn.0, through: Self.autumn.1) == times)
        #expect(try schedule.latest(after: .at(Self.autumn.0), through: .at(Self.autumn.1))?.rfc3339 == times.last)
    }

    @Test func `a star means every local time, in minutes and hours alike`() throws {
        let every = try Schedule.cron("* * * * *", in: "Europe/Rome", .next, .first)
        #expect(try every.times(after: "2026-10-24T21:59:59Z", through: "2026-10-25T22:59:59Z").count == 24 * 60)
        let both = try Schedule.cron("0 * * * *", in: "Europe/Rome", .next, .both)
        #expect(try both.times(after: "2026-10-24T21:59:59Z", through: "2026-10-25T22:59:59Z").count == 25)
        #expect(try both.times(after: "2026-03-28T22:59:59Z", through: "2026-03-29T21:59:59Z").count == 23)
    }

    @Test func `half an hour is a change too`() throws {
        // Lord Howe in 2026: on 4 October 2:00 becomes 2:30, on 5 April 2:00 becomes 1:30.
        let schedule = try Schedule.cron("15,45 1,2 * * *", in: "Australia/Lord_Howe", .next, .both)
        #expect(
            try schedule.times(after: "2026-10-03T12:00:00Z", through: "2026-10-04T12:00:00Z")
                == ["2026-10-03T14:45:00Z", "2026-10-03T15:15:00Z", "2026-10-03T15:30:00Z", "2026-10-03T15:45:00Z"])
        #expect(
            try schedule.times(after: "2026-04-04T12:00:00Z", through: "2026-04-05T12:00:00Z") == [
                "2026-04-04T14:15:00Z", "2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z", "2026-04-04T15:45:00Z",
                "2026-04-04T16:15:00Z",
            ])
    }

    @Test func `a whole day can be left out`() throws {
        // Samoa skipped 30 December 2011.
        let schedule = try Schedule.cron("0 12 * * *", in: "Pacific/Apia")
        #expect(
            try schedule.times(after: "2011-12-29T00:00:00Z", through: "2012-01-01T00:00:00Z")
                == ["2011-12-29T22:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T22:00:00Z", "2011-12-31T22:00:00Z"])
    }
}
