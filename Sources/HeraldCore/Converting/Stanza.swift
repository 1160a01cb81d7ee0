/// The XML that a legacy message has around it when it travels by XMPP.
enum Stanza {
    /// The JSON between `<gcm …>` and `</gcm>`. Bytes that are no XML are as they are.
    static func content(of bytes: [UInt8]) throws(ConversionProblem) -> [UInt8] {
        let start = bytes.firstIndex { !" \t\r\n".utf8.contains($0) } ?? bytes.endIndex
        guard start < bytes.endIndex, bytes[start] == UInt8(ascii: "<") else { return bytes }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let match = text.firstMatch(of: #/<gcm(?:\s[^>]*)?>([^<]*)<\/gcm>/#) else { throw .noStanza }
        return Array(unescaped(match.1).utf8)
    }

    /// XML 1.0, 4.1 and 4.6: the five names, and characters by their numbers.
    private static func unescaped(_ text: Substring) -> String {
        String(text).replacing(#/&(#x[0-9A-Fa-f]{1,6}|#[0-9]{1,7}|quot|apos|amp|lt|gt);/#) { match in
            switch match.1 {
            case "quot": return "\""
            case "apos": return "'"
            case "amp": return "&"
            case "lt": return "<"
            case "gt": return ">"
            case let number:
                let isHex = number.hasPrefix("#x")
                let value = UInt32(number.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10)
                return value.flatMap(Unicode.Scalar.init).map { String($0) } ?? "\u{FFFD}"
            }
        }
    }
}
