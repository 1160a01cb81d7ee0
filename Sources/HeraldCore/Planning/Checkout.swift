/// The git commit that the files are from, beside the one that was applied last.
package struct Checkout: Hashable, Sendable {
    package var head: AppliedCommit
    /// Whether the last one has this commit among its ancestors. `nil` if the repository does not know the last one.
    package var isBehindLast: Bool?

    package init(head: AppliedCommit, isBehindLast: Bool? = nil) {
        (self.head, self.isBehindLast) = (head, isBehindLast)
    }

    /// Why the files are older than those applied last, in words. `nil` if they are not.
    ///
    /// - Parameter applied: what was applied so far.
    func age(comparedWith applied: [AppliedCommit]) -> String? {
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
