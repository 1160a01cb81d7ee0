internal import FCM

/// Everybody whom a workspace's lists name, row by row and sorted by recipient key.
package struct RecipientIndex: Sendable {
    let entries: SortedEntries
    /// By the marks of entries.
    let membershipClasses: [MembershipClass]
    /// Where sorting may write what does not fit into memory.
    let temporaryFolder: String

    /// Nobody.
    package static let empty = RecipientIndex(entries: .init(), membershipClasses: [], temporaryFolder: "")

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
