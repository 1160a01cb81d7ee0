import Testing

@testable import FCM

/// JSON of strangers.
@Suite struct JSONStrictTests {
    private func read(_ text: String, depth: Int = 8) -> Result<JSONValue, JSONValue.StrictProblem> {
        do throws(JSONValue.StrictProblem) {
            return .success(try JSONValue(strictly: Array(text.utf8), depth: depth))
        } catch {
            return .failure(error)
        }
    }

    @Test(
        arguments: [
            ("null", .null), (" true ", .bool(true)), ("-12", .int(-12)), ("9223372036854775807", .int(.max)),
            ("1.5e3", .digits("1.5e3")), ("-0", .digits("-0")), ("1.0", .digits("1.0")),
            ("9223372036854775808", .digits("9223372036854775808")), ("\"\"", .string("")),
            ("\"\\u00e8 \\ud83c\\udf0a\\n\\/\"", .string("è 🌊\n/")),
            ("[]", .array([])), ("{}", .object([:])), ("[1, [2], {\"a\": \"b\"}]", [1, [2], ["a": "b"]]),
            ("\r\n\t{\"a\" : [ ] }\n", ["a": []]),
        ] as [(String, JSONValue)])
    func `reads what JSON says`(_ text: String, _ value: JSONValue) {
        #expect(read(text) == .success(value))
    }

    @Test(arguments: [
        "", " ", "nul", "True", "01", "+1", "1.", ".5", "1e", "0x1", "NaN", "Infinity", "1e999", "'a'", "\"", "\"a",
        "\"\\x\"", "\"\\u12\"", "\"\\u+123\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"a\nb\"", "[1",
        "[1,]",
        "[,1]", "[1 2]", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:2}", "1 2", "[] []", "// a\n1",
        "\u{FEFF}1",
    ])
    func `takes nothing else`(_ text: String) {
        guard case .failure(.syntax(let offset)) = read(text) else {
            Issue.record("\(text) was taken")
            return
        }
        #expect((0...text.utf8.count).contains(offset))
    }

    @Test func `takes no text that is not UTF-8`() {
        for bytes in [[0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22]] as [[UInt8]] {
            #expect(throws: JSONValue.StrictProblem.self) { try JSONValue(strictly: bytes, depth: 1) }
        }
    }

    @Test(arguments: ["{\"a\":1,\"a\":1}", "[{\"b\":{\"a\":1,\"\\u0061\":2}}]"])
    func `takes no name twice, however it is written`(_ text: String) {
        #expect(read(text) == .failure(.duplicateName("a")))
    }

    @Test func `goes only so deep, and a million levels are no crash`() {
        #expect(read("[[[]]]", depth: 3) == .success([[[]]]))
        #expect(read("[[[[]]]]", depth: 3) == .failure(.tooDeep))
        #expect(read("{\"a\":{\"a\":[{}]}}", depth: 3) == .failure(.tooDeep))
        #expect(read(String(repeating: "[", count: 1_000_000)) == .failure(.tooDeep))
    }

    /// A document with any one byte replaced or removed: what is taken, another parser reads in the same way.
    @Test func `takes what other parsers take, and reads it as they do`() throws {
        let document = Array("{\"a\": [1, -2.5e1, true, null], \"b\": {\"c\": \"x\\u0041\\n\", \"d\": \"\"}}".utf8)
        var taken = 0
        for place in document.indices {
            for byte in Set(document).map(Optional.some) + [nil] {
                let bytes = document[..<place] + (byte.map { [$0] } ?? []) + document[(place + 1)...]
                guard let value = try? JSONValue(strictly: Array(bytes), depth: 8) else { continue }
                taken += 1
                let text = String(decoding: bytes, as: UTF8.self)
                let other = try #require(try? JSONValue(parsing: bytes), "\(text)")
                #expect(try value.plain.bytes() == other.plain.bytes(), "\(text)")
            }
        }
        #expect(taken > 200)
    }
}

extension JSONValue {
    /// With numbers as their values, however they are written.
    fileprivate var plain: JSONValue {
        switch self {
        case .int(let value): .double(Double(value))
        case .digits(let text): .double(Double(text) ?? .nan)
        case .array(let items): .array(items.map(\.plain))
        case .object(let members): .object(members.mapValues(\.plain))
        default: self
        }
    }
}
