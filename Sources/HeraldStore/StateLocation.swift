internal import Foundation
package import HeraldCore

/// Where a project's state is kept. Commands open, make and lock it through this, and do not know which kind of store
/// it is. What takes a connection elsewhere is `async`.
package struct StateLocation: Sendable {
    private let path: String
    private let project: String
    private let endpoint: EndpointKind

    /// - Parameters:
    ///   - path: absolute.
    ///   - project: what a new state is bound to, as to the endpoint, and an old one must be bound to.
    package init(path: String, project: String, endpoint: EndpointKind) {
        self.path = path
        self.project = project
        self.endpoint = endpoint
    }

    /// As messages name it.
    package var name: String { path }

    /// The folder for the reports of its runs.
    package var reports: String { (path as NSString).deletingLastPathComponent + "/runs" }

    /// Throws where there is no state, before anything is made beside it.
    package func require() async throws {
        guard FileManager.default.fileExists(atPath: path) else { throw StateError.missing(path: path) }
    }

    /// The state, or `nil` where there is none yet.
    package func openIfPresent() async throws -> (any StateStore)? {
        do { return try await open() } catch StateError.missing { return nil }
    }

    /// The state, which must exist.
    package func open() async throws -> any StateStore {
        try SQLiteStore.open(at: path, project: project, endpoint: endpoint)
    }

    /// Makes an empty state where there is none: whole or not at all.
    package func create(_ identity: RecordedState.Identity) async throws -> any StateStore {
        try SQLiteStore.create(at: path, identity: identity)
    }

    /// What a new state is to be bound to.
    package func newIdentity(created: Date) -> RecordedState.Identity {
        RecordedState.Identity(
            lineage: UUID().uuidString.lowercased(), project: project, endpoint: endpoint, created: created)
    }

    /// Keeps every other run away, or throws `StateError.locked`.
    ///
    /// - Parameter run: told to whoever finds the state locked.
    package func lock(for run: String) async throws -> RunLock {
        try RunLock(for: path, run: run)
    }

    /// What to say of a state whose content turned out to make no sense.
    package func damage(_ detail: String) -> StateError { .damaged(path: path, detail: detail) }
}
