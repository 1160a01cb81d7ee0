/// Where an owner's rows have the values of a campaign's fields.
struct FieldPlaces: Sendable {
    /// By field.
    private let places: [Int?]
    /// Whether the rows have these values alone, and in this order.
    private let isWhole: Bool

    /// - Parameter columns: whose values the rows bring, in the order in which they are packed.
    init(of fields: [Field], among columns: [String]) {
        let places = fields.map { field in columns.firstIndex(of: field.column) }
        (self.places, isWhole) = (places, places == columns.indices.map(Optional.some))
    }

    func pick(from values: FieldValues) -> FieldValues { isWhole ? values : values.picking(places) }

    /// Calls `body` with the row, which has the campaign's values then.
    func pick<Failure: Error>(from row: ValueFile.Row, _ body: (ValueFile.Row) throws(Failure) -> Void) throws(Failure)
    {
        if isWhole { return try body(row) }
        let values = row.values.picking(places)
        try values.bytes.withUnsafeBufferPointer { (bytes) throws(Failure) in
            var row = row
            row.bytes = bytes
            try body(row)
        }
    }
}
