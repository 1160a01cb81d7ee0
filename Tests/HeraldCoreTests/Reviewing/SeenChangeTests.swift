import FCM
import Foundation
import Testing

@testable import HeraldCore

/// Wherever two values differ, a reviewer sees that they do.
@Suite struct SeenChangeTests {
    private func line(_ path: String, _ before: Definition.Value, _ after: Definition.Value) -> String {
        let field = WorkspaceChange.Field(path: path, before: before, after: after)
        return WorkspaceChange(kind: .campaign, name: "c", action: .changed, fields: [field]).lines.joined()
    }

    private func line(_ path: String, _ before: String, _ after: String) -> String {
        line(path, .json(.string(before)), .json(.string(after)))
    }

    private static let long = String(repeating: "SELECT token FROM people ", count: 20)
    private static let unseen = "changed in spaces or characters that are not shown; the plan's JSON has both"

    private static let texts: [(String, String)] = [
        ("\(long)WHERE a AND b", "\(long)WHERE a"), ("\(long)a", "\(long)b"), ("a\(long)", "b\(long)"),
        (long, "\(long)One more sentence."), ("", long), ("\(long)e\u{301}", "\(long)e\u{300}"),
        (String(repeating: "x", count: 301), String(repeating: "x", count: 300)),
    ]

    @Test(arguments: texts)
    func `a long text is cut around what differs`(_ before: String, _ after: String) throws {
        for (one, other) in [(before, after), (after, before)] {
            let line = line("message.data.link", one, other)
            let match = try #require(
                line.wholeMatch(of: #/message\.data\.link changed from (“.*”) to (“.*”)(?:, and .*)?/#), "\(line)")
            #expect(match.1 != match.2, "\(line)")
            #expect(line.unicodeScalars.count < 1000)
        }
    }

    @Test func `what differs is shown with what stands before it`() {
        let (before, after) = (Self.long + "WHERE a AND consented", Self.long + "WHERE a")
        let context = String((Self.long + "WHERE a").suffix(60))
        #expect(
            line("source.query", before, after)
                == "source.query changed from “…\(context) AND consented” to “…\(context)”")
    }

    @Test func `a second difference further on is told`() {
        let words = line("source.query", "a\(Self.long)b", "c\(Self.long)d")
        #expect(words.hasSuffix("”, and differs further on; the plan's JSON has both"))
        #expect(!line("source.query", "a\(Self.long)", "c\(Self.long)").contains("further"))
    }

    @Test(arguments: [
        ("B  body", "B body"), ("a\u{202E}b", "a\u{200B}b"), ("a\nb", "a\tb"), ("Caf\u{E9}", "Cafe\u{301}"),
    ])
    func `what cannot be shown is said`(_ before: String, _ after: String) {
        #expect(line("message.notification.body", before, after) == "text \(Self.unseen)")
    }

    @Test func `names that look the same are told, and long ones do not hide others`() {
        #expect(line("where.city", .names(["Z\u{FC}rich"]), .names(["Zu\u{308}rich"])) == "where.city \(Self.unseen)")
        let many = Set((1...99).map { "\($0)" + String(repeating: "n", count: 200) })
        let words = line("where.city", .names(["old"]), .names(many))
        #expect(words.hasPrefix("where.city now also 10nnn") && words.hasSuffix("no longer old"))
        #expect(words.contains(" and 97 more, ") && words.unicodeScalars.count < 1000)
    }

    @Test func `a long path leaves room for the values`() {
        let words = line("message.data.\(String(repeating: "k", count: 2000))", "a", "b")
        #expect(words.hasSuffix("k changed from “a” to “b”") && words.unicodeScalars.count < 200)
    }

    @Test func `an hour that comes twice is told with its instants`() throws {
        let zone = try Zone.known("Europe/Rome")
        let first = try Date.at("2027-10-31T00:30:00Z")
        let told = line("schedule.at", .time(first, zone), .time(first.adding(.seconds(3600)), zone))
        #expect(
            told == "moved from Sun 2027-10-31 02:30 (2027-10-31T00:30:00Z) to "
                + "Sun 2027-10-31 02:30 (2027-10-31T01:30:00Z) Europe/Rome")
    }
}
