import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct FlatObjectTests {
    /// The members that it reads from a line. `nil` if it leaves the line to a parser.
    private func read(_ text: String) -> [String: String?]? {
        var (object, text) = (FlatObject(), text)
        return text.withUTF8 { line in
            guard object.read(line) else { return nil }
            let members = object.members.map { member -> (String, String?) in
                let value = member.kind == .null ? nil : String(decoding: line[member.value], as: UTF8.self)
                return (String(decoding: line[member.name], as: UTF8.self), value)
            }
            return Dictionary(uniqueKeysWithValues: members)
        }
    }

    @Test(
        arguments: [
            ("{}", [:]), (#"{"fid":"a"}"#, ["fid": "a"]),
            (
                #" { "a" : "è" ,"b":null,\#t"c":true, "d":0,"e":123456789012345678 } "#,
                [
                    "a": "è", "b": nil, "c": "true", "d": "0", "e": "123456789012345678",
                ]
            ),
            (#"{"":"","x y":"{}[]:,"}"#, ["": "", "x y": "{}[]:,"]),
        ] as [(String, [String: String?])])
    func `rows as lists have them need no parser`(_ text: String, _ expected: [String: String?]) {
        #expect(read(text) == expected)
    }

    @Test(arguments: [
        "", "x", "[]", "{", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":"x"} x"#, #"{"a":"x""#, #"{"a":"\n"}"#,
        #"{"a":"\u0041"}"#, #"{"è":"x"}"#, #"{"a":1,"a":2}"#, #"{"a":-1}"#, #"{"a":1.5}"#, #"{"a":1e3}"#, #"{"a":01}"#,
        #"{"a":1234567890123456789}"#, #"{"a":[]}"#, #"{"a":{}}"#, #"{"a":nul}"#, #"{"a":"\#t"}"#, #"{a:1}"#,
    ])
    func `all else is left to one`(_ text: String) {
        #expect(read(text) == nil)
    }

    /// Objects with random changes of single characters. What it reads must be what a parser reads.
    @Test(arguments: 0..<100 as Range<UInt64>)
    func `it never reads what a parser would not`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let seedText = Array(#"{"fid": "cT€","n":12 ,"b":true,"z":null,"locale":"it"}"#)
        for _ in 0..<200 {
            var text = seedText
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let sign = Array(#"{}[]":,\ 01.-etrunlfas€"#).randomElement(using: &random) ?? " "
                let place = Int.random(in: text.indices, using: &random)
                if Bool.random(using: &random) { text[place] = sign } else { text.insert(sign, at: place) }
            }
            guard let found = read(String(text)) else { continue }
            let parsed = try JSONValue(strictly: Array(String(text).utf8), depth: 1).object
            #expect(parsed?.mapValues(\.words) == found, "seed \(seed): \(String(text))")
        }
    }
}

extension JSONValue {
    fileprivate var words: String? {
        switch self {
        case .string(let text): text
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .null: nil
        case .double, .digits, .array, .object: "something else"
        }
    }
}
