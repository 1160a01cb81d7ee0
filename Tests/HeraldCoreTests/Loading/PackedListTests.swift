import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct PackedListTests {
    private static let marked = MarkedText("kind: audience\nname: a\nsource: {file: ▸l.csv.gz}\n")

    private func load(_ bytes: [UInt8], as name: String = "l.csv.gz") throws -> WorkspaceLoader.Loaded {
        let yaml = Self.marked.text.replacing("l.csv.gz", with: name)
        let folder = try TemporaryFolder(["herald.yaml": settingsText, "a.yaml": yaml])
        try folder.write(bytes, to: name)
        return try WorkspaceLoader.load(folder)
    }

    @Test(arguments: [
        ("l.csv.gz", "fid,n\n\(fid),x\n"), ("l.txt.gz", "# one\n\(fid)\n"), ("l.ndjson.gz", "{\"fid\":\"\(fid)\"}\n"),
    ])
    func `a packed list is read by the ending before`(_ name: String, _ text: String) throws {
        let loaded = try load(gzipped(text), as: name)
        #expect(loaded.found == [])
        #expect(try loaded.registrations() == [[.fid(1)]])
    }

    @Test func `a malformed row has its line in the unpacked text`() throws {
        let loaded = try load(gzipped("fid\n\(fid)\nbad\n"))
        #expect(loaded.found == [Found(.listRow, "l.csv.gz", .init(line: 3, column: 1))])
    }

    @Test func `members behind each other are one list`() throws {
        let loaded = try load(gzipped("fid\n\(fid)") + gzipped("") + gzipped("\n\(Registration.fid(2).rawValue)\n"))
        #expect(loaded.found == [])
        #expect(try loaded.registrations() == [[.fid(1), .fid(2)]])
    }

    @Test(arguments: 0..<64)
    func `a file cut anywhere is refused`(_ length: Int) throws {
        let packed = gzipped("fid\n\(fid)\n")
        guard length < packed.count else { return }
        #expect(
            try load(Array(packed[..<length])).found == [Found(.listCompression, "a.yaml", Self.marked.positions[0])])
    }

    /// The second value is the part of the message that tells what is wrong.
    @Test(arguments: [
        ("checksum", "damaged"), ("length", "damaged"), ("garbage", "gzip did not write"),
        ("zeros", "gzip did not write"),
    ])
    func `what gzip did not write so is refused`(_ change: String, _ words: String) throws {
        var packed = gzipped("fid\n\(fid)\n")
        switch change {
        case "checksum": packed[packed.count - 8] ^= 1
        case "length": packed[packed.count - 4] ^= 1
        case "zeros": packed += [0, 0]
        default: packed += Array("more".utf8)
        }
        let loaded = try load(packed)
        #expect(loaded.found == [Found(.listCompression, "a.yaml", Self.marked.positions[0])])
        #expect(loaded.diagnostics.first?.message.contains(words) == true)
    }

    @Test func `text that is packed must be UTF-8 too`() throws {
        let loaded = try load(gzipped(Array("fid\n".utf8) + [0xFF]))
        #expect(loaded.found == [Found(.fileEncoding, "l.csv.gz", .init(line: 2, column: 1))])
    }

    @Test func `beyond a mebibyte a file may unpack to 200 times its size and no more`() throws {
        // Zeros are packed to about a thousandth.
        let small = try load(gzipped(Array("fid\n".utf8) + [UInt8](repeating: UInt8(ascii: "\n"), count: 1 << 19)))
        #expect(small.found == [])
        let bomb = try load(gzipped(Array("fid\n".utf8) + [UInt8](repeating: UInt8(ascii: "\n"), count: 3 << 20)))
        #expect(bomb.found == [Found(.listCompression, "a.yaml", Self.marked.positions[0])])
        #expect(bomb.diagnostics.first?.message.contains("200 times") == true)
    }

    @Test(arguments: [("l.csv", Rule.fileTooLarge), ("l.csv.gz", .listCompression)])
    func `no more than the limit is read or unpacked`(_ name: String, _ rule: Rule) throws {
        #expect(ListScanner.maximumSize == 4_294_967_296)
        let text = "fid\n" + String(repeating: "\(fid)\n", count: 100)
        let folder = try TemporaryFolder()
        try folder.write(name.hasSuffix("gz") ? gzipped(text) : Array(text.utf8), to: name)
        let scan = { (limit: Int) throws(DiagnosticError) in
            try ListScanner("\(folder.path)/\(name)", as: name, limit: limit).scan(tooLong: { _ in }) { _, _ in true }
        }
        #expect(throws: Never.self) { try scan(text.utf8.count) }
        #expect { try scan(text.utf8.count - 1) } throws: { ($0 as? DiagnosticError)?.diagnostic.rule == rule }
    }
}
