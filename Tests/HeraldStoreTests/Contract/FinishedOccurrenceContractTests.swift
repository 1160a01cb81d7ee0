import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// What every store must do with finished occurrences: a snapshot has their counts, a single occurrence has all of it.
struct FinishedOccurrenceContractTests {
    /// Two occurrences with the same outcomes. `tide` is finished: there, whom FCM refused for now is rejected.
    private func open(_ kind: StoreKind) async throws -> OpenStore {
        let open = try await OpenStore(kind)
        try await open.commit(
            interned(9), .members("tides", [1, 70_000], .managed, at: .at(0)), .forget([9], at: .at(0)))
        for (id, campaign) in [(OccurrenceID.tide, "tide"), (.wind, "wind")] {
            try await open.commit(
                .open(id, .sample(campaign)), .outcome(id, [1, 2, 70_000], .accepted), .outcome(id, [3], .unknown),
                .outcome(id, [4], .intended), .outcome(id, [5], .deferred), .outcome(id, [6], .abandoned),
                .reject(id, [7, 70_001], code: "UNREGISTERED"), .reject(id, [8], code: "INVALID_ARGUMENT"))
        }
        try await open.commit(.finish(.tide, at: .at(9)))
        return open
    }

    @Test(arguments: StoreKind.allCases)
    func `a snapshot has the ledgers of open occurrences, and of finished ones counts`(_ kind: StoreKind) async throws {
        let occurrences = try await open(kind).store.snapshot().occurrences
        let counts = LedgerCounts(
            entries: [.accepted: 3, .rejected: 4, .unknown: 1, .intended: 1, .abandoned: 1],
            codes: ["UNREGISTERED": 2, "INVALID_ARGUMENT": 1, "UNAVAILABLE": 1])
        var expected = RecordedOccurrence.sample()
        expected.finished = .at(9)
        expected.outcomes = .counts(counts)
        #expect(occurrences[.tide] == expected)
        let wind = try #require(occurrences[.wind]?.ledger)
        #expect(wind[.accepted] == [1, 2, 70_000])
        #expect(wind.codes["UNREGISTERED"] == [7, 70_001])
        #expect(wind[.deferred] == [5])
        #expect(LedgerCounts(wind.ended()) == counts)
    }

    @Test(arguments: StoreKind.allCases)
    func `an occurrence that is asked for is whole, finished or not`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        let tide = try #require(try await open.store.occurrence(.tide))
        #expect(tide.finished == .at(9))
        #expect(tide.uncertain == [3, 4])
        #expect(tide.rejected == [5, 7, 8, 70_001])
        #expect(tide.codes == ["UNREGISTERED": [7, 70_001], "INVALID_ARGUMENT": [8], "UNAVAILABLE": [5]])
        #expect(try await open.store.occurrence(.wind)?.ledger?.ended() == tide.ledger)
        #expect(try await open.store.occurrence(OccurrenceID(rawValue: "ebb@once")) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `who is reopened has the ledger of before`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        let before = try await open.store.occurrence(.tide)?.outcomes
        try await open.commit(.reopen(.tide))
        let tide = try #require(try await open.store.snapshot().occurrences[.tide])
        #expect(tide.finished == nil)
        #expect(tide.outcomes == before)
    }

    @Test(arguments: StoreKind.allCases)
    func `what a person settles afterwards is counted`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        try await open.commit(.outcome(.tide, [3, 4], .accepted), .outcome(.tide, [7], nil))
        let counts = try #require(try await open.store.snapshot().occurrences[.tide]?.counts)
        #expect(counts[.accepted] == 5)
        #expect(counts.uncertain == 0)
        #expect(counts[.rejected] == 3)
        #expect(counts.rejections == ["UNREGISTERED": 1, "INVALID_ARGUMENT": 1, "UNAVAILABLE": 1])
        #expect(counts.tried == 9)
        try await open.commit(.rename(campaign: "tide", to: "ebb"))
        #expect(try await open.store.snapshot().occurrences[.tide]?.campaign == "ebb")
        #expect(try await open.store.occurrence(.tide)?.accepted == [1, 2, 3, 4, 70_000])
        try await open.commit(.drop(.occurrence(.tide)))
        #expect(try await open.store.snapshot().occurrences.keys.map { $0 } == [.wind])
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            (1, .accepted, nil), (7, .rejected, "UNREGISTERED"), (8, .rejected, "INVALID_ARGUMENT"),
            (70_001, .rejected, "UNREGISTERED"),
        ] as [(RecipientID, LedgerEntry, String?)])
    func `finds a recipient in finished occurrences as well`(
        _ kind: StoreKind, _ place: (id: RecipientID, entry: LedgerEntry, code: String?)
    ) async throws {
        let trace = try await open(kind).store.trace(of: place.id)
        let expected = [OccurrenceID.tide, .wind].map {
            Trace.OccurrencePlace(id: $0, entry: place.entry, code: place.code)
        }
        #expect(trace.occurrences == expected)
        #expect(trace.topics.map(\.name) == (place.id == 1 || place.id == 70_000 ? ["tides"] : []))
        #expect(!trace.isDead)
    }

    @Test(arguments: StoreKind.allCases)
    func `finds whom FCM refused for now as rejected once it has ended`(_ kind: StoreKind) async throws {
        let trace = try await open(kind).store.trace(of: 5)
        #expect(
            trace.occurrences == [
                .init(id: .tide, entry: .rejected, code: "UNAVAILABLE"), .init(id: .wind, entry: .deferred, code: nil),
            ])
    }

    @Test(arguments: StoreKind.allCases)
    func `finds groups, and says who is dead or nowhere`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        try await open.commit(.groupMembers("chris", [2], .member), .groupMembers("ann", [2], .adding))
        let trace = try await open.store.trace(of: 2)
        #expect(trace.groups.map(\.name) == ["ann", "chris"])
        #expect(trace.groups.map(\.membership) == [.adding, .member])
        #expect(try await open.store.trace(of: 9) == Trace(isDead: true))
        #expect(try await open.store.trace(of: 10) == Trace(isDead: false))
    }

    @Test(arguments: StoreKind.allCases)
    func `takes an occurrence's end back`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(.open(.tide, .sample()), .finish(.tide, at: .at(1)), .reopen(.tide))
        #expect(try await open.store.wholeState().occurrences[.tide]?.finished == nil)
    }
}
