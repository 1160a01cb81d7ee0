import Foundation
import HeraldCore
import Testing

struct ScheduleReaderTests {
    private func schedule(_ text: String, settings: String = "timezone: Europe/Rome") throws -> Schedule {
        let loaded = try WorkspaceLoader.load(files: [
            "herald.yaml": settingsText + settings + "\n",
            "x.yaml": "kind: topic\nname: t\nsubscribers: []\n---\nkind: campaign\nname: c\ntarget: {fids: [\(fid)]}\n"
                + "message: {notification: {title: x}, data: {a: b}}\n\(text)\n",
        ])
        #expect(loaded.found == [])
        return try #require(loaded.workspace?.campaigns.first?.schedule)
    }

    private func messages(_ text: String) throws -> [String] {
        let loaded = try WorkspaceLoader.load(files: [
            "x.yaml": "kind: topic\nname: t\nsubscribers: []\n---\nkind: campaign\nname: c\ntarget: {fids: [\(fid)]}\n"
                + "message: {notification: {title: x}, data: {a: b}}\n\(text)\n"
        ])
        return loaded.diagnostics.map { "\($0.message)\($0.help.map { " (\($0))" } ?? "")" }
    }

    @Test func `without a schedule it is due at once`() throws {
        let rome = try Zone.known("Europe/Rome")
        #expect(try schedule("") == Schedule(.once, zone: rome))
        #expect(try schedule("", settings: "") == Schedule())
    }

    @Test(arguments: [
        ("2026-12-01T09:00", "2026-12-01T08:00:00Z"),
        ("2026-07-01T09:00:30", "2026-07-01T07:00:30Z"),
        ("'2026-12-01T09:00'", "2026-12-01T08:00:00Z"),
        ("2026-12-01T09:00+03:00", "2026-12-01T06:00:00Z"),
        ("2026-12-01T09:00, timezone: Asia/Tokyo", "2026-12-01T00:00:00Z"),
        ("2026-03-29T02:30", "2026-03-29T01:00:00Z"),
        ("2026-10-25T02:30", "2026-10-25T00:30:00Z"),
        ("2026-10-25T02:30, dst: {overlap: second}", "2026-10-25T01:30:00Z"),
        ("2026-10-25T02:30, dst: {gap: skip}", "2026-10-25T00:30:00Z"),
    ])
    func `a wall time is one of the zone`(_ at: String, _ instant: String) throws {
        #expect(try schedule("schedule: {at: \(at)}").at == .at(instant))
    }

    @Test func `every key is read`() throws {
        let read = try schedule(
            """
            schedule:
              cron: "30 9 * * MON"
              start: 2026-10-25T02:30
              end: 2027-10-31T02:30
              timezone: Europe/Berlin
              dst: {gap: skip, overlap: both}
              max_lateness: 90m
              catch_up: none
            """)
        let expected = Schedule(
            .cron(
                try Cron(parsing: "30 9 * * 1"), start: try .at("2026-10-25T00:30:00Z"),
                end: try .at("2027-10-31T01:30:00Z")),
            zone: try .known("Europe/Berlin"), dst: DST(gap: .skip, overlap: .both), maxLateness: .seconds(5400),
            catchUp: .none)
        #expect(read == expected)
    }

    @Test(arguments: [
        (
            "schedule: {cron: 30 25 * * *}",
            "hour '25' is not from 0 to 23 (minute, hour, day of month, month and day of week, as in 30 9 * * MON)"
        ),
        ("schedule: {cron: 0 9 30 2 *}", "the cron never fires"),
        (
            "schedule: {cron: 0 9 1 1 *, start: 2026-02-01T00:00, end: 2026-12-01T00:00}",
            "the cron never fires between 'start' and 'end'"
        ),
        (
            "schedule: {at: tomorrow}",
            "'at' must be a time (write 2026-12-01T09:00 for a time of UTC, or 2026-12-01T09:00+01:00 with its offset)"
        ),
        (
            "schedule: {at: 2026-12-01T09:00, timezone: Europe/Roma}",
            "there is no time zone 'Europe/Roma' (did you mean 'Europe/Rome'?)"
        ),
        (
            "schedule: {at: 2026-12-01T09:00, timezone: Mars/Olympus_Mons_1}",
            "there is no time zone 'Mars/Olympus_Mons_1' (write an IANA name, as in Europe/Rome)"
        ),
        (
            "schedule: {at: 2026-03-29T02:30, timezone: Europe/Rome, dst: {gap: skip}}",
            "there is no 02:30 on that day in Europe/Rome (the clocks jump over it, and 'gap' is skip)"
        ),
        ("schedule: {at: 2026-12-01T09:00, catch_up: all}", "'catch_up' has no meaning beside 'at'"),
        ("schedule: {cron: 0 9 * * *, catch_up: some}", "'catch_up' must be none, latest or all"),
        ("schedule: {}", "'schedule' needs 'at' or 'cron' (leave 'schedule' out to send at once, one time)"),
        (
            "schedule: {at: 2026-12-01T09:00, dst: {overlap: both}}",
            "'at' is one time, so 'overlap' cannot be both (write first, which is the default, or second)"
        ),
    ])
    func `says what is wrong and what to write`(_ text: String, _ message: String) throws {
        #expect(try messages(text) == [message])
    }

    @Test func `a bare star is to be quoted`() throws {
        let found = try messages("schedule:\n  cron: */5 * * * *")
        #expect(found.count == 1)
        #expect(found.allSatisfy { $0.hasSuffix("(write \"*/5 * * * *\")") })
    }

    @Test func `a cron's mistake is marked from its first to its last character`() throws {
        let text =
            "kind: campaign\nname: c\ntarget: {fids: [\(fid)]}\nmessage: {notification: {title: x}}\nschedule:\n  cron: '0 9 * 13,14 *'\n"
        let loaded = try WorkspaceLoader.load(files: [
            "x.yaml": text, "t.yaml": "kind: topic\nname: t\nsubscribers: []\n",
        ])
        let range = TextRange(start: .init(line: 6, column: 16), end: .init(line: 6, column: 18))
        #expect(loaded.diagnostics.map(\.range) == [SourceRange(file: "x.yaml", text: range)])
    }
}
