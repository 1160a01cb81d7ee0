/// What a field asks of its values. It holds no reference: to count references takes time for each row.
struct ValueRule: Hashable, Sendable {
    var kind: FieldKind
    /// How many characters a text may have, as people count them.
    var maximum: Int

    /// What is wrong with a value that is there, whatever the message says.
    func mistake(in value: RowValue, _ text: ValueBytes) -> RowMistake.Kind? {
        guard kind.allows(text), value.isASCII || text.isUTF8 else { return .wrongType }
        // A character has at least one byte.
        if value.count > maximum, text.characterCount(value) > maximum { return .tooLong }
        return value.hasControl ? .controlCharacter : nil
    }
}

extension FieldKind {
    /// Whether a row may write a value of this kind so. Any text is allowed for a locale and for a time zone: one that is
    /// none counts as missing.
    func allows(_ text: ValueBytes) -> Bool {
        switch self {
        case .text, .locale, .timezone: true
        case .integer: text.isInteger
        case .decimal: text.isDecimal
        case .date: CalendarDay(text) != nil
        }
    }
}

extension ValueBytes {
    /// Digits, with a minus or not.
    private var areDigits: Bool {
        let digits = first == UInt8(ascii: "-") ? dropFirst() : self
        return !digits.isEmpty && digits.allSatisfy(\.isDigit)
    }

    fileprivate var isInteger: Bool {
        guard areDigits else { return false }
        // Only long ones may be beyond 64 bits.
        return count < 19 || Int64(String(decoding: self, as: UTF8.self)) != nil
    }

    var isDecimal: Bool {
        guard let point = firstIndex(of: UInt8(ascii: ".")) else { return areDigits }
        let fraction = self[(point + 1)...]
        return self[..<point].areDigits && !fraction.isEmpty && fraction.allSatisfy(\.isDigit)
    }

    fileprivate var isUTF8: Bool { String(validating: self, as: UTF8.self) != nil }

    /// Characters as people count them.
    fileprivate func characterCount(_ value: RowValue) -> Int {
        value.isASCII && !value.hasControl ? count : String(decoding: self, as: UTF8.self).count
    }
}
