internal import Foundation
internal import HeraldCore

/// Lets only one run at a time work on a state. It is a kernel lock on a file beside the state, so it ends with the
/// process.
package final class RunLock: StateLock {
    private let descriptor: Int32
    private let file: String
    /// The state's folder, if it was created for the lock.
    private let newFolder: String?

    /// - Parameter run: shown to other runs that find the state locked.
    package init(for path: String, run: String) throws {
        file = Self.file(of: path)
        // The first run locks before there is a state, or even a folder for it.
        let folder = (file as NSString).deletingLastPathComponent
        newFolder = FileManager.default.fileExists(atPath: folder) ? nil : folder
        while true {
            try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let descriptor = try Self.lock(file, of: path)
            if Self.isOpen(descriptor, file) {
                self.descriptor = descriptor
                break
            }
            // The previous holder deleted the file after we opened it and before we locked it.
            close(descriptor)
        }
        let line = Array("run \(run) (process \(getpid()))\n".utf8)
        ftruncate(descriptor, 0)
        _ = line.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    /// Runs `body` while no other run can work on the state.
    package func hold<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        // Without this use at the end, the lock could be released before the work is done.
        defer { withExtendedLifetime(self) {} }
        return try await body()
    }

    package var mayWrite: (@Sendable () -> Bool)? { nil }

    /// The lock ends with the process, and so do its requests.
    package var resendTime: ContinuousClock.Instant? { nil }

    /// Nothing is left behind, except by a crash. A process that has opened the file meanwhile finds that it is gone.
    deinit {
        if Self.isOpen(descriptor, file) { unlink(file) }
        // It fails if the folder holds a state by now.
        if let newFolder { rmdir(newFolder) }
        close(descriptor)
    }

    /// Who holds the lock on a state, in words. `nil` if nobody does.
    package static func holder(of path: String) throws -> String? {
        let file = file(of: path)
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        do { close(try lock(file, of: path)) } catch StateError.locked(_, let holder) { return holder }
        return nil
    }

    /// Two paths to the same state share one lock.
    private static func file(of path: String) -> String {
        URL(filePath: path).resolvingSymlinksInPath().path + ".lock"
    }

    private static func lock(_ file: String, of path: String) throws -> Int32 {
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StateError.inaccessible(path: file, detail: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let problem = errno
            let holder = text(of: descriptor)
            close(descriptor)
            guard problem == EWOULDBLOCK else {
                throw StateError.inaccessible(path: file, detail: String(cString: strerror(problem)))
            }
            throw StateError.locked(path: path, holder: holder.isEmpty ? "another run" : holder)
        }
        return descriptor
    }

    /// Whether the path still refers to the open file.
    private static func isOpen(_ descriptor: Int32, _ file: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && stat(file, &named) == 0 && opened.st_ino == named.st_ino
            && opened.st_dev == named.st_dev
    }

    private static func text(of descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 200)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        // The file's text goes to a terminal, so control characters are removed.
        return text.filter { $0.isASCII && $0 >= " " }
    }
}
