import FCM
import Foundation
import HeraldCore
import HeraldTestSupport

@testable import HeraldStore

/// The stores that must pass the same tests.
enum StoreKind: CaseIterable {
    case memory, sqlite, postgres

    static var allCases: [StoreKind] {
        [.memory, .sqlite] + (PostgresTestServer.isInstalled ? [.postgres] : [])
    }
}

/// A store for one test, and what is needed to open it again.
struct OpenStore {
    let store: any StateStore
    /// Opens the same state as another process does.
    private let open: @Sendable () async throws -> any StateStore

    static let identity = RecordedState.Identity(
        lineage: "lineage", project: "tide-app", endpoint: .emulator,
        created: Date(timeIntervalSince1970: 1_764_576_000), workspace: "tide")

    init(_ kind: StoreKind) async throws {
        switch kind {
        case .memory:
            let store = MemoryStore(
                RecordedState(identity: Self.identity), fingerprintKey: [UInt8](repeating: 7, count: 32))
            self.store = store
            open = { store }
        case .sqlite:
            let folder = try TemporaryFolder()
            store = try SQLiteStore.create(at: folder.path + "/state.sqlite", identity: Self.identity)
            open = { try SQLiteStore.open(at: folder.path + "/state.sqlite") }
        case .postgres:
            let schema = try PostgresTestServer.newSchema()
            store = try await PostgresStore.create(schema, identity: Self.identity)
            open = { try await PostgresStore.open(schema) }
        }
    }

    /// The same state, opened as by another process.
    func other() async throws -> any StateStore { try await open() }

    /// The state as a process reads it that opens it now.
    func reopened() async throws -> RecordedState { try await open().wholeState() }

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
