import FCM
import Testing

@testable import HeraldCore

@Suite struct RowCheckTests {
    /// A campaign in English and Italian with fields of all kinds. Only the Italian text needs `points`.
    private static func messages(_ change: (inout PersonalContent) -> Void = { _ in }) throws -> PersonalMessages {
        var content = PersonalContent(
            message: [
                "notification": ["title": "Hi {{ name | default: 'there' }}"],
                "data": ["link": "https://example.com/{{ page | default: 'home' }}/{{ name | default: 'x' }}"],
            ],
            fields: [
                Field(name: "name", maximum: 10), Field(name: "points", kind: .integer),
                Field(name: "price", kind: .decimal), Field(name: "until", kind: .date), Field(name: "page"),
                Field(name: "locale", kind: .locale),
            ], seed: "s")
        (content.localeField, content.defaultLocale) = (5, "en")
        content.locales["it"] = ["notification": ["title": "{{ points }} punti"]]
        change(&content)
        return try PersonalMessages(content)
    }

    private static func verdict(
        _ row: [String: String], _ change: (inout PersonalContent) -> Void = { _ in }
    ) throws -> RowVerdict {
        let messages = try messages(change)
        let values = FieldValues(messages.content.fields.map { row[$0.name] })
        return Array("key".utf8).withUnsafeBytes { messages.judge(values, key: $0) }
    }

