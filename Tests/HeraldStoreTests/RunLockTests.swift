import Foundation
import HeraldCore
import HeraldStore
import HeraldTestSupport
import Testing

/// The other process is `flock` from util-linux, which takes the same kernel lock.
@Suite(.serialized) struct RunLockTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/state.sqlite" }

    init() throws { folder = try TemporaryFolder() }

    @Test func `a second run is told who has the state`() throws {
        let lock = try RunLock(for: path, run: "run-1")
        defer { withExtendedLifetime(lock) {} }
        #expect(throws: StateError.locked(path: path, holder: "run run-1 (process \(getpid()))")) {
            try RunLock(for: path, run: "run-2")
        }
        #expect(throws: StateError.locked(path: path, holder: "run run-1 (process \(getpid()))")) {
            try RunLock(for: path, run: "run-3")
        }
    }

    @Test func `another state is free`() throws {
        let lock = try RunLock(for: path, run: "run-1")
        defer { withExtendedLifetime(lock) {} }
        #expect(throws: Never.self) { try RunLock(for: folder.path + "/other.sqlite", run: "run-2") }
    }

    @Test func `is free once its holder is gone, and tells the new one`() throws {
        var lock: RunLock? = try RunLock(for: path, run: "a run with a longer name than the next")
        withExtendedLifetime(lock) {}
        lock = nil
        lock = try RunLock(for: path, run: "run-2")
        defer { withExtendedLifetime(lock) {} }
        #expect(throws: StateError.locked(path: path, holder: "run run-2 (process \(getpid()))")) {
            try RunLock(for: path, run: "run-3")
        }
    }

    @Test func `keeps other processes out while it is held`() throws {
        var lock: RunLock? = try RunLock(for: path, run: "run-1")
        withExtendedLifetime(lock) {}
        #expect(try flock("-n", path + ".lock", "true").waitUntilEnd() == 1)
        lock = nil
        #expect(try flock("-n", path + ".lock", "true").waitUntilEnd() == 0)
    }

    @Test func `is kept out while another process holds it, and tells who`() throws {
        let other = try flock(
            path + ".lock", "sh", "-c", "echo 'run elsewhere (process 7)' > '\(path).lock'; echo; exec sleep 600")
        _ = other.readLine()
        #expect(throws: StateError.locked(path: path, holder: "run elsewhere (process 7)")) {
            try RunLock(for: path, run: "run-1")
        }
        other.signal(SIGKILL)
        _ = other.waitUntilEnd()
        #expect(throws: Never.self) { try RunLock(for: path, run: "run-1") }
    }

    @Test(arguments: [("", "another run"), ("\u{1B}[31mred\u{7}\n", "[31mred"), ("\u{202E}evil", "evil")])
    func `what the file says of the holder cannot paint the terminal`(_ text: String, _ shown: String) throws {
        let lock = try RunLock(for: path, run: "run-1")
        defer { withExtendedLifetime(lock) {} }
        // Writes in place, because a new file would be another lock.
        try Data(text.utf8).write(to: URL(filePath: path + ".lock"), options: [])
        #expect(throws: StateError.locked(path: path, holder: shown)) { try RunLock(for: path, run: "run-2") }
    }

    @Test func `only its owner can read the lock`() throws {
        let lock = try RunLock(for: path, run: "run-1")
        defer { withExtendedLifetime(lock) {} }
        let mode = try FileManager.default.attributesOfItem(atPath: path + ".lock")[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `makes the folder of a state that is not there yet`() throws {
        let lock = try RunLock(for: folder.path + "/none/state.sqlite", run: "run-1")
        defer { withExtendedLifetime(lock) {} }
        #expect(FileManager.default.fileExists(atPath: folder.path + "/none/state.sqlite.lock"))
    }

    @Test func `leaves nothing where nothing was recorded`() throws {
        var lock: RunLock? = try RunLock(for: folder.path + "/none/state.sqlite", run: "run-1")
        withExtendedLifetime(lock) {}
        lock = nil
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/none"))
    }

    @Test func `leaves a state, and a folder with something in it, but no lock`() throws {
        for file in ["a/state.sqlite", "b/notes.txt"] {
            let path = folder.path + "/" + file
            var lock: RunLock? = try RunLock(
                for: (path as NSString).deletingLastPathComponent + "/state.sqlite", run: "run-1")
            withExtendedLifetime(lock) {}
            try folder.write("something", to: file)
            lock = nil
            #expect(FileManager.default.fileExists(atPath: path))
            let left = try FileManager.default.contentsOfDirectory(
                atPath: (path as NSString).deletingLastPathComponent)
            #expect(left == [(path as NSString).lastPathComponent])
        }
    }

    @Test func `a lock file that was taken away is no lock`() throws {
        let lock = try RunLock(for: path, run: "run-1")
        defer { withExtendedLifetime(lock) {} }
        try FileManager.default.removeItem(atPath: path + ".lock")
        var other: RunLock? = try RunLock(for: path, run: "run-2")
        withExtendedLifetime(other) {}
        other = nil
        #expect(!FileManager.default.fileExists(atPath: path + ".lock"))
    }

    @Test func `a folder that cannot be made is an error`() throws {
        try Data().write(to: URL(filePath: folder.path + "/file"))
        #expect {
            try RunLock(for: folder.path + "/file/state.sqlite", run: "run-1")
        } throws: {
            if case StateError.inaccessible = $0 { true } else { false }
        }
    }

    /// With `--no-fork` the process that holds the lock is the one that gets our signals.
    private func flock(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess("flock", ["--no-fork"] + arguments, environment: ProcessInfo.processInfo.environment)
    }
}
