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
    /// A stamp that a report or the witness has and the state lacks: the one with the highest number.
    private(set) var lostStamp: Stamp?
    /// Whether the last run was for files in another folder, as far as is known.
    private(set) var isElsewhere = false
    /// What is known besides and not in the state yet (`SavedReports.corrections`).
    private var corrections: [StateChange] = []
    /// Whether it is in another server, database or schema than at the last run.
    var hasMoved = false
    /// What git says about the files. `nil` without git.
    var checkout: Checkout?
    /// What cannot be judged, because not all was read that says how the state is.
    var unjudged: [UnjudgedGuard] = []

    var exists: Bool { store != nil }

    /// - Parameter checkout: What git says about the files.
    init(store: (any StateStore)?, recorded: RecordedState, checkout: Checkout? = nil) {
        (self.store, self.recorded, self.checkout) = (store, recorded, checkout)
    }

    /// - Parameters:
    ///   - now: The creation time of a new state, if there is none.
    ///   - folder: Where the files are.
    static func read(
        from location: any StateLocation, for use: StateUse, at now: Date, filesIn folder: String
    ) async throws -> KnownState {
        guard let store = try await location.openIfPresent(for: use) else {
            var blank = blank(for: nil, location, now)
            blank.checkout = GitHistory.checkout(at: folder, appliedLast: nil)
            return blank
        }
        let recorded = try await store.snapshot()
        var state = KnownState(
            store: store, recorded: recorded,
            checkout: GitHistory.checkout(at: folder, appliedLast: recorded.commits.last))
        let lineage = recorded.identity.lineage
        let reports = SavedReports(in: location.reports).versions(of: lineage)
        let witness = Witness(of: lineage, in: location.reports)
        state.reportedSerial = reports.map(\.serial).max()
        state.corrections = SavedReports(in: location.reports).corrections(of: recorded)
        state.recorded.apply(state.corrections)
        state.lostStamp = (witness.stamps + reports.compactMap(\.stamp)).filter { recorded.stamps.lack($0) }
            .max { $0.number < $1.number }
        state.isElsewhere = witness.workspace != Self.place(of: folder)
        state.hasMoved = try await location.hasMoved()
        return state
    }

    /// A state without contents, whatever the real one holds.
    static func blank(beside location: any StateLocation, at now: Date) async throws -> KnownState {
        let store = try await location.openIfPresent(for: .changing)
        // What comes of it is kept there afterwards.
        if store != nil { try await location.requireChanging() }
        return blank(for: store, location, now)
    }

    private static func blank(
        for store: (any StateStore)?, _ location: any StateLocation, _ now: Date
    ) -> KnownState {
        KnownState(store: store, recorded: RecordedState(identity: location.newIdentity(created: now)))
    }

    /// What a folder is called, whichever links lead to it.
    static func place(of folder: String) -> String { URL(filePath: folder).resolvingSymlinksInPath().path }

    /// Takes in what an older herald's last report says. Lets a state that is older than its reports count as the newest: a
    /// person said so.
    mutating func outgrowReports() async throws {
        var changes = corrections.isEmpty ? [] : corrections + [.newStamp()]
        if let reportedSerial, recorded.serial < reportedSerial { changes.append(.outgrow(reportedSerial)) }
        if let lostStamp { changes.append(.newStamp(outgrowing: lostStamp.number)) }
        if !changes.isEmpty { try await commit(changes) }
    }

    /// Changes the state, and what is known of it.
    mutating func commit(_ changes: [StateChange]) async throws {
        try await store?.commit(changes)
        recorded.apply(changes)
    }

    /// Notes that the files of their commit are applied.
    var applying: [StateChange] {
        guard let head = checkout?.head, head.id != recorded.commits.last?.id else { return [] }
        return [.applied(head)]
    }

    /// A copy in memory that leaves the real state alone. Reports give registrations the same fingerprints.
    func inMemory(_ registrations: [RecipientID: Registration]) -> MemoryStore {
        let key = store?.fingerprintKey ?? (0..<32).map { _ in UInt8.random(in: 0...255) }
        return MemoryStore(recorded, registrations: registrations, fingerprintKey: key)
    }
}
