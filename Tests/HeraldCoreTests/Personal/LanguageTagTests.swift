import HeraldTestSupport
import Testing

@testable import HeraldCore

@Suite struct LanguageTagTests {
    @Test(arguments: [
        ("en", "en"), ("EN_gb", "en-GB"), ("pt-br", "pt-BR"), ("es-419", "es-419"), ("sr-latn-rs", "sr-Latn-RS"),
        ("fil", "fil"), ("de-CH-1996", "de-CH"), ("sl-rozaj-biske", "sl"), ("de-DE-u-co-phonebk", "de-DE"),
        ("en-a-bbb-x-a-ccc", "en"), ("en-x-1", "en"), ("zh-yue-HK", "zh-Hant-HK"),
        // CLDR's aliases
        ("iw", "he"), ("iw-IL", "he-IL"), ("in-ID", "id-ID"), ("ji", "yi"), ("no", "nb"), ("no_NO", "nb-NO"),
        ("zh-TW", "zh-Hant-TW"), ("zh_HK", "zh-Hant-HK"), ("zh-mo", "zh-Hant-MO"), ("zh-CN", "zh-CN"),
        ("zh-Hans", "zh"), ("zh-Hans-CN", "zh-CN"), ("zh-hant", "zh-Hant"), ("zh-Hans-HK", "zh-Hans-HK"),
    ])
    func `is read`(_ text: String, _ tag: String) throws {
        let read = try #require(LanguageTag(text))
        #expect(read.description == tag)
        #expect(LanguageTag(tag) == read)
    }

    @Test(arguments: [
        "", "e", "1", "x-private", "i-klingon", "en-", "-en", "en--US", "en US", "en-US-", "en.UTF-8", "en_US.UTF-8",
        "en-u", "en-US-u", "en-u-a", "en-x", "englishes", "en-abcdefghi", "e1", "en-US-GB", "dé", "en-é", "*", "en-1",
        "en\u{0}", "en-US\n",
    ])
    func `is no tag`(_ text: String) { #expect(LanguageTag(text) == nil) }

    @Test(arguments: [
        ("pt-BR", ["pt-BR", "pt"]), ("en", ["en"]), ("sr-Latn-RS", ["sr-Latn-RS", "sr-Latn", "sr"]),
        ("zh-SG", ["zh-SG", "zh"]), ("zh-Hans-SG", ["zh-SG", "zh"]), ("zh-TW", ["zh-Hant-TW", "zh-Hant"]),
    ])
    func `is looked up`(_ text: String, _ chain: [String]) throws {
        let first = try #require(LanguageTag(text))
        #expect(Array(sequence(first: first, next: \.parent)).map(\.description) == chain)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `any bytes are read without a crash`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let letters = Array("aZ1-_x\u{0}é".utf8)
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0...20, using: &random)).compactMap { _ in
                letters.randomElement(using: &random)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            guard let tag = LanguageTag(text) else { continue }
            #expect(LanguageTag(tag.description) == tag, "seed \(seed), \(text)")
        }
    }
}
