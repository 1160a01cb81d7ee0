internal import FCM

/// The content of all files as values. Parts that could not be read are missing here and reported in diagnostics.
package struct Workspace: Sendable {
    package var settings: Settings
    /// Sorted by name.
    package var audiences: [Audience]
    package var topics: [Topic]
    package var groups: [Group] = []
    package var campaigns: [Campaign]
    /// Whether lists were skipped on request. Their audiences are empty then.
    package var listsSkipped = false
    /// Audiences whose list is not there, because nobody approved them and herald therefore did not fetch it. Nobody knows
    /// who is in them.
    package var unfetched: Set<String> = []

    /// Whether an audience has filters that compare.
    package var comparesRows: Bool { audiences.contains { $0.filters.contains(where: \.test.isComparison) } }

    /// Whether who is in an audience depends on the time.
    package var goesByTime: Bool { audiences.contains { $0.filters.contains(where: \.test.isOfTime) } }

    /// The first one, where several have a name.
    var groupsByName: [GroupName: Group] {
        Dictionary(groups.map { ($0.name.value, $0) }) { first, _ in first }
    }
}
