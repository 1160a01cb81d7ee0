/// A row's value of one field without the white space around it, and what one look at its bytes finds.
struct RowValue {
    /// Where it begins among the row's bytes.
    private(set) var start: Int
    /// Zero if it is missing.
    private(set) var count: Int
    /// Whether it has a character that no message may have.
    private(set) var hasControl = false
    private(set) var isASCII = true
    /// The bytes that JSON puts a backslash in front of.
    private(set) var escapes = 0
    /// The bytes that take three in a link.
    private(set) var encoded = 0

    static let missing = RowValue(start: 0, count: 0)

    var isMissing: Bool { count == 0 }
    var range: Range<Int> { start..<start + count }

    /// - Parameter place: where the value stands in the row with its white space.
    init(in row: UnsafeBufferPointer<UInt8>, at place: Range<Int>) {
        let text = row[place].trimmed
        self.init(start: text.startIndex, count: text.count)
        var (before, beforeThat): (UInt8, UInt8) = (0, 0)
        for byte in text {
            if byte < 0x80 {
                if byte < 0x20 || byte == 0x7F { hasControl = true }
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { escapes += 1 }
                if !byte.isUnreserved { encoded += 1 }
            } else {
                isASCII = false
                encoded += 1
                if Self.isControl(beforeThat, before, byte) { hasControl = true }
            }
            (beforeThat, before) = (before, byte)
        }
    }

    private init(start: Int, count: Int) { (self.start, self.count) = (start, count) }

    /// Whether the last bytes of these are U+0080–9F, U+2028–202E or U+2066–2069. Marks of direction (LRM, RLM, ALM) and
    /// joiners are none.
    private static func isControl(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool {
        switch (first, second) {
        case (_, 0xC2): third < 0xA0
        case (0xE2, 0x80): (0xA8...0xAE).contains(third)
        case (0xE2, 0x81): (0xA6...0xA9).contains(third)
        default: false
        }
    }
}

/// The bytes of one value.
typealias ValueBytes = Slice<UnsafeBufferPointer<UInt8>>

extension ValueBytes {
    /// Without the white space around it (Unicode's White_Space).
    var trimmed: ValueBytes {
        var text = self
        while let length = text.spaceAtStart { text = text[(text.startIndex + length)...] }
        while let length = text.spaceAtEnd { text = text[..<(text.endIndex - length)] }
        return text
    }

    private var spaceAtStart: Int? {
        guard let first else { return nil }
        if first < 0x80 { return first.isSpace ? 1 : nil }
        if count >= 2, Self.isSpace(first, self[startIndex + 1]) { return 2 }
        if count >= 3, Self.isSpace(first, self[startIndex + 1], self[startIndex + 2]) { return 3 }
        return nil
    }

    private var spaceAtEnd: Int? {
        guard let last else { return nil }
        if last < 0x80 { return last.isSpace ? 1 : nil }
        if count >= 2, Self.isSpace(self[endIndex - 2], last) { return 2 }
        if count >= 3, Self.isSpace(self[endIndex - 3], self[endIndex - 2], last) { return 3 }
        return nil
    }

    /// U+0085 and U+00A0.
    private static func isSpace(_ first: UInt8, _ second: UInt8) -> Bool {
        first == 0xC2 && (second == 0x85 || second == 0xA0)
    }

    private static func isSpace(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool {
        switch (first, second) {
        // U+2000–200A, U+2028, U+2029, U+202F
        case (0xE2, 0x80): (0x80...0x8A).contains(third) || third == 0xA8 || third == 0xA9 || third == 0xAF
        // U+205F, U+1680, U+3000
        case (0xE2, 0x81): third == 0x9F
        case (0xE1, 0x9A): third == 0x80
        case (0xE3, 0x80): third == 0x80
        default: false
        }
    }
}

extension UInt8 {
    fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

    /// RFC 3986, 2.3.
    var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
