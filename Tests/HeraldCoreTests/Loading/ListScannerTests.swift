import Crypto
import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Lists that are longer than one read, compared with a scan of the whole text.
struct ListScannerTests {
    private func scan(_ bytes: [UInt8], until last: Int = .max) throws -> (
        lines: [Int: String], tooLong: [Int], digest: String
    ) {
        let folder = try TemporaryFolder()
        try folder.write(bytes, to: "l.txt")
        var (lines, tooLong): ([Int: String], [Int]) = ([:], [])
        let digest = try ListScanner("\(folder.path)/l.txt", as: "l.txt").scan {
            tooLong.append($0)
        } line: { number, line in
            if number > last { return false }
            lines[number] = String(decoding: line, as: UTF8.self)
            return true
        }
        return (lines, tooLong, digest.hexadecimal)
    }

    /// Lines of up to `longest` bytes, with characters of one to four bytes and both kinds of line breaks.
    private func text(_ random: inout SeededRandom, longest: Int) -> [(line: String, end: String)] {
        (0..<200).map { _ in
            let length = Int.random(in: 0...longest / 10, using: &random)
            let line = (0..<length).map { _ in ["a", "é", "€", "🌊"].randomElement(using: &random) ?? "" }
            return (line.joined(), Bool.random(using: &random) ? "\n" : "\r\n")
        }
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func `lines come whole and in order wherever a block ends`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let text = text(&random, longest: 8192)
        let mark = Bool.random(using: &random) ? "\u{FEFF}" : ""
        var bytes = Array((mark + text.map { $0.line + $0.end }.joined()).utf8)
        if Bool.random(using: &random) { bytes.removeLast(text.last?.end.utf8.count ?? 0) }
        let found = try scan(bytes)
        let expected = Dictionary(uniqueKeysWithValues: text.enumerated().map { ($0 + 1, $1.line) })
            .filter { $0.key < text.count || !$0.value.isEmpty || bytes.last == UInt8(ascii: "\n") }
        #expect(found.lines == expected, "seed \(seed)")
        #expect(found.tooLong == [], "seed \(seed)")
        #expect(found.digest == SHA256.hash(data: bytes).hexadecimal, "seed \(seed)")
    }

    @Test(arguments: [8193, 100_000, 300_000, 1_000_000])
    func `the first line that is too long is told of, and ends the lines`(_ length: Int) throws {
        let long = String(repeating: "€", count: length / 3 + 1) + "\n"
        let bytes = Array(("a\nb\n" + long + long + "c\n").utf8)
        let found = try scan(bytes)
        #expect(found.lines == [1: "a", 2: "b"])
        #expect(found.tooLong == [3])
        #expect(found.digest == SHA256.hash(data: bytes).hexadecimal)
    }

    /// Also after a line that is too long, and after the scanner was asked to stop.
    @Test(
        arguments: [0, 300_000],
        [[0xFF], [0xE2, 0x82], [0xC0, 0x80], [0xF0, 0x9F, 0x8C], [0x80]] as [[UInt8]])
    func `what is no UTF-8 is found wherever it is`(_ length: Int, _ wrong: [UInt8]) throws {
        let long = String(repeating: "x", count: length)
        let before = Array(("1\n2\n" + long + "\n" + String(repeating: "é\n", count: 100_000)).utf8)
        for after in [[], Array("a\n".utf8)] {
            for last in [Int.max, 2] {
                #expect { try scan(before + wrong + after, until: last) } throws: { error in
                    let diagnostic = (error as? DiagnosticError)?.diagnostic
                    return diagnostic?.rule == .fileEncoding && diagnostic?.range.text?.start.line == 100_004
                }
            }
        }
    }
}
