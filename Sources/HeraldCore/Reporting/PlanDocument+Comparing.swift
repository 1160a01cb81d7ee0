internal import FCM

extension PlanDocument {
    /// What the files change against a commit.
    package struct Comparison: Hashable, Sendable {
        /// The commit's id.
        package var base: String
        package var changes: [WorkspaceChange]
        /// What readers must know about it.
        package var warnings: [String]
        /// What was to be said of the files before.
        package var earlier: [Diagnostic]

        package init(
            base: String, changes: [WorkspaceChange], warnings: [String] = [], earlier: [Diagnostic] = []
        ) {
            (self.base, self.changes, self.warnings, self.earlier) = (base, changes, warnings, earlier)
        }
    }

    /// Shows what the files change, and says whom an edit does not reach: a send is for those for whom it began.
    package mutating func compare(with comparison: Comparison?) {
        self.comparison = comparison
        for change in comparison?.changes ?? [] {
            for field in change.fields where field.leavesOutFewer {
                switch (change.kind, field.path) {
                case (.campaign, "exclude"):
                    guard let id = overview.begun[change.name] else { continue }
                    self.comparison?.warnings.append(
                        "'exclude' of campaign '\(change.name)' leaves out fewer people, but those get nothing of \(id): it began without them"
                    )
                case (.settings, "suppress") where !overview.begun.isEmpty:
                    self.comparison?.warnings.append(
                        "'suppress' leaves out fewer people, but those get nothing of sends that began without them")
                default: continue
                }
            }
        }
    }
}

extension WorkspaceChange.Field {
    /// Whether an audience is gone from a list of those to leave out.
    fileprivate var leavesOutFewer: Bool {
        switch (before, after) {
        case (.names(let earlier)?, .names(let later)?): !earlier.isSubset(of: later)
        case (.json(.array(let earlier))?, .json(.array(let later))?): earlier.contains { !later.contains($0) }
        default: before != nil && after == nil
        }
    }
}
