package import FCM

/// The recipients that lists name, each with its number: the state's number, or else the next free one. Every pass
/// looks at each row and gives the same result.
package struct ListedRecipients: Sendable {
    /// The highest number that may be given out.
    static let lastNumber = KnownRecipient.firstFormer - 1

    let recipientIndex: RecipientIndex
    /// The recipients of the state, and the registrations that are dead.
    private let recorded: SortedEntries
    /// Numbers from here on are new.
    let next: RecipientID

    /// - Parameters:
    ///   - recorded: the recipients of the state, marked `ListEntry.recorded`, and the registrations that are dead,
    ///     marked `ListEntry.dead`.
    ///   - next: one more than the highest number that the state gave.
    init(
        _ recipientIndex: RecipientIndex, recorded: SortedEntries = .init(),
        next: RecipientID = KnownRecipient.firstID
    ) {
        (self.recipientIndex, self.recorded, self.next) = (recipientIndex, recorded, next)
    }

    /// All of them new to a state that has given out the numbers before `next`.
    package init(_ recipientIndex: RecipientIndex, newFrom next: RecipientID) {
        self.init(recipientIndex, recorded: .init(), next: next)
    }

    /// With the numbers that rows were matched with, or else numbered as an empty state would.
    package init(_ recipientIndex: RecipientIndex) { self.init(recipientIndex, dead: .init()) }

    /// - Parameter dead: the registrations that are dead, marked `ListEntry.dead`.
    init(_ recipientIndex: RecipientIndex, dead: SortedEntries) {
        self.init(
            recipientIndex, recorded: dead, next: recipientIndex.matched?.numbering.next ?? KnownRecipient.firstID)
    }

    /// The recipients sorted by recipient key, without those whose rows were matched.
    func pass(
        noting notes: RecipientNumbers.Notes? = nil, keepingOthers: Bool = false
    ) throws(RecipientIndexError) -> RecipientPass {
        RecipientPass(
            try EntryMerge([recipientIndex.entries, recorded]), recipientIndex.membershipClasses, next: next,
            valued: recipientIndex.valued, zoned: recipientIndex.zoned, noting: notes, keepingOthers: keepingOthers,
            counting: CountedRows(recipientIndex.membershipClasses, at: recipientIndex.time))
    }

    /// Whether it has the rows of all lists, because none was matched.
    var hasAllRows: Bool { recipientIndex.matched == nil }

    /// The living registrations that some recipients are also listed with, apart from those that count.
    package func others(of ids: RecipientSet) throws(RecipientIndexError) -> [RecipientID: [Registration]] {
        var found: [RecipientID: [Registration]] = [:]
        let wanted = ids.count
        var pass = try pass(keepingOthers: true)
        while found.count < wanted, let recipient = try pass.next() {
            if ids.contains(recipient.id) { found[recipient.id] = pass.others }
        }
        return found
    }

    /// The registrations of some recipients, whether the state knows them or not. Recipients whose rows were matched
    /// are left out: the state has the same registration.
    package func registrations(of ids: RecipientSet) throws(RecipientIndexError) -> [RecipientID: Registration] {
        var found: [RecipientID: Registration] = [:]
        let wanted = ids.count
        var pass = try pass()
        while found.count < wanted, let recipient = try pass.next() {
            // A dead registration does not replace the one that the state has.
            if ids.contains(recipient.id), !recipient.isDead { found[recipient.id] = pass.registration }
        }
        return found
    }

    /// The numbers of the recipients that have one of these keys and whom a list names.
    package func numbers(of keys: Set<RecipientKey>) throws(RecipientIndexError) -> [RecipientKey: RecipientID] {
        var found: [RecipientKey: RecipientID] = [:]
        var pass = try pass()
        while found.count < keys.count, let recipient = try pass.next() {
            let key = RecipientKey(rawValue: String(decoding: pass.recipientKey, as: UTF8.self))
            if keys.contains(key) { found[key] = recipient.id }
        }
        return found
    }
}
