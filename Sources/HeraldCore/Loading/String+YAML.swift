internal import FCM

extension String {
    /// The text as it is, if YAML cannot read it as anything else. Otherwise in quotes.
    var inYAML: String {
        let isPlain = wholeMatch(of: #/[A-Za-z][A-Za-z0-9_-]*/#) != nil && PlainScalar(self) == .string
        guard !isPlain, let bytes = try? JSONValue.string(self).bytes() else { return self }
        var text = String.UnicodeScalarView()
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            if scalar.needsEscapeInYAML {
                let digits = String(scalar.value, radix: 16)
                text.append(
                    contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }
}

extension Unicode.Scalar {
    /// YAML 1.1, 5.1 and 5.4: what is not printable there, and what breaks lines. JSON lets these stand in quotes.
    fileprivate var needsEscapeInYAML: Bool {
        switch value {
        case 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: true
        default: false
        }
    }
}
