import Foundation
import HeraldCore

/// Which commit a workspace is from, and whether it is older than one that was applied. It asks git, with arguments that
/// run no hook, no pager and no program that a repository names.
enum GitHistory {
    /// `nil` without git, or where a folder is in no repository.
    static func checkout(at folder: String, appliedLast last: AppliedCommit?) -> Checkout? {
        guard GitCommit.root(of: folder) != nil,
            let line = ask(folder, "rev-list", "--max-count=1", "--timestamp", "HEAD", "--")?.text,
            let head = commit(line)
        else { return nil }
        guard let last, last.id != head.id else { return Checkout(head: head) }
        guard ask(folder, "cat-file", "-e", "\(last.id)^{commit}")?.status == 0 else { return Checkout(head: head) }
        let isAncestor: Bool? =
            switch ask(folder, "merge-base", "--is-ancestor", head.id, last.id)?.status {
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

    private static let options = [
        "--no-pager", "--no-replace-objects", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false",
        "-c", "safe.bareRepository=explicit", "-c", "protocol.allow=never",
    ]

    /// How long git may take.
    private static let patience = Duration.seconds(20)

    /// The exit status and the first line. `nil` if git is not there or does not end.
    private static func ask(_ folder: String, _ arguments: String...) -> (status: Int32, text: String)? {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/git" }
        guard let program = path.first(where: { $0.hasPrefix("/") && FileManager.default.isExecutableFile(atPath: $0) })
        else { return nil }
        let (process, output, ended) = (Process(), Pipe(), DispatchSemaphore(value: 0))
        process.executableURL = URL(filePath: program)
        process.arguments = ["-C", folder] + options + arguments
        process.environment = environment
        (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, output)
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { _ in ended.signal() }
        guard (try? process.run()) != nil else { return nil }
        guard ended.wait(timeout: .now() + patience.seconds) == .success else {
            process.terminate()
            return nil
        }
        // Less than a pipe holds, so git never waited for it to be read.
        let bytes = (try? output.fileHandleForReading.read(upToCount: 200)) ?? Data()
        let text = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
        return (process.terminationStatus, text)
    }

    private static var environment: [String: String] {
        let own = ProcessInfo.processInfo.environment.filter { ["PATH", "HOME"].contains($0.key) }
        return own.merging([
            "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1",
        ]) { $1 }
    }
}
