/// Whom each list was found to name, by the state's numbers: what a plan has to know of lists that did not change. It can
/// be thrown away at any time. It holds numbers and digests, and no registration.
package struct ListCache: Sendable {
    /// The numbers that it holds for.
    package var numbering: Numbering
    /// `RecipientIndex.order` of what it was made of.
    var order: [UInt8]
    /// How many names fell together besides rows that stand in a list twice.
    var crossing: Int
    /// By `RowSource.key`.
    var sources: [[UInt8]: Source]

    struct Source: Sendable {
        /// Of a list.
        var reading: ListReading?
        var members: SourceMembers
    }

    /// Whether these are all its sources, and count as they did, so that what holds for all of them together holds still.
    func isWhole(for sources: [RowSource], order: [UInt8]) -> Bool {
        self.order == order && Set(sources.map(\.key)) == Set(self.sources.keys)
    }
}

/// What need not be read or sorted, since a cache has it.
struct KnownRows: Sendable {
    var numbering: Numbering
    var crossing = 0
    /// Those whose content is what it was, by `RowSource.key`.
    var sources: [[UInt8]: ListCache.Source]
    /// For the rows of all others; `nil` where there are no others.
    var numbers: RecipientNumbers?
    /// Whether nothing of it is news to the cache.
    var isInCache = false
}
