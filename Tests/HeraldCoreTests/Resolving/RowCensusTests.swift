import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What a personal campaign makes of the rows of lists.
struct RowCensusTests {
    private static let campaign = """
        kind: campaign
        name: points
        target: {audience: members}
        personal: {fields: [name, points], locale: locale, default_locale: en, bad_rows: skip}
        message: {data: {text: "{{ name | default: 'you' }} {{ points }}"}}
        locales: {it: {data: {text: "Ciao {{ points }}"}}}

        """

    private static let fields = """
        fields:
          name: {max: 5, column: First Name}
          points: {type: integer}
          locale: {type: locale}

        """

    private func desired(_ list: String, named name: String = "l.csv", _ rest: String = "") throws -> Desired {
        let audience = "kind: audience\nname: members\nsource: {file: \(name), columns: {seen: seen}}\n"
        let loaded = try WorkspaceLoader.load(files: [
            "a.yaml": audience + Self.fields + "---\n" + Self.campaign + rest, name: list,
        ])
        try #require(!loaded.diagnostics.hasErrors, "\(loaded.shown)")
        let workspace = try #require(loaded.workspace)
        return try Resolver.desired(of: workspace, ListedRecipients(try #require(try loaded.recipientIndex?.get())))
    }

    private func census(_ list: String, named name: String = "l.csv") throws -> RowCensus {
        try #require(try desired(list, named: name).sends.first?.census)
    }

    private func fid(_ number: Int) -> String { Registration.fid(number).rawValue }

    @Test func `every recipient is in one class or has a bad row`() throws {
        let census = try census(
            """
            fid,First Name,points,locale,seen
            \(fid(1)),Ann,5,it,
            \(fid(2)),Bob,6,en,
            \(fid(3)),,7,it-CH,
            \(fid(4)),Ann,,it,
            \(fid(5)),Joshua,1,en,
            \(fid(6)),Ann,many,de,

            """)
        #expect(census.classes.mapValues(\.count) == [MessageClass(locale: "it"): 2, MessageClass(): 1])
        #expect(census.counts(among: census.bad) == [.missing: 1, .tooLong: 1, .wrongType: 1])
        #expect(census.bad.count == 3)
        #expect(census.firstBad.map(\.line) == [5, 6, 7])
        #expect(census.firstBad.map(\.mistake.field) == ["points", "name", "points"])
    }

    @Test func `the newest row of an installation counts, whatever its registration`() throws {
        let rows = """
            \(Registration.token(1).rawValue),Old,1,en,2026-11-01T00:00:00Z
            \(Registration.token(1, version: 2).rawValue),New,2,it,2026-11-03T00:00:00Z
            \(Registration.token(1).rawValue),Mid,bad,en,2026-11-02T00:00:00Z

            """
        let desired = try desired("token,First Name,points,locale,seen\n" + rows)
        let send = try #require(desired.sends.first)
        #expect(send.members.count == 1)
        #expect(send.census?.classes.keys.map(\.locale) == ["it"])
        let values = try #require(send.rows?.values(of: send.members).values.first)
        #expect(values.texts == ["New", "2", "it"])
    }

    @Test func `the later of two rows counts, whatever else the earlier one belongs to`() throws {
        let loaded = try WorkspaceLoader.load(files: [
            "a.yaml": """
            kind: audience
            name: members
            source: {file: l.csv}
            fields: {name: {}}
            ---
            kind: audience
            name: vips
            source: {file: l.csv}
            where: {tier: gold}
            fields: {name: {}}
            ---
            kind: campaign
            name: all
            target: {audience: members}
            personal: {fields: [name]}
            message: {data: {text: "{{ name }}"}}
            ---
            kind: campaign
            name: few
            target: {audience: vips}
            personal: {fields: [name]}
            message: {data: {text: "{{ name }}"}}

            """,
            "l.csv": "fid,name,tier\n\(fid(1)),Gold,gold\n\(fid(1)),Silver,silver\n",
        ])
        try #require(!loaded.diagnostics.hasErrors, "\(loaded.shown)")
        let workspace = try #require(loaded.workspace)
        let desired = try Resolver.desired(
            of: workspace, ListedRecipients(try #require(try loaded.recipientIndex?.get())))
        let texts = try desired.sends.map { try $0.rows?.values(of: $0.members).values.map(\.texts) }
        #expect(texts == [[["Silver"]], [["Gold"]]])
    }

    @Test func `a row that spans lines is named by its first one`() throws {
        let census = try census("fid,First Name,points,locale,seen\n\(fid(1)),\"a\n\nb\",1,en,\n\(fid(2)),b,,en,\n")
        #expect(census.firstBad.map(\.line) == [2, 5])
        #expect(census.firstBad.map(\.mistake.kind) == [.controlCharacter, .missing])
    }

    @Test func `objects without a field lack it`() throws {
        let census = try census(
            """
            {"fid":"\(fid(1))","First Name":"A\\u0022","points":12,"locale":"it","seen":""}
            {"fid":"\(fid(2))","points":"12","seen":""}
            {"fid":"\(fid(3))","points":null,"seen":""}
            {"fid":"\(fid(4))","points":[1],"seen":""}

            """, named: "l.ndjson")
        #expect(census.classes.mapValues(\.count) == [MessageClass(locale: "it"): 1, MessageClass(): 1])
        #expect(census.counts(among: census.bad) == [.missing: 1, .wrongType: 1])
    }

    @Test func `a number in an object keeps its digits`() throws {
        let desired = try desired(
            """
            {"fid":"\(fid(1))","First Name":12.50,"points":1234567890123456789,"locale":"it","seen":""}

            """, named: "l.ndjson")
        let send = try #require(desired.sends.first)
        let values = try #require(send.rows?.values(of: send.members).values.first)
        #expect(values.texts == ["12.50", "1234567890123456789", "it"])
    }

    @Test func `three bad rows among many are named by their lines`() throws {
        var rows: [String] = []
        for number in 1...20_000 {
            let isBad = [17, 9_001, 19_999].contains(number + 1)
            rows.append("\(fid(number)),Ann,\(isBad ? "?" : "\(number)"),it,")
        }
        let census = try census("fid,First Name,points,locale,seen\n" + rows.joined(separator: "\n") + "\n")
        #expect(census.firstBad.map(\.line) == [17, 9_001, 19_999])
        #expect(census.counts(among: census.bad) == [.wrongType: 3])
        #expect(census.classes[MessageClass(locale: "it")]?.count == 19_997)
    }

    @Test(arguments: [[], [17], [40], [17, 40], [5]])
    func `whom a campaign excludes is in none of its figures`(_ excluded: [Int]) throws {
        // The rows' lines.
        let (bad, longest) = (Array(stride(from: 17, through: 130, by: 9)), [40, 1_000])
        let rows = (2...3_000).map { line in
            let points = line == longest[0] ? "1234567" : line == longest[1] ? "12345" : "123"
            return "\(fid(line)),Ann,\(bad.contains(line) ? "?" : points),it,"
        }
        let out = """
            exclude: [out]
            ---
            kind: audience
            name: out
            fids: [\(([1] + excluded).map(fid).joined(separator: ", "))]

            """
        let desired = try desired("fid,First Name,points,locale,seen\n" + rows.joined(separator: "\n") + "\n", out)
        let census = try #require(desired.sends.first?.census)
        let left = bad.filter { !excluded.contains($0) }
        #expect(census.firstBad.map(\.line) == Array(left.prefix(10)))
        #expect(census.counts(among: census.bad) == [.wrongType: left.count])
        let good = 2_999 - bad.count - excluded.count { !bad.contains($0) }
        #expect(census.classes.mapValues(\.count) == [MessageClass(locale: "it"): good])
        #expect(census.longest?.line == longest.first { !excluded.contains($0) })
    }

    /// Enough rows that several cores judge them.
    @Test func `among rows that are alike the first one is named`() throws {
        let row = { (line: Int) in "\(fid(line)),Ann,1,it," }
        let list = "fid,First Name,points,locale,seen\n" + (2...20_000).map(row).joined(separator: "\n") + "\n"
        for _ in 0..<5 { #expect(try census(list).longest?.line == 2) }
    }

    @Test func `campaigns of one audience may use different fields of it`() throws {
        let other = """
            ---
            kind: campaign
            name: names
            target: {audience: members}
            personal: {fields: [name]}
            message: {data: {text: "{{ name }}"}}

            """
        let desired = try desired("fid,First Name,points,locale,seen\n\(fid(1)),Ann,5,it,\n", other)
        let texts = try desired.sends.map { try $0.rows?.values(of: $0.members).values.first?.texts }
        #expect(desired.sends.map(\.campaign.name.value) == ["names", "points"])
        #expect(texts == [["Ann"], ["Ann", "5", "it"]])
    }

    @Test func `registrations that stand in a file have no values`() throws {
        let loaded = try WorkspaceLoader.load(files: [
            "c.yaml": """
            kind: campaign
            name: c
            target: {fids: [\(fid(1)), \(fid(2))]}
            personal: {fields: [name]}
            message: {data: {text: "{{ name | default: 'you' }}"}}

            """
        ])
        try #require(!loaded.diagnostics.hasErrors, "\(loaded.shown)")
        let workspace = try #require(loaded.workspace)
        let desired = try Resolver.desired(
            of: workspace, ListedRecipients(try #require(try loaded.recipientIndex?.get())))
        let send = try #require(desired.sends.first)
        #expect(send.census?.classes.mapValues(\.count) == [MessageClass(): 2])
        #expect(try send.rows?.values(of: send.members).count == 2)
    }
}
