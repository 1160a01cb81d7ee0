import Foundation
import HeraldTestSupport
import Testing

/// The sandbox's folder as a real git repository.
extension Sandbox {
    /// Runs git without any configuration of this machine.
    ///
    /// - Parameters:
    ///   - folder: relative to the sandbox.
    ///   - seconds: the time of commits, since 1970.
    @discardableResult
    func git(_ arguments: [String], in folder: String = "workspace", at seconds: Int = 1_700_000_000) async throws
        -> String
    {
        let time = "\(seconds) +0000"
        let result = try await ChildProcess(
            "/usr/bin/env",
            [
                "git", "-C", "\(self.folder.path)/\(folder)", "-c", "user.name=t", "-c", "user.email=t@example.com",
                "-c", "init.defaultBranch=main",
            ] + arguments,
            environment: [
                "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "HOME": self.folder.path,
                "GIT_COMMITTER_DATE": time, "GIT_AUTHOR_DATE": time, "GIT_CONFIG_NOSYSTEM": "1",
            ]
        ).wait()
        try #require(result.status == 0, "git \(arguments): \(result.errors)")
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Makes git refuse to read the repository, as it does where another user owns it.
    func makeUnreadable(_ folder: String = "workspace") async throws {
        try await git(["config", "core.repositoryformatversion", "99"], in: folder)
    }

    /// Commits all files, and returns the commit.
    @discardableResult
    func commit(_ message: String, in folder: String = "workspace", at seconds: Int = 1_700_000_000) async throws
        -> String
    {
        try await git(["add", "-A"], in: folder)
        try await git(["commit", "-q", "--allow-empty", "-m", message], in: folder, at: seconds)
        return try await git(["rev-parse", "HEAD"], in: folder)
    }
}
