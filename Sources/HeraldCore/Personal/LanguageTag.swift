/// A BCP 47 language tag as look-up needs it: language, script and region, without variants and extensions. Equal tags
/// may have been written differently: `iw-il` is `he_IL`, and `zh-TW` is `zh-Hant-TW`.
package struct LanguageTag: Hashable, Sendable {
    /// In lower case. Of subtags of at most eight letters all three make one number, because rows have millions of them.
    private(set) var language: Subtag
    /// `Hant`, or empty.
    private(set) var script: Subtag
    /// `MX` or `419`, or empty.
    private(set) var region: Subtag

    /// `nil` for a text that is no tag.
    package init?(_ text: String) {
        var text = text
        guard let tag = text.withUTF8({ LanguageTag($0[...]) }) else { return nil }
        self = tag
    }

    /// RFC 5646's `langtag`. `_` counts as `-`, and case does not count.
    init?(_ text: ValueBytes) {
        var reader = SubtagReader(rest: text)
        let first = reader.next()
        guard first.isAlphabetic, first.count >= 2 else { return nil }
        var (language, script, region) = (first, Subtag.none, Subtag.none)
        var next = reader.next()
        if language.count <= 3 {
            var extended = 0
            while next.isAlphabetic, next.count == 3, extended < 3 {
                next = reader.next()
                extended += 1
            }
        }
        if next.isAlphabetic, next.count == 4 {
            script = next.titlecased
            next = reader.next()
        }
        if next.isRegion {
            region = next.uppercased
            next = reader.next()
        }
        guard reader.skipRest(from: next) else { return nil }
        Self.canonicalize(&language, &script, region)
        (self.language, self.script, self.region) = (language, script, region)
    }

    /// What CLDR makes of old codes, and of Chinese without a script (`languageAlias`, `likelySubtags`).
    private static func canonicalize(_ language: inout Subtag, _ script: inout Subtag, _ region: Subtag) {
        if language == chinese {
            switch script {
            case "Hans": script = .none
            case .none where region.isTraditional: script = "Hant"
            default: break
            }
        } else if let (_, new) = aliases.first(where: { $0.old == language }) {
            language = new
        }
    }

    private static let chinese: Subtag = "zh"
    private static let aliases: [(old: Subtag, new: Subtag)] = [
        ("iw", "he"), ("in", "id"), ("ji", "yi"), ("no", "nb"),
    ]

    /// The tag that is looked up next if there is no text for this one. Traditional Chinese has none: CLDR does not let
    /// it fall back to simplified Chinese, and many of its readers do not want that.
    var parent: LanguageTag? {
        if region != .none { return with(region: .none) }
        guard script != .none, !(language == "zh" && script == "Hant") else { return nil }
        var tag = self
        tag.script = .none
        return tag
    }

    func with(region: Subtag) -> LanguageTag {
        var tag = self
        tag.region = region
        return tag
    }
}

extension LanguageTag: CustomStringConvertible {
    package var description: String {
        // Without its script, it would be read as traditional Chinese.
        let script: Subtag = language == "zh" && script == .none && region.isTraditional ? "Hans" : script
        return [language, script, region].filter { $0 != .none }.map(\.description).joined(separator: "-")
    }
}

/// One part of a tag: at most eight letters and digits.
struct Subtag: Hashable, Sendable {
    static let none = Subtag()

    /// The characters, the first one highest.
    private var packed: UInt64 = 0
    private(set) var count: UInt8 = 0
    private(set) var digits: UInt8 = 0

    static func == (one: Subtag, other: Subtag) -> Bool { one.packed == other.packed }
    func hash(into hasher: inout Hasher) { hasher.combine(packed) }

    var isAlphabetic: Bool { count > 0 && digits == 0 }
    var isRegion: Bool { count == 2 && digits == 0 || count == 3 && digits == 3 }
    /// Five characters, or four that begin with a digit.
    var isVariant: Bool { count >= 5 || count == 4 && UInt8(truncatingIfNeeded: packed >> 24).isDigit }

    /// Whether it is a region where Chinese is written in the traditional script, if nothing else is said.
    var isTraditional: Bool { self == "TW" || self == "HK" || self == "MO" }

    /// Only letters have this bit as their only difference of case.
    var uppercased: Subtag { digits == 0 ? masked(0xDFDF_DFDF_DFDF_DFDF) : self }
    var titlecased: Subtag { masked(~(0x20 << (8 * (UInt64(count) - 1)))) }

    private func masked(_ mask: UInt64) -> Subtag {
        var subtag = self
        subtag.packed &= mask
        return subtag
    }

    fileprivate mutating func append(_ byte: UInt8) {
        packed = packed << 8 | UInt64(byte)
        count += 1
        if byte.isDigit { digits += 1 }
    }
}

extension Subtag: ExpressibleByStringLiteral, CustomStringConvertible {
    init(stringLiteral text: StaticString) {
        text.withUTF8Buffer { for byte in $0 { append(byte) } }
    }

    var description: String {
        String(decoding: (0..<count).reversed().map { UInt8(truncatingIfNeeded: packed >> (8 * $0)) }, as: UTF8.self)
    }
}

/// Takes a tag apart without allocating anything.
private struct SubtagReader {
    var rest: ValueBytes
    private var isBroken = false
    /// Whether a subtag follows: at the start, and after a hyphen.
    private var hasNext = true

    init(rest: ValueBytes) { self.rest = rest }

    /// In lower case. Empty at the end, and at what is no subtag.
    mutating func next() -> Subtag {
        var subtag = Subtag.none
        guard hasNext else { return subtag }
        hasNext = false
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") {
                hasNext = true
                break
            }
            let isLetter = (byte | 0x20).isLowercaseLetter
            guard isLetter || byte.isDigit, subtag.count < 8 else {
                isBroken = true
                return .none
            }
            subtag.append(isLetter ? byte | 0x20 : byte)
        }
        if subtag.count == 0 { isBroken = true }
        return subtag
    }

    /// Reads variants, extensions and private use to the end.
    ///
    /// - Returns: whether all of it is well-formed.
    mutating func skipRest(from first: Subtag) -> Bool {
        var next = first
        while next.isVariant { next = self.next() }
        while next.count == 1 {
            let shortest = next == "x" ? 1 : 2
            next = self.next()
            guard next.count >= shortest else { return false }
            while next.count >= shortest { next = self.next() }
        }
        return next.count == 0 && !isBroken
    }
}
