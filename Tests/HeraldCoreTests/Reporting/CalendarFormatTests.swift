import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// The calendar for calendar programs. `Tests/calendar` reads it with a parser of others.
@Suite struct CalendarFormatTests {
    private func lines(_ name: String = "tide", cron: String = "30 2 * * *", through: String) throws -> [String] {
        var campaign = Campaign.tide(name)
        campaign.schedule = try .cron(cron, in: "Europe/Rome")
        let calendar = CalendarDocument(
            of: [campaign], after: try .at("2026-03-28T23:00:00Z"), through: try .at(through), limit: 100)
        let stamp = CalendarDocument.Stamp(project: "tide-app", made: try .at("2026-03-01T00:00:00Z"))
        let text = calendar.rendered(as: .ics, stamp)
        #expect(text.hasSuffix("\r\n"))
        // A line break is one character of Swift's, and two octets.
        #expect(!text.contains { $0 == "\n" || $0 == "\r" })
        return text.dropLast().split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test func `a send is an event at its moment`() throws {
        #expect(
            try lines(through: "2026-03-29T22:00:00Z") == [
                "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//herald//herald calendar//EN", "CALSCALE:GREGORIAN",
                "BEGIN:VEVENT", "UID:tide%402026-03-29T01%3A00%3A00Z@tide-app.herald", "DTSTAMP:20260301T000000Z",
                "DTSTART:20260329T010000Z", "SUMMARY:tide",
                #"DESCRIPTION:tide@2026-03-29T01:00:00Z\n2026-03-29 03:00:00 Europe/Rome\n02:"#,
                " 30 does not exist that day\\; moved to 03:00", "TRANSP:TRANSPARENT", "END:VEVENT", "END:VCALENDAR",
            ])
    }

    @Test(arguments: [
        "a;b,c\\d", "a\nBEGIN:VEVENT", String(repeating: "高潮", count: 60), "\u{202E}\u{0}\r\n",
        String(repeating: "👩‍👩‍👧‍👦", count: 20), String(repeating: ",", count: 200),
    ])
    func `no name breaks a line or the format`(_ name: String) throws {
        let lines = try lines(name, through: "2026-03-30T22:00:00Z")
        #expect(lines.allSatisfy { $0.utf8.count <= 75 && !$0.isEmpty })
        #expect(lines.count { $0 == "BEGIN:VEVENT" } == 2)
        let whole = lines.reduce(into: "") {
            // A space and what joins it are one character.
            $0 += $1.utf8.first == 32 ? String($1.unicodeScalars.dropFirst()) : "\n\($1)"
        }
        let titles = whole.split(separator: "\n").filter { $0.hasPrefix("SUMMARY:") }
        let read = titles.map {
            $0.dropFirst(8).replacing("\\n", with: "\n").replacing("\\;", with: ";").replacing("\\,", with: ",")
                .replacing("\\\\", with: "\\")
        }
        #expect(read.map { String($0) } == [name.visible, name.visible])
    }

    @Test func `nothing to come is a calendar without events, which has a component all the same`() throws {
        let lines = try lines(through: "2026-03-28T23:30:00Z")
        let parts = ["VCALENDAR", "VTIMEZONE", "STANDARD"]
        #expect(lines.filter { $0.hasPrefix("BEGIN:") } == parts.map { "BEGIN:\($0)" })
    }
}
