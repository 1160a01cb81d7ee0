/// The rows of the recipients of one personal campaign. Copies share them.
package struct PersonalRows: Sendable {
    private let owner: RecipientIndex.Owner
    private let file: ValueFile
    private let places: FieldPlaces

    init(of owner: RecipientIndex.Owner, in file: ValueFile, _ fields: [Field]) {
        (self.owner, self.file) = (owner, file)
        places = FieldPlaces(of: fields, among: file.columns(of: owner))
    }

    /// The values of some recipients. Who has no row is left out.
    package func values(of ids: RecipientSet) throws(RecipientIndexError) -> [RecipientID: FieldValues] {
        try file.values(of: ids, in: owner).mapValues(places.pick)
    }

    /// Calls `body` with the rows of some recipients, in the order of their numbers.
    func each(
        of members: RecipientSet, _ body: (ValueFile.Row) throws(RecipientIndexError) -> Void
    ) throws(RecipientIndexError) {
        try file.each(of: members, in: owner) { (row) throws(RecipientIndexError) in
            try places.pick(from: row, body)
        }
    }
}
