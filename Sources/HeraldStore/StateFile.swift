internal import Foundation
package import HeraldCore

/// A state in a SQLite file.
package struct StateFile: StateLocation {
    private let path: String
    private let binding: StateBinding
    private let note: @Sendable (String) -> Void

    /// - Parameters:
    ///   - path: an absolute path.
    ///   - binding: what a new state is bound to, and an existing one must be bound to.
    ///   - note: takes what a person must know besides.
    package init(path: String, _ binding: StateBinding, note: @escaping @Sendable (String) -> Void) {
        (self.path, self.binding, self.note) = (path, binding, note)
    }

    package var name: String { path }

    package var keeping: String { "SQLite, format \(Schema.newest), each commit is on disk before it counts" }

    package var cachePath: String { path }

    /// Two paths to the same state share one folder.
    package var reports: String {
        URL(filePath: path).resolvingSymlinksInPath().deletingLastPathComponent().path + "/runs"
    }

    package func require() async throws {
        guard FileManager.default.fileExists(atPath: path) else { throw StateError.missing(path: path) }
    }

    package func openIfPresent(for use: StateUse) async throws -> (any StateStore)? {
        do { return try await open(for: use) } catch StateError.missing { return nil }
    }

    package func open(for use: StateUse) async throws -> any StateStore {
        let store = try SQLiteStore(path: path)
        do { try store.check(binding) } catch let error as StateError {
            guard use == .inspecting, case .bound = error else { throw error }
            note("\(error)")
        }
        if store.isUpgraded { return store }
        guard use == .changing else { return try store.upgradedCopy() }
        // Whoever holds the lock has upgraded the state already, so this command does not hold it.
        _ = try await lock(for: "upgrade")
        return try await open(for: .changing)
    }

    package func backUp(to file: String) async throws {
        try SQLiteStore(path: path).backUp(to: file)
    }

    /// Databases in the state's folder.
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

    package func create(_ identity: RecordedState.Identity) async throws -> any StateStore {
        try SQLiteStore.create(at: path, identity: identity)
    }

    package func initialize(created: Date) async throws {
        guard try await openIfPresent(for: .reading) == nil else { throw StateError.exists(path: path) }
        // An apply may be creating the state at this moment.
        try await lock(for: "state init").hold { _ = try await create(newIdentity(created: created)) }
    }

    package func newIdentity(created: Date) -> RecordedState.Identity { binding.newIdentity(created: created) }

    package var copyPlace: any CopyPlace { FileCopyPlace(path: path) }

    package func hasMoved() async throws -> Bool { false }

    package func acceptMove() async throws {}

    /// Whoever locks it upgrades it.
    package func migrate() async throws -> Bool {
        try await require()
        let isOld = try !SQLiteStore(path: path).isUpgraded
        _ = try await lock(for: "state migrate")
        return isOld
    }

    package func lock(for run: String) async throws -> any StateLock {
        let lock = try RunLock(for: path, run: run)
        if let copy = try SQLiteStore.upgrade(at: path, binding) {
            note("the state \(path) now has the format of this herald; the state as it was is kept in \(copy)")
        }
        return lock
    }

    package func holder() async throws -> String? { try RunLock.holder(of: path) }

    package func takeLock(from run: String) async throws {
        guard let holder = try await holder() else { throw StateError.notLocked(path: path, by: run) }
        throw StateError.inaccessible(
            path: path, detail: "its lock belongs to \(holder) and ends with that process",
            help: "end that process instead")
    }
}
