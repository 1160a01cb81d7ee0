import Foundation
import HeraldCore

/// Which commit a workspace is from, and whether it is older than one that was applied.
enum GitHistory {
    /// `nil` without git, or where a folder is in no repository.
    static func checkout(at folder: String, appliedLast last: AppliedCommit?) -> Checkout? {
        guard GitCommit.root(of: folder) != nil,
            let line = GitProgram.run(["rev-list", "--max-count=1", "--timestamp", "HEAD", "--"], in: folder)?.line,
            let head = commit(line)
        else { return nil }
        guard let last, last.id != head.id else { return Checkout(head: head) }
        guard GitProgram.run(["cat-file", "-e", "\(last.id)^{commit}"], in: folder)?.status == 0 else {
            return Checkout(head: head)
        }
        let isAncestor: Bool? =
            switch GitProgram.run(["merge-base", "--is-ancestor", head.id, last.id], in: folder)?.status {
            case 0: true
            case 1: false
            default: nil
            }
        return Checkout(head: head, isBehindLast: isAncestor)
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
