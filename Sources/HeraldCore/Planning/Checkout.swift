/// What git says about the files, beside the commit that was applied last.
package enum Checkout: Hashable, Sendable {
    /// The commit that the files are from, and whether the last one has it among its ancestors. `nil` if the repository
    /// does not know the last one.
    case commit(AppliedCommit, isBehindLast: Bool? = nil)
    /// git refuses to read the repository that the files are in.
    case unread(GitRepository)

    /// The commit that the files are from. `nil` if git does not say it.
    package var head: AppliedCommit? { if case .commit(let head, _) = self { head } else { nil } }

    /// Why the files are, or may be, older than those applied last, in words. `nil` if they are not.
    ///
    /// - Parameter applied: what was applied so far.
    func age(comparedWith applied: [AppliedCommit]) -> String? {
        switch self {
        case .commit(let head, let isBehindLast):
            Self.age(of: head, isBehindLast, comparedWith: applied)
                .map { "\($0): memberships and schedules would go back" }
        case .unread(let repository):
            "\(repository.refusal), so nobody knows whether the files are older than those applied before; "
                + repository.help
        }
    }

    private static func age(
        of head: AppliedCommit, _ isBehindLast: Bool?, comparedWith applied: [AppliedCommit]
    ) -> String? {
        guard let last = applied.last, last.id != head.id else { return nil }
        let (own, newer) = (head.id.prefix(12), last.id.prefix(12))
        if applied.contains(where: { $0.id == head.id }) {
            return "the files are of commit \(own), which was applied before \(newer)"
        }
        switch isBehindLast {
        case true: return "the files are of commit \(own), and \(newer), which comes after it, was applied"
        case false: return nil
        case nil where head.committed < last.committed:
            return "the files are of commit \(own) of \(head.committed.rfc3339), and \(newer) of "
                + "\(last.committed.rfc3339), which is not in this repository, was applied"
        case nil: return nil
        }
    }
}

/// A repository that git may refuse to read, mostly because it belongs to another user.
package struct GitRepository: Hashable, Sendable {
    private let path: String

    /// - Parameter path: of the work tree, without links.
    package init(path: String) { self.path = path.printable }

    package var refusal: String { "git does not read the repository \(path)" }

    /// What to do where git refuses.
    package var help: String {
        "if it belongs to another user: git config --global --add safe.directory '\(path)'; otherwise "
            + "'git -C \(path.shellWord) status' says why"
    }
}
