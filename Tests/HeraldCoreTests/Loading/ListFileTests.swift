import FCM
import HeraldCore
import HeraldTestSupport
import Testing

struct ListFileTests {
    private func load(_ name: String, _ bytes: [UInt8]) throws -> WorkspaceLoader.Loaded {
        let folder = try TemporaryFolder([
            "herald.yaml": settingsText, "a.yaml": "kind: audience\nname: a\nsource: {file: \(name)}\n",
        ])
        try folder.write(bytes, to: name)
        return try WorkspaceLoader.load(folder)
    }

    private func load(_ name: String, _ text: String) throws -> WorkspaceLoader.Loaded {
        try load(name, Array(text.utf8))
    }

    private static let fids = (0...3).map { Registration.fid($0).rawValue }
    private static let tokens = (0...3).map { Registration.token($0).rawValue }

    @Test(arguments: [
        ("l.csv", "fid\n\(fids[0])\n\(fids[1])\n", [fids[0], fids[1]]),
        ("l.csv", "\u{FEFF}fid\r\n\(fids[0])\r\n\r\n\(fids[1])", [fids[0], fids[1]]),
        (
            "l.csv", "\n \nname,\"token\",x\n\"a, \"\"b\"\"\",\(tokens[1]),\n,\"\(tokens[0])\",\"\"\n",
            [tokens[1], tokens[0]]
        ),
        ("l.csv", "token,fid\n\(tokens[0]),\n,\(fids[1])\n\(tokens[2]),\n", [tokens[0], fids[1], tokens[2]]),
        ("l.csv", "spot,fid,spot\na,\(fids[0]),b\n", [fids[0]]),
        ("l.csv", "fid\n", []),
        ("l.csv", "token,fid\r\n", []),
        ("l.txt", "", []),
        ("l.txt", "# all\n\n\(tokens[0])\n  \(fids[0])\t\r\n#\(fids[1])\n\(fids[0])", [tokens[0], fids[0], fids[0]]),
        ("l.txt", "\u{FEFF}\(fids[0])\n", [fids[0]]),
        ("l.ndjson", "", []),
        (
            "l.ndjson",
            "\u{FEFF}{\"fid\":\"\(fids[0])\"}\r\n\n {\"locale\":[1,{}],\"token\":\"\(tokens[0])\",\"fid\":null}\n",
            [fids[0], tokens[0]]
        ),
        ("l.csv", "token,fid\n\(tokens[0]),\(fids[0])\n,\(fids[1])\n", [fids[0], tokens[0], fids[1]]),
        ("l.ndjson", "{\"token\":\"\(tokens[0])\",\"fid\":\"\(fids[0])\"}", [fids[0], tokens[0]]),
        ("l.ndjson", "{\"token\":\"\(tokens[0])\",\"fid\":\"\(fids[0])\",\"x\":[]}", [fids[0], tokens[0]]),
        ("l.csv", "token,fid\n\(String(repeating: "x", count: 100)),\(fids[0])\n", [fids[0]]),
    ])
    func `registrations come in the order of the file`(_ name: String, _ text: String, _ expected: [String]) throws {
        let loaded = try load(name, text)
        #expect(loaded.found == [])
        #expect(try loaded.registrations().first?.map(\.rawValue) == expected)
    }

