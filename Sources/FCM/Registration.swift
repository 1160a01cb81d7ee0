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
        let bytes = rawValue.utf8
        switch bytes.count {
        case 22:
            guard let first = bytes.first, (UInt8(ascii: "c")...UInt8(ascii: "f")).contains(first),
                bytes.allSatisfy(\.isInstanceIDCharacter)
            else { return nil }
        case 100...4096:
            guard bytes.allSatisfy({ $0.isInstanceIDCharacter || $0 == UInt8(ascii: ":") }) else { return nil }
        default:
            return nil
        }
        self.rawValue = rawValue
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
