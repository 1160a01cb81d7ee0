import FCM
import HeraldTestSupport
import Testing

struct JSONValueTests {
    private func text(_ value: JSONValue) throws -> String {
        String(decoding: try value.bytes(), as: UTF8.self)
    }

    private static let readings: [(String, JSONValue)] = [
        ("null", nil), ("true", true), ("false", false), ("0", 0), ("-7", -7),
        ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
        ("1.5", .double(1.5)), ("-2.5e3", .int(-2500)), ("1e-2", .double(0.01)), ("\"\"", ""),
        (#""a\u00e9\n\ud83c\udf0a\/""#, "aé\n🌊/"), ("[]", []), ("{}", [:]), (" [ 1 , [ 2 ] ] ", [1, [2]]),
        (#"{"a":{"b":[null,true,"x",{"c":1}]}}"#, ["a": ["b": [nil, true, "x", ["c": 1]]]]),
        (#""true""#, "true"), (#""1""#, "1"), ("[[],{}]", [[], [:]]),
    ]

    @Test(arguments: readings)
    func `JSON is read as its values`(_ text: String, _ value: JSONValue) throws {
        #expect(try JSONValue(parsing: Array(text.utf8)) == value)
    }

    @Test func `a number beyond 64 bits is read as a fraction`() throws {
        #expect(try JSONValue(parsing: Array("9223372036854775808".utf8)) == .double(9_223_372_036_854_775_808))
    }

    @Test(arguments: [
        "", " ", "{", "[", "}", "[1", "[1 2]", #"{"a"}"#, #"{"a":}"#, #"{a:1}"#, "nul", "True", "01", "+1", ".5", "1.",
        "1e",
        "NaN", "Infinity", "'a'", "\"a", "\"\n\"", "[1] [2]", "1 2", "<html></html>", "\u{0}", "// c\n1",
        "[1e999]", #"{"a":[{"b":[01]}]}"#,
    ])
    func `what is no JSON is refused`(_ text: String) {
        #expect(throws: (any Error).self) { try JSONValue(parsing: Array(text.utf8)) }
    }

    @Test func `bytes that are no UTF-8 are refused`() {
        #expect(throws: (any Error).self) { try JSONValue(parsing: [0x22, 0xC3, 0x28, 0x22]) }
    }

    @Test func `keys are sorted at every depth and slashes stay`() throws {
        let value: JSONValue = ["b": ["z": "a/b", "a": 1], "a": [["d": nil, "c": true]], "B": .double(0.5)]
        #expect(try text(value) == #"{"B":0.5,"a":[{"c":true,"d":null}],"b":{"a":1,"z":"a/b"}}"#)
    }

    @Test func `what is written is read back`() throws {
        let value: JSONValue = [
            "text": "\u{0}\u{1F}\"\\/é🌊\u{2028}", "list": [nil, true, false, 0, -1, .int(.max), .double(0.1)],
            "": [:], "deep": [[[[["x": []]]]]],
        ]
        #expect(try JSONValue(parsing: value.bytes()) == value)
        #expect(try JSONValue(parsing: value.bytes(pretty: true)) == value)
    }

    @Test(arguments: ["[", #"{"a":"#])
    func `nesting too deep is refused`(_ opening: String) {
        let text = String(repeating: opening, count: 100_000)
        #expect(throws: (any Error).self) { try JSONValue(parsing: Array(text.utf8)) }
    }

    @Test func `a mistake far down is refused in no time`() {
        let text = String(repeating: #"{"a":"#, count: 500) + "1e999" + String(repeating: "}", count: 500)
        let spent = computingTime {
            #expect(throws: (any Error).self) { try JSONValue(parsing: Array(text.utf8)) }
        }
        // This took 1.4 s when every level tried the scalars before the containers. Now it takes a few milliseconds.
        #expect(spent < .seconds(1))
    }

    @Test func `a value answers only as what it is`() {
        let value: JSONValue = ["a": "x", "b": 1, "c": [2], "d": nil]
        #expect(value["a"]?.string == "x")
        #expect(value["a"]?.int == nil)
        #expect(value["b"]?.int == 1)
        #expect(value["b"]?.string == nil)
        #expect(value["c"]?.array == [2])
        #expect(value["c"]?["a"] == nil)
        #expect(value["d"] == JSONValue.null)
        #expect(value["e"] == nil)
        #expect(value.object?.count == 4)
        #expect(value.array == nil)
    }
}
