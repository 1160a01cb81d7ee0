import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// What every store must do when people remove what it need not keep: old ledgers, and a person's registration.
struct RemovingContractTests {
    /// `tide` is finished, `wind` is open, and both have the same outcomes.
    private func open(_ kind: StoreKind) async throws -> OpenStore {
        let open = try await OpenStore(kind)
        try await open.commit(interned(9))
        for (id, campaign) in [(OccurrenceID.tide, "tide"), (.wind, "wind")] {
            try await open.commit(
                .open(id, .sample(campaign)), .outcome(id, [1, 2, 70_000], .accepted), .outcome(id, [4], .abandoned),
                .reject(id, [7, 70_001], code: "UNREGISTERED"), .reject(id, [8], code: "INVALID_ARGUMENT"))
        }
        try await open.commit(.finish(.tide, at: .at(9)))
        return open
    }

    // MARK: Ledgers

    @Test(arguments: StoreKind.allCases)
    func `pruning an occurrence keeps its counts and no outcome of a recipient`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        let before = try await open.store.snapshot()
        try await open.commit(.prune([.tide, .wind, OccurrenceID(rawValue: "nothing@once")]))
        try await open.store.compact()
        #expect(try await open.store.snapshot() == before)
        let tide = try #require(try await open.reopened().occurrences[.tide])
        #expect(tide.ledger == nil)
        #expect(tide.counts == before.occurrences[.tide]?.counts)
        #expect(try await open.store.trace(of: 1).occurrences.map(\.id) == [.wind])
        // An open one stays whole.
        #expect(try await open.store.occurrence(.wind)?.accepted == [1, 2, 70_000])
    }

    @Test(arguments: StoreKind.allCases)
    func `nothing brings the ledger of a pruned occurrence back to life`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        try await open.commit(.prune([.tide]))
        let before = try await open.store.snapshot()
        try await open.commit(
            .reopen(.tide), .outcome(.tide, [3], .accepted), .reject(.tide, [4], code: "X"), .prune([.tide]))
        #expect(try await open.store.snapshot().occurrences == before.occurrences)
        try await open.commit(.drop(.occurrence(.tide)), .open(.tide, .sample()))
        #expect(try await open.reopened().occurrences[.tide] == .sample())
    }

    @Test(arguments: StoreKind.allCases)
    func `a pruned occurrence that nobody was tried for is finished all the same`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(.open(.tide, .sample()), .finish(.tide, at: .at(1)), .prune([.tide]))
        let tide = try #require(try await open.reopened().occurrences[.tide])
        #expect(tide.finished == .at(1))
        #expect(!tide.hasTried)
        #expect(tide.ledger == nil)
    }

    // MARK: People

    @Test(arguments: StoreKind.allCases)
    func `who is erased is nowhere but in a number that nobody else gets`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        try await open.commit(
            .members("tides", [1, 2], .preexisting, at: .at(0)), .groupMembers("chris", [1, 2], .member),
            .forget([9], at: .at(0)))
        try await open.commit(.erase([1, 9]))
        try await open.store.compact()
        let state = try await open.reopened()
        #expect(state.dead == [])
        #expect(state.topics["tides"]?.preexisting == [2])
        #expect(state.groups["chris"]?.members == [2])
        #expect(state.occurrences[.wind]?.accepted == [1, 2, 70_000])
        #expect(state.nextRecipient == 10)
        #expect(try await open.store.registrations(of: [1, 2, 9]) == [2: .fid(2)])
        #expect(try await open.store.recipient(for: Registration.fid(1).recipientKey) == nil)
        // 9 was the highest number.
        #expect(try await open.store.intern([Arrival(.fid(9))], comparedUpTo: 8) == [10])
        try await open.commit(.erase([10]), .erase([8]), .erase([]))
        #expect(try await open.store.intern([Arrival(.fid(1))], comparedUpTo: 8) == [11])
    }

    @Test(arguments: StoreKind.allCases)
    func `erasing makes every cache of the numbers invalid`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        let before = try await open.store.numbering()
        try await open.commit(.erase([3]))
        let after = try await open.store.numbering()
        #expect(before == nil || before != after)
    }

    /// The row of another registration may have the zone that counts now. A person says so, or FCM when it leaves a topic.
    @Test(arguments: StoreKind.allCases, [true, false])
    func `the death of an earlier registration does so, too`(_ kind: StoreKind, _ isInTopic: Bool) async throws {
        let open = try await open(kind)
        try await open.commit(
            .members("tides", [3], .managed, at: .at(0)), .supersede([3]), .register([3: .token(3)]))
        let formers = RecipientSet(try await open.store.snapshot().formers.keys.sorted())
        #expect(formers.count == 1)
        let before = try await open.store.numbering()
        try await open.commit(
            isInTopic
                ? .forget(formers, at: .at(0))
                : .died(Tombstone(recipient: 3, registration: .fid(3), died: .at(0))))
        let after = try await open.store.numbering()
        #expect(before == nil || before != after)
        // That somebody has no living registration any more is no reason: the sets stay the same.
        try await open.commit(.forget([4], at: .at(0)))
        #expect(try await open.store.numbering() == after)
    }
}
