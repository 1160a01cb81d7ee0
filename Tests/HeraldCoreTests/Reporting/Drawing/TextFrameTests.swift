import HeraldTestSupport
import Testing

@testable import HeraldCore

/// How texts of a notification are cut, and in which direction they run.
@Suite struct TextFrameTests {
    @Test(
        arguments: [
            ("High tide", 1, 10, ["High tide"], 0),
            ("High tide at Ostia", 1, 10, ["High tide…"], 8),
            ("High tide at Ostia", 2, 10, ["High tide", "at Ostia"], 0),
            ("High tide at Ostia today", 2, 10, ["High tide", "at Ostia…"], 5),
            ("Wasserstandsmeldung", 2, 10, ["Wasserstan", "dsmeldung"], 0),
            ("a\nb\nc", 2, 10, ["a", "b…"], 1),
            ("a\nb", 1, 10, ["a b"], 0),
            ("a\n\nb", 3, 10, ["a", "", "b"], 0),
            ("tide \n", 1, 4, ["tide"], 0),
            ("", 2, 10, [""], 0),
            ("高潮警報高潮警報", 1, 10, ["高潮警報…"], 4),
            ("👩‍👩‍👧‍👦🇮🇹👋🏽🌊🌊", 1, 10, ["👩‍👩‍👧‍👦🇮🇹👋🏽🌊🌊"], 0),
            ("👩‍👩‍👧‍👦🇮🇹👋🏽🌊🌊🌊", 1, 10, ["👩‍👩‍👧‍👦🇮🇹👋🏽🌊…"], 2),
            ("🌊🌊", 2, 1, ["🌊", "🌊"], 0),
            ("e\u{301}e\u{301}e\u{301}", 1, 2, ["e\u{301}…"], 2),
        ] as [(String, Int, Int, [String], Int)])
    func `a text is cut where its room ends`(
        _ text: String, _ lines: Int, _ columns: Int, _ fitted: [String], _ hidden: Int
    ) {
        let found = TextFrame(lines: lines, columns: columns).fit(text)
        #expect(found.lines == fitted)
        #expect(found.hidden == hidden)
    }

    /// No text makes a line longer than its room, and no character is lost without being counted.
    @Test(arguments: 1...200)
    func `every character is shown or counted`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let pieces = ["a", "Wörter", " ", "\n", "高", "👩‍👩‍👧‍👦", "שלום", "e\u{301}", "\u{202E}", "\u{111C2}<"]
        let text = (0..<Int.random(in: 0...60, using: &random)).map { _ in
            pieces[Int.random(in: 0..<pieces.count, using: &random)]
        }
        .joined()
        let frame = TextFrame(
            lines: Int.random(in: 1...4, using: &random), columns: Int.random(in: 2...20, using: &random))
        let found = frame.fit(text)
        let isSpace = { (character: Character) in character.isWhitespace }
        let all = text.count { !isSpace($0) }
        let shown = found.lines.joined().count { !isSpace($0) } - (found.isCut ? 1 : 0)
        #expect(found.lines.count <= frame.lines)
        #expect(found.lines.allSatisfy { $0.count <= frame.columns || $0.unicodeScalars.contains("\u{202E}") })
        // What is hidden may hold white space as well.
        #expect(shown + found.hidden >= all && shown <= all)
        #expect(found.isCut || shown == all)
    }

    @Test func `a long text of characters without width is cut in time`() {
        let text = String(repeating: "\u{200B}", count: 200_000) + String(repeating: "x", count: 200_000)
        #expect(TextFrame(lines: 1, columns: 40).fit(text).isCut)
    }

    @Test(
        arguments: [
            ("High tide", .leftToRight), ("גאות גבוהה", .rightToLeft), ("مد عال في أوستيا", .rightToLeft),
            ("123 גאות", .rightToLeft), ("🌊 مد", .rightToLeft), ("Tide: גאות", .leftToRight), ("", .leftToRight),
            ("18:42", .leftToRight), ("\u{200F}High", .rightToLeft), ("\u{202E}High", .leftToRight),
            ("٣ tides", .leftToRight), ("高潮", .leftToRight), ("(ܐ)", .rightToLeft), ("𞤀", .rightToLeft),
        ] as [(String, TextDirection)])
    func `the first strong character decides the direction`(_ text: String, _ direction: TextDirection) {
        #expect(TextDirection(of: text) == direction)
    }
}
