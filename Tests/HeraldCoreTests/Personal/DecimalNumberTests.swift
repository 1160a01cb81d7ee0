import Testing

@testable import HeraldCore

struct DecimalNumberTests {
    private func number(_ text: String) -> DecimalNumber<[UInt8]>? { DecimalNumber(Array(text.utf8)) }

    /// Ascending. Forms of one number stand together.
    private static let ascending = [
        ["-123456789012345678901234567890"], ["-10", "-010.000"], ["-9.99"], ["-0.1", "-00.10"],
        ["0", "-0", "0.00", "-000.0"], ["0.0000000000000000000000000001"], ["0.1", "0.10"],
        ["0.10000000000000000000001"], ["0.2"], ["2", "2.0", "02"], ["10"], ["9007199254740992"],
        ["9007199254740993"], ["123456789012345678901234567890", "123456789012345678901234567890.0"],
    ]

    @Test func `numbers are compared digit by digit, and forms of one number are equal`() throws {
        for (place, forms) in Self.ascending.enumerated() {
            for (otherPlace, others) in Self.ascending.enumerated() {
                for form in forms {
                    for other in others {
                        let (one, another) = (try #require(number(form)), try #require(number(other)))
                        #expect(one.precedes(another) == (place < otherPlace), "\(form), \(other)")
                        #expect((one.text == another.text) == (place == otherPlace), "\(form), \(other)")
                    }
                }
            }
        }
    }

    @Test(arguments: ["", "-", ".", "1.", ".5", "+1", "1e3", "1,5", "1 000", "0x1", "--1", "1.2.3", "١", "NaN", " 1"])
    func `nothing else is a number`(_ text: String) { #expect(number(text) == nil) }
}
