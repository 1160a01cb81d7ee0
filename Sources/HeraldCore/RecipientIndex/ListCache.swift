/// Which recipients each list names, by the state's numbers. A plan needs no more about lists that did not change. The
/// cache can be deleted at any time. It holds numbers and digests, but no registrations.
package struct ListCache: Sendable {
    /// The numbering that it is valid for.
    package var numbering: Numbering
    /// `RecipientIndex.order` of the index it was made from.
    var order: [UInt8]
    /// How many names were merged, apart from rows that stand in a list twice.
    var crossing: Int
    /// Recipients that are also listed with another living registration than the one that counts.
    var withOthers: RecipientSet
    /// Recipients that are listed with dead registrations only, although the state has a living one.
    var dead: RecipientSet
    /// By `RowSource.key`.
    var sources: [[UInt8]: Source]
    /// Recipients by the name of the zone that their row names, by `ZoneSorting.Send.key`. They are true as long as all
    /// sources are.
    var zones: [String: [String: RecipientSet]] = [:]

    struct Source: Sendable {
        /// For a list only.
        var reading: ListReading?
        var members: SourceMembers
    }

    /// Whether the cache has exactly these sources in the same order, so that its figures about all of them together
    /// are still true.
    func isWhole(for sources: [RowSource], order: [UInt8]) -> Bool {
        self.order == order && Set(sources.map(\.key)) == Set(self.sources.keys)
    }
}

/// What the cache already has, so that it need not be read or sorted.
struct KnownRows: Sendable {
    var numbering: Numbering
    var crossing = 0
    /// As in `ListCache`.
    var withOthers = RecipientSet()
    var dead = RecipientSet()
    /// The sources with unchanged content, by `RowSource.key`.
    var sources: [[UInt8]: ListCache.Source]
    /// As in `ListCache`, if all of it is still true.
    var zones: [String: [Zone: RecipientSet]] = [:]
    /// For the rows of all other sources. `nil` if there are no others.
    var numbers: RecipientNumbers?
    /// Whether the cache already has all of it.
    var isInCache = false
}
