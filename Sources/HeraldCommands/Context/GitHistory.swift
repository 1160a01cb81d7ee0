import Foundation
import HeraldCore

/// Which commit a workspace is from, and whether it is older than one that was applied.
enum GitHistory {
    /// `nil` without git, where a folder is in no repository, or in one without a commit.
    static func checkout(at folder: String, appliedLast last: AppliedCommit?) -> Checkout? {
        guard let repository = GitRepository(around: folder),
            let answer = GitProgram.run(["rev-list", "--max-count=1", "--timestamp", "HEAD", "--"], in: folder)
        else { return nil }
        guard let head = answer.line.flatMap(commit) else {
            return hasNoCommit(folder) ? nil : .unread(repository)
        }
        guard let last, last.id != head.id else { return .commit(head) }
        guard GitProgram.run(["cat-file", "-e", "\(last.id)^{commit}"], in: folder)?.status == 0 else {
            return .commit(head)
        }
        let isAncestor: Bool? =
            switch GitProgram.run(["merge-base", "--is-ancestor", head.id, last.id], in: folder)?.status {
            case 0: true
            case 1: false
            default: nil
            }
        return .commit(head, isBehindLast: isAncestor)
    }

    /// Whether git reads a repository, and finds nothing committed in it. Where it refuses to read, it ends otherwise.
    private static func hasNoCommit(_ folder: String) -> Bool {
        GitProgram.run(["rev-parse", "--verify", "--quiet", "HEAD"], in: folder)?.status == 1
    }

    /// - Parameter line: seconds since 1970, a space and the commit's id.
    private static func commit(_ line: String) -> AppliedCommit? {
        let words = line.split(separator: " ")
        guard words.count == 2, let seconds = Int64(words[0]), (0..<253_402_300_800).contains(seconds) else {
            return nil
        }
        return AppliedCommit(id: String(words[1]), committed: Date(timeIntervalSince1970: Double(seconds)))
    }
}

extension GitRepository {
    /// The one around a folder. `nil` if there is none.
    init?(around folder: String) {
        guard let root = GitCommit.root(of: folder) else { return nil }
        // git goes by the path without links.
        self.init(path: KnownState.place(of: root))
    }
}
