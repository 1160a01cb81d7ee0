import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// What every store must keep of topics, groups and dead registrations.
struct MembershipContractTests {
    @Test(arguments: StoreKind.allCases, Membership.allCases)
    func `puts members into one relation and out of the others`(_ kind: StoreKind, _ membership: Membership)
        async throws
    {
        let open = try await OpenStore(kind)
        try await open.commit(
            interned(4), .members("tides", [1], .subscribing, at: .at(0)), .members("tides", [2], .managed, at: .at(1)),
            .members("tides", [3], .preexisting, at: .at(2)), .members("winds", [1, 2, 3], .managed, at: .at(3)))
        try await open.commit(.members("tides", [1, 2, 3, 4], membership, at: .at(4.25)))
        let topics = try await open.store.wholeState().topics
        for other in Membership.allCases {
            #expect(topics["tides"]?.recipients[other] == (other == membership ? [1, 2, 3, 4] : []))
        }
        #expect(topics["tides"]?.changed == .at(4.25))
        #expect(topics["winds"]?.managed == [1, 2, 3])
        #expect(topics["winds"]?.changed == .at(3))
    }

    @Test(arguments: StoreKind.allCases)
    func `takes members out of a topic, the others stay`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(
            interned(4), .members("tides", [1, 2], .managed, at: .at(0)),
            .members("tides", [3, 4], .preexisting, at: .at(0)))
        try await open.commit(.members("tides", [2, 3], nil, at: .at(1)))
        let topic = try await open.store.wholeState().topics["tides"]
        #expect(topic?.managed == [1])
        #expect(topic?.preexisting == [4])
        #expect(topic?.changed == .at(1))
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps members on both sides of a chunk's border apart`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        let all = RecipientSet(60_000...70_000)
        let some = RecipientSet(65_530...65_545)
        try await open.commit(.members("tides", all, .managed, at: .at(0)))
        try await open.commit(.members("tides", some, .preexisting, at: .at(1)))
        let topic = try await open.store.wholeState().topics["tides"]
        #expect(topic?.managed == all.subtracting(some))
        #expect(topic?.preexisting == some)
    }

    @Test(arguments: StoreKind.allCases)
    func `forgets the dead and takes them out of every topic, not out of what was sent`(_ kind: StoreKind)
        async throws
    {
        let open = try await OpenStore(kind)
        try await open.commit(
            interned(5), .members("tides", [1, 2], .managed, at: .at(0)),
            .members("winds", [2, 3], .preexisting, at: .at(0)),
            .members("winds", [4], .subscribing, at: .at(0)), .open(.tide, .sample()),
            .outcome(.tide, [1, 2], .accepted))
        try await open.commit(.forget([2, 4], at: .at(0)))
        let state = try await open.store.wholeState()
        #expect(state.dead == [2, 4])
        #expect(state.topics["tides"]?.managed == [1])
        #expect(state.topics["winds"]?.preexisting == [3])
        #expect(state.topics["winds"]?.subscribing == [])
        #expect(state.topics["tides"]?.changed == .at(0))
        #expect(state.occurrences[.tide]?.accepted == [1, 2])
        try await open.commit(.forget([2, 5], at: .at(0)))
        #expect(try await open.store.wholeState().dead == [2, 4, 5])
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps a group's key and members, and takes the dead out`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(interned(4), .groupMembers("chris", [1, 2, 3], .adding))
        #expect(try await open.store.wholeState().groups["chris"]?.key == nil)
        let key = try #require(NotificationKey(rawValue: "APA91b"))
        try await open.commit(.groupKey("chris", key), .groupMembers("chris", [1, 2], .member), .groupKey("ann", key))
        try await open.commit(.groupMembers("chris", [2], nil), .forget([3], at: .at(0)))
        let groups = try await open.reopened().groups
        #expect(groups["chris"]?.members == [1])
        #expect(groups["chris"]?.adding == [])
        #expect(groups["chris"]?.key == key)
        #expect(groups["ann"]?.members == [])
        try await open.commit(.groupKey("chris", nil), .drop(.group("ann")))
        #expect(try await open.store.wholeState().groups["chris"]?.key == nil)
        #expect(try await open.store.wholeState().groups["ann"] == nil)
    }
}
