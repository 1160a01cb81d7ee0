import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct ZoneTests {
    @Test(arguments: [
        ("UTC", "2026-07-01T12:00:00Z", 0, "2026-07-01T12:00:00"),
        ("Europe/Rome", "2026-03-29T00:59:59Z", 3600, "2026-03-29T01:59:59"),
        ("Europe/Rome", "2026-03-29T01:00:00Z", 7200, "2026-03-29T03:00:00"),
        ("Europe/Rome", "2199-07-01T12:00:00Z", 7200, "2199-07-01T14:00:00"),
        ("Europe/Rome", "2199-01-01T12:00:00Z", 3600, "2199-01-01T13:00:00"),
        ("America/New_York", "2026-03-08T06:59:59Z", -18000, "2026-03-08T01:59:59"),
        ("America/New_York", "2026-03-08T07:00:00Z", -14400, "2026-03-08T03:00:00"),
        ("America/St_Johns", "2026-01-01T00:00:00Z", -12600, "2025-12-31T20:30:00"),
        ("Asia/Kathmandu", "2026-12-31T20:00:00Z", 20700, "2027-01-01T01:45:00"),
        ("Pacific/Chatham", "2050-01-01T00:00:00Z", 49500, "2050-01-01T13:45:00"),
        ("Australia/Sydney", "2150-12-25T00:00:00Z", 39600, "2150-12-25T11:00:00"),
        ("Etc/GMT+12", "2026-01-01T00:00:00Z", -43200, "2025-12-31T12:00:00"),
        ("Asia/Tokyo", "1950-07-01T00:00:00Z", 36000, "1950-07-01T10:00:00"),
    ])
    func `knows the offset at an instant`(_ name: String, _ instant: String, _ offset: Int, _ local: String) throws {
        let zone = try Zone.known(name)
        #expect(try zone.offset(at: .at(instant)) == offset)
        #expect(try zone.local(at: .at(instant)).description == local)
    }

    @Test func `a local time is one instant, none or two`() throws {
        let rome = try Zone.known("Europe/Rome")
        #expect(try rome.instants(of: .at("2026-12-01T09:00")) == .one(.at("2026-12-01T08:00:00Z")))
        #expect(try rome.instants(of: .at("2026-03-29T01:59:59")) == .one(.at("2026-03-29T00:59:59Z")))
        #expect(try rome.instants(of: .at("2026-03-29T02:00")) == .gap(next: .at("2026-03-29T01:00:00Z")))
        #expect(try rome.instants(of: .at("2026-03-29T02:59:59")) == .gap(next: .at("2026-03-29T01:00:00Z")))
        #expect(try rome.instants(of: .at("2026-03-29T03:00")) == .one(.at("2026-03-29T01:00:00Z")))
        #expect(
            try rome.instants(of: .at("2026-10-25T02:00"))
                == .overlap(first: .at("2026-10-25T00:00:00Z"), second: .at("2026-10-25T01:00:00Z")))
        #expect(try rome.instants(of: .at("2026-10-25T03:00")) == .one(.at("2026-10-25T02:00:00Z")))
        let apia = try Zone.known("Pacific/Apia")
        #expect(try apia.instants(of: .at("2011-12-30T12:00")) == .gap(next: .at("2011-12-30T10:00:00Z")))
        let utc = Zone.utc
        #expect(try utc.instants(of: .at("0001-01-01T00:00")) == .one(.at("0001-01-01T00:00:00Z")))
    }

    @Test(arguments: [
        "", "/", "..", "../../../etc/passwd", "/etc/localtime", "Europe/../Europe/Rome", "Europe//Rome", "Europe/",
        "/Europe/Rome", "Europe", "Europe/Rome\0", "Europe/Roma", "localtime", "posixrules", "posix/Europe/Rome",
        "right/Europe/Rome", "tzdata.zi", "zone.tab", "leapseconds", "Europe/Rome ", "Ευρώπη",
        String(repeating: "a/", count: 5000),
    ])
    func `what is no zone is none`(_ name: String) {
        #expect(Zone(named: name) == nil)
    }

    @Test(arguments: [
        ("# version 2026a", "# version ", "2026a"), ("2026aa-dirty", "", "2026aa-dirty"), ("1996", "", "1996"),
        ("2026b", "# version ", nil), ("# version ", "# version ", nil), ("", "", nil), ("26b", "", nil),
        ("2026abc", "", nil), ("2026A", "", nil), ("2026a dirty", "", nil), ("2026a\u{301}", "", nil),
        ("٢٠٢٦a", "", nil), ("2026a-dirty ", "", nil),
    ])
    func `the release of the database is read from its first line`(line: String, prefix: String, release: String?) {
        #expect(Zone.release(in: line, after: prefix) == release)
    }

    @Test func `zones of one name are one`() throws {
        #expect(try Zone.known("Europe/Rome") == .known("Europe/Rome"))
        #expect(try Zone.known("Europe/Rome") != .known("Europe/Berlin"))
        #expect(Zone(named: "UTC") == .utc)
    }

    @Test func `the system's names are zones`() throws {
        _ = try Zone.known("Europe/Rome")
        let names = Zone.names()
        #expect(names == names.sorted())
        #expect(names.contains("Europe/Rome"))
        #expect(names.contains("America/Argentina/Ushuaia"))
        #expect(!names.contains { $0.contains("posix") || $0.contains("right/") || $0.contains(".") })
    }
}

