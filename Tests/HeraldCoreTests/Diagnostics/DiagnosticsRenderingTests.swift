import FCM
import HeraldCore
import HeraldTestSupport
import Testing

struct DiagnosticsRenderingTests {
    private func document(_ files: [String: String]) throws -> DiagnosticsDocument {
        let loaded = try WorkspaceLoader.load(files: files)
        return DiagnosticsDocument(loaded.diagnostics, sources: loaded.sources)
    }

    @Test func `JSON has the members of its schema`() throws {
        let document = try document([
            "b.yaml": "kind: audience\nname: a\nfids: []\n",
            "campaigns/c.yaml": "kind: audience\nname: \"a\"\nfids: []\nexlude: []\n",
            "d.yaml/x": "",
        ])
        let expected = """
            {"schema":"herald.diagnostics/1","diagnostics":[
              {"rule":"duplicate-resource","severity":"error","message":"audience 'a' is declared twice",
               "file":"campaigns/c.yaml","line":2,"column":7,"end_line":2,"end_column":10,
               "notes":[{"message":"first declared here","file":"b.yaml","line":2,"column":7}]},
              {"rule":"unknown-key","severity":"error","message":"'exlude' is not a key of an audience",
               "file":"campaigns/c.yaml","line":4,"column":1,"end_line":4,"end_column":7,"notes":[],
               "help":"did you mean 'exclude'?"},
              {"rule":"file-unreadable","severity":"error","message":"'d.yaml' is a folder, not a file","file":"d.yaml","notes":[]}
            ]}
            """
        #expect(try document.json == JSONValue(parsing: Array(expected.utf8)))
        #expect(try JSONValue(parsing: Array(document.rendered(as: .json).utf8)) == document.json)
    }

    @Test func `without a mistake the list is empty`() throws {
        #expect(try document([:]).json == ["schema": "herald.diagnostics/1", "diagnostics": []])
        #expect(try document([:]).rendered(as: .text) == "0 errors, 0 warnings\n")
    }

    @Test func `a warning says so`() throws {
        let text = try document([
            "c.yaml":
                "kind: topic\nname: t\nsubscribers: []\n---\nkind: campaign\nname: c\ntarget: {topic: t}\nmessage: {}\n"
        ]).rendered(as: .text)
        #expect(
            text == """
                warning[empty-message]: the message has no notification and no data
                  --> c.yaml:8:10
                 8 | message: {}
                   |          ^^

                0 errors, 1 warning

                """)
    }

    @Test func `text shows the line with carets below`() throws {
        let text = try document([
            "a.yaml": "kind: audience\nname: a\nfids: []\n",
            "b.yaml": "# è\n{kind: audience, name: \"a\",\tfids: [], \"🌊\": x}\n",
        ]).rendered(as: .text)
        #expect(
            text == """
                error[duplicate-resource]: audience 'a' is declared twice
                  --> b.yaml:2:24
                 2 | {kind: audience, name: "a", fids: [], "🌊": x}
                   |                        ^^^
                  note: first declared here (a.yaml:2:7)
                 2 | name: a
                   |       ^

                error[unknown-key]: '🌊' is not a key of an audience
                  --> b.yaml:2:39
                 2 | {kind: audience, name: "a", fids: [], "🌊": x}
                   |                                       ^^^^
                  help: it has: kind, name, source, tokens, fids, from, where, outcome, exclude, previous_names, fields, samples

                2 errors, 0 warnings

                """)
    }

    @Test func `colours change nothing but colours`() throws {
        let document = try document(["a.yaml": "kind: audience\nname: A\nfids: [x]\n"])
        let colored = document.rendered(as: .text, TextStyle(isColored: true))
        #expect(colored != document.rendered(as: .text))
        #expect(colored.replacing(#/\u{1B}\[[0-9]+m/#, with: "") == document.rendered(as: .text))
    }

    /// The caret stands below `▸`, counted in terminal cells.
    @Test(arguments: [
        ("{kind: audience, name: a, fids: [], x: 1}", 36, 1), ("{kind: audience, name: a, \t fids: [], x: 1}", 39, 1),
        ("{kind: audience, name: a, fids: [], description高: 1}", 36, 13),
        ("{kind: audience, name: a, \"from\": 'e\u{301}e\u{301}', x: 1}", 40, 1),
        ("{kind: audience, name: a, from: '高い', x: 1}", 40, 1),
        ("{kind: audience, name: a, from: '👨‍👩‍👧', x: 1}", 38, 1), ("{kind: audience, name: a, from: '☀️', x: 1}", 38, 1),
    ])
    func `carets are aligned in cells`(_ line: String, _ padding: Int, _ width: Int) throws {
        let text = try document(["a.yaml": line]).rendered(as: .text)
        let unknown = text.split(separator: "\n\n").first { $0.hasPrefix("error[unknown-key]") }
        let carets = unknown?.split(separator: "\n").first { $0.hasPrefix("   | ") }
        #expect(
            carets.map(String.init) == "   | " + String(repeating: " ", count: padding)
                + String(repeating: "^", count: width))
    }

    @Test func `warnings that say the same are one with the other places, and errors are not`() {
        let places = (1...14).map { line in
            SourceRange(
                file: "tide.yaml",
                text: TextRange(start: .init(line: line, column: 3), end: .init(line: line, column: 5)))
        }
        let text = { (make: (SourceRange) -> Diagnostic) in
            DiagnosticsDocument(places.map(make), sources: [:]).text(.plain)
        }
        let warnings = text { .warning(.pushTypeMissing, "the header is missing", at: $0, help: "write it") }
        #expect(warnings.ranges(of: "the header is missing").count == 1)
        #expect(warnings.contains("also in tide.yaml:2:3, ") && warnings.contains("tide.yaml:11:3 and 3 more places\n"))
        #expect(warnings.hasSuffix("0 errors, 14 warnings\n"))
        let errors = text { .error(.pushTypeMissing, "the header is missing", at: $0, help: "write it") }
        #expect(errors.ranges(of: "the header is missing").count == 14)
    }
}
