/// The direction in which a text is laid out: that of its first character with a direction of its own (UAX #9, P2).
package enum TextDirection: String, Hashable, Sendable {
    case leftToRight = "ltr"
    case rightToLeft = "rtl"

    /// A text without such a character, for example a number, is laid out from left to right.
    package init(of text: String) {
        self = text.unicodeScalars.lazy.compactMap(\.direction).first ?? .leftToRight
    }
}

extension Unicode.Scalar {
    /// `nil` for what takes the direction of its surroundings: digits, signs, emoji, spaces.
    ///
    /// The blocks from right to left are those of Unicode's `DerivedBidiClass.txt`, unassigned characters included.
    fileprivate var direction: TextDirection? {
        switch value {
        case 0x200E: return .leftToRight
        case 0x200F, 0x061C: return .rightToLeft
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF, 0x1E800...0x1EFFF:
            switch properties.generalCategory {
            // Marks, digits and signs take the direction of their surroundings in these blocks, too.
            case .nonspacingMark, .decimalNumber, .mathSymbol, .otherSymbol, .format: return nil
            default: return .rightToLeft
            }
        default: return properties.isAlphabetic ? .leftToRight : nil
        }
    }
}
