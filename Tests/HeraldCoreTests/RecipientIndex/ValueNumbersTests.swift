import Testing

@testable import HeraldCore

@Suite struct ValueNumbersTests {
    private func number(of text: String, in numbers: ValueNumbers) -> Int {
        var text = text
        return text.withUTF8 { numbers.number(of: $0) }
    }

    @Test(arguments: [0, 1, 2, 3, 20, 5000])
    func `every value has a number of its own, and no other text has one`(_ count: Int) {
        let values = Set((0..<count).map { "v\($0)" })
        let numbers = ValueNumbers(values)
        #expect(numbers.count == count)
        #expect(Set(values.map { number(of: $0, in: numbers) }) == Set(1..<(count + 1)))
        #expect(values.allSatisfy { numbers.number(of: $0) == number(of: $0, in: numbers) })
        for other in ["", "v", "v-1", "v\(count)", "V0", "v0 ", "\u{0}", "é"] {
            #expect(number(of: other, in: numbers) == 0, "\(other)")
        }
    }

    @Test func `the empty text is a value too`() {
        let numbers = ValueNumbers(["", "a"])
        #expect(number(of: "", in: numbers) > 0)
        #expect(number(of: "", in: numbers) != number(of: "a", in: numbers))
    }

    /// The same text to a reader, and to a filter in a file.
    @Test func `a letter with an accent is the same in both ways to write it`() {
        let numbers = ValueNumbers(["caf\u{E9}"])
        #expect(number(of: "cafe\u{301}", in: numbers) == 1)
        #expect(number(of: "caf\u{E9}", in: numbers) == 1)
        #expect(number(of: "cafe", in: numbers) == 0)
    }
}
