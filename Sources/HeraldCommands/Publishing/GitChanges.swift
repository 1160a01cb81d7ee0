import Foundation
import HeraldCore

/// What git knows of the last changes of a workspace.
extension LoadedWorkspace {
    /// The most commits that are listed.
    private static let mostCommits = 100

    /// Where nothing can be known, it says why.
    func recentChanges(at now: Date, _ environment: [String: String]) -> RecentChanges {
        guard let inside = GitProgram.run(["rev-parse", "--show-prefix"], in: folder.path) else {
            return RecentChanges(remarks: ["git is not installed here, so changes are not known."])
        }
        guard inside.line != nil else {
            let remark =
                GitRepository(around: folder.path).map { "\($0.refusal), so changes are not known; \($0.help)." }
                ?? "The workspace is in no git repository, so changes are not known."
            return RecentChanges(remarks: [remark])
        }
        let until = Int(now.timeIntervalSince1970)
        let since = until - RecentChanges.days * 86_400
        var changes = RecentChanges()
        noteCommits(after: since, until: until, in: &changes)
        compare(with: since, environment, in: &changes)
        return changes
    }

    private func noteCommits(after since: Int, until: Int, in changes: inout RecentChanges) {
        let answer = GitProgram.run(
            [
                "rev-list", "--first-parent", "--max-count=10000", "--max-age=\(since)", "--min-age=\(until)",
                "--format=%x00%H %ct %s", "HEAD", "--", ".",
            ], in: folder.path, limit: 16 << 20)
        guard let answer, answer.status == 0 else {
            changes.remarks.append("git does not list the commits of the last \(RecentChanges.days) days.")
            return
        }
        let commits = answer.output.split(separator: UInt8(ascii: "\n")).compactMap(RecentChanges.Commit.init(line:))
        changes.commits = Array(commits.prefix(Self.mostCommits))
        changes.omitted = commits.count - changes.commits.count
    }

    private func compare(with since: Int, _ environment: [String: String], in changes: inout RecentChanges) {
        let answer = GitProgram.run(
            ["rev-list", "--first-parent", "--max-count=1", "--min-age=\(since)", "HEAD", "--"], in: folder.path)
        guard let answer, answer.status == 0 else { return }
        guard let id = answer.line, !id.isEmpty else {
            let isShallow = GitProgram.run(["rev-parse", "--is-shallow-repository"], in: folder.path)?.line == "true"
            changes.remarks.append(
                isShallow
                    ? "This copy of the repository is shallow: fetch all of it to see what is different now."
                    : "The repository is younger than \(RecentChanges.days) days.")
            return
        }
        guard let comparison = try? comparison(with: id, environment) else {
            changes.remarks.append("git does not say what the files were \(RecentChanges.days) days ago.")
            return
        }
        changes.changes = comparison.changes
        changes.remarks += comparison.warnings
    }
}

extension RecentChanges.Commit {
    /// - Parameter line: a zero byte, the commit's id, seconds since 1970, and its subject. Other lines are none.
    fileprivate init?(line: ArraySlice<UInt8>) {
        guard line.first == 0 else { return nil }
        let words = String(decoding: line.dropFirst(), as: UTF8.self).split(
            separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3, let seconds = Int64(words[1]), (0..<253_402_300_800).contains(seconds) else {
            return nil
        }
        self.init(
            id: String(words[0]), time: Date(timeIntervalSince1970: Double(seconds)),
            subject: String(words[2].prefix(300)).maskingRegistrations)
    }
}
