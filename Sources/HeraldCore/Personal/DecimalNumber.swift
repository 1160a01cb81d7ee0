/// A decimal number by its digits. To compare them is exact, however many there are.
struct DecimalNumber<Digits: BidirectionalCollection<UInt8>> {
    private let isNegative: Bool
    /// Without zeros in front.
    private let whole: Digits.SubSequence
    /// Without zeros behind.
    private let fraction: Digits.SubSequence

    /// `nil` for what is not written as `-12.50`.
    init?(_ text: Digits) {
        let isSigned = text.first == UInt8(ascii: "-")
        let digits = isSigned ? text.dropFirst() : text[...]
        let point = digits.firstIndex(of: UInt8(ascii: "."))
        var whole = point.map { digits[..<$0] } ?? digits
        var fraction = point.map { digits[digits.index(after: $0)...] } ?? digits[digits.endIndex...]
        guard !whole.isEmpty, whole.allSatisfy(\.isDigit), fraction.allSatisfy(\.isDigit),
            point == nil || !fraction.isEmpty
        else { return nil }
        whole = whole.drop { $0 == UInt8(ascii: "0") }
        while fraction.last == UInt8(ascii: "0") { fraction = fraction.dropLast() }
        (self.whole, self.fraction) = (whole, fraction)
        isNegative = isSigned && !(whole.isEmpty && fraction.isEmpty)
    }

    /// Equal for equal numbers.
    var text: String {
        (isNegative ? "-" : "") + (whole.isEmpty ? "0" : String(decoding: whole, as: UTF8.self))
            + (fraction.isEmpty ? "" : "." + String(decoding: fraction, as: UTF8.self))
    }

    /// Whether it is less.
    func precedes<Others>(_ other: DecimalNumber<Others>) -> Bool {
        if isNegative != other.isNegative { return isNegative }
        return isNegative ? other.isNearerToZero(than: self) : isNearerToZero(than: other)
    }

    private func isNearerToZero<Others>(than other: DecimalNumber<Others>) -> Bool {
        let (digits, others) = (whole.count, other.whole.count)
        if digits != others { return digits < others }
        return whole.elementsEqual(other.whole)
            ? fraction.lexicographicallyPrecedes(other.fraction) : whole.lexicographicallyPrecedes(other.whole)
    }
}

extension DecimalNumber: Sendable where Digits: Sendable, Digits.SubSequence: Sendable {}
