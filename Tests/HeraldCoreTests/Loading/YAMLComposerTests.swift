import HeraldTestSupport
import Testing

@testable import HeraldCore

struct YAMLComposerTests {
    /// A tree without places. A text stands for itself, and a plain scalar has a dot before it.
    indirect enum Tree: Equatable {
        case text(String), list([Tree]), map([String: Tree])

        init(_ node: Node) {
            switch node.content {
            case .scalar(let scalar): self = .text(scalar.text)
            case .sequence(let items): self = .list(items.map { Tree($0) })
            case .mapping(let entries):
                self = .map(Dictionary(uniqueKeysWithValues: entries.map { ($0.key, Tree($0.value)) }))
            }
        }
    }

    private func compose(_ text: String) -> (documents: [Node], diagnostics: [Diagnostic]) {
        YAMLComposer.documents(in: SourceText(file: "x.yaml", bytes: Array(text.utf8)))
    }

    private func tree(_ text: String) throws -> Tree {
        let (documents, diagnostics) = compose(text)
        #expect(diagnostics == [])
        try #require(documents.count == 1)
        return Tree(documents[0])
    }

    @Test(arguments: [
        ("", 0), ("\n\n", 0), ("# only a comment\n", 0), ("---\n", 0), ("---\n---\n...\n", 0), ("\u{FEFF}", 0),
        ("a: b", 1), ("---\na: b\n---\n# nothing\n---\nc: d\n...\n", 2), ("''", 1), ("a\n--- b\n--- c\n", 3),
    ])
    func `documents that say nothing are left out`(_ text: String, _ count: Int) {
        #expect(compose(text).documents.count == count)
        #expect(compose(text).diagnostics == [])
    }

