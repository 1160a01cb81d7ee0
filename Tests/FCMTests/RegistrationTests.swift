import FCM
import Testing

struct RegistrationTests {
    private static func text(_ character: String, _ count: Int, then end: String = "") -> String {
        String(repeating: character, count: count) + end
    }

    private static let wellFormed: [(String, Registration.Kind)] = [
        (fidText, .fid), ("c" + text("0", 21), .fid), ("f" + text("_", 21), .fid), ("d" + text("-", 21), .fid),
        ("e" + text("Z", 21), .fid), (tokenText, .token), (text("a", 100), .token), (text(":", 4096), .token),
        (text("cTEST", 30), .token),
    ]

    @Test(arguments: wellFormed)
    func `the two forms are told apart`(_ text: String, _ kind: Registration.Kind) throws {
        let registration = try #require(Registration(text))
        #expect(registration.kind == kind)
        #expect(registration.rawValue == text)
        #expect(Registration(text, kind: kind) == registration)
    }

    private static let malformed: [String] = [
        "", "c", text("0", 22), "b" + text("0", 21), "g" + text("0", 21), "C" + text("0", 21), "-" + text("0", 21),
        "c" + text("0", 20), "c" + text("0", 22), text("c", 21, then: ":"), text("c", 21, then: "é"),
        text("c", 20, then: "é"), " " + text("c", 21), text("a", 99), text("a", 4097), text("a", 100, then: " "),
        text("a", 100, then: "\n"), text("a", 100, then: "\0"), text("a", 100, then: "%3A"),
        text("a", 100, then: "/"), text("é", 60),
    ]

    @Test(arguments: malformed)
    func `anything else is no registration`(_ text: String) {
        #expect(Registration(text) == nil)
    }

    /// The check reads eight bytes at a time, so every position must be tested.
    @Test(arguments: [22, 100, 101, 163, 4096])
    func `every character counts at every place`(_ length: Int) {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-".unicodeScalars)
        let places = length == 4096 ? [0, 1, 7, 8, 2048, 4087, 4088, 4095] : Array(0..<length)
        for place in places {
            for value in UInt32(0)..<0x100 {
                guard let scalar = Unicode.Scalar(value) else { continue }
                var scalars = Array(repeating: Unicode.Scalar("d"), count: length)
                scalars[place] = scalar
                let isKnown = allowed.contains(scalar) || length > 22 && scalar == ":"
                let isFirst = length == 22 && place == 0
                // A scalar beyond ASCII has more than one byte, so the length changes too.
                let isWellFormed = isFirst ? ("c"..."f").contains(scalar) : isKnown
                let text = String(String.UnicodeScalarView(scalars))
                #expect((Registration(text) != nil) == isWellFormed, "\(value) at \(place) of \(length)")
            }
        }
    }

    @Test func `a registration is not taken for the other kind`() {
        #expect(Registration(fidText, kind: .token) == nil)
        #expect(Registration(tokenText, kind: .fid) == nil)
    }

    private static let tail = ":" + text("a", 90)
    private static let keys: [(name: String, text: String, key: String)] = [
        ("a fid", fidText, fidText),
        ("a token of a fid", tokenText, fidText),
        ("a head of a fid's length and alphabet", "Z23456789012345678901_" + tail, "Z23456789012345678901_"),
        ("a head one too short", "c2345678901234567890_" + tail, "c2345678901234567890_" + tail),
        ("a head one too long", "c23456789012345678901__" + tail, "c23456789012345678901__" + tail),
        ("no colon", text("c", 140), text("c", 140)),
        ("a colon first", ":" + text("c", 140), ":" + text("c", 140)),
        ("more colons", fidText + ":" + fidText + tail, fidText),
    ]

    @Test(arguments: keys)
    func `the recipient key is the installation where the text names one`(
        name: String, text: String, key: String
    ) throws {
        let registration = try #require(Registration(text))
        #expect(registration.recipientKey.rawValue == key)
    }

    @Test func `a rotated token and the fid are one recipient`() throws {
        let rotated = try Registration.sample(fidText + ":APA91b" + String(repeating: "other", count: 25))
        #expect(try rotated != Registration.token)
        #expect(try rotated.recipientKey == Registration.token.recipientKey)
        #expect(try rotated.recipientKey == Registration.fid.recipientKey)
    }

    @Test(arguments: [fidText, tokenText])
    func `printing shows nothing of it`(_ text: String) throws {
        let registration = try Registration.sample(text)
        let values: [Any] = [
            registration, Optional(registration) as Any, [registration], [registration: registration],
            registration.recipientKey, [registration.recipientKey], Address.registration(registration),
            Request.subscribe(registration, to: try .sample("t")),
            Request.unsubscribe(registration, from: try .sample("t")),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for printed in ["\(value)", String(describing: value), String(reflecting: value), dumped] {
                for start in text.indices.dropLast(5) {
                    let piece = text[start...].prefix(6)
                    if printed.contains(piece) {
                        Issue.record("'\(piece)' of the registration is printed")
                        return
                    }
                }
            }
        }
    }
}
