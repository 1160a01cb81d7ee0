/// What the lists of a workspace come to, and what is worth keeping of it for the next time.
package struct ResolvedLists: Sendable {
    package var desired: Desired
    /// One more than the highest number, once those are recorded whom the state does not know.
    package let next: RecipientID
    private let sources: [RowSource]
    private let members: [SourceMembers]
    private let order: [UInt8]
    private let crossing: Int
    private let matched: MatchedRows?
    private let hasRows: Bool
    private let notes: RecipientNumbers.Notes?

    /// Whether a cache does not have it already.
    package var isWorthKeeping: Bool {
        // Where lists are empty nobody has looked whom the state knows.
        if let matched { !matched.isInCache } else { hasRows && !sources.isEmpty }
    }

    init(_ desired: Desired, of index: RecipientIndex, members: [SourceMembers], _ pass: RecipientPass) {
        self.desired = desired
        next = pass.nextNumber
        (sources, order, self.members) = (index.sources, index.order, members)
        crossing = desired.collapsed - members.reduce(0) { $0 + $1.repeated }
        matched = index.matched
        hasRows = index.entries.count > 0
        notes = pass.notes
    }

    /// - Parameter numbering: what the state says of its numbers, all of whom this is about among them.
    package func cache(for numbering: Numbering) -> ListCache {
        var known: [[UInt8]: ListCache.Source] = [:]
        for (source, members) in zip(sources, members) {
            known[source.key] = ListCache.Source(reading: source.reading, members: members)
        }
        return ListCache(numbering: numbering, order: order, crossing: crossing, sources: known)
    }

    /// What is to be kept of the state's numbers.
    package enum Numbers {
        /// What was kept before.
        case asBefore
        case new(RecipientNumbers)
        /// Nothing: there are too many.
        case none
    }

    package var numbers: Numbers {
        guard let notes, matched == nil || notes.count > 0 else { return .asBefore }
        return RecipientNumbers(matched?.numbers, and: notes).map { .new($0) } ?? .none
    }
}
