import Foundation
import HeraldTestSupport
import Testing

/// The guard `older_files`, with real repositories.
@Suite struct OlderFilesTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox(Sandbox.small(count: 12, subscribers: 6)) }

    @discardableResult
    private func git(_ arguments: String...) async throws -> String { try await sandbox.git(arguments) }

    /// Commits a new description of a campaign, and returns the commit.
    private func commit(_ text: String, at seconds: Int) async throws -> String {
        try sandbox.folder.write(text + "\n", to: "workspace/notes.txt")
        return try await sandbox.commit(text, at: seconds)
    }

    private func refuses(_ host: String) async throws -> Bool {
        let plan = try await sandbox.herald("plan --format json", host: host)
        #expect(plan.status == 0, "\(plan.errors)")
        let isRefused = plan.output.contains("older_files")
        for command in ["apply --auto-approve", "run"] where isRefused {
            let result = try await sandbox.herald(command, host: host)
            #expect(result.status == 3, "\(command): \(result.errors)")
            #expect(result.errors.contains("--override older_files"))
        }
        return isRefused
    }

    private func apply(_ host: String, _ options: String = "") async throws {
        let result = try await sandbox.herald("apply --auto-approve \(options)", host: host)
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func `an old checkout changes nothing until a person says so, and then it is the last one`() async throws {
        let (_, host) = try await sandbox.startEmulator()
        try await git("init", "-q")
        let first = try await commit("one", at: 1_700_000_000)
        try await apply(host)
        let second = try await commit("two", at: 1_700_000_100)
        #expect(try await !refuses(host))
        try await apply(host)
        // An ancestor that was applied before.
        try await git("checkout", "-q", first)
        #expect(try await refuses(host))
        // An ancestor of the last one that was never applied.
        try await git("checkout", "-q", second)
        let third = try await commit("three", at: 1_700_000_200)
        _ = try await commit("four", at: 1_700_000_300)
        try await apply(host)
        try await git("checkout", "-q", third)
        #expect(try await refuses(host))
        #expect(try await sandbox.herald("apply --auto-approve --override older_files", host: host).status == 0)
        #expect(try await !refuses(host))
        // Of two branches neither is older.
        try await git("checkout", "-q", "-b", "side", first)
        _ = try await commit("side", at: 1_600_000_000)
        #expect(try await !refuses(host))
        await sandbox.end()
    }

    @Test(arguments: [(1_700_000_050, true), (1_700_000_150, false)])
    func `a repository that does not have the last commit is judged by time`(_ seconds: Int, _ isRefused: Bool)
        async throws
    {
        let (_, host) = try await sandbox.startEmulator()
        try await git("init", "-q")
        _ = try await commit("one", at: 1_700_000_100)
        try await apply(host)
        try FileManager.default.removeItem(atPath: "\(sandbox.workspace)/.git")
        #expect(try await !refuses(host), "without git nothing is compared")
        try await git("init", "-q")
        _ = try await commit("another", at: seconds)
        #expect(try await refuses(host) == isRefused)
        await sandbox.end()
    }

    @Test func `a repository that git refuses to read counts as older`() async throws {
        let (_, host) = try await sandbox.startEmulator()
        try await git("init", "-q")
        let first = try await commit("one", at: 1_700_000_000)
        try await apply(host)
        _ = try await commit("two", at: 1_700_000_100)
        try await apply(host)
        try await git("checkout", "-q", first)
        try await sandbox.makeUnreadable()
        #expect(try await refuses(host))
        let plan = try await sandbox.herald("plan", host: host)
        #expect(plan.output.contains("git config --global --add safe.directory"), "\(plan.output)")
        await sandbox.end()
    }

    @Test func `before anything was applied, a repository that git refuses to read is a warning`() async throws {
        let (_, host) = try await sandbox.startEmulator()
        try await git("init", "-q")
        _ = try await commit("one", at: 1_700_000_000)
        try await sandbox.makeUnreadable()
        let plan = try await sandbox.herald("plan", host: host)
        #expect(plan.status == 0 && plan.output.contains("git does not read the repository"), "\(plan.output)")
        try await apply(host)
        await sandbox.end()
    }

    @Test func `a repository runs no program of its own`() async throws {
        let (_, host) = try await sandbox.startEmulator()
        try await git("init", "-q")
        _ = try await commit("one", at: 1_700_000_000)
        try await apply(host)
        let marker = "\(sandbox.folder.path)/marker"
        let program = "\(sandbox.folder.path)/program"
        try sandbox.folder.write("#!/bin/sh\necho ran >>'\(marker)'\n", to: "program")
        chmod(program, 0o755)
        try FileManager.default.createDirectory(
            atPath: "\(sandbox.workspace)/.git/hooks", withIntermediateDirectories: true)
        for hook in ["post-checkout", "reference-transaction", "fsmonitor-watchman"] {
            let path = "\(sandbox.workspace)/.git/hooks/\(hook)"
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: program, toPath: path)
        }
        for (key, value) in [
            ("core.fsmonitor", program), ("core.pager", program), ("pager.rev-list", program), ("gpg.program", program),
            ("log.showSignature", "true"), ("core.sshCommand", program), ("alias.rev-list", "!\(program)"),
            ("core.editor", program), ("diff.external", program), ("remote.origin.url", "ext::\(program)"),
            ("remote.origin.promisor", "true"), ("extensions.partialClone", "origin"),
        ] {
            try await git("config", key, value)
        }
        _ = try await sandbox.herald("plan", host: host)
        _ = try await sandbox.herald("apply --auto-approve", host: host)
        #expect(!FileManager.default.fileExists(atPath: marker))
        await sandbox.end()
    }
}
