import HeraldCore
import Testing

/// A message may repeat an author's text, but nothing in it that controls a terminal or breaks a log.
struct PresentableTests {
    @Test(arguments: [
        ("\u{1B}[31mred", "\u{FFFD}[31mred"), ("two\nlines", "two\u{FFFD}lines"), ("bell\u{7}", "bell\u{FFFD}"),
        ("turned \u{202E}round", "turned \u{FFFD}round"), ("c1 \u{9B}31m", "c1 \u{FFFD}31m"),
        ("höher, 高い, 🌊", "höher, 高い, 🌊"), ("🏳️‍🌈, می\u{200C}شود", "🏳️‍🌈, می\u{200C}شود"),
    ])
    func `characters that a terminal obeys are replaced`(_ written: String, _ shown: String) {
        let range = SourceRange(file: "a.yaml")
        let diagnostic = Diagnostic.error(
            .resourceName, written, at: range, notes: [.init(written, at: range)], help: written
        ).presentable
        #expect(diagnostic.message == shown)
        #expect(diagnostic.help == shown)
        #expect(diagnostic.notes.map(\.message) == [shown])
    }

    @Test func `a text that is too long to read is cut`() {
        let long = String(repeating: "x", count: 100_000)
        let message = Diagnostic.error(.resourceName, long, at: SourceRange(file: "a.yaml")).presentable.message
        #expect(message.count < 2000)
        #expect(message.hasSuffix("…"))
    }
}
