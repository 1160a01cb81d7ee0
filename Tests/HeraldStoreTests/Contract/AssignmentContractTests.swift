import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// What every store must keep of who gets which text of a personal campaign.
struct AssignmentContractTests {
    /// Two variants and a holdout, with and without a locale's text, on both sides of the border between two chunks.
    private static let classes = Partition<MessageClass>(disjoint: [
        MessageClass(variant: "a"): [1, 65_535], MessageClass(variant: "b"): [2, 70_000],
        MessageClass(locale: "it", variant: "a"): [3, 65_536],
        MessageClass(locale: "it", variant: "none", isHoldout: true): [4],
        MessageClass(locale: "pt-BR", variant: "none"): [5],
        MessageClass(locale: "pt-BR", variant: "none", isHoldout: true): [6],
    ])

    private static let others = Partition<MessageClass>(disjoint: [
        MessageClass(locale: "it"): [2, 4], MessageClass(): [1, 70_001], MessageClass(locale: "it", variant: "a"): [9],
    ])

    /// `tide` and `wind` are open. `tide` has been assigned.
    private func open(_ kind: StoreKind) async throws -> OpenStore {
        let open = try await OpenStore(kind)
        try await open.commit(
            interned(9), .open(.tide, .sample()), .assign(.tide, Self.classes), .open(.wind, .sample("wind")))
        return open
    }

    /// As a plan, a command and another process read it.
    private func expect(
        _ classes: Partition<MessageClass>?, in open: OpenStore, of id: OccurrenceID = .tide,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let occurrences = try await open.store.snapshot().occurrences
        #expect(occurrences[id]?.classes == classes, sourceLocation: location)
        #expect(try await open.store.occurrence(id)?.classes == classes, sourceLocation: location)
        #expect(try await open.other().snapshot().occurrences == occurrences, sourceLocation: location)
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps who gets which text, holdouts too`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        try await expect(Self.classes, in: open)
        try await expect(Partition(), in: open, of: .wind)
        #expect(try await open.store.occurrence(.tide)?.ledger == Ledger())
        try await open.commit(.assign(.wind, Self.others))
        try await expect(Self.others, in: open, of: .wind)
        try await expect(Self.classes, in: open)
        try await open.store.check()
    }

    @Test(arguments: StoreKind.allCases, [Self.others, Partition(), Self.classes])
    func `takes the place of all that was assigned before`(
        _ kind: StoreKind, _ classes: Partition<MessageClass>
    ) async throws {
        let open = try await open(kind)
        try await open.commit(.assign(.tide, classes))
        try await expect(classes, in: open)
    }

    @Test(arguments: StoreKind.allCases)
    func `outcomes, a new name, other content and a person's removal leave it as it is`(_ kind: StoreKind) async throws
    {
        let open = try await open(kind)
        try await open.commit(
            .outcome(.tide, [1], .accepted), .reject(.tide, [3], code: "INVALID_ARGUMENT"), .outcome(.tide, [2], nil),
            .rename(campaign: "tide", to: "ebb"),
            .amend(.tide, contentDigest: "sha256:2", target: "audience:all", due: nil), .forget([1], at: .at(0)),
            .supersede([2]), .halt(.tide, .failedOver))
        try await open.commit(.erase([1, 4]))
        try await open.store.compact()
        try await expect(Self.classes, in: open)
    }

    @Test(arguments: StoreKind.allCases)
    func `an occurrence that is opened again has nothing assigned`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        var again = RecordedOccurrence.sample(digest: "sha256:2")
        again.classes = Self.others
        try await open.commit(.open(.tide, again))
        try await expect(Partition(), in: open)
        try await open.commit(.open(.tide, again), .assign(.tide, Self.others))
        try await expect(Self.others, in: open)
    }

    @Test(arguments: StoreKind.allCases)
    func `of a finished occurrence it is read when somebody asks for that one`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        try await open.commit(.finish(.tide, at: .at(9)))
        #expect(try await open.store.snapshot().occurrences[.tide]?.classes == Partition())
        #expect(try await open.reopened().occurrences[.tide]?.classes == Self.classes)
        try await open.commit(.reopen(.tide))
        try await expect(Self.classes, in: open)
    }

    @Test(arguments: StoreKind.allCases)
    func `pruning and dropping remove it, and nothing brings it back`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        try await open.commit(
            .outcome(.tide, [1], .accepted), .finish(.tide, at: .at(9)), .assign(.wind, Self.others),
            .prune([.tide, .wind]))
        try await open.commit(.assign(.tide, Self.classes), .reopen(.tide))
        try await expect(Partition(), in: open)
        #expect(try await open.store.trace(of: 1).occurrences.map(\.id) == [.wind])
        try await open.commit(.drop(.occurrence(.tide)), .drop(.campaign("wind")))
        try await open.commit(.assign(.tide, Self.classes))
        #expect(try await open.reopened().occurrences.isEmpty)
        try await open.commit(.open(.tide, .sample()), .open(.wind, .sample("wind")))
        try await expect(Partition(), in: open)
        try await expect(Partition(), in: open, of: .wind)
    }

    @Test(arguments: StoreKind.allCases)
    func `a commit that fails assigns nothing`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        try await open.commit(.outcome(.wind, [1], .accepted))
        await #expect(throws: StateError.occurrenceTaken(.wind)) {
            try await open.commit(.assign(.tide, Self.others), .open(.wind, .sample("wind")))
        }
        try await expect(Self.classes, in: open)
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            (1, .accepted, MessageClass(variant: "a")), (3, nil, MessageClass(locale: "it", variant: "a")),
            (4, nil, MessageClass(locale: "it", variant: "none", isHoldout: true)), (8, .accepted, nil),
        ] as [(RecipientID, LedgerEntry?, MessageClass?)])
    func `finds a recipient's text, also of who was not tried, until it is pruned`(
        _ kind: StoreKind, _ place: (id: RecipientID, entry: LedgerEntry?, messageClass: MessageClass?)
    ) async throws {
        let open = try await open(kind)
        try await open.commit(.outcome(.tide, [1, 8], .accepted))
        let expected = [Trace.OccurrencePlace(id: .tide, entry: place.entry, code: nil, place.messageClass)]
        #expect(try await open.store.trace(of: place.id).occurrences == expected)
        try await open.commit(.finish(.tide, at: .at(9)))
        let isSkipped = place.entry == nil && place.messageClass?.isHoldout == false
        let ended = Trace.OccurrencePlace(
            id: .tide, entry: isSkipped ? .skipped : place.entry, code: isSkipped ? "not_tried" : nil,
            place.messageClass)
        #expect(try await open.store.trace(of: place.id).occurrences == [ended])
        try await open.commit(.prune([.tide]))
        #expect(try await open.store.trace(of: place.id).occurrences.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps a million recipients in ten texts`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        var sets: [MessageClass: RecipientSet] = [:]
        for part in 0..<10 {
            let members = stride(from: RecipientID(part + 1), through: 1_000_000, by: 10)
            sets[MessageClass(locale: part < 5 ? nil : "it", variant: "v\(part % 5)")] = RecipientSet(Array(members))
        }
        let classes = Partition<MessageClass>(disjoint: sets)
        try await open.commit(.assign(.tide, classes))
        try await expect(classes, in: open)
        #expect(classes.all.count == 1_000_000)
    }
}
