import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// What every store must keep of an occurrence's outcomes.
struct OccurrenceContractTests {
    @Test(arguments: StoreKind.allCases)
    func `opens an occurrence`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        let occurrence = RecordedOccurrence(
            campaign: "tide", revision: 3, due: .at(0.5), contentDigest: "sha256:1", target: "topic:tides")
        try await open.commit(.open(OccurrenceID(rawValue: "tide@2025-12-01T08:00:00Z#3"), occurrence))
        #expect(
            try await open.store.wholeState().occurrences == [
                OccurrenceID(rawValue: "tide@2025-12-01T08:00:00Z#3"): occurrence
            ])
    }

    @Test(arguments: StoreKind.allCases)
    func `what came of an occurrence stays when it gets other content`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(
            interned(3), .open(.tide, .sample()), .outcome(.tide, [1], .accepted),
            .outcome(.tide, [2], .unknown), .finish(.tide, at: .at(1)))
        try await open.commit(.amend(.tide, contentDigest: "sha256:2", target: "topic:winds", due: .at(9)))
        var changed = RecordedOccurrence.sample()
        (changed.contentDigest, changed.target, changed.due) = ("sha256:2", "topic:winds", .at(9))
        changed.accepted = [1]
        changed.unknown = [2]
        changed.finished = .at(1)
        #expect(try await open.store.wholeState().occurrences == [.tide: changed])
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            [.outcome(.tide, [1], .accepted)], [.outcome(.tide, [1], .intended)], [.reject(.tide, [1], code: "X")],
            [.skip(.tide, [1], .outsideWindow)],
            [.finish(.tide, at: .at(1))], [.rename(campaign: "tide", to: "high-tide")],
        ] as [[StateChange]])
    func `an occurrence with outcomes, or of another campaign, is not opened again, and nothing else is written`(
        _ kind: StoreKind, _ changes: [StateChange]
    ) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(interned(1), .open(.tide, .sample()))
        try await open.store.commit(changes)
        let before = try await open.store.wholeState()
        await #expect(throws: StateError.occurrenceTaken(.tide)) {
            try await open.store.commit([.spendPlan("p"), .open(.tide, .sample())])
        }
        #expect(try await open.store.wholeState() == before)
    }

    @Test(arguments: StoreKind.allCases)
    func `an occurrence that nobody was tried for gets the content it is opened with`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(interned(1), .open(.tide, .sample()), .outcome(.tide, [1], .deferred))
        var changed = RecordedOccurrence.sample()
        changed.contentDigest = "sha256:2"
        try await open.commit(.open(.tide, changed))
        #expect(try await open.store.wholeState().occurrences[.tide]?.contentDigest == "sha256:2")
    }

    @Test(arguments: StoreKind.allCases, LedgerEntry.allCases)
    func `moves recipients to one entry and out of the others`(_ kind: StoreKind, _ entry: LedgerEntry) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(.open(.tide, .sample()), .open(.wind, .sample("wind")))
        for (id, other) in LedgerEntry.allCases.enumerated() {
            try await open.commit(.outcome(.tide, [RecipientID(id)], other))
            try await open.commit(.outcome(.wind, [RecipientID(id)], other))
        }
        let before = try await open.store.wholeState().occurrences[.wind]
        let everybody = RecipientSet(LedgerEntry.allCases.indices.map { RecipientID($0) })
        try await open.commit(.outcome(.tide, everybody, entry))
        let state = try await open.store.wholeState()
        for other in LedgerEntry.allCases {
            #expect(state.occurrences[.tide]?[other] == (other == entry ? everybody : []))
        }
        #expect(state.occurrences[.wind] == before)
    }

    @Test(arguments: StoreKind.allCases)
    func `takes recipients back to not tried`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(.open(.tide, .sample()), .outcome(.tide, [1, 2, 3], .intended))
        try await open.commit(.outcome(.tide, [2], nil))
        #expect(try await open.store.wholeState().occurrences[.tide]?.tried == [1, 3])
    }

    @Test(arguments: StoreKind.allCases)
    func `outcome and end of an occurrence that was never opened leave no trace`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(.outcome(.tide, [1], .accepted), .finish(.tide, at: .at(0)))
        #expect(try await open.store.wholeState().occurrences.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `finishes an occurrence`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(
            .open(.tide, .sample()), .open(.wind, .sample("wind")), .finish(.tide, at: .at(2)))
        let occurrences = try await open.store.wholeState().occurrences
        #expect(occurrences[.tide]?.finished == .at(2))
        #expect(occurrences[.wind]?.finished == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps who was rejected with which code, until something else came of them`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(
            interned(5), .open(.tide, .sample()), .open(.wind, .sample("wind")),
            .reject(.tide, [1, 2, 3], code: "UNREGISTERED"), .reject(.wind, [1], code: "UNREGISTERED"))
        try await open.commit(
            .reject(.tide, [3, 4], code: "INVALID_ARGUMENT"), .outcome(.tide, [1], .accepted), .outcome(.tide, [2], nil)
        )
        let occurrences = try await open.reopened().occurrences
        #expect(occurrences[.tide]?.rejected == [3, 4])
        #expect(occurrences[.tide]?.accepted == [1])
        #expect(occurrences[.tide]?.codes == ["INVALID_ARGUMENT": [3, 4]])
        #expect(occurrences[.wind]?.codes == ["UNREGISTERED": [1]])
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps who was skipped and why, also as counts`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(
            interned(5), .open(.tide, .sample()), .reject(.tide, [1], code: "UNREGISTERED"),
            .skip(.tide, [2, 3, 4], .outsideWindow), .skip(.tide, [4, 5], .missed), .outcome(.tide, [3], nil))
        let tide = try #require(try await open.reopened().occurrences[.tide])
        #expect(tide.ledger?[.skipped] == [2, 4, 5])
        #expect(tide.codes == ["UNREGISTERED": [1], "outside_window": [2], "missed": [4, 5]])
        #expect(tide.ledger?.settled == [1, 2, 4, 5])
        try await open.commit(.finish(.tide, at: .at(1)), .prune([.tide]))
        let counts = try #require(try await open.reopened().occurrences[.tide]?.counts)
        #expect(counts[.skipped] == 3 && counts.settled == 4 && counts.tried == 1)
        #expect(counts.skips == [.outsideWindow: 1, .missed: 2])
        #expect(counts.rejections == ["UNREGISTERED": 1])
    }

    @Test(arguments: StoreKind.allCases)
    func `who is skipped was not tried, and the occurrence has begun`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(interned(1), .open(.tide, .sample()), .skip(.tide, [1], .missed))
        let tide = try #require(try await open.reopened().occurrences[.tide])
        #expect(!tide.hasTried && tide.hasBegun)
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps when a window closed while it was under way`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(.open(.tide, .sample()), .suspend(.tide, at: .at(3)), .suspend(.wind, at: .at(4)))
        #expect(try await open.reopened().occurrences[.tide]?.suspended == .at(3))
        try await open.commit(.suspend(.tide, at: .at(5)), .rename(campaign: "tide", to: "high-tide"))
        #expect(try await open.reopened().occurrences[.tide]?.suspended == .at(5))
    }

    @Test(arguments: StoreKind.allCases)
    func `what was dropped still counts for caps when its name is used again`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        let start = MessageStart(until: .at(1), tags: ["promo"])
        let again: [StateChange] = [.open(.tide, .sample()), .started(.tide, [1], start)]
        try await open.commit(interned(2))
        for _ in 0..<3 { try await open.store.commit(again + [.drop(.occurrence(.tide))]) }
        try await open.store.commit(
            again + [.started(.wind, [2], start), .drop(.campaign("tide")), .drop(.occurrence(.wind))])
        try await open.store.commit(again)
        let starts = try await open.reopened().starts
        let names = ["", " dropped #1", " dropped #2", " dropped #3", " dropped #4"]
        // Of an occurrence that the state does not have there is nothing to drop.
        #expect(Set(starts.keys) == Set(names.map { OccurrenceID(rawValue: "\(OccurrenceID.tide)\($0)") } + [.wind]))
        #expect(starts.filter { $0.key != .wind }.allSatisfy { $0.value == Partition(disjoint: [start: [1]]) })
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps when messages started that count for caps, whatever becomes of the occurrence`(
        _ kind: StoreKind
    ) async throws {
        let open = try await OpenStore(kind)
        let (early, late) = (
            MessageStart(until: .at(1), tags: ["news", "promo"]), MessageStart(until: .at(2), tags: [])
        )
        try await open.commit(
            interned(5), .open(.tide, .sample()), .counting(since: .at(0)), .started(.tide, [1, 2, 3], early),
            .started(.tide, [2, 4], late), .started(.wind, [1], early), .unstarted(.tide, [3]))
        let state = try await open.reopened()
        #expect(state.starts[.tide] == Partition(disjoint: [early: [1], late: [2, 4]]))
        #expect(state.starts[.wind] == Partition(disjoint: [early: [1]]))
        #expect(state.countingSince == .at(0))
        #expect(try await open.store.starts() == state.starts, "a run asks for nothing else")
        let trace = try await open.store.trace(of: 1)
        #expect(trace.starts.map(\.occurrence) == [.tide, .wind] && trace.starts.map(\.start) == [early, early])

        try await open.commit(
            .outcome(.tide, [1, 2, 4], .accepted), .finish(.tide, at: .at(3)), .prune([.tide]),
            .rename(campaign: "tide", to: "high"), .drop(.campaign("high")), .erase([2]))
        let later = try await open.reopened()
        let dropped = OccurrenceID(rawValue: "\(OccurrenceID.tide) dropped #1")
        #expect(later.starts[dropped] == Partition(disjoint: [early: [1], late: [4]]))
        try await open.commit(.forgetStarts(until: .at(1)))
        #expect(try await open.reopened().countingSince == .at(1), "a longer cap may come later")
        try await open.commit(.forgetStarts(until: .at(0.5)), .counting(since: nil), .forgetStarts(until: .at(1)))
        let last = try await open.reopened()
        #expect(last.starts == [dropped: Partition(disjoint: [late: [4]])] && last.countingSince == nil)
    }
}
