/// The form that a text of the message must have.
enum TextForm: Sendable {
    /// `#RRGGBB`.
    case color
    /// An address that the device fetches an image from.
    case image
    /// The address that a click opens.
    case link
    case analyticsLabel
    /// Anything that is not empty.
    case filled
}

extension TextForm {
    /// A text with a letter in place of each placeholder, which is what can be checked before there are values. `nil` if
    /// nothing can: then the placeholders themselves are wrong, which is reported elsewhere.
    func literal(_ text: Located<String>) -> Located<String>? {
        guard TextTemplate.isTemplate(text.value) else { return text }
        guard self == .image || self == .link, let template = try? TextTemplate(parsing: text.value) else { return nil }
        let parts = template.parts.map { if case .literal(let part) = $0 { part } else { "x" } }
        return Located(parts.joined(), at: text.range)
    }

    /// Checks the text against the form, and reports what is wrong.
    func check(_ text: Located<String>, _ name: String, _ findings: inout Findings) -> Bool {
        switch self {
        case .color:
            if text.value.hexColor?.count == 3 { return true }
            findings.diagnostics.append(
                .error(
                    .color, "\(name) cannot be '\(text.value)'", at: text.range,
                    help: "write six hexadecimal digits, as in \"#1a6fb0\""))
        case .analyticsLabel:
            if (1...50).contains(text.value.utf8.count), text.value.utf8.allSatisfy(\.isOfLabel) { return true }
            findings.diagnostics.append(
                .error(
                    .analyticsLabel, "\(name) cannot be '\(text.value)'", at: text.range,
                    help: "1 to 50 characters of A-Z a-z 0-9 - _ . ~ %"))
        case .image: return checkImage(text, name, &findings)
        case .link:
            // The SDKs compare the beginning as it is written.
            if text.value.webAddress == .https, text.value.hasPrefix("https:") { return true }
            findings.diagnostics.append(
                .error(
                    .linkURL, "\(name) must be an absolute https URL", at: text.range,
                    help: "as in https://tides.example/ostia, with https:// in small letters"))
        case .filled:
            if !text.value.isEmpty { return true }
            findings.diagnostics.append(.error(.invalidValue, "\(name) is empty", at: text.range))
        }
        return false
    }

    private func checkImage(_ text: Located<String>, _ name: String, _ findings: inout Findings) -> Bool {
        if text.value.webAddress != nil, text.value.hasOddPath {
            findings.diagnostics.append(
                .error(
                    .imageURL, "\(name) has a path that Google's SDKs refuse", at: text.range,
                    help: "before '?' it may have no '&', '[', ']' and no '//'"))
            return false
        }
        switch text.value.webAddress {
        case .https: return true
        case .http:
            findings.diagnostics.append(
                .warning(
                    .imageHTTP, "\(name) is fetched over http, which phones refuse by default", at: text.range,
                    help: "serve it over https"))
            return true
        case .none:
            findings.diagnostics.append(
                .error(
                    .imageURL, "\(name) must be an absolute https URL", at: text.range,
                    help: "as in https://tides.example/ostia.png, other characters than ASCII percent-encoded"))
            return false
        }
    }
}

extension String {
    /// The bytes of `#RRGGBB` or `#RRGGBBAA`.
    var hexColor: [UInt8]? {
        let digits = utf8.dropFirst()
        guard utf8.first == UInt8(ascii: "#"), digits.count == 6 || digits.count == 8 else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in digits {
            guard let value = digit.hexadecimalValue else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    fileprivate enum WebAddress { case http, https }

    /// The kind of address it is: absolute, with a host, and only with characters that a URL may have.
    fileprivate var webAddress: WebAddress? {
        let (scheme, kind): (String, WebAddress) =
            prefix(6).lowercased() == "https:" ? ("https://", .https) : ("http://", .http)
        guard prefix(scheme.count).lowercased() == scheme else { return nil }
        let rest = utf8.dropFirst(scheme.utf8.count)
        guard let first = rest.first, !"/?#:@".utf8.contains(first) else { return nil }
        var digitsDue = 0
        for byte in rest {
            if digitsDue > 0 {
                guard byte.hexadecimalValue != nil else { return nil }
                digitsDue -= 1
            } else if byte == UInt8(ascii: "%") {
                digitsDue = 2
            } else if !byte.isOfURL {
                return nil
            }
        }
        return digitsDue == 0 ? kind : nil
    }

    /// Whether the path of an address has what `isURL` of firebase-admin-node does not take.
    fileprivate var hasOddPath: Bool {
        guard let scheme = firstRange(of: "://") else { return false }
        let path = self[scheme.upperBound...].drop { !"/?#".contains($0) }.prefix { !"?#".contains($0) }
        return path.contains("//") || path.contains { "&[]".contains($0) }
    }
}

extension UInt8 {
    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private var isAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }

    fileprivate var isOfLabel: Bool { isAlphanumeric || "-_.~%".utf8.contains(self) }

    fileprivate var isOfURL: Bool { isAlphanumeric || "-._~:/?#[]@!$&'()*+,;=".utf8.contains(self) }

    /// A character of an HTTP header's name (RFC 9110).
    var isOfHeaderName: Bool { isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }

    /// A character of URL-safe base 64.
    var isOfBase64URL: Bool { isAlphanumeric || self == UInt8(ascii: "-") || self == UInt8(ascii: "_") }
}
