internal import Foundation
package import HeraldCore

/// Where a project's state is kept. Commands open, create and lock the state only through this, so they do not depend
/// on the kind of store.
package protocol StateLocation: Sendable {
    /// The name in messages.
    var name: String { get }
    /// How it keeps what it holds, for people: the kind of store, its format, and what survives a crash.
    var keeping: String { get }
    /// The folder for the reports of its runs.
    var reports: String { get }
    /// What the paths of the caches of lists begin with.
    var cachePath: String { get }
    /// Other files on this machine that may be copies of the state.
    var copies: [String] { get }

    /// Throws if there is no state. Call it before anything is created beside the state.
    func require() async throws

    /// The state, or `nil` if there is none yet and the first apply makes one.
    func openIfPresent(for use: StateUse) async throws -> (any StateStore)?

    /// The state, which must exist.
    func open(for use: StateUse) async throws -> any StateStore

    /// Writes a copy of the state as it is now, whatever it is bound to, or throws if any part of it is damaged. Runs
    /// may go on meanwhile.
    ///
    /// - Parameter file: must not exist.
    func backUp(to file: String) async throws

    /// Creates an empty state if there is none: completely or not at all. The caller holds the lock.
    func create(_ identity: RecordedState.Identity) async throws -> any StateStore

    /// Makes an empty state because a person asked for it. An existing one stays as it is (`StateError.exists`).
    func initialize(created: Date) async throws

    /// The identity of a new state.
    func newIdentity(created: Date) -> RecordedState.Identity

    /// Locks out all other runs, or throws `StateError.locked`. The state may be upgraded.
    ///
    /// - Parameter run: shown to other runs that find the state locked.
    func lock(for run: String) async throws -> any StateLock

    /// The place, for `StateCopy`.
    var copyPlace: any CopyPlace { get }

    /// Whether it is in another server, database or schema than at the last run.
    func hasMoved() async throws -> Bool

    /// Lets the server that it is in count as the right one. The caller holds the lock.
    func acceptMove() async throws

    /// Brings a state of an older herald to this herald's format.
    ///
    /// - Returns: Whether there was anything to do.
    func migrate() async throws -> Bool

    /// Throws if this process may read the state, and no run could change it from here.
    func requireChanging() async throws

    /// Who holds the lock, in words. `nil` if nobody does.
    func holder() async throws -> String?

    /// The processes that send for one run now. Empty if only one can.
    func crew() async throws -> [CrewMember]

    /// Ends a run's lock, so that it writes nothing more, or throws.
    func takeLock(from run: String) async throws
}

extension StateLocation {
    package func crew() async throws -> [CrewMember] { [] }

    package func requireChanging() async throws {}

    /// The error for a state whose content makes no sense.
    package func damage(_ detail: String) -> StateError { .damaged(path: name, detail: detail) }
}
