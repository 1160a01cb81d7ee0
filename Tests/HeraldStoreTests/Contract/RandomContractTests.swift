import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// Random changes have the same effect on every store as on the value in memory.
struct RandomContractTests {
    @Test(arguments: StoreKind.allCases, 0..<30 as Range<UInt64>)
    func `any changes give the state that the value itself gives, also reopened`(_ kind: StoreKind, seed: UInt64)
        async throws
    {
        let open = try await OpenStore(kind)
        var expected = RecordedState(identity: OpenStore.identity)
        var changes = RandomChanges(seed: seed)
        for commit in 0..<12 {
            let batch = changes.batch()
            expected.apply(batch)
            try await open.store.commit(batch)
            #expect(try await open.store.snapshot() == expected.snapshot, "seed \(seed), commit \(commit)")
            #expect(try await open.store.wholeState() == expected, "seed \(seed), commit \(commit)")
            for id in changes.someIDs(3) {
                #expect(try await open.store.trace(of: id) == expected.trace(of: id), "seed \(seed), \(id)")
            }
        }
        #expect(try await open.reopened() == expected, "seed \(seed)")
        let formers = try await open.store.registrations(of: RecipientSet(expected.formers.keys.sorted()))
        #expect(formers.count == expected.formers.count, "seed \(seed)")
        #expect(try await open.store.registrations(of: changes.everybody) == changes.registrations, "seed \(seed)")
    }
}
