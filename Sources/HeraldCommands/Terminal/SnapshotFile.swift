import FCM
import Foundation
import HeraldCore

/// Snapshots on disk.
enum SnapshotFile {
    static func read(_ path: String) throws -> StateSnapshot {
        guard let bytes = bytes(of: path) else {
            throw CommandFailure.unreadable("the snapshot \(path)")
        }
        return try SnapshotDocument(reading: bytes).snapshot
    }

    /// Reads just enough to see that a file is too large: it may be a pipe without end.
    private static func bytes(of path: String) -> [UInt8]? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        do { return Array(try file.read(upToCount: SnapshotDocument.limit + 1) ?? Data()) } catch { return nil }
    }

    /// Replaces the file at once. A file that is there must be a snapshot or empty.
    static func write(_ snapshot: StateSnapshot, to path: String) throws {
        try FileKind.snapshot.requireReplaceable(path)
        do { try PrivateFile.write(SnapshotDocument(snapshot).json.prettyText, to: path) } catch {
            throw CommandFailure.unwritable("the snapshot cannot be written to \(path)")
        }
    }
}
