/// A number or a day that values of a list are compared with.
package struct Bound: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case number, date }

    package let kind: Kind
    /// Equal for equal numbers: without zeros that add nothing.
    package let text: String

    /// - Parameter text: digits with a point, such as `-12.50`.
    package init?(number text: String) {
        guard let number = DecimalNumber(Array(text.utf8)) else { return nil }
        (kind, self.text) = (.number, number.text)
    }

    /// - Parameter text: `YYYY-MM-DD`.
    package init?(date text: String) {
        var text = text
        guard text.withUTF8({ CalendarDay($0[...]) != nil }) else { return nil }
        (kind, self.text) = (.date, text)
    }

    func precedes(_ other: Bound) -> Bool {
        guard kind == .number, let one = DecimalNumber(Array(text.utf8)),
            let another = DecimalNumber(Array(other.text.utf8))
        else { return text < other.text }
        return one.precedes(another)
    }
}
