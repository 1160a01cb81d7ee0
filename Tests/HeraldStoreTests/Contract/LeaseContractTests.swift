import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// What every store must do with leases: only one run at a time can write.
struct LeaseContractTests {
    @Test(arguments: StoreKind.allCases)
    func `each lease has a higher number than those before it`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        let other = try await open.other()
        let leases = [
            try await open.store.lease(to: "one"), try await other.lease(to: "two"),
            try await open.store.lease(to: "one"),
        ]
        #expect(leases.map(\.holder) == ["one", "two", "one"])
        #expect(leases[0].epoch < leases[1].epoch)
        #expect(leases[1].epoch < leases[2].epoch)
    }

    @Test(arguments: StoreKind.allCases)
    func `who lost the lease writes nothing more`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        let other = try await open.other()
        let first = try await open.store.lease(to: "one")
        try await open.store.commit([.open(.tide, .sample()), .outcome(.tide, [1], .intended)], under: first)
        let second = try await other.lease(to: "two")
        await #expect(throws: StateError.leaseLost(holder: "one")) {
            try await open.store.commit([.spendPlan("p"), .outcome(.tide, [1], .accepted)], under: first)
        }
        let state = try await open.reopened()
        #expect(state.spentPlans.isEmpty)
        #expect(state.occurrences[.tide]?.intended == [1])
        #expect(state.serial == 1)
        try await other.commit([.outcome(.tide, [1], .unknown)], under: second)
        #expect(try await open.reopened().occurrences[.tide]?.unknown == [1])
    }

    @Test(arguments: StoreKind.allCases)
    func `a lease alone changes nothing that plans see`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(.open(.tide, .sample()))
        let before = try await open.store.snapshot()
        _ = try await open.store.lease(to: "one")
        #expect(try await open.store.snapshot() == before)
    }

    @Test(arguments: StoreKind.allCases)
    func `what a person says needs no lease, whoever has one`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        let lease = try await open.store.lease(to: "one")
        try await open.other().commit([.pause("tide")])
        try await open.store.commit([.watermark("tide", .at(1))], under: lease)
        let state = try await open.reopened()
        #expect(state.pauses.campaigns == ["tide"])
        #expect(state.watermarks == ["tide": .at(1)])
    }

    @Test(arguments: StoreKind.allCases)
    func `a run's store commits under its lease`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        let run = try await LeasedStore(open.store, at: open.store.snapshot().version, holder: "one")
        try await run.commit([.open(.tide, .sample())])
        try await run.commit([.pause("tide")])
        #expect(run.version == (try await open.reopened().version))
        _ = try await open.other().lease(to: "two")
        await #expect(throws: StateError.leaseLost(holder: "one")) { try await run.commit([.spendPlan("p")]) }
        #expect(try await run.snapshot().occurrences[.tide] != nil)
    }
}
