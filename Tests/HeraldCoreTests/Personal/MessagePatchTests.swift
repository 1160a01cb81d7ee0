import FCM
import Testing

@testable import HeraldCore

@Suite struct MessagePatchTests {
    /// The examples of RFC 7396, appendix A.
    @Test(arguments: [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"), (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#), (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#), (#"{"a":"foo"}"#, "null", "null"),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#), (#"{"e":null}"#, #"{"a":1}"#, #"{"a":1,"e":null}"#),
        ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ])
    func `merges`(_ target: String, _ patch: String, _ merged: String) throws {
        let parsed = try [target, patch, merged].map { try JSONValue(strictly: Array($0.utf8), depth: 9) }
        #expect(parsed[0].merging(parsed[1]) == parsed[2])
    }

    @Test func `message, locale, variant's message, variant's locale`() throws {
        var content = PersonalContent(
            message: ["data": ["a": "message", "b": "message", "c": "message", "d": "message"]], fields: [], seed: "s")
        content.defaultLocale = "en"
        content.locales["pt-BR"] = ["data": ["b": "locale", "c": "locale", "d": "locale"]]
        content.variants = [
            .init(
                name: "x", weight: 1, message: ["data": ["c": "variant", "d": "variant"]],
                // Written differently, it is the same locale.
                locales: ["pt_br": ["data": ["d": "variant's locale"]]]),
            .init(name: "y", weight: 1, isHoldout: true),
        ]
        let messages = try PersonalMessages(content)
        #expect(
            messages.classes.map { "\($0.variant ?? "-") \($0.locale ?? "-")" } == [
                "x -", "x pt-BR", "y -", "y pt-BR",
            ])
        #expect(
            messages.message(of: .init(locale: "pt-BR", variant: "x")) == [
                "data": ["a": "message", "b": "locale", "c": "variant", "d": "variant's locale"]
            ])
        #expect(messages.message(of: .init(variant: "x"))["data"]?["d"] == "variant")
        #expect(messages.message(of: .init(variant: "y", isHoldout: true)).isEmpty)
        #expect(messages.classes.map(\.isHoldout) == [false, false, true, true])
        #expect(messages.index(of: .init(variant: "y")) == nil)
        #expect(messages.index(of: .init(variant: "z")) == nil)
        #expect(messages.message(of: .init(variant: "z")).isEmpty)
        #expect(throws: PersonalProblem.self) {
            try messages.body(of: .init(variant: "y", isHoldout: true), validateOnly: false) { $0 }
        }
    }

    @Test(arguments: ["a", "b"])
    func `every variant has the campaign's locales`(_ variant: String) throws {
        var content = PersonalContent(
            message: ["data": ["k": "message"]], fields: [Field(name: "lang", kind: .locale)], seed: "s")
        (content.defaultLocale, content.localeField) = ("en", 0)
        content.locales["pt"] = ["data": ["k": "pt"]]
        // Loading refuses such a locale. It hides nothing.
        content.variants = [
            .init(name: "a", weight: 1), .init(name: "b", weight: 1, locales: ["pt-BR": ["data": ["k": "x"]]]),
        ]
        let messages = try PersonalMessages(content)
        #expect(Set(messages.classes.map(\.locale)) == [nil, "pt"])
        for key in 1...20 {
            let verdict = Array("k\(key)".utf8).withUnsafeBytes { messages.judge(FieldValues(["pt-BR"]), key: $0) }
            guard case .good(let place, _) = verdict else { return #expect(Bool(false)) }
            #expect(messages.classes[place].locale == "pt")
        }
        #expect(messages.message(of: .init(locale: "pt", variant: variant)) == ["data": ["k": "pt"]])
    }

    @Test func `labels get the variant's name where there are labels`() throws {
        var content = PersonalContent(
            message: [
                "fcm_options": ["analytics_label": "spring"], "android": ["fcm_options": ["analytics_label": "droid"]],
                "android_v2": ["fcm_options": ["analytics_label": "next"]],
                "apns": ["fcm_options": ["image": "https://example.com/a.png"]], "webpush": [:],
            ], fields: [], seed: "s")
        #expect(try PersonalMessages(content).message(of: .init()) == content.message)
        content.variants = [.init(name: "b", weight: 1)]
        #expect(
            try PersonalMessages(content).message(of: .init(variant: "b")) == [
                "fcm_options": ["analytics_label": "spring_b"],
                "android": ["fcm_options": ["analytics_label": "droid_b"]],
                "android_v2": ["fcm_options": ["analytics_label": "next_b"]],
                "apns": ["fcm_options": ["image": "https://example.com/a.png"]], "webpush": [:],
            ])
    }
}
