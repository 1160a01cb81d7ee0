import Foundation
import HeraldStore

/// Files that only their owner may read, unless the caller says otherwise.
enum PrivateFile {
    struct Failure: Error {}

    /// Replaces the file at once: a reader sees the old text or the new one, never a part.
    static func write(_ text: String, to path: String, mode: mode_t = 0o600) throws {
        let resolved = URL(filePath: path).resolvingSymlinksInPath().path
        let kind = (try? FileManager.default.attributesOfItem(atPath: resolved))?[.type] as? FileAttributeType
        // A device or a pipe is written to, never replaced.
        if let kind, kind != .typeRegular {
            let descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Failure() }
            defer { close(descriptor) }
            guard writeAll(text, to: descriptor) else { throw Failure() }
            return
        }
        // For a link, the file it points to is replaced.
        let path = kind == nil ? path : resolved
        let temporary = "\(path).\(getpid()).tmp"
        // A process with this number may have left one when it crashed.
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw Failure() }
        let isWritten = writeAll(text, to: descriptor) && syncToDisk(descriptor)
        close(descriptor)
        guard isWritten, rename(temporary, path) == 0 else {
            unlink(temporary)
            throw Failure()
        }
    }

    /// Replaces the file at once with what is written bit by bit.
    static func stream(
        to path: String, _ body: (_ write: (String) throws -> Void) async throws -> Void
    ) async throws {
        let resolved = URL(filePath: path).resolvingSymlinksInPath().path
        let kind = (try? FileManager.default.attributesOfItem(atPath: resolved))?[.type] as? FileAttributeType
        let isReplaced = kind == nil || kind == .typeRegular
        let temporary = isReplaced ? "\(resolved).\(getpid()).tmp" : path
        if isReplaced { unlink(temporary) }
        let descriptor = open(
            temporary, isReplaced ? O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC : O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure() }
        do {
            defer { close(descriptor) }
            try await body { if !writeAll($0, to: descriptor) { throw Failure() } }
            if isReplaced, !syncToDisk(descriptor) { throw Failure() }
        } catch {
            if isReplaced { unlink(temporary) }
            throw error
        }
        guard !isReplaced || rename(temporary, resolved) == 0 else {
            unlink(temporary)
            throw Failure()
        }
    }
}
