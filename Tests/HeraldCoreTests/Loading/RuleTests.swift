import HeraldCore
import HeraldTestSupport
import Testing

struct RuleTests {
    @Test(arguments: RuleCase.all)
    func `a mistake is reported once and where it is`(_ mistake: RuleCase) throws {
        let marked = MarkedFiles(mistake.wrong)
        let folder = try TemporaryFolder(["herald.yaml": settingsText].merging(marked.files) { _, given in given })
        try mistake.prepare(folder)
        let expected = marked.positions.map { Found(mistake.rule, $0.file, $0.position) }
        #expect(!expected.isEmpty)
        let loaded = try WorkspaceLoader.load(folder, lists: mistake.lists, keepsLists: mistake.keepsLists)
        #expect(loaded.found.filter { $0.rule != .fcmSunset || mistake.rule == .fcmSunset } == expected)
        let ranges = Set(loaded.diagnostics.map(\.range))
        for range in marked.ranges { #expect(ranges.contains(range)) }
    }

    @Test(arguments: RuleCase.all)
    func `what is nearly the mistake passes`(_ mistake: RuleCase) throws {
        // A group is right, and still has a date after which it is gone.
        let found = try WorkspaceLoader.load(files: mistake.right, lists: mistake.lists, keepsLists: mistake.keepsLists)
            .found
        #expect(found.filter { $0.rule != .fcmSunset || mistake.rule == .fcmSunset } == [])
    }

    @Test(arguments: Rule.allCases)
    func `every rule has a mistake in the table`(_ rule: Rule) {
        #expect(RuleCase.all.contains { $0.rule == rule })
    }

    @Test(arguments: RuleCase.all)
    func `messages begin with a small letter or a quoted word and have no full stop`(_ mistake: RuleCase) throws {
        let folder = try TemporaryFolder(
            ["herald.yaml": settingsText].merging(MarkedFiles(mistake.wrong).files) { _, given in given })
        try mistake.prepare(folder)
        for diagnostic in try WorkspaceLoader.load(folder, lists: mistake.lists, keepsLists: mistake.keepsLists)
            .diagnostics
        {
            #expect(diagnostic.message.last != ".")
            let first = try #require(diagnostic.message.first)
            #expect(first.isLowercase || first == "'")
        }
    }

    @Test func `a text is looked at although its message is wrong elsewhere`() throws {
        let marked = MarkedText(
            """
            kind: campaign
            name: c
            target: {fids: [cTEST00000000000000001]}
            message: {notification: {title: x, body: ▸"Hello {{name}}"}, android: {ttl: ▸4w}}

            """)
        #expect(
            try WorkspaceLoader.load(files: ["c.yaml": marked.text]).found == [
                Found(.unfinishedText, "c.yaml", marked.positions[0]),
                Found(.invalidValue, "c.yaml", marked.positions[1]),
            ])
    }

    @Test func `all mistakes of all files are found in one pass`() throws {
        let marked = MarkedFiles([
            "herald.yaml": "herald: 1\nproject: tide\n▸colour: red\nfcm: {ramp: ▸fast}\n",
            "a.yaml": "kind: audience\nname: ▸A\nfids: [▸x, ▸y]\n---\nkind: ▸thing\n",
            "b/list.txt": "▸bad\n\(fid)\n▸bad\n",
            "b/b.yaml": "kind: audience\nname: b\nsource: {file: list.txt}\nexclude: [▸ghost]\n",
            "c.yaml": "kind: topic\nname: t\nsubscribers: [b]\n▸shape: round\n---\nkind: topic\nname: ▸u: x\n",
            "z.yaml":
                "kind: campaign\nname: c\ntarget: {topic: t}\nmessage: {notification: {title: x}, data: {a: ▸no, b: ▸~}}\n",
        ])
        let loaded = try WorkspaceLoader.load(files: marked.files)
        #expect(
            loaded.found.map { "\($0.file) \($0.position.map { "\($0.line):\($0.column)" } ?? "")" }
                == marked.positions.map { "\($0.file) \($0.position.line):\($0.position.column)" })
        let rules: [Rule] = [
            .resourceName, .registrationForm, .registrationForm, .unknownKind, .unknownReference, .listRow, .listRow,
            .unknownKey, .yamlSyntax, .unknownKey, .invalidValue, .ambiguousScalar, .nullValue,
        ]
        #expect(loaded.found.map(\.rule) == rules)
    }

    @Test func `a resource that is declared with a mistake is not called undeclared`() throws {
        let marked = MarkedFiles([
            "a.yaml": "kind: audience\nname: a\nsource: {file: ▸gone.csv}\n",
            "t.yaml": "kind: topic\nname: t\nsubscribers: [a]\nprune: true\nexclude: ▸x\n",
            "u.yaml": "kind: topic\nname: u\nsubscribers: ▸a\n",
            "c.yaml":
                "kind: campaign\nname: c\ntarget: {topic: u}\nmessage: {notification: {title: x}, data: {a: b}}\n",
        ])
        let loaded = try WorkspaceLoader.load(files: marked.files)
        #expect(
            loaded.found == [
                Found(.fileUnreadable, "a.yaml", marked.positions[0].position),
                Found(.wrongType, "t.yaml", marked.positions[1].position),
                Found(.wrongType, "u.yaml", marked.positions[2].position),
            ])
    }

    @Test func `a chain of exclusions may be as long as there are audiences`() throws {
        let count = 5000
        let links = (0..<count).map { "kind: audience\nname: a\($0)\nfids: []\nexclude: [a\(($0 + 1) % count)]\n" }
        let ring = try WorkspaceLoader.load(files: ["x.yaml": links.joined(separator: "---\n")])
        #expect(ring.diagnostics.map(\.rule) == [.referenceCycle])
        #expect(ring.shown.utf8.count < 5000)
        let end = "---\nkind: audience\nname: a\(count - 1)\nfids: []\n"
        let chain = try WorkspaceLoader.load(files: ["x.yaml": links.dropLast().joined(separator: "---\n") + end])
        #expect(chain.found == [])
    }
}
