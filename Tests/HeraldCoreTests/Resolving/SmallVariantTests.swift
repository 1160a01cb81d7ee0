import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Variants that few recipients get, by the rows and not by the length of the list.
struct SmallVariantTests {
    /// - Parameters:
    ///   - gold: so many of the 400 rows are of a tier.
    ///   - named: so many rows have the name that the message needs.
    private func found(_ target: String, gold: Int = 400, named: Int = 400) throws -> [String] {
        let rows = (1...400).map { number in
            "\(Registration.fid(number).rawValue),\(number <= named ? "Ann" : ""),\(number <= gold ? "gold" : "tin")\n"
        }
        let files = [
            "a.yaml": """
            kind: audience
            name: members
            source: {file: l.csv}
            fields: {name: {}}
            ---
            kind: audience
            name: gold
            from: members
            where: {tier: gold}
            ---
            kind: campaign
            name: c
            target: {audience: \(target)}
            personal: {fields: [name], bad_rows: skip}
            message: {data: {text: "{{ name }}"}}
            variants: {a: {weight: 1}, b: {weight: 1, message: {data: {text: "Hey {{ name }}"}}}}

            """, "l.csv": "fid,name,tier\n" + rows.joined(),
        ]
        let loaded = try WorkspaceLoader.load(files: files, keepsLists: false)
        try #require(!loaded.diagnostics.hasErrors, "\(loaded.shown)")
        return loaded.diagnostics.filter { $0.rule == .variantSmall }.map(\.message)
    }

    @Test func `enough recipients`() throws {
        #expect(try found("members", gold: 20) == [])
    }

    @Test func `a filter leaves few`() throws {
        let found = try found("gold", gold: 20)
        let numbers = try found.map { try #require(Int($0.split(separator: " ").dropLast().last ?? "")) }
        #expect(numbers.count == 2)
        #expect(numbers.reduce(0, +) == 20)
    }

    @Test func `bad rows do not count`() throws {
        #expect(try found("members", named: 40).count == 2)
        #expect(try found("members", named: 0) == [], "there is nobody to compare")
    }

    @Test func `a plan says it too`() throws {
        let personal = try PersonalSamples(["Ann,it", "Bob,en"], variants: PersonalSamples.variants)
        #expect(personal.overview().warnings.count { $0.contains("has only") } == 3)
    }
    @Test func `the dead do not count`() throws {
        let variants = #"""
            variants:
              a: {weight: 1}
              b: {weight: 1, message: {data: {text: Hey}}, locales: {it: {data: {text: Ehi}}}}
            """#
        var scenario = PlanScenario()
        scenario.desired = try PersonalSamples((1...400).map { "N\($0),en" }, variants: variants).desired
        #expect(!scenario.overview.warnings.contains { $0.contains("has only") })
        scenario.state.dead = RecipientSet(1...380)
        #expect(scenario.overview.warnings.count { $0.contains("has only") } == 2)
    }
}
