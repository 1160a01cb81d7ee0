import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct DiagnosticTests {
    private func at(_ file: String, _ line: Int? = nil, _ column: Int = 1) -> SourceRange {
        SourceRange(
            file: file,
            text: line.map {
                TextRange(start: .init(line: $0, column: column), end: .init(line: $0, column: column + 1))
            })
    }

    @Test func `diagnostics are sorted by file, place, rule and message, each once`() {
        let sorted: [Diagnostic] = [
            .error(.fileUnreadable, "m", at: at("a")), .error(.yamlSyntax, "m", at: at("a", 1, 9)),
            .error(.yamlSyntax, "m", at: at("a", 2, 1)), .error(.apsMissing, "z", at: at("a", 10, 2)),
            .error(.yamlTag, "a", at: at("a", 10, 2)), .error(.yamlTag, "b", at: at("a", 10, 2)),
            .warning(.emptyMessage, "m", at: at("b", 1)),
        ]
        #expect((sorted.reversed() + sorted).sortedAndUnique() == sorted)
    }

    @Test func `only errors are errors`() {
        #expect(![Diagnostic.warning(.emptyMessage, "m", at: at("a"))].hasErrors)
        #expect([Diagnostic.error(.emptyMessage, "m", at: at("a"))].hasErrors)
    }

    @Test func `rules have ids of small letters and dashes, each its own`() {
        #expect(Set(Rule.allCases.map(\.rawValue)).count == Rule.allCases.count)
        for rule in Rule.allCases { #expect(rule.rawValue.wholeMatch(of: #/[a-z]+(-[a-z]+)*/#) != nil) }
    }

    @Test(arguments: [
        ("taget", ["target", "message"], "target"), ("traget", ["target"], "target"), ("Kind", ["kind"], "kind"),
        ("exlude", ["exclude", "include"], "exclude"), ("nme", ["name"], "name"), ("ab", ["abc", "abb"], "abb"),
        ("titel", ["title", "text"], "title"), ("", ["a"], "a"),
    ])
    func `the nearest name is suggested`(_ typed: String, _ names: [String], _ expected: String) {
        #expect(suggestion(for: typed, among: names) == expected)
    }

    @Test(
        arguments: [
            ("colour", ["target", "message"]), ("x", ["yz"]), ("target", []), ("abcdef", ["abcxyz"]),
            (String(repeating: "a", count: 65), [String(repeating: "a", count: 64)]),
        ] as [(String, [String])])
    func `what is not near is not suggested`(_ typed: String, _ names: [String]) {
        #expect(suggestion(for: typed, among: names) == nil)
    }

    @Test(arguments: [
        ("kind: audience\nname: a\nfids: []\nexlude: []\n", "exclude"),
        ("kind: audiense\nname: a\n", "audience"),
        ("kind: audience\nname: rome\nfids: []\n---\nkind: topic\nname: t\nsubscribers: [rmoe]\n", "rome"),
        (
            "kind: topic\nname: t\nsubscribers: []\n---\nkind: campaign\nname: c\ntarget: {topic: t}\nmessage: {data: {a: b}, android: {notification: {title: x, proxy: ALOW}}}\n",
            "ALLOW"
        ),
    ])
    func `a slip of the pen gets a did-you-mean`(_ yaml: String, _ name: String) throws {
        let loaded = try WorkspaceLoader.load(files: ["x.yaml": yaml])
        #expect(loaded.diagnostics.map(\.help) == ["did you mean '\(name)'?"])
    }

    @Test(arguments: [
        ("no", "write \"no\""), ("12:30", "write \"12:30\""), ("1_000", "write \"1_000\""), ("0o17", "write \"0o17\""),
        ("1e5", "write \"1e5\""), ("2026-12-01", "write \"2026-12-01\""),
    ])
    func `an ambiguous scalar's help is the quoted form`(_ text: String, _ help: String) throws {
        let loaded = try WorkspaceLoader.load(files: [
            "x.yaml":
                "kind: campaign\nname: c\nowner: \(text)\ntarget: {topic: t}\nmessage: {notification: {title: x}}\n---\nkind: topic\nname: t\nsubscribers: []\n"
        ])
        #expect(loaded.diagnostics.map(\.rule) == [.ambiguousScalar])
        #expect(loaded.diagnostics.map(\.help) == [help])
    }

    @Test(arguments: [fid, token])
    func `a registration in a wrong place is masked`(_ text: String) throws {
        let wrong = [
            "kind: audience\nname: \(text)\nfids: []\n", "kind: audience\nname: a\nfids: []\n\(text): x\n",
            "kind: audience\nname: a\nfids: []\nexclude: [\(text)]\n", "kind: \(text)\nname: a\n",
            "kind: topic\nname: \"fid:\(text)\"\nsubscribers: []\n",
            "kind: audience\nname: a\nsource: {file: \(text).txt}\n",
            "kind: audience\nname: a\nfids: []\n\"\(text)\": x\n\"\(text)\": y\n", "a: *\(text.prefix(22))\n",
            "kind: audience\nname: a\nfids: []\nexclude: !\(text) []\n",
            "kind: campaign\nname: c\nowner: x\ntarget: {topic: \"/topics/\(text)\"}\nmessage: {data: {a: b}}\n",
        ]
        for yaml in wrong {
            let loaded = try WorkspaceLoader.load(files: ["x.yaml": yaml])
            #expect(!loaded.diagnostics.isEmpty)
            #expect(!loaded.shown.contains(fid))
            #expect(!loaded.shown.contains("APA91b"))
        }
    }

    @Test(arguments: ["", "short", "a:b", "campaigns/tide.yaml", "key 'x' stands twice", "é🌊", "c2345678901234567890é"])
    func `what is no registration is left as it stands`(_ text: String) {
        #expect(Registration.masking(text) == text)
    }

    @Test func `masking leaves the words around`() {
        #expect(
            Registration.masking("audience '\(fid)' and \(token), both")
                == "audience '(a registration)' and (a registration), both")
        #expect(Registration.masking("fid:\(fid):") == "fid:(a registration):")
    }

    @Test(arguments: [#"\r"#, #"\n"#, #"\e"#, #"\x1b"#, #"\u001b"#, #"\rfid:"#, #"\"#, #"\\"#])
    func `masking sees a registration behind an escape`(_ escape: String) {
        #expect(
            Registration.masking("write columns: {fid: \"id\(escape)\(fid)\"}")
                == "write columns: {fid: \"id\(escape)(a registration)\"}")
    }
}
