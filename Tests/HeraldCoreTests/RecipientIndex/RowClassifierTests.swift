import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

@Suite struct RowClassifierTests {
    /// With 12 columns of 100 values there are more combinations than numbers for them.
    @Test(arguments: [1, 3, 12])
    func `rows are taken by their values, however many columns there are`(_ columns: Int) {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        let names = (0..<columns).map { "c\($0)" }
        let audiences = (0..<4).map { audience in
            names.map { name in
                let values = Set(
                    (0..<100).filter { _ in Int.random(in: 0..<8, using: &random) > audience }.map { "v\($0)" })
                return Audience.Filter(column: Located(name, at: SourceRange(file: "a.yaml")), values: values)
            }
        }
        let table = MembershipClassTable()
        var classifier = RowClassifier(
            audiences.enumerated().map { .init(owner: .audience("a\($0)"), list: $0, parent: nil, filters: $1) },
            columns: names, table)
        for _ in 0..<2000 {
            let row = names.map { _ in "v\(Int.random(in: 0..<102, using: &random))" }
            let classes = row.enumerated().map { column, value in
                var value = value
                return value.withUTF8 { classifier.classes[column].number(of: $0) }
            }
            let expected = audiences.indices.filter { index in
                zip(audiences[index], row).allSatisfy { $0.values.contains($1) }
            }
            let found = classifier.membershipClass(of: classes).map { table.all[Int($0)].lists } ?? []
            #expect(found == expected, "seed \(seed)")
        }
    }

    /// Numbers and days have no order among each other: what one is compared with says nothing of the other.
    @Test func `a column may be compared with numbers and with days`() throws {
        let column = Located("value", at: SourceRange(file: "a.yaml"))
        let numbers = try (0..<20).map { try #require(Bound(number: "\($0 * 7)")) }
        let days = try (10..<28).map { try #require(Bound(date: "2026-05-\($0)")) }
        let filters = (numbers + days).map { Audience.Filter(column, .atLeast($0)) }
        let classes = ColumnClasses(filters)
        for (value, kind, passes) in [("50.5", Bound.Kind.number, 8), ("2026-05-15", .date, 6), ("many", .number, 0)] {
            var text = value
            let number = text.withUTF8 { classes.number(of: $0) }
            let bounds = kind == .number ? numbers : days
            let passed = bounds.filter { classes.verdict(of: .init(column, .atLeast($0)), on: number) == .passes }
            #expect(passed == Array(bounds.prefix(passes)), "\(value)")
        }
    }

    @Test(arguments: ["", "  ", "\t"])
    func `an empty value does not pass where the empty one is named`(_ value: String) {
        let column = Located("value", at: SourceRange(file: "a.yaml"))
        let filters = [Audience.Filter(column, .not([""])), Audience.Filter(column, .not(["DE"]))]
        let classes = ColumnClasses(filters)
        var text = value
        let number = text.withUTF8 { classes.number(of: $0) }
        #expect(filters.map { classes.verdict(of: $0, on: number) == .passes } == [false, true])
    }
}
