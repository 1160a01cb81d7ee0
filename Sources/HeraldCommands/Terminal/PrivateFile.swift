import Foundation
import HeraldStore

/// Files that only their owner may read, unless the caller says otherwise. They are replaced at once: a reader sees the
/// old text or the new one, never a part.
enum PrivateFile {
    struct Failure: Error {}

    static func write(_ text: String, to path: String, mode: mode_t = 0o600) throws {
        let draft = try Draft(of: path, mode)
        try draft.end(isWritten: writeAll(text, to: draft.descriptor))
    }

    /// What is written bit by bit.
    static func stream(
        to path: String, _ body: (_ write: (String) throws -> Void) async throws -> Void
    ) async throws {
        let draft = try Draft(of: path, 0o600)
        do {
            try await body { if !writeAll($0, to: draft.descriptor) { throw Failure() } }
        } catch {
            try? draft.end(isWritten: false)
            throw error
        }
        try draft.end(isWritten: true)
    }

    /// A text that takes the place of the file once it is whole.
    private struct Draft {
        let descriptor: CInt
        private let target: String
        /// `nil` for a device or a pipe, which is written to and never replaced.
        private let temporary: String?

        init(of path: String, _ mode: mode_t) throws {
            let place = FilePlace(path)
            target = place.path
            guard place.isFile || place.kind == nil else {
                temporary = nil
                descriptor = open(path, O_WRONLY | O_CLOEXEC)
                guard descriptor >= 0 else { throw Failure() }
                return
            }
            let draft = "\(target).\(getpid()).tmp"
            // A process with this number may have left one when it crashed.
            unlink(draft)
            temporary = draft
            descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
            guard descriptor >= 0 else { throw Failure() }
        }

        /// Closes it, and puts it in its place if it is whole.
        func end(isWritten: Bool) throws {
            let isWhole = isWritten && (temporary == nil || syncToDisk(descriptor))
            close(descriptor)
            guard let temporary else {
                if !isWhole { throw Failure() }
                return
            }
            guard isWhole, rename(temporary, target) == 0 else {
                unlink(temporary)
                throw Failure()
            }
        }
    }
}
