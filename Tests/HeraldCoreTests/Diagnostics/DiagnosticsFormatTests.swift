import FCM
import HeraldCore
import HeraldTestSupport
import Testing

struct DiagnosticsFormatTests {
    private static let paths = RepositoryPaths(root: "/repo", workspace: "/repo/push, now")

    private static func error(
        _ message: String, _ file: String = "a.yaml", line: Int = 2, columns: Range<Int> = 3..<5, help: String? = nil
    ) -> Diagnostic {
        let range = TextRange(
            start: .init(line: line, column: columns.lowerBound), end: .init(line: line, column: columns.upperBound))
        return .error(.unknownKey, message, at: SourceRange(file: file, text: range), help: help)
    }

    private func github(_ diagnostics: [Diagnostic]) -> String {
        DiagnosticsDocument(diagnostics, sources: [:]).rendered(as: .github, in: Self.paths)
    }

    /// By docs.github.com, *Workflow commands*. The escapes are those of actions/toolkit, packages/core/src/command.ts.
    @Test func `an annotation escapes what the runner would end it at`() {
        var found = Self.error("50% of 'a:b'", "x:y.yaml", help: "write a, b")
        found.notes = [.init("first here", at: SourceRange(file: "b.yaml", text: .line(7)))]
        #expect(
            github([found])
                == "::error file=push%2C now/x%3Ay.yaml,line=2,col=3,endColumn=5,title=herald%3A unknown-key"
                + "::50%25 of 'a:b'%0Anote: first here (push, now/b.yaml:7:1)%0Ahelp: write a, b\n")
    }

    @Test func `a file as a whole and a stretch of lines have no columns`() {
        let whole = Diagnostic.warning(.fileUnreadable, "m", at: SourceRange(file: "/repo/l\r\n.csv"))
        #expect(github([whole]) == "::warning file=l%0D%0A.csv,title=herald%3A file-unreadable::m\n")
        let range = TextRange(start: .init(line: 1, column: 4), end: .init(line: 3, column: 2))
        let long = Diagnostic.error(.wrongType, "m", at: SourceRange(file: "/else/a.yaml", text: range))
        #expect(github([long]) == "::error file=/else/a.yaml,line=1,endLine=3,title=herald%3A wrong-type::m\n")
    }

    @Test func `without a mistake there is no annotation`() {
        #expect(github([]) == "")
    }

    @Test(arguments: [(10, 10, nil), (11, 9, "1 error, 1 warning"), (13, 9, "3 errors, 1 warning")])
    func `the worst ten are shown and the rest counted`(_ count: Int, _ shown: Int, _ rest: String?) {
        var found = (1..<count).map { Self.error("m\($0)", line: $0) }
        found.insert(.warning(.unknownKey, "mild", at: SourceRange(file: "0.yaml")), at: 0)
        let lines = github(found).split(separator: "\n")
        #expect(lines.count == 10)
        #expect(lines.prefix(9).map { $0.suffix(2) } == (1...9).map { "m\($0)" })
        let last = rest.map { "::error title=herald::and \($0) more; 'herald validate' shows them all" }
        #expect(
            lines.last.map(String.init) == last ?? "::warning file=push%2C now/0.yaml,title=herald%3A unknown-key::mild"
        )
    }

    @Test(arguments: [
        ("/repo", "/repo", "a.yaml", "a.yaml"), ("/repo", "/repo/w", "a.yaml", "w/a.yaml"),
        ("/repo", "/repo/w", "/repo/lists/l.csv", "lists/l.csv"),
        ("/repo", "/repo/w", "/repository/l.csv", "/repository/l.csv"),
        ("/", "/w", "a.yaml", "w/a.yaml"),
    ])
    func `paths are relative to the repository`(_ root: String, _ workspace: String, _ file: String, _ path: String) {
        let found = Diagnostic.error(.unknownKey, "m", at: SourceRange(file: file))
        let text = DiagnosticsDocument([found], sources: [:])
            .rendered(as: .github, in: RepositoryPaths(root: root, workspace: workspace))
        #expect(text == "::error file=\(path),title=herald%3A unknown-key::m\n")
    }

    private func sarif(_ files: [String: String]) throws -> JSONValue {
        let loaded = try WorkspaceLoader.load(files: files)
        let text = DiagnosticsDocument(loaded.diagnostics, sources: loaded.sources).rendered(as: .sarif, in: Self.paths)
        return try JSONValue(parsing: Array(text.utf8))
    }

    @Test func `SARIF has what OASIS asks for and GitHub shows`() throws {
        let log = try sarif([
            "b.yaml": "kind: audience\nname: a\nfids: []\n",
            "é/c d.yaml": "kind: audience\nname: \"a\"\nfids: []\nexlude: []\n",
        ])
        let expected = """
            {"$schema":"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
             "version":"2.1.0","runs":[{
              "tool":{"driver":{"name":"herald","rules":[
                {"id":"duplicate-resource","name":"DuplicateResource","shortDescription":{"text":"Duplicate resource."}},
                {"id":"unknown-key","name":"UnknownKey","shortDescription":{"text":"Unknown key."}}]}},
              "columnKind":"unicodeCodePoints",
              "originalUriBaseIds":{"SRCROOT":{"description":{"text":"The root of the git repository."}}},
              "results":[
               {"ruleId":"duplicate-resource","ruleIndex":0,"level":"error","message":{"text":"audience 'a' is declared twice"},
                "locations":[{"physicalLocation":{
                 "artifactLocation":{"uri":"push%2C%20now/%C3%A9/c%20d.yaml","uriBaseId":"SRCROOT"},
                 "region":{"startLine":2,"startColumn":7,"endLine":2,"endColumn":10}}}],
                "relatedLocations":[{"id":0,"message":{"text":"first declared here"},"physicalLocation":{
                 "artifactLocation":{"uri":"push%2C%20now/b.yaml","uriBaseId":"SRCROOT"},
                 "region":{"startLine":2,"startColumn":7,"endLine":2,"endColumn":8}}}]},
               {"ruleId":"unknown-key","ruleIndex":1,"level":"error",
                "message":{"text":"'exlude' is not a key of an audience\\nhelp: did you mean 'exclude'?"},
                "locations":[{"physicalLocation":{
                 "artifactLocation":{"uri":"push%2C%20now/%C3%A9/c%20d.yaml","uriBaseId":"SRCROOT"},
                 "region":{"startLine":4,"startColumn":1,"endLine":4,"endColumn":7}}}],
                "fixes":[{"description":{"text":"Write exclude."},"artifactChanges":[{
                 "artifactLocation":{"uri":"push%2C%20now/%C3%A9/c%20d.yaml","uriBaseId":"SRCROOT"},
                 "replacements":[{"deletedRegion":{"startLine":4,"startColumn":1,"endLine":4,"endColumn":7},
                  "insertedContent":{"text":"exclude"}}]}]}]}
              ]}]}
            """
        #expect(log == (try JSONValue(parsing: Array(expected.utf8))))
    }

    @Test func `without a mistake SARIF has no results`() throws {
        #expect(try sarif([:])["runs"]?.array?.first?["results"] == [])
    }

    @Test(arguments: [
        ("name: no\nfids: []", ["\"no\""]), ("name: &x no\nfids: []", []), ("name: !!foo no\nfids: []", []),
        ("name: a\nfids: []\nnme: b", []), ("name: a\nfids: []\nzzzzzzz: b", []), ("name: a\nfdis: []", ["fids"]),
    ])
    func `a fix is offered only where it alone mends the mistake`(_ text: String, _ fixes: [String]) throws {
        let results = try sarif(["a.yaml": "kind: audience\n\(text)\n"])["runs"]?.array?.first?["results"]?.array ?? []
        let offered = results.compactMap { result in
            result["fixes"]?.array?.first?["artifactChanges"]?.array?.first?["replacements"]?.array?.first?[
                "insertedContent"]?["text"]
        }
        #expect(offered == fixes.map { .string($0) })
    }
}
