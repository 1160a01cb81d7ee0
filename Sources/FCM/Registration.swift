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

    /// In bytes, of every fid, and at most of any registration.
    package static let (fidLength, maximumLength) = (22, 4096)

    /// What a text is, for those who have millions and make no string of each; `nil` for no registration.
    package static func kind(of text: UnsafeBufferPointer<UInt8>) -> Kind? {
        isWellFormed(text) ? (text.count == fidLength ? .fid : .token) : nil
    }

    /// How many bytes of a registration, from the first on, are its recipient key.
    package static func keyLength(of registration: UnsafeBufferPointer<UInt8>) -> Int {
        let head = registration.prefix(fidLength)
        let hasInstallation =
            registration.count > fidLength && registration[fidLength] == UInt8(ascii: ":")
            && !head.contains(UInt8(ascii: ":"))
        return hasInstallation ? fidLength : registration.count
    }

    private static func isWellFormed(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        switch bytes.count {
        case fidLength: ("c"..."f").contains(Unicode.Scalar(bytes[0])) && consists(bytes, ofDigitsTo: "9")
        case 100...maximumLength: consists(bytes, ofDigitsTo: ":")
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
    package var kind: Kind { rawValue.utf8.count == Self.fidLength ? .fid : .token }

    /// The installation behind it: the fid; for a token the part before the colon where that has a fid's shape.
    package var recipientKey: RecipientKey {
        var text = rawValue
        let length = text.withUTF8(Self.keyLength)
        let isAll = length == text.utf8.count
        return RecipientKey(rawValue: isAll ? text : String(decoding: text.utf8.prefix(length), as: UTF8.self))
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

extension UInt64 {
    /// A one in each byte.
    fileprivate static let ones: UInt64 = 0x0101_0101_0101_0101

    /// Sets the highest bit of each byte that lies in a range, of those that are ASCII; all else of the result is
    /// without meaning.
    fileprivate func mark(_ range: ClosedRange<UInt8>) -> UInt64 {
        (self &+ UInt64(0x80 - range.lowerBound) &* Self.ones) & ~(self &+ UInt64(0x7F - range.upperBound) &* Self.ones)
    }
}
