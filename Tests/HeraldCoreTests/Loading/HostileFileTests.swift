import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What a workspace may contain by accident or malice. Each case gives a diagnostic, and none takes long.
@Suite(.timeLimit(.minutes(60)))
struct HostileFileTests {
    private func folder() throws -> TemporaryFolder { try TemporaryFolder(["herald.yaml": settingsText]) }

    private func link(_ target: String, as name: String, in folder: TemporaryFolder) throws {
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/\(name)", withDestinationPath: target)
    }

    @Test func `a pipe is not read`() throws {
        let folder = try folder()
        try #require(mkfifo("\(folder.path)/x.yaml", 0o600) == 0)
        #expect(try WorkspaceLoader.load(folder).found == [Found(.fileUnreadable, "x.yaml", nil)])
    }

    @Test func `a list that is a pipe is not read`() throws {
        let folder = try folder()
        let marked = MarkedText("kind: audience\nname: a\nsource: {file: ▸l.csv}\n")
        try folder.write(marked.text, to: "a.yaml")
        try #require(mkfifo("\(folder.path)/l.csv", 0o600) == 0)
        #expect(try WorkspaceLoader.load(folder).found == [Found(.fileUnreadable, "a.yaml", marked.positions[0])])
    }

    @Test func `a device is not read`() throws {
        #expect(throws: RegularFile.Problem.notRegular) { try RegularFile.bytes(at: "/dev/zero", limit: 1000) }
        let folder = try folder()
        try link("/dev/zero", as: "x.yaml", in: folder)
        #expect(try WorkspaceLoader.load(folder).found == [Found(.pathOutside, "x.yaml", nil)])
    }

    @Test func `links in a circle are named`() throws {
        let folder = try folder()
        try link("y.yaml", as: "x.yaml", in: folder)
        try link("x.yaml", as: "y.yaml", in: folder)
        let loaded = try WorkspaceLoader.load(folder)
        #expect(loaded.found == [Found(.fileUnreadable, "x.yaml", nil), Found(.fileUnreadable, "y.yaml", nil)])
        #expect(loaded.diagnostics[0].message == "'x.yaml' cannot be read: its links lead in a circle")
    }

    @Test func `not a byte more than the limit is read`() throws {
        let folder = try folder()
        try folder.write("12345", to: "x")
        #expect(try RegularFile.bytes(at: "\(folder.path)/x", limit: 5) == Array("12345".utf8))
        #expect(throws: RegularFile.Problem.tooLarge) { try RegularFile.bytes(at: "\(folder.path)/x", limit: 4) }
        try folder.write("", to: "x")
        #expect(try RegularFile.bytes(at: "\(folder.path)/x", limit: 0) == [])
    }

