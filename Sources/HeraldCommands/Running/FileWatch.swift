import Foundation
import HeraldCore
import Synchronization

/// Notices that a workspace's files were changed since a run read them. Such a run must not go on with what it read.
final class FileWatch: Sendable {
    private let changed = Mutex(false)
    private let files: LoadedWorkspace
    private let environment: [String: String]
    private let watched: Mutex<WatchedFiles?>
    /// Where the workspace's name led when it looked last.
    private let place: Mutex<String>

    init(_ files: LoadedWorkspace, environment: [String: String]) {
        (self.files, self.environment) = (files, environment)
        watched = Mutex(files.watched)
        place = Mutex(files.folder.path)
    }

    /// Whether the content of the files had changed when it looked last.
    var hasChanged: Bool { changed.withLock(\.self) }

    /// Looks at the files now and every second, until their content has changed or the task is cancelled.
    func watch(by clock: any Clock<Duration>) async {
        guard files.watched != nil else { return }
        while !Task.isCancelled {
            look()
            if hasChanged { return }
            try? await clock.sleep(for: .seconds(1))
        }
    }

    /// Looks at the files once.
    func look() {
        guard files.watched != nil else { return }
        // Whoever sets a link to the new files leaves the old ones as they are.
        let folder = files.folder.successor ?? files.folder
        let hasMoved = place.withLock { place in
            defer { place = folder.path }
            return place != folder.path
        }
        let mayHaveChanged = watched.withLock { $0?.mayHaveChanged() ?? false }
        guard hasMoved || mayHaveChanged else { return }
        // The same content with another time or in another place is no change.
        let loaded = WorkspaceLoader.load(
            folder, environment: environment, at: files.recipientIndex.date, keepsLists: false,
            without: files.workspace.unfetched)
        if loaded.digest() != files.digest { changed.withLock { $0 = true } }
    }
}