    @Test func `an alias stands for what its anchor holds`() throws {
        #expect(
            try tree("a: &x {k: [v]}\nb: *x\nc: [*x, &x w, *x]\n")
                == .map([
                    "a": .map(["k": .list([.text("v")])]), "b": .map(["k": .list([.text("v")])]),
                    "c": .list([.map(["k": .list([.text("v")])]), .text("w"), .text("w")]),
                ]))
    }

    @Test func `an alias can be a key`() throws {
        #expect(try tree("a: &x k\n*x : v\n") == .map(["a": .text("k"), "k": .text("v")]))
    }

    @Test(arguments: [
        "b: &b {k: 1, l: 2}\na: {k: own, <<: *b}", "b: &b {k: 1, l: 2}\na: {<<: *b, k: own}",
        "b: &b {k: 1, l: 2}\na: {<<: [*b, {k: 3, l: 4}], k: own}",
    ])
    func `an explicit key wins over a merged one wherever it stands`(_ text: String) throws {
        guard case .map(let all) = try tree(text) else { throw NoWorkspace() }
        #expect(all["a"] == .map(["k": .text("own"), "l": .text("2")]))
    }

    @Test func `of a list of merged mappings the first to name a key wins`() throws {
        #expect(
            try tree("{<<: [{k: 1}, {k: 2, l: 3}, {l: 4, m: 5}]}")
                == .map(["k": .text("1"), "l": .text("3"), "m": .text("5")]))
    }

    @Test func `merged keys are merged on`() throws {
        let text = "a: &a {k: 1}\nb: &b {<<: *a, l: 2}\nc: {<<: *b}\n"
        guard case .map(let all) = try tree(text) else { throw NoWorkspace() }
        #expect(all["c"] == .map(["k": .text("1"), "l": .text("2")]))
    }

    @Test func `merged keys do not clash`() {
        #expect(compose("{<<: {a: 1}, <<: {a: 2}}").diagnostics == [])
    }

    @Test func `a merge key in quotes is a key like any other`() throws {
        #expect(try tree("\"<<\": x") == .map(["<<": .text("x")]))
    }

    @Test func `a duplicate key points at the first one`() throws {
        let marked = MarkedText("a:\n  ▸k: 1\n  l: 2\n  ▸k: 3\n")
        let found = compose(marked.text).diagnostics
        #expect(found.map { Found($0) } == [Found(.duplicateKey, "x.yaml", marked.positions[1])])
        #expect(found.first?.notes.map(\.range.text?.start) == [marked.positions[0]])
    }

    @Test func `64 levels are read and 65 are not`() {
        let deep = { (levels: Int) in String(repeating: "[", count: levels) + String(repeating: "]", count: levels) }
        #expect(compose(deep(64)).diagnostics == [])
        #expect(compose(deep(65)).diagnostics.map(\.rule) == [.yamlLimit])
        #expect(compose(String(repeating: "[", count: 1_000_000)).diagnostics.map(\.rule) == [.yamlLimit])
        #expect(compose(String(repeating: "{a: ", count: 500_000)).diagnostics.map(\.rule) == [.yamlLimit])
        #expect(compose(String(repeating: "- ", count: 500_000)).diagnostics.map(\.rule) == [.yamlLimit])
    }

    @Test func `levels behind an alias count`() {
        let anchor = "- &a " + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "\n- "
        let behind = { (levels: Int) in
            anchor + String(repeating: "[", count: levels) + "*a" + String(repeating: "]", count: levels) + "\n"
        }
        #expect(compose(behind(23)).diagnostics == [])
        #expect(compose(behind(24)).diagnostics.map(\.rule) == [.yamlLimit])
    }

    @Test func `a billion laughs end at once`() {
        var text = "- &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...20 {
            let alias = "*a\(level - 1)"
            text += "- &a\(level) [" + Array(repeating: alias, count: 10).joined(separator: ", ") + "]\n"
        }
        let spent = computingTime {
            #expect(compose(text).diagnostics.map(\.rule) == [.yamlLimit])
        }
        #expect(spent < .seconds(2))
    }

    @Test func `a billion merged laughs end at once`() {
        var text = "- &a0 {k0: x}\n"
        for level in 1...40 { text += "- &a\(level) {<<: [*a\(level - 1), *a\(level - 1)], k\(level): x}\n" }
        let spent = computingTime {
            #expect(compose(text).diagnostics.map(\.rule) == [.yamlLimit])
        }
        #expect(spent < .seconds(5))
    }

    @Test func `what stands before a syntax error is kept`() {
        let (documents, diagnostics) = compose("a: b\n---\nc: [\n")
        #expect(documents.map { Tree($0) } == [.map(["a": .text("b")])])
        #expect(diagnostics.map(\.rule) == [.yamlSyntax])
    }

    @Test(arguments: ["a: b\r\nc:\r\n  - d\r\n  - e\r\n", "\u{FEFF}a: b\nc:\n  - d\n  - e\n", "a: b\nc: [d, e]"])
    func `line ends and a byte order mark make no difference`(_ text: String) throws {
        #expect(try tree(text) == .map(["a": .text("b"), "c": .list([.text("d"), .text("e")])]))
    }

    @Test(arguments: [
        "▸a: b\n", "a: b\r\n▸c: d\r\n", "é€🌊: {▸c: d}\n", "# é\n\n  ▸c: d\n", "a: b\nk: {é: x, ▸c: d}\n",
        "\u{FEFF}▸c: d\n", "\u{FEFF}a: b\n▸c: d\n", "\u{FEFF}{a: b, ▸c: d}\n",
    ])
    func `columns count Unicode scalars`(_ text: String) throws {
        var marked = MarkedText(text)
        if marked.text.unicodeScalars.first == "\u{FEFF}", let first = marked.positions.first, first.line == 1 {
            // The byte order mark belongs to the file, not to its first line.
            marked = MarkedText(String(text.unicodeScalars.dropFirst()))
        }
        let source = SourceText(file: "x", bytes: Array(MarkedText(text).text.utf8))
        let (documents, _) = YAMLComposer.documents(in: source)
        let starts = keyStarts(try #require(documents.first))
        #expect(starts.contains(try #require(marked.positions.first)))
    }

    private func keyStarts(_ node: Node) -> [TextRange.Position] {
        (node.mapping ?? []).flatMap { [$0.keyRange.start] + keyStarts($0.value) }
    }

    @Test(arguments: [
        "a: b\nc: ▸\0\n", "a: b\nc: x▸\u{1B}[31m\n", "a: b\nc: x▸\u{7F}\n", "# é\r\n  ▸\u{1}\r\n", "é▸\u{FFFE}",
    ])
    func `a character that YAML forbids is a located error`(_ text: String) {
        let marked = MarkedText(text)
        #expect(
            compose(marked.text).diagnostics.map { Found($0) } == [Found(.yamlSyntax, "x.yaml", marked.positions[0])])
    }

    @Test(arguments: [
        "a: [b", "a: 'b", "a: \"b\\q\"", "\"a", "a:\n\tb: c", "- a\nb: c", "[a]]", "&", "*", "!<", "%YAML 3.0\n---\na",
        "a: |x\n b", "? [", "{a: b", "@a", "`a", "a: b: c", "a: &x *x", "--- >\n\t",
    ])
    func `broken YAML is a located error and no crash`(_ text: String) throws {
        let found = compose(text).diagnostics
        #expect(found.count >= 1)
        for diagnostic in found {
            let range = try #require(diagnostic.range.text)
            #expect(range.start.line >= 1 && range.start.column >= 1)
        }
    }

    /// `▸` marks the end of the root node.
    @Test(arguments: [
        "a:\n  b: cd▸\n\n\n", "- a\n- - b▸\n\n# c\n", "{}▸\n", "[]▸", "{a: b,\n}▸ # c\n", "[a, b ]▸\n", "ab cd▸  \n",
        "'a'▸",
        "&x {a: b}▸\n", "&x\na: [b]▸\n\n",
    ])
    func `a value ends behind its last character`(_ text: String) throws {
        let marked = MarkedText(text)
        let node = try #require(compose(marked.text).documents.first)
        #expect(node.range.end == marked.positions[0])
    }

    @Test(arguments: ["a: [▸", "a: [\n▸", "a: \"b▸", "é: {b: c▸"])
    func `what is not closed is missed at the end of the file`(_ text: String) {
        let marked = MarkedText(text)
        #expect(compose(marked.text).diagnostics.map { $0.range.text?.start } == [marked.positions[0]])
    }
}
