import FCM
import Testing

@testable import HeraldCore

/// Holds what herald writes against what Babel writes, for every locale of the table. Scripts/make-locales.py made the
/// expectations with the table; Tests/personal/test_locales.py holds both against Babel.
@Suite struct LocaleStyleTests {
    private struct Expectations {
        /// What a row has, by column.
        var values: [String] = []
        /// By tag.
        var written: [(tag: String, texts: [String])] = []

        init(beside test: String = #filePath) throws {
            let folder = URL(filePath: test).deletingLastPathComponent().appending(path: "../../fixtures")
            let text = try String(contentsOf: folder.appending(path: "locales.tsv"), encoding: .utf8)
            for line in text.split(separator: "\n") {
                let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
                if values.isEmpty {
                    values = Array(columns.dropFirst())
                } else {
                    written.append((columns[0], Array(columns.dropFirst())))
                }
            }
        }
    }

    /// One message that says a number, a decimal and a date to people, and again to an app.
    private static func content(default locale: String?) -> PersonalContent {
        let text: JSONValue = "{{ n | default: '' }}{{ p | default: '' }}{{ d | default: '' }}"
        var content = PersonalContent(
            message: ["notification": ["title": text], "data": ["k": text]],
            fields: [
                Field(name: "n", kind: .integer), Field(name: "p", kind: .decimal), Field(name: "d", kind: .date),
                Field(name: "l", kind: .locale),
            ], seed: "s")
        (content.localeField, content.defaultLocale) = (3, locale)
        return content
    }

    private static func written(_ value: String, in messages: PersonalMessages, for tag: String?) -> (String?, String?)
    {
        let place = value.dropFirst().contains("-") ? 2 : value.contains(".") ? 1 : 0
        var row: [String?] = [nil, nil, nil, tag]
        row[place] = value
        let message = messages.rendered(FieldValues(row), for: .init())
        return (message["notification"]?["title"]?.string, message["data"]?["k"]?.string)
    }

    @Test func `every locale writes numbers and dates as Babel does`() throws {
        let expectations = try Expectations()
        #expect(expectations.written.count > 300)
        for (tag, texts) in expectations.written {
            let messages = try PersonalMessages(Self.content(default: tag))
            for (value, text) in zip(expectations.values, texts) {
                let (read, data) = Self.written(value, in: messages, for: nil)
                #expect(read == text, "\(tag): \(value)")
                #expect(data == value)
            }
        }
    }

    @Test(arguments: [
        ("de", "de-CH", "1’234’567"), ("de", "de-DE", "1.234.567"), ("de", "de", "1.234.567"),
        ("de-AT", "de-CH", "1’234’567"), ("de-CH", "de", "1’234’567"), ("de-CH", nil, "1’234’567"),
        // Another language's region says nothing about this one's.
        ("de-CH", "fr-FR", "1’234’567"), ("en", "de-CH", "1,234,567"), ("en-US", "en-IN", "12,34,567"),
        ("en", "en-JP", "1,234,567"), ("es", "es-MX", "1,234,567"), ("es", "es-ES", "1.234.567"),
        ("zh-Hant", "zh-TW", "1,234,567"), ("sr-Latn", "sr-RS", "1.234.567"), ("tlh", "tlh", "1234567"),
        ("az-Arab", "az", "1234567"),
    ])
    func `a text is written in its language, with the recipient's region`(
        _ text: String, _ recipient: String?, _ number: String
    ) throws {
        let messages = try PersonalMessages(Self.content(default: text))
        #expect(Self.written("1234567", in: messages, for: recipient).0 == number)
    }

    @Test func `without a known language numbers and dates stay as they are`() throws {
        let messages = try PersonalMessages(Self.content(default: nil))
        let message = messages.rendered(FieldValues(["1234567", nil, "2026-12-25", "de-CH"]), for: .init())
        #expect(message["notification"]?["title"] == "12345672026-12-25")
    }

    @Test func `nothing that the table writes needs an escape, or more room than was reckoned with`() throws {
        for (tag, texts) in try Expectations().written {
            let parsed = try #require(LanguageTag(tag))
            let style = try #require(LocaleStyle.of(parsed, for: nil))
            for text in texts { #expect(!text.utf8.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }, "\(tag)") }
            let number = Array("-\(String(repeating: "8", count: 40)).5".utf8)
            number.withUnsafeBufferPointer { number in
                var bytes: [UInt8] = []
                #expect(style.write(number: number[...], to: &bytes))
                #expect(bytes.count <= LocaleStyle.longestNumber(number.count), "\(tag)")
            }
            for text in texts.suffix(12) { #expect(text.utf8.count <= LocaleStyle.longestDate, "\(tag)") }
        }
    }
}