    @Test func `a million values are read and one more is not`() {
        let compose = { (count: Int) in
            let text = "[" + String(repeating: "a,", count: count) + "]"
            return YAMLComposer.documents(in: SourceText(file: "x.yaml", bytes: Array(text.utf8)))
        }
        // The list itself counts as one value.
        #expect(compose(YAMLComposer.maximumValues - 1).diagnostics == [])
        #expect(
            compose(YAMLComposer.maximumValues).diagnostics.map { Found($0) }
                == [Found(.yamlLimit, "x.yaml", .init(line: 1, column: 2 * YAMLComposer.maximumValues))])
    }

    @Test(arguments: ["a: b\n", "---\nkind: x\n"])
    func `a file of mistakes is not read to its end`(_ mistake: String) throws {
        let found = try WorkspaceLoader.load(files: ["x.yaml": String(repeating: mistake, count: 3000)]).found
        #expect(found.count(where: { $0.rule == .yamlLimit }) == 1)
        #expect((1000...1002).contains(found.count))
    }

    @Test func `mistakes that only references show are counted too`() throws {
        let names = (0..<3000).map { "a\($0)" }.joined(separator: ", ")
        let found = try WorkspaceLoader.load(files: [
            "x.yaml": "kind: topic\nname: t\nsubscribers: [\(names)]\n",
            "y.yaml": "kind: topic\nname: u\nsubscribers: [b]\n",
        ]).found
        #expect(found.count { $0.rule == .unknownReference && $0.file == "x.yaml" } == Findings.limit)
        #expect(found.count { $0.rule == .yamlLimit } == 1)
        // The mistakes of one file do not hide those of another.
        #expect(found.contains { $0.rule == .unknownReference && $0.file == "y.yaml" })
    }

    @Test func `ten thousand anchors are read and one more is not`() {
        let compose = { (count: Int) in
            let text = "[" + (0..<count).map { "&a\($0) x" }.joined(separator: ",") + "]"
            return YAMLComposer.documents(in: SourceText(file: "x.yaml", bytes: Array(text.utf8))).diagnostics
        }
        #expect(compose(YAMLComposer.maximumAnchors) == [])
        #expect(compose(YAMLComposer.maximumAnchors + 1).map(\.rule) == [.yamlLimit])
    }

    @Test func `a hundred handles for tags are read and one more is not`() {
        let compose = { (count: Int) in
            let handles = (0..<count).map { "%TAG !t\($0)! tag:example,2000:\n" }.joined()
            let text = "\(handles)--- {a: 100%TAG}\n"
            return YAMLComposer.documents(in: SourceText(file: "x.yaml", bytes: Array(text.utf8))).diagnostics
        }
        #expect(compose(YAMLParser.maximumTagHandles) == [])
        #expect(
            compose(YAMLParser.maximumTagHandles + 1).map { Found($0) }
                == [Found(.yamlLimit, "x.yaml", .init(line: YAMLParser.maximumTagHandles + 1, column: 1))])
    }

    @Test(arguments: ["l.csv", "l.txt", "l.ndjson"])
    func `a list of malformed rows is not read to its end`(_ name: String) throws {
        let header = name == "l.csv" ? "token\n" : ""
        let load = { (rows: Int) in
            try WorkspaceLoader.load(files: [
                "a.yaml": "kind: audience\nname: a\nsource: {file: \(name)}\n",
                name: header + String(repeating: "x\n", count: rows),
            ]).diagnostics.first { $0.range.text == nil }?.message
        }
        #expect(
            try load(RowFindings.limit)
                == "\((RowFindings.limit - RowFindings.shownRows).grouped) more malformed rows in '\(name)'")
        #expect(
            try load(RowFindings.limit + 5)
                == "more than \(RowFindings.limit.grouped) rows of '\(name)' are malformed; the rest was not read")
    }

    /// Counting and pointing must not change if the file has lines before the start of its content.
    @Test(arguments: ["", "\u{FEFF}"])
    func `an allowance is found behind blank lines, texts and other comments`(_ start: String) throws {
        let marked = MarkedText(
            """
            kind: campaign
            name: c
            # colours are "#aabbcc"
            target: {topic: t}
            message:
              data: {a: "x # herald: allow empty-message no comment", b: "ü"}  ▸# herald: allow empty-message none▸
            """)
        let found = try WorkspaceLoader.load(files: ["c.yaml": start + marked.text + "\n"]).diagnostics
        let unused = found.filter { $0.rule == .allowUnused }
        #expect(unused.map(\.range.text?.start) == [marked.positions[0]])
        #expect(unused.map(\.range.text?.end) == [marked.positions[1]])
    }

    @Test func `a value of 1 MiB is read and a byte more is not`() {
        let compose = { (size: Int) in
            let text = "a: '" + String(repeating: "x", count: size) + "'\n"
            return YAMLComposer.documents(in: SourceText(file: "x.yaml", bytes: Array(text.utf8)))
        }
        #expect(compose(1 << 20).diagnostics == [])
        #expect(
            compose(1 << 20 + 1).diagnostics.map { Found($0) }
                == [Found(.yamlLimit, "x.yaml", .init(line: 1, column: 4))])
    }

    /// Each scalar alone, at the end, and inside a group of eight bytes that are checked together.
    @Test(arguments: [
        "\u{0}", "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}",
        "\u{10FFFF}", "abcdefghé", "🌊🌊🌊", "",
    ])
    func `well-formed UTF-8 is taken`(_ text: String) {
        #expect(throws: Never.self) { try SourceText(file: "x", bytes: Array(text.utf8)).checked().get() }
    }

    /// Sequences that narrowly miss each row of Unicode's table 3-7.
    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0xAF], [0xC1, 0xBF], [0xC2], [0xC2, 0x7F], [0xDF, 0xC0], [0xE0, 0x9F, 0x80],
            [0xE0, 0xA0], [0xE1, 0x80, 0xC0], [0xED, 0xA0, 0x80], [0xEF, 0xBF], [0xF0, 0x8F, 0x80, 0x80],
            [0xF0, 0x90, 0x80], [0xF1, 0x80, 0x80, 0x7F], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
        ] as [[UInt8]])
    func `malformed UTF-8 is refused with its line`(_ bytes: [UInt8]) {
        for before in ["", "\n", "aaaaaaa\n", "aaaaaaaaaaaaa\n\n"] {
            let source = SourceText(file: "x", bytes: Array(before.utf8) + bytes + Array("aaaaaaaaa\n".utf8))
            guard case .failure(let problem) = source.checked() else {
                Issue.record("\(bytes) behind '\(before)' was taken")
                continue
            }
            #expect(problem.diagnostic.range.text?.start.line == before.count { $0 == "\n" } + 1)
        }
    }

    @Test func `the mistakes of many files come in the files' order`() throws {
        let files = Dictionary(
            uniqueKeysWithValues: (100..<300).map { ("f\($0).yaml", "kind: topic\nname: t\($0)\nsubscribers: [x]\n") })
        let found = try WorkspaceLoader.load(files: files).found
        #expect(found.map(\.file) == files.keys.sorted())
    }
}