struct LocalTimeTests {
    @Test(arguments: [
        ("2026-12-01T09:00", "2026-12-01T09:00:00"), ("2026-12-01t09:00:30", "2026-12-01T09:00:30"),
        ("2028-02-29T23:59:59", "2028-02-29T23:59:59"), ("0001-01-01T00:00", "0001-01-01T00:00:00"),
    ])
    func `reads a wall time`(_ text: String, _ shown: String) throws {
        let local = try #require(LocalTime(written: text))
        #expect(local.description == shown)
        #expect(LocalTime(secondsAsUTC: local.secondsAsUTC) == local)
    }

    @Test(arguments: [
        "", "2026-12-01", "09:00", "2026-12-01T9:00", "2026-12-01T24:00", "2026-12-01T09:60", "2026-12-01T09:00:60",
        "2026-02-29T09:00", "2026-13-01T09:00", "2026-00-01T09:00", "2026-12-00T09:00", "2026-12-01T09:00Z",
        "2026-12-01T09:00+01:00", "2026-12-01 09:00", " 2026-12-01T09:00", "٢٠٢٦-12-01T09:00", "-2026-12-01T09:00",
        "2026-12-01T09:00:00.5",
    ])
    func `refuses what is no wall time`(_ text: String) { #expect(LocalTime(written: text) == nil) }

    @Test func `the calendar agrees with itself for 400 years`() {
        // Day by day from 1 March 1600
        var (year, month, day) = (1600, 3, 1)
        let first = Gregorian.days(year: year, month: month, day: day)
        for number in first..<(first + Gregorian.daysOfCycle) {
            let date = Gregorian.date(ofDay: number)
            guard date == (year, month, day), Gregorian.days(year: year, month: month, day: day) == number else {
                Issue.record("\(year)-\(month)-\(day) is not \(date)")
                return
            }
            day += 1
            if day > Gregorian.length(ofMonth: month, in: year) { (month, day) = (month + 1, 1) }
            if month > 12 { (year, month) = (year + 1, 1) }
        }
        #expect((year, month, day) == (2000, 3, 1))
        #expect(Gregorian.days(year: 1970, month: 1, day: 1) == 0)
        #expect(Gregorian.weekday(ofDay: 0) == 4)
        #expect(Gregorian.weekday(ofDay: -5) == 6)
    }

    @Test func `earlier is less`() throws {
        let times = try ["2025-12-31T23:59:59", "2026-01-01T00:00", "2026-01-01T00:00:01", "2026-02-01T00:00"]
            .map { try LocalTime.at($0) }
        #expect(times.shuffled().sorted() == times)
    }
}

extension LocalTime {
    fileprivate static func at(_ text: String) throws -> LocalTime { try #require(LocalTime(written: text), "\(text)") }
}
