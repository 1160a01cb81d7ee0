internal import FCM

/// All recipients that a workspace's lists name: their rows, sorted by recipient key.
package struct RecipientIndex: Sendable {
    /// Where the rows come from.
    var sources: [RowSource] = []
    /// SHA-256 over the order of sources, which decides the best of a recipient's registrations.
    var order: [UInt8] = []
    /// Rows that are not among the entries, because their recipients are already known.
    var matched: MatchedRows?
    let entries: SortedEntries
    /// Indexed by the marks of entries.
    let membershipClasses: [MembershipClass]
    /// The owners whose rows' values personal messages need. The rows that they take from lists bring them.
    let valued: [ValueNeed.Owner]
    /// The owners whose campaigns go by each recipient's zone, and the columns that have it.
    var zoned: [ValueNeed.Owner] = []
    /// The zones that rows name. The first has number 1.
    var zones: [Zone] = []
    /// Where sorting writes what does not fit into memory.
    let temporaryFolder: String

    /// The time that filters compare with, in seconds since 1970.
    private(set) var time: Int64 = 0

    package var date: Date { Date(timeIntervalSince1970: Double(time)) }

    package static let empty = RecipientIndex(entries: .init(), membershipClasses: [], valued: [], temporaryFolder: "")

    /// The same rows, judged at another time.
    package func judged(at time: Date) -> RecipientIndex {
        var index = self
        index.time = Int64(time.timeIntervalSince1970.rounded(.down))
        return index
    }

    /// The numbering that rows were matched with. `nil` if every recipient must be looked up in the state.
    package var numbering: Numbering? { matched?.numbering }

    /// What rows make members of: an audience, or a group or campaign with registrations in its own file.
    enum Owner: Hashable, Sendable {
        case audience(String)
        case group(GroupName)
        case campaign(String)
    }

    /// What many rows have in common: the owners that take them and the lists that name them.
    struct MembershipClass: Hashable, Sendable {
        var owners: [Owner]
        /// The lists that name the row, ascending, as places among all lists. Only owners that start from a list count:
        /// an audience made from another one adds no list of its own.
        var lists: [Int]
        /// Whether the rows say when their app was seen last.
        var hasSeen = false
        /// What audiences that compare make of such a row.
        var compared: ComparedRow?
        /// The numbers of the zones that the row names, one for each column of its list that has zones. 0 for none.
        var zones: [Int] = []
    }
}
