/// Names one app instance at FCM: a registration token or a Firebase installation id (fid). Printing it does not show
/// its value.
package struct Registration: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The kind of a registration, which is also the message field that carries it.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case token, fid
    }

    package let rawValue: String

    /// Returns `nil` for a malformed text. A token is 100–4096 characters of `[A-Za-z0-9_:-]`. A fid is 22 characters
    /// of `[A-Za-z0-9_-]` and begins with c, d, e or f, because its first four bits are 0111.
    package init?(_ rawValue: String) {
        var rawValue = rawValue
        guard rawValue.withUTF8(Self.isWellFormed) else { return nil }
        self.rawValue = rawValue
    }

    /// The length of every fid, and the greatest length of any registration, in bytes.
    package static let (fidLength, maximumLength) = (22, 4096)

    /// The kind of a text, without making a string. Lists have millions of them. `nil` if the text is not a
    /// registration.
    package static func kind(of text: UnsafeBufferPointer<UInt8>) -> Kind? {
        isWellFormed(text) ? (text.count == fidLength ? .fid : .token) : nil
    }

    /// How many leading bytes of a registration are its recipient key.
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

    /// Whether a text of at least 8 bytes has only `[A-Za-z_-]` and the ASCII characters from `0` to `last`. It checks
    /// eight bytes at a time, because a big list has hundreds of millions of bytes.
    private static func consists(_ bytes: UnsafeBufferPointer<UInt8>, ofDigitsTo last: Unicode.Scalar) -> Bool {
        let lastDigit = UInt8(ascii: last)
        let bytes = UnsafeRawBufferPointer(bytes)
        var start = 0
        while start < bytes.count {
            // The last step may overlap the one before, if the length is not a multiple of eight.
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

    /// Tokens and fids differ in length, so the length tells the kind.
    package var kind: Kind { rawValue.utf8.count == Self.fidLength ? .fid : .token }

    /// The installation behind the registration: the fid, or the part of a token before the colon if it looks like a
    /// fid.
    package var recipientKey: RecipientKey {
        var text = rawValue
        let length = text.withUTF8(Self.keyLength)
        let isAll = length == text.utf8.count
        return RecipientKey(rawValue: isAll ? text : String(decoding: text.utf8.prefix(length), as: UTF8.self))
    }

    package var description: String { "registration (\(rawValue.utf8.count) bytes)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The installation that a registration belongs to. Rotated tokens, or a token and a fid of one installation, share it.
/// Printing it does not show its value.
package struct RecipientKey: RawRepresentable, Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package var description: String { "recipient key (\(rawValue.utf8.count) bytes)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension UInt64 {
    /// The value 1 in each byte.
    fileprivate static let ones: UInt64 = 0x0101_0101_0101_0101

    /// Sets the highest bit of each ASCII byte that lies in the range. The other bits, and the results for bytes that
    /// are not ASCII, are meaningless.
    fileprivate func mark(_ range: ClosedRange<UInt8>) -> UInt64 {
        (self &+ UInt64(0x80 - range.lowerBound) &* Self.ones) & ~(self &+ UInt64(0x7F - range.upperBound) &* Self.ones)
    }
}
