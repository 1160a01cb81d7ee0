import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Rows of a CSV that go on over several lines, as RFC 4180 allows.
struct ListRecordTests {
    private static let fids = (0...3).map { Registration.fid($0).rawValue }

    private func load(_ bytes: [UInt8], _ rest: String = "") throws -> WorkspaceLoader.Loaded {
        let folder = try TemporaryFolder([
            "herald.yaml": settingsText, "a.yaml": "kind: audience\nname: a\nsource: {file: l.csv}\n\(rest)",
        ])
        try folder.write(bytes, to: "l.csv")
        return try WorkspaceLoader.load(folder)
    }

    @Test(arguments: ["\n", "\r\n"])
    func `a quoted field may hold line breaks`(_ end: String) throws {
        let lines = [
            "fid,\"the", "", "note\"", "\(fids[0]),\"one", "  ", "\"\"two\"\",", "#three\"", "", "\"\(fids[1])\",\"x\"",
            "\(fids[2]),\"", "\"",
        ]
        let loaded = try load(Array(lines.joined(separator: end).utf8))
        #expect(loaded.found == [])
        #expect(try loaded.registrations().first?.map(\.rawValue) == Array(Self.fids[0...2]))
    }

    private var fids: [String] { Self.fids }

    @Test func `a filter sees the whole field`() throws {
        let loaded = try load(
            Array("fid,n\r\n\(fids[0]),\"a\r\nb\"\r\n\(fids[1]),\"a b\"\r\n".utf8), "where: {n: \"a\\nb\"}\n")
        #expect(loaded.found == [])
        #expect(try loaded.registrations().first?.map(\.rawValue) == [fids[0]])
    }

    /// `▸` marks the lines that diagnostics point at.
    @Test(arguments: [
        "fid,n\n\(fids[0]),\"a\nb\"\n▸SECRET,\"c\nd\"\n\(fids[1]),\n▸SECRET,x\n",
        "fid,n\n\(fids[0]),\"a\nb\"\n\(fids[1]),x\n▸\(fids[2]),\"never closed\n\(fids[3]),y\n",
        "fid,n\n\(fids[0]),\"a\n▸b\",\"SECRET\n\(fids[1]),x\n",
        "fid,n\n▸\(fids[0]),\"a\nb\"SECRET\n\(fids[1]),x\n▸SECRET,x\n",
        "▸fid,\"n\n\(fids[0]),SECRET\n",
        "fid,n\n▸\(fids[0]),\"a\nb\",\"SECRET\"\n\(fids[1]),x\n",
    ])
    func `a mistake is told with the line where it began`(_ text: String) throws {
        let marked = MarkedText(text)
        let loaded = try load(Array(marked.text.utf8))
        let lines = marked.positions.map(\.line)
        #expect(loaded.found == lines.map { Found(.listRow, "l.csv", .init(line: $0, column: 1)) })
        #expect(!loaded.shown.contains("SECRET"))
    }

    @Test(arguments: [(8192, true), (8193, false)])
    func `a row may have 8 KiB and no more, over all its lines`(_ size: Int, _ isTaken: Bool) throws {
        var row = "\(fids[0]),\"" + String(repeating: "x\n", count: 4000)
        row += String(repeating: "y", count: size - row.utf8.count - 1) + "\""
        let loaded = try load(Array("fid,n\n\(row)\n\(fids[1]),\n".utf8))
        #expect(loaded.found == (isTaken ? [] : [Found(.listRow, "l.csv", .init(line: 2, column: 1))]))
    }

    @Test func `a quote that is never closed ends the reading of a long file`() throws {
        let rows = String(repeating: "\(fids[1]),x\n", count: 50_000)
        let loaded = try load(Array("fid,n\n\(fids[0]),\"\n\(rows)".utf8))
        #expect(loaded.found == [Found(.listRow, "l.csv", .init(line: 2, column: 1))])
        #expect(loaded.diagnostics.first?.message == "the row has a quote that is not closed within 8 KiB")
    }

    /// Longer than two blocks, so that rows lie across their borders.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func `fields come as they were written wherever a block ends`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let end = Bool.random(using: &random) ? "\n" : "\r\n"
        var text = "n,fid" + end
        var expected: [(line: Int, value: String)] = []
        var line = 2
        for number in 0..<6000 {
            let parts = ["a", "é", "🌊", ",", "\"", "\n", " ", "#"]
            let value = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                parts[Int.random(in: 0..<parts.count, using: &random)]
            }.joined()
            let isQuoted = value.contains { ",\"\n".contains($0) } || Bool.random(using: &random)
            let written = value.replacing("\"", with: "\"\"").replacing("\n", with: end)
            text += (isQuoted ? "\"\(written)\"" : value) + ",\(Registration.fid(number).rawValue)" + end
            expected.append((line, value))
            line += 1 + value.count { $0 == "\n" }
            if number % 97 == 0 {
                text += end
                line += 1
            }
        }
        let folder = try TemporaryFolder()
        try folder.write(Array(text.utf8), to: "l.csv")
        var reader = ListReader("l.csv", asked: ["n"])
        var found: [String] = []
        _ = try ListScanner("\(folder.path)/l.csv", as: "l.csv").scan {
            Issue.record("line \($0) is too long, seed \(seed)")
        } line: { number, line in
            reader.read(line, at: number) { _, look in
                _ = look(0) { value in
                    found.append(String(decoding: value, as: UTF8.self))
                    return 0
                }
            }
        }
        reader.end()
        #expect(reader.rows.diagnostics.map(\.message) == [], "seed \(seed)")
        #expect(found == expected.map(\.value), "seed \(seed)")
    }
}
