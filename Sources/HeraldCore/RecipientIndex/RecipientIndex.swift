internal import FCM

/// Everybody whom a workspace's lists name, row by row and sorted by recipient key.
package struct RecipientIndex: Sendable {
    /// Where their rows come from.
    var sources: [RowSource] = []
    /// SHA-256 over the order of sources, by which the best of a recipient's registrations is found.
    var order: [UInt8] = []
    /// Rows that are not among the entries, since it is known already whom they name.
    var matched: MatchedRows?
    let entries: SortedEntries
    /// By the marks of entries.
    let membershipClasses: [MembershipClass]
    /// Where sorting may write what does not fit into memory.
    let temporaryFolder: String

    /// Nobody.
    package static let empty = RecipientIndex(entries: .init(), membershipClasses: [], temporaryFolder: "")

    /// The numbers that rows were matched with; `nil` where all are to be found in the state.
    package var numbering: Numbering? { matched?.numbering }

    /// Whose members rows make: an audience, or one whose registrations stand in its own file.
    enum Owner: Hashable, Sendable {
        case audience(String)
        case group(GroupName)
        case campaign(String)
    }

    /// What many rows have in common: the owners that take them.
    struct MembershipClass: Hashable, Sendable {
        var owners: [Owner]
        /// The lists that name the row, ascending: of those owners the ones that begin with a list, by their place among
        /// all lists. An audience made of another one names nobody itself.
        var lists: [Int]
    }
}
