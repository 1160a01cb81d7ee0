internal import Foundation
internal import HeraldCore

/// Lets one run at a time work on a record: a lock of the kernel's on a file beside it, gone with the process.
package final class RunLock: Sendable {
    private let descriptor: Int32

    /// - Parameter run: told to whoever finds the record locked.
    package init(for path: String, run: String) throws {
        // Two names of one record have one lock.
        let file = URL(filePath: path).resolvingSymlinksInPath().path + ".lock"
        // A first run locks before there is a record, or a folder for it.
        try? FileManager.default.createDirectory(
            atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StateError.inaccessible(path: file, detail: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let problem = errno
            let holder = Self.text(of: descriptor)
            close(descriptor)
            guard problem == EWOULDBLOCK else {
                throw StateError.inaccessible(path: file, detail: String(cString: strerror(problem)))
            }
            throw StateError.locked(path: path, holder: holder.isEmpty ? "another run" : holder)
        }
        self.descriptor = descriptor
        let line = Array("run \(run) (process \(getpid()))\n".utf8)
        ftruncate(descriptor, 0)
        _ = line.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    deinit { close(descriptor) }

    private static func text(of descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 200)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        // Whoever may write there could else paint the terminal.
        return text.filter { $0.isASCII && $0 >= " " }
    }
}
