internal import Foundation
package import HeraldCore

/// Where a project's state is kept. Commands open, create and lock the state only through this, so they do not depend
/// on the kind of store. Methods that would need a connection to another store are `async`.
package struct StateLocation: Sendable {
    private let path: String
    private let project: String
    private let endpoint: EndpointKind
    private let note: @Sendable (String) -> Void

    /// - Parameters:
    ///   - path: an absolute path.
    ///   - project: the project that a new state is bound to, and an existing one must be bound to. The same holds for
    ///     the endpoint.
    ///   - note: takes what a person must know besides.
    package init(
        path: String, project: String, endpoint: EndpointKind, note: @escaping @Sendable (String) -> Void
    ) {
        self.path = path
        self.project = project
        self.endpoint = endpoint
        self.note = note
    }

    /// The name in messages.
    package var name: String { path }

    /// The folder for the reports of its runs.
    package var reports: String { (path as NSString).deletingLastPathComponent + "/runs" }

    /// Throws if there is no state. Call it before anything is created beside the state.
    package func require() async throws {
        guard FileManager.default.fileExists(atPath: path) else { throw StateError.missing(path: path) }
    }

    /// The state, or `nil` if there is none yet.
    package func openIfPresent(for use: StateUse) async throws -> (any StateStore)? {
        do { return try await open(for: use) } catch StateError.missing { return nil }
    }

    /// The state, which must exist.
    package func open(for use: StateUse) async throws -> any StateStore {
        let store = try SQLiteStore(path: path)
        do { try store.check(project, endpoint) } catch let error as StateError {
            guard use == .inspecting, case .bound = error else { throw error }
            note("\(error)")
        }
        if store.isUpgraded { return store }
        guard use == .changing else { return try store.upgradedCopy() }
        // Whoever holds the lock has upgraded the state already, so this command does not hold it.
        _ = try await lock(for: "upgrade")
        return try await open(for: .changing)
    }

    /// Writes a copy of the state as it is now, whatever it is bound to. Runs may go on meanwhile.
    ///
    /// - Parameter file: must not exist.
    package func backUp(to file: String) async throws {
        let store = try SQLiteStore(path: path)
        do { try SQLiteStore.backUp(store.database, to: file) } catch {
            throw SQLiteStore.stateError(error, path: file)
        }
    }

    /// The other files in the state's folder that are databases, such as copies of the state.
    package var copies: [String] {
        let state = URL(filePath: path).resolvingSymlinksInPath()
        let folder = state.deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { folder.appending(path: $0).path }.filter {
            $0 != state.path
                && FileHandle(forReadingAtPath: $0).flatMap { try? $0.read(upToCount: 16) }
                    == Data("SQLite format 3\0".utf8)
        }
    }

    /// Creates an empty state if there is none: completely or not at all.
    package func create(_ identity: RecordedState.Identity) async throws -> any StateStore {
        try SQLiteStore.create(at: path, identity: identity)
    }

    /// The identity of a new state.
    package func newIdentity(created: Date) -> RecordedState.Identity {
        RecordedState.Identity(
            lineage: UUID().uuidString.lowercased(), project: project, endpoint: endpoint, created: created)
    }

    /// Locks out all other runs, or throws `StateError.locked`. A state of an older herald is upgraded.
    ///
    /// - Parameter run: shown to other runs that find the state locked.
    package func lock(for run: String) async throws -> RunLock {
        let lock = try RunLock(for: path, run: run)
        if let copy = try SQLiteStore.upgrade(at: path, project: project, endpoint: endpoint) {
            note("the state \(path) now has the format of this herald; the state as it was is kept in \(copy)")
        }
        return lock
    }

    /// The error for a state whose content makes no sense.
    package func damage(_ detail: String) -> StateError { .damaged(path: path, detail: detail) }
}
