import FCM
import HeraldTestSupport

@testable import HeraldCore

/// Random campaigns with rows, hostile ones among them.
struct RandomPersonal {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private static let fields = [
        Field(name: "name", maximum: 6), Field(name: "points", kind: .integer), Field(name: "price", kind: .decimal),
        Field(name: "until", kind: .date), Field(name: "locale", kind: .locale), Field(name: "_x9"),
    ]

    private static let pieces = [
        "a", "Zoë ", "\"", "\\", "/", "{", "}}", "{{ name }}", "{{'{{'}}", "\n", "\t", "\u{0}", "\u{7F}", "\u{9F}",
        "\u{2028}", "\u{202E}", "\u{2066}", "\u{200E}", "\u{200D}", "👩🏽‍🚀", "𝄞", "e\u{301}", "\u{FEFF}", "\u{A0}",
        "\u{3000}",
        "\u{85}", "'", "..", ".", "%2e", "<b>", "&amp;", "€", "\\u0041", "\",\"token\":\"x", "1", " ",
    ]

    mutating func content() -> PersonalContent {
        var content = PersonalContent(message: patch(), fields: Self.fields, seed: "seed \(random.next())")
        content.message["data"] = ["always": "x"]
        content.localeField = chance(5) ? nil : 4
        content.defaultLocale = chance(4) ? nil : pick(["en", "de-CH", "ar", "tlh"])
        for tag in ["it", "pt-BR", "zh-Hant", "he"] where chance(2) { content.locales[tag] = patch() }
        if chance(2) {
            content.variants = [
                .init(name: "a", weight: 1), .init(name: "b", weight: 2, message: patch(), locales: ["it": patch()]),
                .init(name: "none", weight: 1, isHoldout: true),
            ]
            content.splitField = chance(2) ? 5 : nil
        }
        return content
    }

    /// A message, or a change of one.
    private mutating func patch() -> [String: JSONValue] {
        var message: [String: JSONValue] = [:]
        func put(_ path: String, _ text: String) {
            if Bool.random(using: &random) { message.put(path.split(separator: ".").map(String.init)[...], text) }
        }
        for path in [
            "notification.title", "notification.body", "data.k", "data.ü\"", "android.notification.title",
            "android.notification.tag", "apns.payload.aps.alert.title", "apns.payload.custom.deep",
            "webpush.notification.body", "webpush.data.k",
        ] { put(path, text()) }
        put("notification.image", link())
        put("webpush.fcm_options.link", link())
        put("data.url", link())
        put("fcm_options.analytics_label", "label")
        if chance(3) { message["apns"] = ["payload": ["aps": ["alert": ["loc-args": [.string(text()), 1, nil]]]]] }
        return message
    }

    private mutating func text() -> String {
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
            chance(2) ? placeholder() : pick(["Hi ", "\"", "\\", "\n", "👋", "{ ", "{{'{{'}}", "/", "é"])
        }.joined()
    }

    private mutating func link() -> String {
        "https://example.com/"
            + (0..<Int.random(in: 0...3, using: &random)).map { _ in
                placeholder() + pick(["/", "", "-", "?q=", "."])
            }.joined()
    }

    private mutating func placeholder() -> String {
        let field = pick(Self.fields.map(\.name))
        return chance(4)
            ? "{{\(field)}}" : "{{ \(field) | default: '\(pick(["", "it''s", "\"", "a/b", "é\n", "."]))' }}"
    }

    mutating func row() -> FieldValues {
        FieldValues([
            maybe(hostileText()), maybe(pick(["0", "-7", "1234567", "-9223372036854775808", "x", "1.5", " 42 "])),
            maybe(pick(["0.50", "-1234567.8", "12", "1e3"])), maybe(pick(["2026-12-25", "0987-01-02", "2026-02-30"])),
            maybe(pick(["it", "pt_br", "pt-PT", "zh-TW", "iw", "en-IN", "de-AT", "??"])),
            maybe(chance(20) ? String(repeating: pick(Self.pieces), count: 2048) : hostileText()),
        ])
    }

    private mutating func hostileText() -> String {
        if chance(2) { return pick(["Chris", "Zoë", " Anna-Lena ", "O'Neil", "1", ".."]) }
        return (0..<Int.random(in: 0...6, using: &random)).map { _ in pick(Self.pieces) }.joined()
    }

    private mutating func maybe(_ text: String) -> String? { chance(8) ? nil : text }
    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
    private mutating func pick(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
}

extension [String: JSONValue] {
    fileprivate mutating func put(_ path: ArraySlice<String>, _ text: String) {
        guard let key = path.first else { return }
        guard path.count > 1 else { return self[key] = .string(text) }
        var inner = self[key]?.object ?? [:]
        inner.put(path.dropFirst(), text)
        self[key] = .object(inner)
    }
}
