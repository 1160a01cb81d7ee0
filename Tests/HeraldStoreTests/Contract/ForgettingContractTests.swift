import FCM
import HeraldCore
import HeraldTestSupport
import Testing

/// What every store keeps of memberships whose registration died, because FCM may be wrong about that.
struct ForgettingContractTests {
    private let first = KnownRecipient.firstFormer

    /// Members of every kind, on both sides of the border between two chunks.
    private func made(_ kind: StoreKind) async throws -> OpenStore {
        let open = try await OpenStore(kind)
        let ids: [RecipientID] = [1, 2, 3, 4, 65_540]
        try await open.commit(
            .register(Dictionary(uniqueKeysWithValues: ids.map { ($0, .token(Int($0))) })),
            .members("t", [1, 65_540], .managed, at: .at(0)), .members("t", [2], .subscribing, at: .at(0)),
            .members("t", [3], .preexisting, at: .at(0)), .members("u", [4], .managed, at: .at(0)),
            .groupMembers("g", [1], .member), .groupMembers("g", [2], .adding))
        return open
    }

    @Test(arguments: StoreKind.allCases)
    func `what herald made for the dead is in no plan, and what others made is gone`(_ kind: StoreKind) async throws {
        let open = try await made(kind)
        try await open.commit(.forget([1, 2, 3, 65_540], at: .at(5)))
        let state = try await open.reopened()
        let topic = try #require(state.topics["t"])
        #expect(topic.isEmpty)
        #expect(topic.recipients == Partition(disjoint: [.forgotten: [1, 2, 65_540]]))
        #expect(state.topics["u"]?.managed == [4])
        #expect(state.groups["g"]?.recipients == Partition(disjoint: [.forgotten: [1, 2]]))
    }

    @Test(arguments: StoreKind.allCases)
    func `whoever lives after all has it again`(_ kind: StoreKind) async throws {
        let open = try await made(kind)
        try await open.commit(.forget([1, 2, 3, 65_540], at: .at(5)))
        // To die twice changes nothing.
        try await open.commit(.forget([1], at: .at(6)))
        try await open.commit(.register([1: .token(1), 65_540: .token(65_540)]), .revive([1, 4, 65_540]))
        let state = try await open.reopened()
        #expect(
            state.topics["t"]?.recipients == Partition(disjoint: [.subscribing: [1, 65_540], .forgotten: [2]]))
        #expect(state.groups["g"]?.recipients == Partition(disjoint: [.adding: [1], .forgotten: [2]]))
        #expect(state.topics["u"]?.managed == [4])
        #expect(try await open.store.trace(of: 2).topics.map(\.membership) == [.forgotten])
        #expect(try await open.store.trace(of: 1).groups.map(\.membership) == [.adding])
    }

    @Test(arguments: StoreKind.allCases)
    func `it belongs to the registration that died, and returns with it`(_ kind: StoreKind) async throws {
        let open = try await made(kind)
        try await open.commit(.forget([1], at: .at(5)), .supersede([1]), .register([1: .fid(1)]))
        try await open.commit(.members("t", [1], .managed, at: .at(6)))
        var state = try await open.reopened()
        #expect(state.formers == [first: 1])
        #expect(state.topics["t"]?.managed == [1, 65_540])
        #expect(state.topics["t"]?.recipients[.forgotten] == [first])
        // The one that counts is told, not the one that died.
        #expect(try await open.store.trace(of: 1).topics.map(\.membership) == [.managed])
        try await open.commit(.supersede([1]), .readopt([first]), .register([1: .token(1)]))
        state = try await open.reopened()
        #expect(state.topics["t"]?.subscribing == [1, 2])
        #expect(state.topics["t"]?.managed == [first + 1, 65_540])
        #expect(state.groups["g"]?.adding == [1, 2])
    }

    @Test(arguments: StoreKind.allCases)
    func `nothing is left of a recipient that is erased`(_ kind: StoreKind) async throws {
        let open = try await made(kind)
        try await open.commit(.forget([1, 2], at: .at(5)), .erase([1]))
        let state = try await open.reopened()
        #expect(state.topics["t"]?.recipients[.forgotten] == [2])
        #expect(state.groups["g"]?.recipients[.forgotten] == [2])
    }
}
