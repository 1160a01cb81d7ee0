import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Hours of the day by a wall clock, through clock changes and midnights.
struct DailyHoursTests {
    private static let rome = "Europe/Rome"

    /// Hours, a zone, an instant, whether they are open then, and when that changes.
    private static let cases: [(DailyHours, String, String, Bool, String?)] = [
        (.init(from: 540, to: 1260), rome, "2026-12-01T07:59:59Z", false, "2026-12-01T08:00:00Z"),
        (.init(from: 540, to: 1260), rome, "2026-12-01T08:00:00Z", true, "2026-12-01T20:00:00Z"),
        (.init(from: 540, to: 1260), rome, "2026-12-01T20:00:00Z", false, "2026-12-02T08:00:00Z"),
        // From Friday 9:00 to 21:00; then Monday.
        (.init(from: 540, to: 1260, days: 0b0111110), rome, "2026-12-04T21:00:00Z", false, "2026-12-07T08:00:00Z"),
        // Over midnight, with the days on which it begins: Saturday's window ends on Sunday.
        (.init(from: 1320, to: 120, days: 0b1000000), rome, "2026-12-06T00:30:00Z", true, "2026-12-06T01:00:00Z"),
        (.init(from: 1320, to: 120, days: 0b1000000), rome, "2026-12-06T22:00:00Z", false, "2026-12-12T21:00:00Z"),
        // The whole day closes at no time, the whole of some days at their midnights.
        (.init(from: 0, to: 1440), rome, "2026-12-01T08:00:00Z", true, nil),
        (.init(from: 0, to: 1440, days: 0b0000110), rome, "2026-12-01T08:00:00Z", true, "2026-12-01T23:00:00Z"),
        // 2:30 does not exist on 29 March, so a window from there opens when the clocks show 3:00.
        (.init(from: 150, to: 600), rome, "2026-03-29T00:00:00Z", false, "2026-03-29T01:00:00Z"),
        // A window that lies in the gap does not open that day.
        (.init(from: 130, to: 170), rome, "2026-03-28T12:00:00Z", false, "2026-03-30T00:10:00Z"),
        // On 25 October 2:00 to 3:00 comes twice, and a window to 2:30 is open in both.
        (.init(from: 60, to: 150), rome, "2026-10-24T23:00:00Z", true, "2026-10-25T00:30:00Z"),
        (.init(from: 60, to: 150), rome, "2026-10-25T00:30:00Z", false, "2026-10-25T01:00:00Z"),
        (.init(from: 60, to: 150), rome, "2026-10-25T01:00:00Z", true, "2026-10-25T01:30:00Z"),
        (.init(from: 540, to: 1260), "UTC", "1969-12-31T23:00:00Z", false, "1970-01-01T09:00:00Z"),
        (.init(from: 540, to: 1260), "Pacific/Apia", "2011-12-29T20:00:00Z", true, "2011-12-30T07:00:00Z"),
    ]

    @Test(arguments: cases)
    func `opens and closes by the wall clock`(
        _ hours: DailyHours, _ zone: String, _ instant: String, _ isOpen: Bool, _ until: String?
    ) throws {
        let standing = try hours.standing(at: .at(instant), in: .known(zone))
        #expect(standing.isOpen == isOpen)
        #expect(standing.until?.rfc3339 == until)
    }

    /// Hours, a start, a length, and when they were open for so long.
    private static let spans: [(DailyHours, String, Int, String)] = [
        (.init(from: 540, to: 1260), "2026-12-01T10:00:00Z", 7200, "2026-12-01T12:00:00Z"),
        (.init(from: 540, to: 1260), "2026-12-01T19:00:00Z", 7200, "2026-12-02T09:00:00Z"),
        (.init(from: 540, to: 1260), "2026-12-01T22:00:00Z", 7200, "2026-12-02T10:00:00Z"),
        // What ends when they close lasts until they open.
        (.init(from: 540, to: 1260), "2026-12-01T18:00:00Z", 7200, "2026-12-02T08:00:00Z"),
        (.init(from: 540, to: 1260), "2026-12-01T22:00:00Z", 0, "2026-12-02T08:00:00Z"),
        (.init(from: 0, to: 1440), "2026-12-01T22:00:00Z", 86_400, "2026-12-02T22:00:00Z"),
    ]

    @Test(arguments: spans)
    func `counts only the time in which they are open`(
        _ hours: DailyHours, _ start: String, _ seconds: Int, _ end: String
    ) throws {
        let rome = try Zone.known(Self.rome)
        #expect(try hours.end(ofOpen: .seconds(seconds), from: .at(start), in: rome).rfc3339 == end)
    }

