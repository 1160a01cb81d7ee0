internal import Foundation
internal import HeraldCore

/// Lets one run at a time work on a state: a lock of the kernel's on a file beside it, gone with the process.
package final class RunLock: Sendable {
    private let descriptor: Int32
    private let state: String
    private let file: String
    /// The folder of the state, where it was made for the lock.
    private let newFolder: String?

    /// - Parameter run: told to whoever finds the state locked.
    package init(for path: String, run: String) throws {
        // Two names of one state have one lock.
        state = URL(filePath: path).resolvingSymlinksInPath().path
        file = state + ".lock"
        // A first run locks before there is a state, or a folder for it.
        let folder = (file as NSString).deletingLastPathComponent
        newFolder = FileManager.default.fileExists(atPath: folder) ? nil : folder
        while true {
            try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let descriptor = try Self.lock(file, of: path)
            if Self.isOpen(descriptor, file) {
                self.descriptor = descriptor
                break
            }
            // Who had it took it away between our opening and our locking it.
            close(descriptor)
        }
        let line = Array("run \(run) (process \(getpid()))\n".utf8)
        ftruncate(descriptor, 0)
        _ = line.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    /// Does something that no other run may meanwhile.
    package func hold<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        // Without a use at the end the lock could go before the work is done.
        defer { withExtendedLifetime(self) {} }
        return try await body()
    }

    /// Where nothing was recorded nothing is left behind.
    deinit {
        if access(state, F_OK) != 0, Self.isOpen(descriptor, file) {
            unlink(file)
            if let newFolder { rmdir(newFolder) }
        }
        close(descriptor)
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

    /// Whether the open file is the one of that name.
    private static func isOpen(_ descriptor: Int32, _ file: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && stat(file, &named) == 0 && opened.st_ino == named.st_ino
            && opened.st_dev == named.st_dev
    }

    private static func text(of descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 200)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        // Whoever may write there could else paint the terminal.
        return text.filter { $0.isASCII && $0 >= " " }
    }
}
