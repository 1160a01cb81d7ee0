import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// What every store must keep of occurrences in local time.
struct WaveContractTests {
    private static let local = LocalTime(year: 2026, month: 12, day: 1, hour: 9)
    private static let (tokyo, rome) = (Date.at(0), Date.at(8 * 3600))

    /// On both sides of the border between two chunks.
    private static let waves = Partition<Date>(disjoint: [tokyo: [1, 65_535], rome: [2, 70_000]])

    private static var occurrence: RecordedOccurrence {
        var occurrence = RecordedOccurrence.sample()
        (occurrence.local, occurrence.due) = (local, local.firstInstant)
        return occurrence
    }

    private func open(_ kind: StoreKind) async throws -> OpenStore {
        let open = try await OpenStore(kind)
        try await open.commit(
            interned(9), .open(.tide, Self.occurrence),
            .assign(.tide, Partition(disjoint: [MessageClass(): Self.waves.all])), .waves(.tide, Self.waves))
        return open
    }

    private func expect(
        _ waves: Partition<Date>, in open: OpenStore, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let occurrences = try await open.store.snapshot().occurrences
        #expect(occurrences[.tide]?.waves == waves, sourceLocation: location)
        #expect(try await open.store.occurrence(.tide)?.waves == waves, sourceLocation: location)
        #expect(try await open.other().snapshot().occurrences == occurrences, sourceLocation: location)
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps the local time and who is in which wave`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        try await expect(Self.waves, in: open)
        #expect(try await open.other().snapshot().occurrences[.tide]?.local == Self.local)
        // More of them come, and whoever is in another one leaves it.
        try await open.commit(.waves(.tide, Partition(disjoint: [Self.rome: [3], Self.rome + 3600: [1]])))
        try await expect(
            Partition(disjoint: [
                Self.tokyo: [65_535], Self.rome: [2, 3, 70_000], Self.rome + 3600: [1],
            ]), in: open)
        try await open.store.check()
    }

    @Test(arguments: StoreKind.allCases)
    func `nobody is in a wave of an occurrence that is for nobody, or opened again`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        try await open.commit(.assign(.tide, Partition()))
        try await expect(Partition(), in: open)
        // Whoever has it may stay in their wave.
        try await open.commit(.assign(.tide, Partition()), .waves(.tide, Self.waves))
        try await expect(Self.waves, in: open)
        try await open.commit(.waves(.tide, Self.waves), .open(.tide, .sample()))
        try await expect(Partition(), in: open)
        #expect(try await open.store.occurrence(.tide)?.local == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `gives and takes the local time with other content`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        let due = Date.at(5)
        try await open.commit(.amend(.tide, contentDigest: "sha256:2", target: "audience:all", due: due))
        let zoned = try #require(try await open.other().snapshot().occurrences[.tide])
        #expect(zoned.local == nil && zoned.due == due)
        try await open.commit(
            .amend(.tide, contentDigest: "sha256:2", target: "audience:all", due: due, local: Self.local))
        #expect(try await open.other().snapshot().occurrences[.tide]?.local == Self.local)
    }

    @Test(arguments: StoreKind.allCases)
    func `pruning and dropping remove waves, and nothing brings them back`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        try await open.commit(.finish(.tide, at: .at(9)), .prune([.tide]))
        try await open.commit(.waves(.tide, Self.waves))
        #expect(try await open.store.occurrence(.tide)?.waves == Partition())
        try await open.commit(.drop(.occurrence(.tide)))
        try await open.commit(.waves(.tide, Self.waves), .open(.tide, Self.occurrence))
        try await expect(Partition(), in: open)
        try await open.store.check()
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps since when a campaign is followed, through a rename`(_ kind: StoreKind) async throws {
        let open = try await open(kind)
        let mark = Watermark(at: .at(60), schedule: "local at", next: nil, first: .at(7))
        try await open.commit(.watermark("tide", mark))
        #expect(try await open.other().snapshot().watermarks["tide"] == mark)
        try await open.commit(.rename(campaign: "tide", to: "ebb"))
        #expect(try await open.other().snapshot().watermarks == ["ebb": mark])
        try await open.commit(.watermark("ebb", Watermark(at: .at(61), schedule: "cron", next: nil)))
        #expect(try await open.other().snapshot().watermarks["ebb"]?.first == nil)
    }
}
