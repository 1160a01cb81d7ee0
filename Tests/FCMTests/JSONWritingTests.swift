import FCM
import Foundation
import Testing

/// Recorded states hold digests of JSON that Foundation's encoder wrote. The writer of today must give the same bytes.
struct JSONWritingTests {
    private struct Mirror: Encodable {
        let value: JSONValue

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch value {
            case .null: try container.encodeNil()
            case .bool(let value): try container.encode(value)
            case .int(let value): try container.encode(value)
            case .double(let value): try container.encode(value)
            case .string(let value), .digits(let value): try container.encode(value)
            case .array(let items): try container.encode(items.map(Mirror.init))
            case .object(let members): try container.encode(members.mapValues(Mirror.init))
            }
        }
    }

    private static let scalars: [Unicode.Scalar] =
        (0..<0x80).compactMap { Unicode.Scalar($0) }
        + ["\u{7F}", "\u{80}", "é", "\u{301}", "ß", "\u{2028}", "\u{FFFD}", "\u{FEFF}", "水", "🌊"]

    private static func text(_ random: inout Dice) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            text.append(scalars[Int.random(in: 0..<scalars.count, using: &random)])
        }
        return String(text)
    }

    private static func value(_ random: inout Dice, depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .int(Int64(bitPattern: random.next() >> UInt64.random(in: 0..<64, using: &random)))
        case 3:
            let number = Double(bitPattern: random.next())
            return .double(number.isFinite ? number : -0.0)
        case 4: return .double(Double(Int.random(in: -1_000_000...1_000_000, using: &random)) / 1000)
        case 5: return .string(text(&random))
        case 6:
            return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(&random, depth: depth - 1) })
        default:
            let members = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                (text(&random), value(&random, depth: depth - 1))
            }
            return .object(Dictionary(members) { first, _ in first })
        }
    }

    @Test func `text for any database is ASCII, and is read as the same`() throws {
        let value: JSONValue = ["\u{E9}": "水 🌊\u{2028}\n\"\\", "a": [1, "\u{80}"]]
        let text = value.asciiText
        #expect(text.utf8.allSatisfy { $0 < 0x80 })
        #expect(try JSONValue(strictly: Array(text.utf8), depth: 10) == value)
    }

    @Test(arguments: 0..<200 as Range<UInt64>, [false, true])
    func `what is written is what Foundation writes`(seed: UInt64, isPretty: Bool) throws {
        var random = Dice(state: seed)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
        for _ in 0..<10 {
            let value = Self.value(&random, depth: 4)
            let expected = String(decoding: try encoder.encode(Mirror(value: value)), as: UTF8.self)
            #expect(String(decoding: try value.bytes(pretty: isPretty), as: UTF8.self) == expected, "seed \(seed)")
        }
    }

    @Test(arguments: [
        "1e21", "1E+2", "-2.5e-3", "0", "-0", "0.10", "123456789012345678901234567890", "9223372036854775808", "1e-400",
    ])
    func `a number's digits are kept`(_ text: String) throws {
        let number = try #require(JSONValue(digits: text))
        #expect(try JSONValue.array([number]).bytes() == Array("[\(text)]".utf8))
        #expect(try JSONValue.array([number]).bytes(pretty: true) == Array("[\n  \(text)\n]".utf8))
    }

    @Test(arguments: [
        "", "-", "+1", ".5", "1.", "1.e5", "01", "-01", "1e", "1e+", "0x1F", "1_000", " 1", "1 ", "NaN", "inf", "1e999",
        "-1e999", "١",
    ])
    func `what is no JSON number has no digits`(_ text: String) {
        #expect(JSONValue(digits: text) == nil)
    }

    @Test func `a number that is none cannot be written`() {
        #expect(throws: (any Error).self) { try JSONValue.double(.infinity).bytes() }
        #expect(throws: (any Error).self) { try JSONValue.array([.double(.nan)]).bytes(pretty: true) }
    }
}

/// SplitMix64: the same seed gives the same values.
private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        let mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        return mixed ^ (mixed >> 27)
    }
}
