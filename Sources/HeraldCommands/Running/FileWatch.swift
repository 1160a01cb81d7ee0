import Foundation
import HeraldCore
import Synchronization

/// Notices that a workspace's files were changed while a run works. Such a run must not go on with what it read.
final class FileWatch: Sendable {
    private let changed = Mutex(false)
    private let files: LoadedWorkspace
    private let environment: [String: String]

    init(_ files: LoadedWorkspace, environment: [String: String]) {
        (self.files, self.environment) = (files, environment)
    }

    var hasChanged: Bool { changed.withLock(\.self) }

    /// Looks at the files every second until their content has changed, or until the task is cancelled.
    func watch(by clock: any Clock<Duration>) async {
        guard var watched = files.watched else { return }
        while !Task.isCancelled {
            try? await clock.sleep(for: .seconds(1))
            guard !Task.isCancelled, watched.mayHaveChanged() else { continue }
            // The same content with another time or in another place is no change.
            let loaded = WorkspaceLoader.load(
                files.folder, environment: environment, at: files.recipientIndex.date, keepsLists: false)
            guard loaded.digest() != files.digest else { continue }
            return changed.withLock { $0 = true }
        }
    }
}
