import FCM
import Foundation
import HeraldCore
import HeraldStore
import HeraldTestSupport

/// The stores that must pass the same tests.
enum StoreKind: CaseIterable {
    case memory, sqlite
}

/// A store for one test, and what is needed to open it again.
struct OpenStore {
    let store: any StateStore
    private let folder: TemporaryFolder?

    static let identity = RecordedState.Identity(
        lineage: "lineage", project: "tide-app", endpoint: .emulator,
        created: Date(timeIntervalSince1970: 1_764_576_000))

    init(_ kind: StoreKind) throws {
        switch kind {
        case .memory:
            folder = nil
            store = MemoryStore(
                RecordedState(identity: Self.identity), fingerprintKey: [UInt8](repeating: 7, count: 32))
        case .sqlite:
            let folder = try TemporaryFolder()
            self.folder = folder
            store = try SQLiteStore.create(at: folder.path + "/state.sqlite", identity: Self.identity)
        }
    }

    /// The same state, opened as by another process.
    func other() throws -> any StateStore {
        guard let folder else { return store }
        return try SQLiteStore.open(at: folder.path + "/state.sqlite")
    }

    /// The state as a process reads it that opens it now.
    func reopened() async throws -> RecordedState {
        guard let folder else { return try await store.wholeState() }
        return try await SQLiteStore.open(at: folder.path + "/state.sqlite")
            .wholeState()
    }

    func commit(_ changes: StateChange...) async throws { try await store.commit(changes) }
}

extension RecordedOccurrence {
    static func sample(_ campaign: String = "tide", digest: String = "sha256:1") -> RecordedOccurrence {
        RecordedOccurrence(campaign: campaign, revision: 1, due: nil, contentDigest: digest, target: "audience:anglers")
    }
}

extension OccurrenceID {
    static let tide = OccurrenceID(rawValue: "tide@once")
    static let wind = OccurrenceID(rawValue: "wind@once")
}

extension Date {
    static func at(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_764_576_000 + seconds) }
}

/// Gives numbers, from 1, to this many recipients.
func interned(_ count: Int) -> StateChange {
    .register(Dictionary(uniqueKeysWithValues: (0..<count).map { (RecipientID($0 + 1), Registration.fid($0 + 1)) }))
}

extension Watermark {
    static func at(_ seconds: Double) -> Watermark {
        Watermark(at: .at(seconds), schedule: "cron * * * * * UTC", next: .at(seconds + 60))
    }
}
