import HeraldTestSupport
import Testing

@testable import HeraldCore

struct WrittenDurationTests {
    @Test(arguments: [
        ("0s", Duration.zero), ("250ms", .milliseconds(250)), ("90s", .seconds(90)), ("5m", .seconds(300)),
        ("4h", .seconds(14_400)), ("2d", .seconds(172_800)), ("3650d", .seconds(315_360_000)),
        ("315360000s", .seconds(315_360_000)), ("315360000000ms", .seconds(315_360_000)), ("007s", .seconds(7)),
    ])
    func `a whole number with a unit`(_ text: String, _ duration: Duration) {
        #expect(Duration(written: text) == duration)
    }

    @Test(arguments: [
        "", "s", "5", "-5s", "+5s", "1.5s", "1,5s", "5 s", " 5s", "5s ", "5S", "5sec", "5min", "5w", "5M", "1h30m",
        "٣s",
        "５s", "5s\n", "3651d", "315360001s", "315360000001ms", "9223372036854775807s", "9223372036854775807d",
        "9223372036854775808ms", "99999999999999999999999s", "1e3s", "0x5s", "5\u{301}s",
    ])
    func `anything else is no duration`(_ text: String) {
        #expect(Duration(written: text) == nil)
    }

    @Test(arguments: [
        (Duration.zero, "0s"), (.seconds(3600), "3600s"), (.milliseconds(250), "0.250000000s"),
        (.milliseconds(3500), "3.500000000s"), (.nanoseconds(1), "0.000000001s"),
        (.seconds(315_360_000), "315360000s"),
    ])
    func `FCM gets seconds with no or nine decimals`(_ duration: Duration, _ text: String) {
        #expect(duration.protobufText == text)
    }
}

struct WrittenRateTests {
    @Test(arguments: [
        ("1/s", Rate.limited(1)), ("500/s", .limited(500)), ("600000/min", .limited(10_000)), ("60/min", .limited(1)),
        ("119/min", .limited(1)),
        ("100000000/s", .limited(100_000_000)), ("unlimited", .unlimited),
    ])
    func `a number per second or minute`(_ text: String, _ rate: Rate) {
        #expect(Rate(written: text) == rate)
    }

    @Test(arguments: [
        "", "0/s", "0/min", "59/min", "-1/s", "+1/s", "5", "5/", "/s", "5/h", "5/sec", "5/S", "5 /s", "5/ s", "5/s/s",
        "1.5/s",
        "1e3/s",
        "１/s", "100000001/s", "9223372036854775808/s", "99999999999999999999/min", "Unlimited", "unlimited/s", "5\\s",
    ])
    func `anything else is no rate`(_ text: String) {
        #expect(Rate(written: text) == nil)
    }
}

struct WrittenTimeTests {
    /// In seconds since 1970, computed with GNU date.
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0.0), ("2026-12-01T08:00:00Z", 1_796_112_000),
        ("2026-12-01T09:00+01:00", 1_796_112_000),
        ("2026-12-01t08:00z", 1_796_112_000), ("2026-12-01T08:00:00.5Z", 1_796_112_000.5),
        ("2026-12-01T00:00:00-08:00", 1_796_112_000), ("2026-12-02T07:59:00+23:59", 1_796_112_000),
        ("2028-02-29T12:00:00Z", 1_835_438_400), ("2000-02-29T00:00:00Z", 951_782_400),
        ("1969-12-31T23:59:59Z", -1), ("1900-03-01T00:00:00Z", -2_203_891_200), ("2100-03-01T00:00:00Z", 4_107_542_400),
        ("9999-12-31T23:59:59Z", 253_402_300_799), ("0001-01-01T00:00:00Z", -62_135_596_800),
        ("2026-12-01T08:00:00-00:00", 1_796_112_000),
    ])
    func `an RFC 3339 time with its offset`(_ text: String, _ seconds: Double) {
        #expect(Date(rfc3339: text)?.timeIntervalSince1970 == seconds)
    }

    @Test(arguments: [
        "", "2026-12-01", "2026-12-01T08:00", "2026-12-01T08:00:00", "2026-12-01 08:00:00Z", "2026-12-01T08Z",
        "2026-02-29T00:00Z", "2100-02-29T00:00Z", "2026-04-31T00:00Z", "2026-13-01T00:00Z", "2026-00-01T00:00Z",
        "2026-12-00T00:00Z", "2026-12-32T00:00Z", "2026-12-01T24:00Z", "2026-12-01T08:60Z", "2016-12-31T23:59:60Z",
        "2026-12-01T08:00:00+24:00", "2026-12-01T08:00:00+01:60", "2026-12-01T08:00:00+1:00",
        "2026-12-01T08:00:00+0100",
        "2026-12-01T08:00:00+01", "2026-12-01T08:00:00.Z", "2026-12-01T08:00:00.1234567890Z", "2026-12-01T08:00.5Z",
        "26-12-01T08:00Z", "+2026-12-01T08:00Z", "-2026-12-01T08:00Z", "12026-12-01T08:00Z", "2026-1-1T08:00Z",
        "2026-12-01T8:00Z", " 2026-12-01T08:00Z", "2026-12-01T08:00Z ", "2026-12-01T08:00Z\n", "2026-12-01T08:00ZZ",
        "２０２６-12-01T08:00Z", "2026-12-01T08:00Z\u{301}", "2026-12-01T08:00\0Z", "2026-12-01T08:00[Europe/Rome]",
        "99999999999999999999-12-01T08:00Z", "2026-12-01T08:00:00Europe/Rome",
    ])
    func `anything else is no time`(_ text: String) {
        #expect(Date(rfc3339: text) == nil)
    }

    @Test(arguments: [
        (0.0, "1970-01-01T00:00:00Z"), (1_796_112_000, "2026-12-01T08:00:00Z"),
        (1_796_112_000.9, "2026-12-01T08:00:00Z"),
        (-0.5, "1969-12-31T23:59:59Z"),
    ])
    func `a time is written in UTC and whole seconds`(_ seconds: Double, _ text: String) {
        #expect(Date(timeIntervalSince1970: seconds).rfc3339 == text)
    }

    @Test func `every day of four centuries reads back as written`() {
        var day = -25_567  // 1900-01-01
        while day < 120_000 {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 45_296)
            #expect(Date(rfc3339: date.rfc3339) == date)
            day += 97
        }
    }
}
