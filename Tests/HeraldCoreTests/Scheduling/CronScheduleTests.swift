import Foundation
import Testing

@testable import HeraldCore

struct CronScheduleTests {
    @Test(arguments: [
        // 2026-12-01 is a Tuesday.
        ("30 9 * * MON", ["2026-12-07T09:30:00Z", "2026-12-14T09:30:00Z"]),
        ("0 0 13 * *", ["2026-12-13T00:00:00Z", "2027-01-13T00:00:00Z"]),
        // With two restricted day fields, one match is enough.
        ("0 0 3 * FRI", ["2026-12-03T00:00:00Z", "2026-12-04T00:00:00Z", "2026-12-11T00:00:00Z"]),
        ("0 0 1-31 * FRI", ["2026-12-02T00:00:00Z", "2026-12-03T00:00:00Z", "2026-12-04T00:00:00Z"]),
        // If a day field begins with a star, both fields must match.
        ("0 0 */2 * FRI", ["2026-12-11T00:00:00Z", "2026-12-25T00:00:00Z", "2027-01-01T00:00:00Z"]),
        ("0 0 3 * */2", ["2026-12-03T00:00:00Z", "2027-01-03T00:00:00Z", "2027-04-03T00:00:00Z"]),
        ("59 23 31 12 *", ["2026-12-31T23:59:00Z", "2027-12-31T23:59:00Z"]),
        ("0 0 29 2 *", ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z", "2036-02-29T00:00:00Z"]),
        ("0 12 * 2 SUN", ["2027-02-07T12:00:00Z", "2027-02-14T12:00:00Z"]),
        (
            "10-12/2,50 0,23 1 * *",
            [
                "2026-12-01T00:10:00Z", "2026-12-01T00:12:00Z", "2026-12-01T00:50:00Z",
                "2026-12-01T23:10:00Z",
            ]
        ),
    ])
    func `fires when the fields say`(_ cron: String, _ times: [String]) throws {
        let schedule = try Schedule.cron(cron)
        #expect(
            try schedule.times(after: "2026-12-01T00:00:00Z", through: "2099-01-01T00:00:00Z", limit: times.count)
                == times)
    }

