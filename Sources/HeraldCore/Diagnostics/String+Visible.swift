extension String {
    /// The text as it may stand in a page or on a terminal: characters that would act on the text around them, or that
    /// cannot be seen, are named instead, as in `‹U+202E›`.
    ///
    /// Line breaks stay. So do the characters that writing and emoji need: joiners, the marks that only say the direction
    /// of what is beside them, and the tags of flags.
    var visible: String {
        guard unicodeScalars.contains(where: { !$0.isPlain }) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar.isPlain { text.append(scalar) } else { text.append(contentsOf: scalar.named.unicodeScalars) }
        }
        return String(text)
    }
}

extension Unicode.Scalar {
    /// Whether it may stand in a page or on a terminal as it is.
    var isPlain: Bool {
        switch value {
        case 0x0A, 0x200C...0x200F, 0x061C, 0xE0020...0xE007F: return true
        default: break
        }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return false
        default: return true
        }
    }

    fileprivate var named: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "‹U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "›"
    }
}
