import Foundation
import HeraldCore

/// The workspace's files at the commit where HEAD left another branch, read from git's objects. Nothing is checked out.
struct GitBase {
    struct File {
        /// Relative to the workspace.
        var path: String
        var bytes: ArraySlice<UInt8>
    }

    /// The commit's id.
    let commit: String
    /// Without lists, which are not compared.
    private(set) var files: [File] = []
    /// The names of all files and links, relative to the workspace.
    private(set) var names: Set<String> = []
    /// Folders with the files of other repositories, relative to the workspace.
    private(set) var submodules: [String] = []

    /// More is not a workspace, or not one that a person can review.
    private static let (mostFiles, mostBytes) = (20_000, 64 << 20)

    /// - Parameter reference: a branch, a tag or a commit, as a person writes it.
    static func read(_ reference: String, for folder: String) throws -> GitBase {
        guard let inside = GitProgram.run(["rev-parse", "--show-prefix"], in: folder) else {
            throw CommandFailure(
                .wrong, "--base needs git, and git cannot be run", help: "install git, or leave out --base")
        }
        guard let prefix = inside.line else {
            if let repository = GitRepository(around: folder) {
                throw CommandFailure(
                    .wrong, "--base compares with a commit, and \(repository.refusal)", help: repository.help)
            }
            throw CommandFailure(
                .wrong, "--base compares with a commit, and \(folder) is in no git repository",
                help: "leave out --base, or let the CI check out the repository with git")
        }
        let shown = "'\(String(reference.prefix(200)).printable)'"
        let base = try commit(reference, in: folder, named: shown)
        let head = try commit("HEAD", in: folder, named: "HEAD")
        let merge = GitProgram.run(["merge-base", base, head], in: folder)?.line
        guard let merge, isID(merge) else {
            throw CommandFailure(
                .wrong, "\(shown) and HEAD have no commit in common",
                help: fetching(in: folder) ?? "name a branch that HEAD began from")
        }
        // If the folder is not there, the workspace is new.
        let tree = GitProgram.run(
            ["rev-parse", "--verify", "--quiet", "--end-of-options", "\(merge):\(prefix)"], in: folder)?.line
        var read = GitBase(commit: merge)
        if let tree, isID(tree) { try read.readTree(tree, in: folder) }
        return read
    }

