import Foundation
import HeraldCore
import HeraldStore

extension Conductor {
    /// Writes the snapshot that herald.yaml asks for, however the run ended. A failure must not hide how it ended.
    func writeSnapshot() async {
        guard let path = context.settings.snapshotPath(in: context.files.folder) else { return }
        do {
            guard let store = try await context.state.openIfPresent(for: .reading) else { return }
            var snapshot = try await context.snapshot(of: store)
            // This run is over.
            snapshot.workers = try await context.state.crew().filter { !$0.isConductor }.map(\.text)
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try SnapshotFile.write(snapshot, to: path)
        } catch {
            let reason = CommandFailure(error)?.message ?? "its folder cannot be made"
            console.error("herald: no snapshot was written: \(reason)\n")
        }
    }
}
