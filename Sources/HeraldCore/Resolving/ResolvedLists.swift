/// What the lists of a workspace resolve to, and what is worth keeping for the next time.
package struct ResolvedLists: Sendable {
    package var desired: Desired
    /// One more than the highest number, after all new recipients are recorded.
    package let next: RecipientID
    private let sources: [RowSource]
    private let members: [SourceMembers]
    private let order: [UInt8]
    private let crossing: Int
    /// Recipients that are also listed with another living registration than the one that counts.
    package let withOthers: RecipientSet
    private let matched: MatchedRows?
    private let hasRows: Bool
    private let notes: RecipientNumbers.Notes?
    /// By `ZoneSorting.Send.key`.
    private let zones: [String: [Zone: RecipientSet]]

    /// Whether there is something that the cache does not have yet.
    package var isWorthKeeping: Bool {
        // Without rows, nothing was looked up in the state.
        if let matched { !matched.isInCache } else { hasRows && !sources.isEmpty }
    }

    init(
        _ desired: Desired, of index: RecipientIndex, members: [SourceMembers], _ pass: RecipientPass,
        withOthers: RecipientSet, zones: [String: [Zone: RecipientSet]]
    ) {
        (self.desired, self.zones) = (desired, zones)
        next = pass.nextNumber
        self.withOthers = withOthers
        (sources, order, self.members) = (index.sources, index.order, members)
        crossing = desired.collapsed - members.reduce(0) { $0 + $1.repeated }
        matched = index.matched
        hasRows = index.entries.count > 0
        notes = pass.notes
    }

    /// - Parameter numbering: the state's numbering, once it includes all these recipients.
    package func cache(for numbering: Numbering) -> ListCache {
        var known: [[UInt8]: ListCache.Source] = [:]
        for (source, members) in zip(sources, members) {
            known[source.key] = ListCache.Source(reading: source.reading, members: members)
        }
        return ListCache(
            numbering: numbering, order: order, crossing: crossing, withOthers: withOthers,
            dead: desired.registrations.dead, sources: known,
            zones: zones.mapValues { Dictionary($0.map { ($0.name, $1) }) { $0.union($1) } })
    }

    /// What to keep of the state's numbers.
    package enum Numbers {
        /// What was kept before.
        case asBefore
        case new(RecipientNumbers)
        /// Keeps nothing, because there are too many, or those from before are gone.
        case none
    }

    /// - Parameter read: gives the numbers that were kept for a numbering.
    package func numbers(_ read: (Numbering) -> RecipientNumbers?) -> Numbers {
        guard let notes, matched == nil || notes.count > 0 else { return .asBefore }
        var known: RecipientNumbers?
        if let matched, let hash = matched.hash {
            known = read(matched.numbering)
            // Somebody else replaced them meanwhile.
            guard known?.hash == hash else { return .none }
        }
        return RecipientNumbers.merged(known, and: notes).map { .new($0) } ?? .none
    }
}
