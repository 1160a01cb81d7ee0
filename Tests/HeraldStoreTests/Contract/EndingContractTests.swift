import FCM
import HeraldCore
import HeraldTestSupport
import Testing

/// What every store must keep of who is to be tried again, and what it writes when an occurrence ends.
struct EndingContractTests {
    /// Two were rejected and two have an unknown outcome. A person has all four tried again.
    private func open(_ kind: StoreKind) async throws -> OpenStore {
        let open = try await OpenStore(kind)
        try await open.commit(
            interned(8), .open(.tide, .sample()), .open(.wind, .sample("wind")),
            .reject(.tide, [1, 2], code: "UNREGISTERED"), .outcome(.tide, [3, 4], .unknown),
            .reject(.wind, [1], code: "UNREGISTERED"))
        try await open.commit(.outcome(.tide, [1, 2, 3, 4], .again))
        return open
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps what came of those who are tried again, until something else does`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        let tide = try #require(try await open.reopened().occurrences[.tide])
        #expect(tide[.again] == [1, 2, 3, 4])
        #expect(tide.codes == ["UNREGISTERED": [1, 2]])
        #expect(tide.ledger?.resent == [3, 4])
        #expect(tide.ledger?.settled == [])
        #expect(tide.hasBegun)
        #expect(tide.counts.rejections == [:] && tide.counts.uncertain == 0)
        try await open.commit(.outcome(.tide, [1, 3], .intended), .outcome(.tide, [1, 3], .accepted))
        #expect(try await open.reopened().occurrences[.tide]?.codes == ["UNREGISTERED": [2]])
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps it also of those whom the next try does not reach`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        try await open.commit(.outcome(.tide, [1, 3], .intended))
        try await open.commit(.reject(.tide, [1], code: "UNREGISTERED"), .outcome(.tide, [1, 3], .again))
        let tide = try #require(try await open.reopened().occurrences[.tide])
        #expect(tide[.again] == [1, 2, 3, 4] && tide.codes == ["UNREGISTERED": [1, 2]])
        #expect(tide.ledger?.resent == [3, 4])
    }

    @Test(arguments: StoreKind.allCases)
    func `gives those back what came of them who are not tried again after all`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        try await open.commit(.outcome(.tide, [8], .accepted), .restore(.tide, [2, 3, 7, 8]), .restore(.wind, [1]))
        let occurrences = try await open.reopened().occurrences
        let tide = try #require(occurrences[.tide])
        #expect(tide.rejected == [2] && tide.unknown == [3] && tide[.again] == [1, 4] && tide.accepted == [8])
        #expect(tide.codes == ["UNREGISTERED": [1, 2]])
        #expect(tide.counts.rejections == ["UNREGISTERED": 1])
        #expect(occurrences[.wind]?.rejected == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func `everybody whom it is for has an outcome once it has ended`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        try await open.commit(
            .assign(
                .tide,
                Partition(disjoint: [
                    MessageClass(variant: "a"): [1, 2, 3, 4, 5, 6], MessageClass(variant: "none", isHoldout: true): [7],
                ])), .outcome(.tide, [1], .accepted), .outcome(.tide, [5], .deferred), .finish(.tide, at: .at(1)))
        let occurrences = try await open.reopened().occurrences
        let tide = try #require(occurrences[.tide])
        #expect(tide.accepted == [1] && tide.rejected == [2, 5] && tide.unknown == [3, 4])
        #expect(tide.deferred == [] && tide[.skipped] == [6])
        #expect(tide.codes == ["UNREGISTERED": [2], "UNAVAILABLE": [5], "not_tried": [6]])
        #expect(occurrences[.wind]?.finished == nil)
        try await open.commit(.prune([.tide]))
        let counts = try #require(try await open.reopened().occurrences[.tide]?.counts)
        #expect(counts.rejections == ["UNREGISTERED": 1, "UNAVAILABLE": 1])
        #expect(counts.skips == [.notTried: 1] && counts.uncertain == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `whom FCM refused for now until it ended was tried, and may be tried again`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(
            interned(2), .open(.tide, .sample()), .open(.wind, .sample("wind")), .outcome(.tide, [1, 2], .deferred),
            .outcome(.wind, [1], .deferred))
        #expect(try await open.reopened().occurrences[.tide]?.hasTried == false)
        try await open.commit(.finish(.tide, at: .at(1)))
        let snapshot = try await open.store.snapshot()
        #expect(snapshot.occurrences[.tide]?.hasTried == true)
        #expect(snapshot.occurrences[.tide]?.counts.rejections == ["UNAVAILABLE": 2])
        #expect(snapshot.occurrences[.wind]?.deferred == [1])
        try await open.commit(.reopen(.tide), .outcome(.tide, [1], .again))
        let tide = try #require(try await open.reopened().occurrences[.tide])
        #expect(tide[.again] == [1] && tide.rejected == [2] && tide.codes == ["UNAVAILABLE": [1, 2]])
    }
}
