internal import Foundation
internal import GRDB
internal import HeraldCore

/// A table of recipient sets. Each owner (a topic, an occurrence) has a `Partition`, whose sets are stored chunk by
/// chunk.
struct ChunkTable<State: RawRepresentable & Hashable & Sendable> where State.RawValue == Int {
    let name: String
    let owner: String
    /// `nil` if the states are rows of another table.
    let states: [State]?
}

extension ChunkTable<Membership> {
    static var membership: Self { .init(name: "membership", owner: "topic", states: Membership.allCases) }
}

extension ChunkTable<GroupMembership> {
    static var groupMembership: Self {
        .init(name: "group_membership", owner: "device_group", states: GroupMembership.allCases)
    }
}

extension ChunkTable<LedgerEntry> {
    static var ledger: Self { .init(name: "ledger", owner: "occurrence", states: LedgerEntry.allCases) }
}

extension ChunkTable<CodeNumber> {
    static var rejection: Self { .init(name: "rejection", owner: "occurrence", states: nil) }
}

extension ChunkTable<ClassNumber> {
    static var assignment: Self { .init(name: "assignment", owner: "occurrence", states: nil) }
}

extension ChunkTable<WaveSecond> {
    static var wave: Self { .init(name: "wave", owner: "occurrence", states: nil) }
}

extension ChunkTable<StartNumber> {
    static var start: Self { .init(name: "start", owner: "counted", states: nil) }
}

extension ChunkTable<ObservationTime> {
    static var observation: Self { .init(name: "observation", owner: "reading", states: nil) }
}

/// A row of the table `code`.
struct CodeNumber: RawRepresentable, Hashable, Sendable {
    let rawValue: Int
}
