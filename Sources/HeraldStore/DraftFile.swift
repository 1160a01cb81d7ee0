internal import Foundation
internal import HeraldCore

/// A file that is written under a name of its own and gets its final name when it is whole and on disk. A crash leaves
/// nothing under the final name, and an existing file is never replaced.
struct DraftFile: ~Copyable {
    /// Where it is written.
    let path: String
    private let final: String

    /// - Parameter final: what it is called once it is published. Its folder must exist.
    init(for final: String) throws {
        self.final = final
        // The name is unique, so what a crash leaves of it is never in the way.
        path = "\(final).\(UUID().uuidString.lowercased().prefix(8)).new"
        // The file's mode is set before anything is written. SQLite gives its companion files the same mode.
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(final) }
        close(descriptor)
    }

    deinit { for companion in ["", "-journal", "-wal", "-shm"] { unlink(path + companion) } }

    func publish() throws {
        try Self.sync(path, O_RDONLY, named: final)
        // Unlike `rename`, `link` never replaces an existing file.
        guard link(path, final) == 0 else { throw Self.failure(final) }
        // Makes the new name survive a power cut.
        try Self.sync((final as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY, named: final)
    }

    private static func sync(_ path: String, _ flags: Int32, named name: String) throws {
        let descriptor = open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(name) }
        defer { close(descriptor) }
        // Some file systems cannot sync a folder and return EINVAL.
        guard syncToDisk(descriptor) || errno == EINVAL else { throw failure(name) }
    }

    private static func failure(_ path: String) -> StateError {
        .inaccessible(path: path, detail: String(cString: strerror(errno)))
    }
}

/// Returns when what was written is on the disk itself. macOS needs a call of its own for that.
package func syncToDisk(_ descriptor: Int32) -> Bool {
    #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
    #endif
    return fsync(descriptor) == 0
}
