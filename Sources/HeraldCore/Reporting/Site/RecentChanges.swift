/// What was changed in the files lately, as far as git knows.
package struct RecentChanges: Hashable, Sendable {
    /// How far back it looks.
    package static let days = 30

    /// How the files differ from those of then. `nil` if that is not known.
    package var changes: [WorkspaceChange]?
    /// The newest first.
    package var commits: [Commit] = []
    /// How many more commits there are.
    package var omitted = 0
    /// What readers must know about it.
    package var remarks: [String] = []

    package struct Commit: Hashable, Sendable {
        package var id: String
        package var time: Date
        package var subject: String

        package init(id: String, time: Date, subject: String) {
            (self.id, self.time, self.subject) = (id, time, subject)
        }
    }

    package init(changes: [WorkspaceChange]? = nil, remarks: [String] = []) {
        (self.changes, self.remarks) = (changes, remarks)
    }
}
