import FCM
import Foundation
import HeraldCore
import HeraldStore

/// The state as it was read once. Reading a large state takes long, so this value is passed to everything that needs
/// it.
struct KnownState {
    /// `nil` if there is no state yet.
    let store: (any StateStore)?
    /// The contents of the state; without a state, what a new one would begin with.
    private(set) var recorded: RecordedState
    /// The highest serial of this state in the reports beside it.
    var reportedSerial: Int64?

    var exists: Bool { store != nil }

    /// - Parameter now: The creation time of a new state, if there is none.
    static func read(from location: any StateLocation, for use: StateUse, at now: Date) async throws -> KnownState {
        guard let store = try await location.openIfPresent(for: use) else { return blank(for: nil, location, now) }
        let recorded = try await store.snapshot()
        let reported = SavedReports(in: location.reports).newestSerial(of: recorded.identity.lineage)
        return KnownState(store: store, recorded: recorded, reportedSerial: reported)
    }

    /// A state without contents, whatever the real one holds.
    static func blank(beside location: any StateLocation, at now: Date) async throws -> KnownState {
        blank(for: try await location.openIfPresent(for: .changing), location, now)
    }

    private static func blank(
        for store: (any StateStore)?, _ location: any StateLocation, _ now: Date
    ) -> KnownState {
        KnownState(store: store, recorded: RecordedState(identity: location.newIdentity(created: now)))
    }

    /// Lets a state that is older than its reports count as the newest: a person said so.
    mutating func outgrowReports() async throws {
        guard let reportedSerial, recorded.serial < reportedSerial else { return }
        let change = StateChange.outgrow(reportedSerial)
        try await store?.commit([change])
        recorded.apply([change])
    }

    /// A copy in memory that leaves the real state alone. Reports give registrations the same fingerprints.
    func inMemory(_ registrations: [RecipientID: Registration]) -> MemoryStore {
        let key = store?.fingerprintKey ?? (0..<32).map { _ in UInt8.random(in: 0...255) }
        return MemoryStore(recorded, registrations: registrations, fingerprintKey: key)
    }
}