    /// `▸` marks every row that must be refused. Each of them holds `SECRET`, which no message may repeat.
    @Test(arguments: [
        ("l.txt", "▸SECRET\n\(fids[0])\n▸\(fids[0]) SECRET\n▸SECRET,\(fids[0])\n"),
        ("l.txt", "▸\"SECRET\(fids[0])\"\n\(fids[0])\n"),
        ("l.csv", "fid,n\n\(fids[0]),1\n▸SECRET\n▸SECRET,1\n▸\(fids[0]),1,SECRET\n"),
        ("l.csv", "fid,n\n▸\"SECRET,1\n\"\(fids[0])\"SECRET,1\n▸\(fids[0]),SEC\"RET\n▸\(fids[0]),\"SECRET\" \n"),
        ("l.csv", "fid,n\n▸,SECRET\n▸\" \",SECRET\n▸ \(fids[0]),SECRET\n"),
        (
            "l.csv",
            "fid,token\n▸\(fids[0]),SECRET\n▸SECRET,\(tokens[0])\n▸\(tokens[0]),SECRET\n▸\(tokens[0]),\(tokens[1])SECRET!\n"
        ),
        ("l.csv", "fid,token,n\n▸\(fids[0]),\(tokens[1]),SECRET\n\(fids[1]),\(tokens[1]),\n"),
        ("l.ndjson", "▸{\"token\":\"\(tokens[1])\",\"fid\":\"\(fids[0])\",\"x\":\"SECRET\"}\n"),
        ("l.csv", "token\n▸\(fids[0])SECRET\n\(tokens[0])\n▸\(fids[0])\n"),
        ("l.ndjson", "▸SECRET\n▸[\"SECRET\"]\n▸{\"fid\":\"SECRET\"}\n▸{\"fid\":\"\(fids[0])\",\"token\":\"SECRET\"}\n"),
        (
            "l.ndjson",
            "▸{\"name\":\"SECRET\"}\n▸{\"fid\":[\"SECRET\"]}\n▸{\"fid\":{\"SECRET\":1}}\n▸{\"fid\":\"SECRET\n"
        ),
        (
            "l.ndjson",
            "▸{\"fid\":\"\(fids[0])\",\"fid\":\"\(fids[1])\"}\n▸{\"fid\":\"\(fids[0])\",\"SECRET\":1,\"SECRET\":1}\n"
        ),
        (
            "l.ndjson",
            "▸{\"fid\":\"\(fids[0])\"} SECRET\n▸\"SECRET\"\n▸{\"fid\":null,\"x\":\"SECRET\"}\n▸{\"FID\":\"SECRET\"}\n"
        ),
    ])
    func `a malformed row is located and never shown`(_ name: String, _ text: String) throws {
        let marked = MarkedText(text)
        let loaded = try load(name, marked.text)
        #expect(loaded.found == marked.positions.map { Found(.listRow, name, $0) })
        #expect(!loaded.shown.contains("SEC"))
        #expect(!loaded.shown.contains(Self.fids[0]))
        for diagnostic in loaded.diagnostics {
            let texts = [diagnostic.message, diagnostic.help ?? ""] + diagnostic.notes.map(\.message)
            #expect(!texts.joined().contains("SEC"))
        }
    }

    @Test(arguments: ["SECRET,n\n1,2\n", "SECRET,fid,fid\n", "\"SECRET\n", "SECRET", "\u{FEFF}fid ,SECRET"])
    func `a header that is refused is not shown either`(_ text: String) throws {
        let loaded = try load("l.csv", text)
        #expect(loaded.diagnostics.count == 1)
        #expect(loaded.diagnostics.first?.range.text?.start == .init(line: 1, column: 1))
        #expect(!loaded.shown.contains("SECRET"))
    }

    @Test(arguments: [("l.csv", "\n"), ("l.csv", ""), ("l.csv", "\u{FEFF}\r\n\r\n")])
    func `a CSV without a header is refused`(_ name: String, _ text: String) throws {
        #expect(try load(name, text).found == [Found(.listFormat, name, .init(line: 1, column: 1))])
    }

    /// As the header of a list without rows, such a file would hold nobody back.
    @Test(arguments: [
        "fid,since\r\(fids[0]),SECRET\r\(fids[1]),y\r", "\"fid\",since\r\(fids[0]),SECRET\r",
        "since,fid\r\(fids[0]),SECRET", "fid\r\(fids[0])\r", "fid,since\r\r\n\(fids[0]),SECRET\r\r\n",
    ])
    func `a CSV whose lines end with CR alone is refused`(_ text: String) throws {
        let loaded = try load("l.csv", text)
        #expect(loaded.found == [Found(.listFormat, "l.csv", .init(line: 1, column: 1))])
        #expect(!loaded.shown.contains("SECRET"))
        #expect(!loaded.shown.contains(Self.fids[0]))
    }

