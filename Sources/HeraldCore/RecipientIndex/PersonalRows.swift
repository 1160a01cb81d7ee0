/// The rows of the recipients of one personal campaign. Copies share them.
package struct PersonalRows: Sendable {
    private let owner: RecipientIndex.Owner
    private let file: ValueFile
    /// Where a row has the value of each of the campaign's fields.
    private let places: [Int?]
    /// Whether the rows have these values alone, and in this order.
    private let isWhole: Bool

    init(of owner: RecipientIndex.Owner, in file: ValueFile, _ fields: [Field]) {
        (self.owner, self.file) = (owner, file)
        let columns = file.columns(of: owner)
        places = fields.map { field in columns.firstIndex(of: field.column) }
        isWhole = places == columns.indices.map(Optional.some)
    }

    /// The values of some recipients. Who has no row is left out.
    package func values(of ids: RecipientSet) throws(RecipientIndexError) -> [RecipientID: FieldValues] {
        try file.values(of: ids, in: owner).mapValues { $0.picking(places) }
    }

    /// Calls `body` with the rows of some recipients, in the order of their numbers.
    ///
    /// - Parameters:
    ///   - part: which part of all rows is read.
    ///   - parts: how many parts of like size they are cut into.
    func each(
        of members: RecipientSet, part: Int = 0, of parts: Int = 1,
        _ body: (ValueFile.Row) throws(RecipientIndexError) -> Void
    ) throws(RecipientIndexError) {
        if isWhole { return try file.each(of: members, in: owner, part: part, of: parts, body) }
        try file.each(of: members, in: owner, part: part, of: parts) { (row) throws(RecipientIndexError) in
            let values = row.values.picking(places)
            try values.bytes.withUnsafeBufferPointer { (bytes) throws(RecipientIndexError) in
                var row = row
                row.bytes = bytes
                try body(row)
            }
        }
    }
}