    /// Second by second, which no search does.
    private struct Scan {
        let hours: DailyHours
        let zone: Zone

        func isOpen(_ instant: Date) -> Bool {
            let clock = zone.local(at: instant)
            let minute = clock.hour * 60 + clock.minute
            let midnight = LocalTime(year: clock.year, month: clock.month, day: clock.day).secondsAsUTC
            let weekday = { (day: Int) in ((day / 86400 + 4) % 7 + 7) % 7 }
            let begins = { (day: Int) in hours.days >> UInt8(weekday(day)) & 1 == 1 }
            let isToday =
                minute >= hours.from && (hours.from > hours.to || minute < hours.to) && begins(midnight)
            let isOfYesterday = hours.from > hours.to && minute < hours.to && begins(midnight - 86400)
            return isToday || isOfYesterday
        }
    }

    private static let zones = [
        "UTC", rome, "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Chatham", "America/St_Johns",
    ]

    @Test(arguments: 0..<120)
    func `agrees with a look at every minute`(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let from = Int.random(in: 0..<1440, using: &random)
        var to = Int.random(in: 1...1440, using: &random)
        if to == from { to = from + 1 }
        let hours = DailyHours(from: from, to: to, days: UInt8.random(in: 1...127, using: &random))
        let zone = try Zone.known(Self.zones.randomElement(using: &random) ?? "UTC")
        let scan = Scan(hours: hours, zone: zone)
        // Around the clock changes of March and of autumn, and anywhere.
        let anchor = [1_774_656_000, 1_772_841_600, 1_792_800_000, 1_775_260_800].randomElement(using: &random) ?? 0
        let start = Date(timeIntervalSince1970: Double(anchor + Int.random(in: 0..<2880, using: &random) * 60))
        let minutes = (0...20 * 1440).map { start + Double($0 * 60) }
        let open = minutes.map(scan.isOpen)
        let comment = Comment("seed \(seed): \(hours) in \(zone.name) at \(start.rfc3339)")
        let standing = hours.standing(at: start, in: zone)
        #expect(standing.isOpen == open[0], comment)
        #expect(standing.until == open.firstIndex { $0 != open[0] }.map { minutes[$0] }, comment)

        let span = Int.random(in: 0..<3000, using: &random)
        // The last minute until which no more than `span` were open.
        var (count, last) = (0, 0)
        while last < open.count - 1 {
            if open[last] { count += 1 }
            if count > span { break }
            last += 1
        }
        if count > span {
            #expect(hours.end(ofOpen: .seconds(span * 60), from: start, in: zone) == minutes[last], comment)
        }
        // The same backwards, from the end of those minutes.
        var (since, sum) = (open.count - 1, 0)
        while since > 0 {
            if open[since - 1] { sum += 1 }
            if sum > span { break }
            since -= 1
        }
        if sum > span {
            let found = hours.start(ofOpen: .seconds(span * 60), until: minutes[open.count - 1], in: zone)
            #expect(found == minutes[since], comment)
        }
    }

    @Test(arguments: [
        (UInt8(127), "09:00 to 21:00"), (0b0111110, "09:00 to 21:00 on MON-FRI"),
        (0b1000001, "09:00 to 21:00 on SAT-SUN"),
        (0b0000001, "09:00 to 21:00 on SUN"), (0b1010101, "09:00 to 21:00 on TUE,THU,SAT-SUN"),
    ])
    func `says its days as files do`(_ days: UInt8, _ words: String) {
        #expect("\(DailyHours(from: 540, to: 1260, days: days))" == words)
    }

    @Test(arguments: [
        ("Europe/Rome", 3600), ("Asia/Calcutta", 19_800), ("+02:00", 7200), ("+0200", 7200), ("UTC+2", 7200),
        ("UTC-03:30", -12_600), ("GMT+05:45", 20_700), ("Z", 0), ("UTC", 0), ("-12:00", -43_200), ("+14:00", 50_400),
    ])
    func `reads a zone as lists write it`(_ text: String, _ offset: Int) throws {
        let zone = try #require(Zone(written: text))
        #expect(zone.offset(at: try .at("2026-12-01T00:00:00Z")) == offset)
    }

    @Test(arguments: [
        "", " ", "+2", "2", "02:00", "+200", "+14:01", "+15:00", "UTC+", "UTC+2:5", "UTC+02:60", "+0x:00", "CEST",
        "Mars/Base",
        "../etc/passwd", "+02:00 ", "٠", "+٠٢:٠٠",
    ])
    func `what is no zone is none`(_ text: String) {
        #expect(Zone(written: text) == nil)
    }
}
