/// A column of a list that messages may use.
package struct Field: Hashable, Sendable {
    /// `[A-Za-z_][A-Za-z0-9_]*`, as placeholders name it.
    package var name: String
    package var kind: FieldKind
    /// How many characters a text may have, as people count them (grapheme clusters, UAX #29).
    package var maximum: Int?
    /// What the list calls it.
    package var column: String

    package init(name: String, kind: FieldKind = .text, maximum: Int? = nil, column: String? = nil) {
        (self.name, self.kind, self.maximum) = (name, kind, maximum)
        self.column = column ?? name
    }
}

/// What the values of a field are.
package enum FieldKind: String, CaseIterable, Sendable {
    case text
    /// A whole number of 64 bits.
    case integer
    /// ASCII digits with a point, such as `-12.50`. It keeps its digits.
    case decimal
    /// `YYYY-MM-DD`, in the Gregorian calendar.
    case date
    /// A BCP 47 language tag.
    case locale
    /// A zone of the tz database, or an offset from UTC (`Zone.init(written:)`).
    case timezone
}