    @Test(arguments: ["l.txt", "l.csv", "l.ndjson"])
    func `of many malformed rows 20 are shown and the rest counted`(_ name: String) throws {
        let head = name == "l.csv" ? "fid\n" : ""
        let exactly = try load(name, head + String(repeating: "x\n", count: 20))
        #expect(exactly.diagnostics.count == 20)
        #expect(exactly.diagnostics.allSatisfy { $0.range.text != nil })

        let more = try load(name, head + String(repeating: "x\n", count: 1234))
        #expect(more.diagnostics.count == 21)
        let summary = more.diagnostics.filter { $0.range.text == nil }
        #expect(summary.count == 1)
        #expect(summary.first?.message.contains("1,214") == true)
        #expect(summary.first?.range.file == name)
    }

    @Test(arguments: ["\n", "\r\n", ""])
    func `a line may have 8 KiB and no more`(_ end: String) throws {
        let line = "#" + String(repeating: "x", count: 8191)
        #expect(try load("l.txt", "\(fid)\n\(line)\(end)").found == [])
        #expect(
            try load("l.txt", "\(fid)\n\(line)x\(end)").found
                == [Found(.listRow, "l.txt", .init(line: 2, column: 1))])
    }

    @Test(arguments: ["txt", "csv", "ndjson"])
    func `a file without line ends is refused at once`(_ ending: String) throws {
        let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 4 << 20)
        let loaded = try load("l.\(ending)", bytes)
        #expect(loaded.diagnostics.count >= 1)
        #expect(loaded.found.first == Found(.listRow, "l.\(ending)", .init(line: 1, column: 1)))
        #expect(loaded.shown.utf8.count < 10_000)
    }

    @Test func `deep JSON in a row is refused and does not crash`() throws {
        let deep = String(repeating: "[", count: 8000)
        let loaded = try load("l.ndjson", "\(deep)\n{\"fid\":\"\(fid)\"}\n")
        #expect(loaded.found == [Found(.listRow, "l.ndjson", .init(line: 1, column: 1))])
    }

    @Test func `a list that two audiences share is judged once`() throws {
        let loaded = try WorkspaceLoader.load(files: [
            "a.yaml": "kind: audience\nname: a\nsource: {file: lists/l.txt}\n",
            "sub/b.yaml": "kind: audience\nname: b\nsource: {file: ../lists/./l.txt}\n",
            "lists/l.txt": "\(fid)\nbad\n",
        ])
        #expect(loaded.found == [Found(.listRow, "lists/l.txt", .init(line: 2, column: 1))])
        #expect(try loaded.registrations() == [[.fid(1)], [.fid(1)]])
    }

    @Test func `inline registrations are read as they stand`() throws {
        let loaded = try WorkspaceLoader.load(files: [
            "a.yaml": "kind: audience\nname: a\nfids:\n  - \(Self.fids[1])\n  - \"\(Self.fids[0])\"\n",
            "b.yaml": "kind: audience\nname: b\ntokens: [\(Self.tokens[0])]\n",
        ])
        #expect(loaded.found == [])
        #expect(try loaded.registrations() == [[.fid(1), .fid(0)], [.token(0)]])
    }

    @Test(arguments: [
        "fids: [SECRET-\(fids[0])]", "fids:\n  - SECRET\n", "tokens: [[SECRET]]", "tokens: [{SECRET: x}]",
        "fids: [\"SECRET\\e\"]",
    ])
    func `a malformed entry is not shown`(_ text: String) throws {
        let loaded = try WorkspaceLoader.load(files: ["a.yaml": "kind: audience\nname: a\n\(text)\n"])
        #expect(loaded.found.map(\.rule) == [.registrationForm])
        #expect(!loaded.shown.contains("SECRET"))
    }
}
