/// Names one app instance at FCM: a registration token or a Firebase installation id (fid).
/// Printing it shows nothing of it.
package struct Registration: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// How FCM is told of it: the message field that carries it.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case token, fid
    }

    package let rawValue: String

    /// A token is 100–4096 characters of `[A-Za-z0-9_:-]`; a fid is 22 of `[A-Za-z0-9_-]` that begin with c, d, e
    /// or f (the first four bits of an installation id are 0111). Anything else is `nil`.
    package init?(_ rawValue: String) {
        var rawValue = rawValue
        guard rawValue.withUTF8(Self.isWellFormed) else { return nil }
        self.rawValue = rawValue
    }

    private static func isWellFormed(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        switch bytes.count {
        case 22: ("c"..."f").contains(Unicode.Scalar(bytes[0])) && consists(bytes, ofDigitsTo: "9")
        case 100...4096: consists(bytes, ofDigitsTo: ":")
        default: false
        }
    }

    /// Whether a text of at least 8 bytes has only `[A-Za-z_-]` and what stands from `0` to another character in ASCII.
    /// It looks at eight at a time: a list of people's tokens has a hundred million of them.
    private static func consists(_ bytes: UnsafeBufferPointer<UInt8>, ofDigitsTo last: Unicode.Scalar) -> Bool {
        let lastDigit = UInt8(ascii: last)
        let bytes = UnsafeRawBufferPointer(bytes)
        var start = 0
        while start < bytes.count {
            // Some of the last ones are looked at twice, where their number is no multiple of eight.
            start = min(start, bytes.count - 8)
            let eight = bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            let isFine =
                (eight | 0x20 &* UInt64.ones).mark(UInt8(ascii: "a")...UInt8(ascii: "z"))
                | eight.mark(UInt8(ascii: "0")...lastDigit)
                | eight.mark(UInt8(ascii: "_")...UInt8(ascii: "_"))
                | eight.mark(UInt8(ascii: "-")...UInt8(ascii: "-"))
            guard isFine & ~eight & (0x80 &* UInt64.ones) == 0x80 &* UInt64.ones else { return false }
            start += 8
        }
        return true
    }

    package init?(_ rawValue: String, kind: Kind) {
        self.init(rawValue)
        guard self.kind == kind else { return nil }
    }

    /// The two forms differ in length, so the text tells.
    package var kind: Kind { rawValue.utf8.count == 22 ? .fid : .token }

    /// The installation behind it: the fid; for a token the part before the colon where that has a fid's shape.
    package var recipientKey: RecipientKey {
        let bytes = rawValue.utf8
        if kind == .token, let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
            let head = bytes[..<colon]
            if head.count == 22, head.allSatisfy(\.isInstanceIDCharacter) {
                return RecipientKey(rawValue: String(rawValue[..<colon]))
            }
        }
        return RecipientKey(rawValue: rawValue)
    }

    package var description: String { "registration (\(rawValue.utf8.count) bytes)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The installation a registration belongs to. A rotated token, or a token and the fid of one installation, share it.
/// Printing it shows nothing of it.
package struct RecipientKey: RawRepresentable, Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package var description: String { "recipient key (\(rawValue.utf8.count) bytes)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension UInt8 {
    /// `[A-Za-z0-9_-]`, the URL-safe base64 alphabet.
    fileprivate var isInstanceIDCharacter: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension UInt64 {
    /// A one in each byte.
    fileprivate static let ones: UInt64 = 0x0101_0101_0101_0101

    /// Sets the highest bit of each byte that lies in a range, of those that are ASCII; all else of the result is
    /// without meaning.
    fileprivate func mark(_ range: ClosedRange<UInt8>) -> UInt64 {
        (self &+ UInt64(0x80 - range.lowerBound) &* Self.ones) & ~(self &+ UInt64(0x7F - range.upperBound) &* Self.ones)
    }
}
