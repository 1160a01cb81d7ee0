package import FCM

/// The recipients whom lists name, each with its number: the state's where it has one, else the next. Going through
/// them costs a look at every row, and gives the same each time.
package struct ListedRecipients: Sendable {
    /// The highest number that is given.
    static let lastNumber = RecipientID.max - 1

    let recipientIndex: RecipientIndex
    /// Of the state.
    private let recorded: SortedEntries
    /// Numbers from here on are new.
    let next: RecipientID

    /// - Parameters:
    ///   - recorded: the recipients of the state, marked `ListEntry.recorded`.
    ///   - next: one more than the highest number that the state gave.
    init(
        _ recipientIndex: RecipientIndex, recorded: SortedEntries = .init(),
        next: RecipientID = KnownRecipient.firstID
    ) {
        (self.recipientIndex, self.recorded, self.next) = (recipientIndex, recorded, next)
    }

    /// By the numbers that rows were matched with, or else as a state numbers them that knows nobody.
    package init(_ recipientIndex: RecipientIndex) {
        self.init(recipientIndex, next: recipientIndex.matched?.numbering.next ?? KnownRecipient.firstID)
    }

    /// By recipient key; without those whose rows were matched.
    func pass(noting notes: RecipientNumbers.Notes? = nil) throws(RecipientIndexError) -> RecipientPass {
        RecipientPass(
            try EntryMerge([recipientIndex.entries, recorded]), recipientIndex.membershipClasses, next: next,
            noting: notes)
    }

    /// How some of them are reached, known to the state or not; without those whose rows were matched, which the state
    /// knows by the same registration.
    package func registrations(of ids: RecipientSet) throws(RecipientIndexError) -> [RecipientID: Registration] {
        var found: [RecipientID: Registration] = [:]
        let wanted = ids.count
        var pass = try pass()
        while found.count < wanted, let recipient = try pass.next() {
            if ids.contains(recipient.id) { found[recipient.id] = pass.registration }
        }
        return found
    }
}