    /// The names that a commit of the files as they are now could have: all but those that git ignores. Relative to the
    /// folder.
    static func names(in folder: String) throws -> Set<String> {
        let listing = GitProgram.run(
            ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], in: folder, limit: mostBytes)
        guard let listing, listing.status == 0 else {
            throw CommandFailure(
                .wrong, "git does not say which files the workspace has",
                help: "look at the repository with 'git fsck', or leave out --base")
        }
        return Set(listing.output.split(separator: 0).compactMap { String(validating: $0, as: UTF8.self) })
    }

    private static func commit(_ reference: String, in folder: String, named name: String) throws -> String {
        let answer = GitProgram.run(
            ["rev-parse", "--verify", "--quiet", "--end-of-options", "\(reference)^{commit}"], in: folder)
        guard let id = answer?.line, isID(id) else {
            throw CommandFailure(
                .wrong, "git finds no commit \(name)",
                help: fetching(in: folder) ?? "fetch that branch, or name another one")
        }
        return id
    }

    private static func isID(_ text: String) -> Bool {
        [40, 64].contains(text.utf8.count) && text.utf8.allSatisfy { 48...57 ~= $0 || 97...102 ~= $0 }
    }

    /// What to do in a shallow clone.
    private static func fetching(in folder: String) -> String? {
        GitProgram.run(["rev-parse", "--is-shallow-repository"], in: folder)?.line == "true"
            ? "this clone is shallow: fetch all of it (git fetch --unshallow, or fetch-depth: 0 in a GitHub workflow)"
            : nil
    }

    // MARK: Files

    private mutating func readTree(_ tree: String, in folder: String) throws {
        let failure = CommandFailure(
            .wrong, "git does not say which files the workspace had at the base",
            help: "look at the repository with 'git fsck', or leave out --base")
        guard
            let listing = GitProgram.run(
                ["ls-tree", "--full-tree", "-r", "-z", "-l", tree], in: folder, limit: Self.mostBytes),
            listing.status == 0
        else { throw failure }
        let all = try listing.output.split(separator: 0).map { entry in
            guard let parsed = Entry(entry) else { throw failure }
            return parsed
        }
        names = Set(all.filter { !$0.isSubmodule }.map(\.path))
        submodules = all.filter(\.isSubmodule).map(\.path)
        files = try Self.files(all.filter(\.isWanted), in: folder, failure)
    }

    private static func files(_ entries: [Entry], in folder: String, _ failure: CommandFailure) throws -> [File] {
        guard entries.count <= mostFiles, entries.reduce(0, { $0 + $1.size }) <= mostBytes else {
            throw CommandFailure(
                .wrong, "at the base the workspace has more than \(mostFiles) files or 64 MiB",
                help: "leave out --base, or name a base with fewer files")
        }
        guard !entries.isEmpty else { return [] }
        let input = entries.map { "\($0.id)\n" }.joined()
        let answer = GitProgram.run(
            ["cat-file", "--batch"], in: folder, input: Array(input.utf8), limit: mostBytes + 200 * mostFiles)
        guard let answer, answer.status == 0 else { throw failure }
        var rest = answer.output[...]
        let read: [(entry: Entry, bytes: ArraySlice<UInt8>)] = try entries.map { entry in
            guard let bytes = entry.take(from: &rest) else { throw failure }
            return (entry, bytes)
        }
        return followingLinks(read)
    }

    /// A link stands for the file of the tree that it names. One that leads elsewhere, or to another link, is left out,
    /// and all that together would be too large.
    private static func followingLinks(_ read: [(entry: Entry, bytes: ArraySlice<UInt8>)]) -> [File] {
        let plain = read.filter { !$0.entry.isLink }
        let contents = Dictionary(plain.map { ($0.entry.path, $0.bytes) }) { first, _ in first }
        var size = plain.reduce(0) { $0 + $1.bytes.count }
        return read.compactMap { entry, bytes in
            guard entry.isLink else { return File(path: entry.path, bytes: bytes) }
            guard let content = entry.target(bytes).flatMap({ contents[$0] }) else { return nil }
            size += content.count
            return size <= mostBytes ? File(path: entry.path, bytes: content) : nil
        }
    }

    /// A line of `git ls-tree -l -z`: `MODE TYPE ID SIZE`, a tab and the path.
    private struct Entry {
        let mode: Substring
        let id: String
        let size: Int
        let path: String
        /// Whether the path is exactly its name, because that is UTF-8. Any other file is no part of a workspace.
        private let isNamed: Bool

        init?(_ line: ArraySlice<UInt8>) {
            guard let tab = line.firstIndex(of: UInt8(ascii: "\t")) else { return nil }
            let name = line[(tab + 1)...]
            path = String(decoding: name, as: UTF8.self)
            isNamed = path.utf8.elementsEqual(name)
            let words = String(decoding: line[..<tab], as: UTF8.self).split(separator: " ")
            guard words.count == 4, GitBase.isID(String(words[2])) else { return nil }
            (mode, id, size) = (words[0], String(words[2]), Int(words[3]) ?? 0)
        }

        /// Whether it stands for a commit of another repository.
        var isSubmodule: Bool { mode == "160000" }

        var isLink: Bool { mode == "120000" }

        /// The path that a link with this content names. `nil` if it leads out of the workspace.
        func target(_ content: ArraySlice<UInt8>) -> String? {
            guard let target = String(validating: content, as: UTF8.self), !target.hasPrefix("/") else { return nil }
            var parts = path.split(separator: "/").dropLast()
            for part in target.split(separator: "/") where part != "." {
                if part != ".." {
                    parts.append(part)
                } else if parts.popLast() == nil {
                    return nil
                }
            }
            return parts.joined(separator: "/")
        }

        /// Files and links that may be part of the workspace. Lists are not compared.
        var isWanted: Bool {
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            let isList = [".csv", ".txt", ".ndjson", ".gz"].contains { path.hasSuffix($0) }
            return isNamed && ["100644", "100755", "120000"].contains(mode) && !isList
                && !parts.contains { ["", ".", ".."].contains($0) }
        }

        /// Its part of what `git cat-file --batch` said: a line with id, type and size, and the content.
        func take(from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
            let head = Array("\(id) blob \(size)\n".utf8)
            guard rest.starts(with: head), rest.count > head.count + size else { return nil }
            let bytes = rest.dropFirst(head.count).prefix(size)
            rest = rest.dropFirst(head.count + size + 1)
            return bytes
        }
    }
}
