import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// What every store must do in a commit.
struct CommitContractTests {
    @Test(arguments: StoreKind.allCases)
    func `changes of one commit take place in their order`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(
            .open(.tide, .sample()), .outcome(.tide, [1, 2], .intended),
            .outcome(.tide, [1], .accepted), .outcome(.tide, [2], nil),
            .members("tides", [1], .managed, at: .at(0)),
            .members("tides", [1], nil, at: .at(1)))
        let state = try await open.store.wholeState()
        #expect(state.occurrences[.tide]?.accepted == [1])
        #expect(state.occurrences[.tide]?.tried == [1])
        #expect(state.topics["tides"]?.managed == [])
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            ([.register([1: .fid(1)])], 0), ([.spendPlan("p")], 0), ([.audienceSizes(["a": 1])], 0), ([], 0),
            ([.members("t", [1], .managed, at: .at(0))], 1), ([.members("t", [1], nil, at: .at(0))], 1),
            ([.open(.tide, .sample())], 1), ([.outcome(.tide, [1], .accepted)], 1),
            ([.assign(.tide, Partition())], 1), ([.finish(.tide, at: .at(0))], 1), ([.watermark("tide", .at(0))], 0),
            ([.register([1: .fid(1)]), .forget([1], at: .at(0))], 1), ([.spendPlan("p"), .open(.tide, .sample())], 1),
            ([.open(.tide, .sample()), .finish(.tide, at: .at(0))], 1), ([.reopen(.tide)], 1),
            ([.reject(.tide, [1], code: "X")], 1), ([.groupKey("g", nil)], 1), ([.groupMembers("g", [1], .member)], 1),
            ([.rename(campaign: "a", to: "b")], 1), ([.reviveMigrated], 1), ([.supersede([1])], 1),
            ([.drop(.topic("t"))], 1),
            ([.pause(nil)], 0), ([.resume("tide")], 0), ([.topicAPI(.iid, at: .at(7))], 0),
            ([.sendQuota(600_000, at: .at(7))], 0),
            ([.test(.init(campaign: "c", at: .at(0), accepted: 1, rejected: 0, unknown: 0))], 0),
        ] as [([StateChange], Int64)])
    func `the serial moves by one with a commit that has an effect`(
        _ kind: StoreKind, _ commit: (changes: [StateChange], moves: Int64)
    ) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(.watermark("first", .at(0)))
        let before = try await open.store.wholeState().serial
        try await open.store.commit(commit.changes)
        #expect(try await open.store.wholeState().serial == before + commit.moves)
    }

    @Test(arguments: StoreKind.allCases)
    func `commits at the same time are all kept`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(interned(40), .open(.tide, .sample()))
        let store = open.store
        try await withThrowingTaskGroup { group in
            for id in 1...40 as ClosedRange<RecipientID> {
                group.addTask { try await store.commit([.outcome(.tide, [id], .accepted)]) }
            }
            try await group.waitForAll()
        }
        let state = try await open.store.wholeState()
        #expect(state.occurrences[.tide]?.accepted == RecipientSet(1...40))
        #expect(state.serial == 41)
    }
}