    @Test(arguments: [
        [:], ["name": "Zoë"], ["name": "1234567890"], ["name": "  1234567890\t\u{2003}"], ["name": "\u{85}\u{3000}"],
        // People count ten characters.
        ["name": String(repeating: "👩🏽‍🚀", count: 10)], ["name": String(repeating: "🇮🇹", count: 10)],
        ["name": String(repeating: "e\u{301}\u{323}", count: 10)], ["name": String(repeating: "각", count: 10)],
        // A consonant, a virama and a consonant are one cluster (UAX #29, GB9c).
        ["name": String(repeating: "क्ष", count: 10)],
        ["name": "a\u{200E}b\u{200F}c\u{61C}"], ["name": "a\u{200D}\u{200C}b"], ["name": "{{ page }}"],
        ["name": #"\""}]"#], ["name": "<b>&amp;"],
        ["points": "0"], ["points": "-9223372036854775808"], ["points": "9223372036854775807"], ["points": "007"],
        ["points": "00000000000000000000001"],
        ["price": "-12.50"], ["price": "1"], ["price": "123456789012345678901234567890.1"],
        ["until": "2024-02-29"], ["until": "2000-02-29"], ["until": "0001-01-01"], ["until": "9999-12-31"],
        ["locale": "no tag at all"], ["locale": "\u{0}"], ["locale": "it", "points": "1"], ["page": "..."],
        ["page": ".a"], ["name": "."], ["page": "%2e"], ["page": "../.."],
    ])
    func `good`(_ row: [String: String]) throws {
        // The last segment has a name of its own that cannot lead elsewhere here.
        let verdict = try Self.verdict(row) {
            $0.message["data"] = ["link": "https://example.com/{{ page | default: 'home' }}/x{{ name | default: '' }}"]
        }
        guard case .good = verdict else { return #expect(Bool(false), "\(verdict)") }
    }

    @Test(
        arguments: [
            (["locale": "it"], .missing, "points"), (["locale": "it-CH", "points": " "], .missing, "points"),
            (["points": "1.0"], .wrongType, "points"), (["points": "+1"], .wrongType, "points"),
            (["points": "1,000"], .wrongType, "points"), (["points": "-"], .wrongType, "points"),
            (["points": "9223372036854775808"], .wrongType, "points"), (["points": "٣"], .wrongType, "points"),
            (["points": "0x1"], .wrongType, "points"), (["points": "1 000"], .wrongType, "points"),
            (["price": "1."], .wrongType, "price"), (["price": ".5"], .wrongType, "price"),
            (["price": "1e3"], .wrongType, "price"), (["price": "1.2.3"], .wrongType, "price"),
            (["price": "1,5"], .wrongType, "price"), (["price": "NaN"], .wrongType, "price"),
            (["price": "1.-5"], .wrongType, "price"),
            (["until": "2026-02-29"], .wrongType, "until"), (["until": "1900-02-29"], .wrongType, "until"),
            (["until": "2026-2-9"], .wrongType, "until"), (["until": "0000-01-01"], .wrongType, "until"),
            (["until": "2026-13-01"], .wrongType, "until"), (["until": "2026-12-00"], .wrongType, "until"),
            (["until": "2026-12-01T00:00:00Z"], .wrongType, "until"), (["until": "-026-12-01"], .wrongType, "until"),
            (["name": "12345678901"], .tooLong, "name"), (["name": "éééééééééée"], .tooLong, "name"),
            (["name": "a\u{7}b"], .controlCharacter, "name"), (["name": "a\nb"], .controlCharacter, "name"),
            (["name": "a\u{7F}b"], .controlCharacter, "name"), (["name": "a\u{9B}b"], .controlCharacter, "name"),
            (["name": "a\u{2028}b"], .controlCharacter, "name"), (["name": "a\u{202E}b"], .controlCharacter, "name"),
            (["name": "\u{2066}b"], .controlCharacter, "name"), (["name": "b\u{2069}"], .controlCharacter, "name"),
            (["page": "."], .badURL, "page"), (["page": ".."], .badURL, "page"), (["page": " .. "], .badURL, "page"),
            (["name": ".."], .badURL, "name"),
            (["page": String(repeating: "€", count: 450)], .tooLarge, nil),
            (["page": String(repeating: "a", count: 8000)], .tooLarge, nil),
            // The first kind, then the first field.
            (["locale": "it", "points": "", "price": "x"], .missing, "points"),
            (["name": "12345678901", "price": "x"], .wrongType, "price"),
            (["points": "x", "price": "x"], .wrongType, "points"),
            (["name": "1234567890\u{0}", "until": "x"], .wrongType, "until"),
            (["name": "\u{7}", "page": ".."], .controlCharacter, "name"),
        ] as [([String: String], RowMistake.Kind, String?)])
    func `bad`(_ row: [String: String], _ kind: RowMistake.Kind, _ field: String?) throws {
        #expect(try Self.verdict(row) == .bad(.init(kind: kind, field: field)))
    }

    @Test func `a value that is no UTF-8 is of the wrong type`() throws {
        let messages = try Self.messages()
        var bytes: [UInt8] = []
        for value in [[0x61, 0xFF], [], [], [], [], []] as [[UInt8]] {
            value.withUnsafeBufferPointer { FieldValues.append($0, to: &bytes) }
        }
        let verdict = messages.judge(FieldValues(bytes: bytes), key: .init(start: nil, count: 0))
        #expect(verdict == .bad(.init(kind: .wrongType, field: "name")))
    }

    @Test(arguments: [[], [0x05], [0x05, 0x00, 0x61], [0xFF, 0xFF, 0x01], [0x00, 0x00]] as [[UInt8]])
    func `what follows a row that is cut short is missing`(_ bytes: [UInt8]) throws {
        let payload = #"{"aps":{"alert":{"title":"Hi there"}},"link":"https://example.com/home/x"}"#
        let verdict = try Self.messages().judge(FieldValues(bytes: bytes), key: .init(start: nil, count: 0))
        #expect(verdict == .good(place: 0, size: payload.utf8.count))
    }

    @Test(arguments: [
        (nil, nil), ("en", nil), ("it", "it"), ("IT_ch", "it"), ("it-IT-u-nu-latn", "it"), ("pt", nil),
        ("pt-BR", "pt-BR"), ("pt-PT", nil), ("no", "nb"), ("nb-NO", "nb"), ("iw", "he"), ("zh-TW", "zh-Hant"),
        ("zh-HK", "zh-Hant"), ("zh", nil), ("zh-CN", nil), ("xx", nil), ("?", nil),
    ])
    func `the locale is looked up`(_ tag: String?, _ locale: String?) throws {
        let messages = try Self.messages { content in
            for key in ["it", "pt-BR", "nb", "he", "zh-Hant"] { content.locales[key] = ["data": nil] }
        }
        let values = FieldValues([nil, nil, nil, nil, nil, tag])
        guard case .good(let place, _) = messages.judge(values, key: .init(start: nil, count: 0)) else {
            return #expect(Bool(false))
        }
        #expect(messages.classes[place] == MessageClass(locale: locale))
    }

    @Test func `simplified Chinese does not serve who reads traditional`() throws {
        let messages = try Self.messages { $0.locales = ["zh": ["data": nil]] }
        for (tag, locale) in [("zh-TW", nil), ("zh-Hant", nil), ("zh-SG", "zh"), ("zh-Hans-HK", "zh")] {
            let values = FieldValues([nil, nil, nil, nil, nil, tag])
            guard case .good(let place, _) = messages.judge(values, key: .init(start: nil, count: 0)) else {
                Issue.record("\(tag) is bad")
                continue
            }
            #expect(messages.classes[place].locale == locale, "\(tag)")
        }
    }

    @Test func `a row is checked against all variants of its locale, and holdouts need nothing`() throws {
        func change(_ content: inout PersonalContent) {
            content.variants = [
                .init(name: "a", weight: 1), .init(name: "b", weight: 1, message: ["data": ["x": "{{ price }}"]]),
                .init(name: "none", weight: 1_000_000, isHoldout: true),
            ]
        }
        #expect(try Self.verdict([:], change) == .bad(.init(kind: .missing, field: "price")))
        guard case .good = try Self.verdict(["price": "1"], change) else { return #expect(Bool(false)) }
    }

    @Test(arguments: [("u1", false), ("u2", false), (" ", true)])
    func `a seed is in no holdout`(_ unit: String, _ isSample: Bool) throws {
        let messages = try Self.messages {
            $0.variants = [
                .init(name: "a", weight: 1_000_000, isHoldout: true), .init(name: "b", weight: 1),
                .init(name: "c", weight: 1_000_000, isHoldout: true),
            ]
            $0.splitField = 4
        }
        let values = FieldValues([nil, nil, nil, nil, unit, nil])
        let verdict = messages.judge(seed: values, key: .init(start: nil, count: 0), isSample: isSample)
        guard case .good(let place, _) = verdict else { return #expect(Bool(false), "\(verdict)") }
        #expect(messages.classes[place].variant == "b")
    }

    @Test func `the field that decides the variant must have a value`() throws {
        func change(_ content: inout PersonalContent) {
            content.variants = [.init(name: "a", weight: 1), .init(name: "b", weight: 1)]
            content.splitField = 4
        }
        #expect(try Self.verdict(["page": "\u{2003}"], change) == .bad(.init(kind: .noSplit, field: "page")))
        #expect(try Self.verdict(["price": "x"], change) == .bad(.init(kind: .wrongType, field: "price")))
        // A sample needs nothing that decides its variant, and everything else.
        let messages = try Self.messages(change)
        let sample = { (row: [String: String]) in
            messages.judge(sample: FieldValues(messages.content.fields.map { row[$0.name] }))
        }
        guard case .good(let first, _) = sample(["locale": "it", "points": "1"]) else { return #expect(Bool(false)) }
        #expect(messages.classes[first] == MessageClass(locale: "it", variant: "a"))
        #expect(sample(["locale": "it"]) == .bad(.init(kind: .missing, field: "points")))
        let split = try Split(seed: "s", weights: [1, 1])
        for unit in ["u1", "u2", "u3", "u4", "u5", "u6"] {
            let variant = Array(unit.utf8).withUnsafeBytes { split.variant(of: $0) }
            guard case .good(let place, _) = try Self.verdict(["page": " \(unit) "], change) else {
                return #expect(Bool(false))
            }
            #expect(try Self.messages(change).classes[place].variant == ["a", "b"][variant])
        }
    }

    @Test(arguments: [
        ("a/{{ page }}", "..", true), ("a/{{ page }}/b", ".", true), ("{{ page }}", ".", true),
        ("a/.{{ page }}", ".", true), ("a/%2E{{ page }}", ".", true), ("a/{{ page }}{{ page }}", ".", true),
        ("a/{{ name | default: '.' }}", "x", true), ("a/{{ name | default: '' }}{{ page }}", ".", true),
        ("a/{{ page }}{{ page }}", "..", false), ("a/x{{ page }}", "..", false), ("a/{{ page }}x", ".", false),
        ("a?b={{ page }}", "..", false), ("a?b=/{{ page }}", "..", false), ("a#/{{ page }}", "..", false),
        ("a/..{{ page }}", "..", false), ("../{{ page }}", "x", false), ("a/{{ page }}", "", false),
    ])
    func `a segment of a link that leads elsewhere`(_ path: String, _ page: String, _ isBad: Bool) throws {
        let path = page.isEmpty ? path.replacing("{{ page }}", with: "{{ page | default: '' }}") : path
        let verdict = try Self.verdict(["page": page]) {
            $0.message = ["webpush": ["fcm_options": ["link": .string("https://example.com/\(path)")]]]
            $0.locales = [:]
        }
        if case .bad(let mistake) = verdict {
            #expect(isBad && mistake.kind == .badURL)
        } else {
            #expect(!isBad)
        }
    }

    @Test func `a limit is exact`() throws {
        // 4,096 bytes: "data" does not count, but the key does.
        for (count, kind) in [(4095, nil), (4096, RowMistake.Kind.tooLarge)] {
            let verdict = try Self.verdict(["page": String(repeating: "a", count: count)]) {
                $0.message = ["android": ["data": ["k": "{{ page }}"]]]
                $0.locales = [:]
            }
            switch verdict {
            case .good(_, let size): #expect(kind == nil && size == 4096)
            case .bad(let mistake): #expect(mistake.kind == kind)
            }
        }
    }
}
