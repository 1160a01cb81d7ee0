import HeraldCore
import HeraldTestSupport
import Testing

/// What every store keeps of the runs and commands that changed a state.
struct StampContractTests {
    @Test(arguments: StoreKind.allCases)
    func `stamps are numbered in their order, and change nothing else`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        #expect(try await open.store.history() == History(lineage: "lineage", stamps: Stamps()))
        try await open.commit(.stamp("a"), .pause("tides"))
        try await open.commit(.stamp("b"))
        let state = try await open.reopened()
        #expect(state.stamps == Stamps([Stamp(number: 1, id: "a"), Stamp(number: 2, id: "b")]))
        #expect(try await open.store.history() == state.history)
        #expect(state.serial == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `the newest stamps are kept`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        let ids = (1...Stamps.kept + 3).map { "s\($0)" }
        try await open.store.commit(ids.map { .stamp($0) })
        let stamps = try await open.reopened().stamps
        #expect(stamps.last == Stamp(number: Int64(ids.count), id: "s\(ids.count)"))
        #expect(!stamps.include(Stamp(number: 3, id: "s3")))
        #expect(!stamps.lack(Stamp(number: 3, id: "s3")))
        #expect(stamps.include(Stamp(number: 4, id: "s4")))
        #expect(stamps.lack(Stamp(number: 4, id: "other")))
    }

    @Test(arguments: StoreKind.allCases)
    func `a state that a person accepted is newer than all stamps elsewhere`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(.stamp("a"), .stamp("b"))
        try await open.commit(.stamp("c", outgrowing: 9))
        #expect(try await open.reopened().stamps == Stamps([Stamp(number: 10, id: "c")]))
        try await open.commit(.stamp("d", outgrowing: 3), .stamp("e"))
        let stamps = try await open.reopened().stamps
        #expect(stamps == Stamps([Stamp(number: 11, id: "d"), Stamp(number: 12, id: "e")]))
        for lost in [Stamp(number: 2, id: "b"), Stamp(number: 9, id: "x"), Stamp(number: 10, id: "y")] {
            #expect(!stamps.lack(lost))
        }
        #expect(stamps.lack(Stamp(number: 12, id: "y")))
        #expect(stamps.lack(Stamp(number: 13, id: "z")))
    }
}
