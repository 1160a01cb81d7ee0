import FCM
import Foundation
import HeraldCore
import HeraldStore

/// The state as one reading found it. A large state takes long to read, so whatever needs it is handed this value.
struct KnownState {
    /// `nil` where there is no state yet.
    let store: (any StateStore)?
    /// What a new state would begin with, where there is none.
    let recorded: RecordedState

    var exists: Bool { store != nil }

    /// - Parameter now: when a state would be made that is not there.
    static func read(from location: StateLocation, at now: Date) async throws -> KnownState {
        guard let store = try await location.openIfPresent() else { return blank(for: nil, location, now) }
        return KnownState(store: store, recorded: try await store.snapshot())
    }

    /// One that knows nothing, whatever the state knows.
    static func blank(beside location: StateLocation, at now: Date) async throws -> KnownState {
        blank(for: try await location.openIfPresent(), location, now)
    }

    private static func blank(
        for store: (any StateStore)?, _ location: StateLocation, _ now: Date
    ) -> KnownState {
        KnownState(store: store, recorded: RecordedState(identity: location.newIdentity(created: now)))
    }

    /// A copy that leaves no trace; registrations in its reports have the same fingerprints.
    func inMemory(_ registrations: [RecipientID: Registration]) -> MemoryStore {
        let key = store?.fingerprintKey ?? (0..<32).map { _ in UInt8.random(in: 0...255) }
        return MemoryStore(recorded, registrations: registrations, fingerprintKey: key)
    }
}
