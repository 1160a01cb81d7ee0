package import FCM

/// The recipients whom lists name, each with its number: the record's where it has one, else the next. Going through
/// them costs a look at every row, and gives the same each time.
package struct ListedRecipients: Sendable {
    /// The highest number that is given.
    static let lastNumber = RecipientID.max - 1

    let listing: Listing
    /// Of the record.
    private let recorded: SortedEntries
    /// Numbers from here on are new.
    private let next: RecipientID

    /// - Parameters:
    ///   - recorded: the recipients of the record, marked `ListEntry.recorded`.
    ///   - next: one more than the highest number that the record gave.
    init(_ listing: Listing, recorded: SortedEntries = .init(), next: RecipientID = Record.firstRecipient) {
        (self.listing, self.recorded, self.next) = (listing, recorded, next)
    }

    /// As a record numbers them that knows nobody.
    package init(_ listing: Listing) { self.init(listing, next: Record.firstRecipient) }

    /// By recipient key.
    func pass() throws(ListingError) -> RecipientPass {
        RecipientPass(try EntryMerge([listing.entries, recorded]), listing.signatures, next: next)
    }

    /// How some of them are reached, known to the record or not.
    package func registrations(of ids: RecipientSet) throws(ListingError) -> [RecipientID: Registration] {
        var found: [RecipientID: Registration] = [:]
        let wanted = ids.count
        var pass = try pass()
        while found.count < wanted, let recipient = try pass.next() {
            if ids.contains(recipient.id) { found[recipient.id] = pass.registration }
        }
        return found
    }
}
