import Foundation
import Testing

@testable import HeraldCore

/// When the clocks of zones reach a local time. The instants are those of the tz database, worked out by hand.
struct LocalScheduleTests {
    private struct Case: CustomTestStringConvertible, Sendable {
        var local: String
        var zone: String
        var gap = DST.Gap.next
        var overlap = DST.Overlap.first
        var instant: String
        var fate = Schedule.Reaching.Fate.sent
        /// Minutes and hours of the schedule.
        var cron = "30 2 * * *"

        var testDescription: String { "\(local) in \(zone), \(gap), \(overlap), \(cron)" }
    }

    private static let cases: [Case] = [
        .init(local: "2026-12-01T09:00", zone: "Asia/Tokyo", instant: "2026-12-01T00:00:00Z"),
        .init(local: "2026-12-01T09:00", zone: "America/New_York", instant: "2026-12-01T14:00:00Z"),
        .init(local: "2026-12-01T09:00", zone: "Pacific/Kiritimati", instant: "2026-11-30T19:00:00Z"),
        .init(local: "2026-12-01T09:00", zone: "Asia/Kathmandu", instant: "2026-12-01T03:15:00Z"),
        // Rome goes from 2:00 to 3:00 on 29 March.
        .init(local: "2026-03-29T02:30", zone: "Europe/Rome", instant: "2026-03-29T01:00:00Z"),
        .init(
            local: "2026-03-29T02:30", zone: "Europe/Rome", gap: .skip, instant: "2026-03-29T01:00:00Z",
            fate: .noSuchTime),
        .init(
            local: "2026-03-29T03:00", zone: "Europe/Rome", instant: "2026-03-29T01:00:00Z", fate: .sameInstant,
            cron: "0,30 2,3 * * *"),
        // What is skipped takes no other's place.
        .init(
            local: "2026-03-29T03:00", zone: "Europe/Rome", gap: .skip, instant: "2026-03-29T01:00:00Z",
            cron: "0,30 2,3 * * *"),
        // And from 3:00 back to 2:00 on 25 October.
        .init(local: "2026-10-25T02:30", zone: "Europe/Rome", instant: "2026-10-25T00:30:00Z"),
        .init(local: "2026-10-25T02:30", zone: "Europe/Rome", overlap: .second, instant: "2026-10-25T01:30:00Z"),
        // Lord Howe Island moves by half an hour.
        .init(local: "2026-10-04T02:15", zone: "Australia/Lord_Howe", instant: "2026-10-03T15:30:00Z"),
        // Samoa had no 30 December 2011.
        .init(local: "2011-12-30T09:00", zone: "Pacific/Apia", instant: "2011-12-30T10:00:00Z", cron: "0 9 * * *"),
    ]

    @Test(arguments: cases)
    private func `a local time in a zone`(_ test: Case) throws {
        let local = try #require(LocalTime(written: test.local))
        let zone = try #require(Zone(named: test.zone))
        let cron = try Cron(parsing: test.cron)
        let schedule = Schedule(
            .local(LocalSchedule(.cron(cron, start: nil, end: nil), field: "zone")),
            dst: DST(gap: test.gap, overlap: test.overlap))
        let reaching = schedule.reaching(local, in: zone)
        #expect(reaching.instant.rfc3339 == test.instant && reaching.fate == test.fate)
        #expect(local.firstInstant <= reaching.instant && reaching.instant <= local.lastInstant)
    }

    /// Most days take a short cut. It must not be seen.
    @Test func `days far from a clock change are no different`() throws {
        var random = SystemRandomNumberGenerator()
        let zones = ["Europe/Rome", "America/New_York", "Australia/Lord_Howe", "Asia/Tehran", "Africa/Casablanca"]
        let cron = LocalSchedule(.cron(try Cron(parsing: "0 9 * * *"), start: nil, end: nil), field: "zone")
        for name in zones {
            let zone = try #require(Zone(named: name))
            for _ in 0..<2000 {
                let seconds = Int.random(in: 1_767_225_600..<1_893_456_000, using: &random) / 900 * 900
                let local = LocalTime(secondsAsUTC: seconds)
                let expected: Date =
                    switch zone.instants(of: local) {
                    case .one(let instant), .gap(let instant), .overlap(let instant, _): instant
                    }
                let reaching = Schedule(.local(cron)).reaching(local, in: zone)
                #expect(reaching.instant == expected, "\(name) \(local)")
            }
        }
    }

    @Test func `the times of a schedule, between its start and its end`() throws {
        let start = try #require(LocalTime(written: "2026-12-02T09:00"))
        let end = try #require(LocalTime(written: "2026-12-04T08:59"))
        let schedule = LocalSchedule(
            .cron(try Cron(parsing: "0 9 * * *"), start: start, end: end), field: "zone")
        let (begin, far) = (LocalTime(year: 2026, month: 11, day: 1), LocalTime(year: 2027, month: 1, day: 1))
        #expect(
            schedule.times(after: begin, through: far, limit: 9).map(\.shortText) == [
                "2026-12-02T09:00", "2026-12-03T09:00",
            ])
        #expect(schedule.times(after: begin, through: far, limit: 1).count == 1)
        #expect(schedule.times(after: start, through: far, limit: 9).map(\.shortText) == ["2026-12-03T09:00"])
    }
}