    @Test func `the interval leaves out its start and takes in its end`() throws {
        let schedule = try Schedule.cron("0 * * * *")
        #expect(
            try schedule.times(after: "2026-12-01T08:00:00Z", through: "2026-12-01T10:00:00Z")
                == ["2026-12-01T09:00:00Z", "2026-12-01T10:00:00Z"])
        #expect(
            try schedule.times(after: "2026-12-01T07:59:59.5Z", through: "2026-12-01T08:59:59.999Z")
                == ["2026-12-01T08:00:00Z"])
        #expect(try schedule.times(after: "2026-12-01T08:00:00Z", through: "2026-12-01T08:00:00Z") == [])
        #expect(try schedule.times(after: "2026-12-01T10:00:00Z", through: "2026-12-01T08:00:00Z") == [])
        #expect(try schedule.times(after: "2026-12-01T08:00:00Z", through: "2026-12-02T08:00:00Z", limit: 0) == [])
    }

    @Test func `start and end are its first and last possible times`() throws {
        let schedule = try Schedule.cron("0 9 * * *", start: "2026-12-03T09:00:00Z", end: "2026-12-05T09:00:00Z")
        let all = ["2026-12-03T09:00:00Z", "2026-12-04T09:00:00Z", "2026-12-05T09:00:00Z"]
        #expect(try schedule.times(after: "2026-01-01T00:00:00Z", through: "2027-01-01T00:00:00Z") == all)
        #expect(try schedule.next(after: .at("2026-01-01T00:00:00Z")) == .at(all[0]))
        #expect(try schedule.next(after: .at(all[2])) == nil)
        #expect(
            try schedule.latest(after: .at("2026-01-01T00:00:00Z"), through: .at("2027-01-01T00:00:00Z")) == .at(all[2])
        )
        #expect(try schedule.latest(after: .at("2026-01-01T00:00:00Z"), through: .at("2026-12-03T08:59:59Z")) == nil)
        let later = try Schedule.cron("0 9 * * *", start: "2026-12-03T09:00:00.5Z", end: "2026-12-05T08:59:59.9Z")
        #expect(try later.times(after: "2026-01-01T00:00:00Z", through: "2027-01-01T00:00:00Z") == [all[1]])
    }

    @Test func `one time is one occurrence`() throws {
        let at = Schedule(.at(try .at("2026-12-01T08:00:00Z")))
        #expect(
            try at.times(after: "2026-12-01T07:59:59Z", through: "2026-12-01T08:00:00Z") == ["2026-12-01T08:00:00Z"])
        #expect(try at.times(after: "2026-12-01T08:00:00Z", through: "2027-01-01T00:00:00Z") == [])
        #expect(try at.next(after: .at("2020-01-01T00:00:00Z")) == .at("2026-12-01T08:00:00Z"))
        #expect(try at.next(after: .at("2026-12-01T08:00:00Z")) == nil)
        #expect(try at.latest(after: .at("2026-01-01T00:00:00Z"), through: .at("2027-01-01T00:00:00Z")) == at.at)
        #expect(at.canFire)
        #expect(Schedule().canFire)
        #expect(try Schedule().next(after: .at("2020-01-01T00:00:00Z")) == nil)
        #expect(try Schedule().times(after: "2020-01-01T00:00:00Z", through: "2030-01-01T00:00:00Z") == [])
    }

    @Test(
        arguments: [
            ("0 0 30 2 *", nil, nil, false),
            ("0 0 29 2 *", "2097-01-01T00:00:00Z", "2103-12-31T00:00:00Z", false),
            ("0 0 29 2 *", "2097-01-01T00:00:00Z", "2104-02-29T00:00:00Z", true),
            ("0 0 29 2 *", "2097-01-01T00:00:00Z", nil, true),
            ("0 9 * * MON", "2026-12-01T00:00:00Z", "2026-12-06T00:00:00Z", false),
            ("0 9 * * MON", nil, "2020-01-01T00:00:00Z", true),
        ] as [(String, String?, String?, Bool)])
    func `a schedule that can never fire is known`(_ cron: String, _ start: String?, _ end: String?, _ can: Bool) throws
    {
        let schedule = try Schedule.cron(cron, start: start, end: end)
        #expect(schedule.canFire == can)
        if !can { #expect(try schedule.next(after: .at("2000-01-01T00:00:00Z")) == nil) }
    }

    @Test func `a rule that always skips its own gap never fires`() throws {
        // The clock goes forward at 0:00 on 21 March of every year.
        let rule: PosixRule = try #require(PosixRule("<+0330>-3:30<+0430>,J80/0,J264/0"))
        let rules = ZoneRules(changes: [], offsets: [12_600], rule: rule)
        var schedule = try Schedule.cron("30 0 21 3 *")
        schedule.zone = Zone(name: "Test/Tehran", rules: rules)
        #expect(try schedule.next(after: .at("2026-01-01T00:00:00Z")) == .at("2026-03-20T20:30:00Z"))
        schedule.dst.gap = .skip
        #expect(!schedule.canFire)
        #expect(try schedule.next(after: .at("2026-01-01T00:00:00Z")) == nil)
    }

    @Test func `what fires seldom is found in few steps, backwards too`() throws {
        let day = 86400
        let rome = try Zone.known("Europe/Rome")
        let leapDay = try Cron(parsing: "0 0 29 2 *")
        // Eight years, from the leap day of 2096 to that of 2104: 96 months, with two clock changes a year
        let begin = Int(try Date.at("2096-03-01T00:00:00Z").timeIntervalSince1970)
        var forwards = CronSearch(leapDay, zone: rome, dst: DST())
        #expect(forwards.first(in: begin..<(begin + 400 * 366 * day)) != nil)
        #expect(forwards.steps < 200)
        var backwards = CronSearch(leapDay, zone: rome, dst: DST())
        let end = Int(try Date.at("2104-02-28T00:00:00Z").timeIntervalSince1970)
        #expect(backwards.last(in: (end - 400 * 366 * day)..<end) != nil)
        #expect(backwards.steps < 200)
        var never = CronSearch(try Cron(parsing: "29 2 30 2 *"), zone: rome, dst: DST())
        #expect(never.first(in: 0..<(400 * 366 * day)) == nil)
        #expect(never.steps == 0)
        var minutely = CronSearch(try Cron(parsing: "* * * * *"), zone: rome, dst: DST())
        #expect(minutely.last(in: 0..<end) == end - 60)
        #expect(minutely.steps <= 4)
        var daily = CronSearch(try Cron(parsing: "30 9 * * *"), zone: rome, dst: DST())
        #expect(daily.all(in: (end - 365 * day)..<end, limit: .max).count == 365)
        #expect(daily.steps < 1000)
    }

    @Test func `the ends of time are no trouble`() throws {
        let schedule = try Schedule.cron("0 0 1 1 *", in: "Pacific/Kiritimati")
        #expect(schedule.next(after: .distantPast) != nil)
        #expect(schedule.next(after: .distantFuture) != nil)
        for value in [Double.infinity, -.infinity, .nan, 1e300, -1e300, .greatestFiniteMagnitude] {
            let date = Date(timeIntervalSince1970: value)
            _ = schedule.next(after: date)
            _ = schedule.latest(after: date, through: .distantFuture)
            _ = schedule.occurrences(after: .distantPast, through: date, limit: 3)
            _ = schedule.zone.local(at: date)
        }
        #expect(try schedule.next(after: .at("9999-12-31T23:00:00Z")) == nil)
    }

    @Test func `its text tells what changes when it fires`() throws {
        let schedule = try Schedule.cron(
            "30 9 * * MON", in: "Europe/Rome", start: "2026-12-01T00:00:00Z", end: "2027-12-01T00:00:00Z")
        #expect(
            schedule.text
                == "cron 30 9 * * 1 Europe/Rome gap=next overlap=first start=2026-12-01T00:00:00Z end=2027-12-01T00:00:00Z"
        )
        #expect(Schedule().text == "once")
        #expect(try Schedule(.at(.at("2026-12-01T09:00:00+01:00"))).text == "at 2026-12-01T08:00:00Z")
    }
}
