/// A row's values, trimmed and each looked at once, for the check of rows and for the send path. Nothing of them is
/// copied, so it lives only while `RowLayout.read` calls.
struct PersonalRow {
    let bytes: UnsafeBufferPointer<UInt8>
    /// By field.
    let values: UnsafeMutableBufferPointer<RowValue>
    /// `nil` if the row has no language tag, or a malformed one.
    fileprivate(set) var locale: LanguageTag?

    subscript(field: Int) -> ValueBytes { bytes[values[field].range] }
}

/// How rows are read.
struct RowLayout: Hashable, Sendable {
    /// By field.
    let rules: [ValueRule]
    /// The place among the fields of the one that chooses the locale.
    let localeField: Int?

    init(_ fields: [Field], localeField: Int?) {
        rules = fields.map { ValueRule(kind: $0.kind, maximum: $0.maximum ?? .max) }
        self.localeField = localeField
    }

    func read<Result>(_ row: FieldValues, _ body: (PersonalRow) throws -> Result) rethrows -> Result {
        try row.bytes.withUnsafeBufferPointer { try read($0, body) }
    }

    /// - Parameter bytes: as `FieldValues` packs them.
    func read<Result>(
        _ bytes: UnsafeBufferPointer<UInt8>, _ body: (PersonalRow) throws -> Result
    ) rethrows -> Result {
        try withUnsafeTemporaryAllocation(of: RowValue.self, capacity: rules.count) { values in
            values.initialize(repeating: .missing)
            var row = PersonalRow(bytes: bytes, values: values, locale: nil)
            read(into: &row)
            return try body(row)
        }
    }

    private func read(into row: inout PersonalRow) {
        var field = 0
        FieldValues.eachPlace(in: row.bytes) { place in
            defer { field += 1 }
            guard let place, field < rules.count else { return }
            let value = RowValue(in: row.bytes, at: place)
            guard rules[field].kind == .locale else {
                row.values[field] = value
                return
            }
            guard let tag = LanguageTag(row.bytes[value.range]) else { return }
            row.values[field] = value
            if field == localeField { row.locale = tag }
        }
    }
}
