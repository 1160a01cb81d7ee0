import HeraldTestSupport
import Testing

@testable import HeraldCore

@Suite struct ZonedClassesTests {
    private let zones = ZoneNumbers()
    private let table = MembershipClassTable()

    /// Names, links, offsets in all their forms, with white space, and texts that are none of these.
    private static let texts =
        [
            "Europe/Rome", "Asia/Tokyo", "UTC", "Z", "+02:00", "+0200", "UTC+2", "-05:30", "Asia/Calcutta",
            "Asia/Kolkata",
        ]
        + [" Europe/Rome", "Europe/Rome ", "", " ", "europe/rome", "Europe/Rom", "Europe/Rome\u{0}", "caf\u{E9}"]
        + (30...50).map { String(repeating: "x", count: $0) } + (0..<3000).map { "nowhere \($0)" }

    /// Looked up in its own way each time.
    private func expected(_ membershipClass: UInt32, _ text: String) -> UInt32 {
        var text = text
        return table.number(membershipClass, zone: text.withUTF8 { zones.number(of: $0) })
    }

    @Test(arguments: [1, 2, 3])
    func `however often a text comes, and whatever came between, it is the same class`(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let plain = (0..<40).map { list in
            table.number(of: RecipientIndex.MembershipClass(owners: [], lists: [list]))
        }
        var classes = ZonedClasses(zones, table)
        for _ in 0..<20_000 {
            // Few texts come often, and many once.
            let place = Int.random(in: 0..<(Bool.random(using: &random) ? 20 : Self.texts.count), using: &random)
            let (membershipClass, text) = (plain.randomElement(using: &random) ?? 0, Self.texts[place])
            var copy = text
            let found = copy.withUTF8 { classes.number(membershipClass, zone: $0) }
            #expect(found == expected(membershipClass, text), "seed \(seed): '\(text)'")
            #expect(table.all[Int(found)].lists == table.all[Int(membershipClass)].lists, "seed \(seed): '\(text)'")
        }
    }

    @Test func `a zone that is written in other ways is the same zone`() {
        let plain = table.number(of: RecipientIndex.MembershipClass(owners: [], lists: [0]))
        var classes = ZonedClasses(zones, table)
        let numbers = ["+02:00", "+0200", "UTC+2", " +02:00 "].map { text in
            var text = text
            return text.withUTF8 { classes.number(plain, zone: $0) }
        }
        #expect(Set(numbers).count == 1)
        #expect(zones.zones == [Zone(offset: 7200)])
    }

    @Test func `two columns of one row are told apart`() {
        let plain = table.number(of: RecipientIndex.MembershipClass(owners: [], lists: [0]))
        var classes = ZonedClasses(zones, table)
        func number(_ texts: [String]) -> UInt32 {
            texts.reduce(plain) { membershipClass, text in
                var text = text
                return text.withUTF8 { classes.number(membershipClass, zone: $0) }
            }
        }
        let there = number(["Europe/Rome", "Asia/Tokyo"])
        #expect(number(["Asia/Tokyo", "Europe/Rome"]) != there)
        #expect(table.all[Int(there)].zones.map { zones.zones[$0 - 1].name } == ["Europe/Rome", "Asia/Tokyo"])
    }
}
