import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// What every store keeps of registrations: which of them are dead, and which one a membership was made with.
struct RegistrationContractTests {
    private let first = KnownRecipient.firstFormer

    @Test(arguments: StoreKind.allCases)
    func `a registration dies, not its installation`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(.register([1: .token(1), 2: .fid(2)]))
        try await open.commit(.forget([1, 2], at: .at(5)))
        #expect(try await open.store.wholeState().dead == [1, 2])
        try await open.commit(.register([1: .token(1, version: 2)]))
        #expect(try await open.reopened().dead == [2])
        let deaths = try await open.store.tombstones(after: nil, limit: 9)
        #expect(
            deaths == [
                Tombstone(recipient: 1, registration: .token(1), died: .at(5)),
                Tombstone(recipient: 2, registration: .fid(2), died: .at(5)),
            ])
        #expect(try await open.store.tombstoneCount() == 2)
        // The one that died is listed again: it counts as living.
        try await open.commit(.register([2: .fid(2)]))
        #expect(try await open.store.wholeState().dead == [])
        #expect(try await open.store.tombstones(after: nil, limit: 9) == Array(deaths.prefix(1)))
        #expect(try await open.store.tombstoneCount() == 1)
    }

    /// Others stand before and behind it, also more than one page has.
    @Test(arguments: StoreKind.allCases)
    func `one registration is found among the dead, whichever one its recipient has by now`(
        _ kind: StoreKind
    ) async throws {
        let open = try await OpenStore(kind)
        for version in 1...102 {
            try await open.commit(.register([1: .token(1, version: version), 2: .fid(2), 3: .fid(3)]))
            try await open.commit(.forget([1], at: .at(Double(version))))
        }
        try await open.commit(.register([1: .fid(1)]))
        try await open.commit(.forget([3], at: .at(5)))
        for version in [1, 50, 102] {
            let found = try await open.store.tombstone(of: .token(1, version: version), 1)
            #expect(found?.died == Date.at(Double(version)))
        }
        #expect(try await open.store.tombstone(of: .fid(3), 3)?.died == Date.at(5))
        let living = [(.fid(1), 1), (.fid(2), 2), (.fid(3), 2), (.fid(9), 9)] as [(Registration, RecipientID)]
        for (registration, recipient) in living {
            #expect(try await open.store.tombstone(of: registration, recipient) == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `tombstones come in parts, sorted`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        for version in [1, 2, 3] {
            let registrations = [3, 1, 2].map { (RecipientID($0), Registration.token($0, version: version)) }
            try await open.commit(.register(Dictionary(uniqueKeysWithValues: registrations)))
            try await open.commit(.forget([1, 2, 3], at: .at(Double(version))))
        }
        var (all, last): ([Tombstone], Tombstone?) = ([], nil)
        while true {
            let part = try await open.store.tombstones(after: last, limit: 2)
            guard !part.isEmpty else { break }
            #expect(part.count <= 2)
            all += part
            last = part.last
        }
        let expected = [1, 2, 3].flatMap { id in
            [1, 2, 3].map {
                Tombstone(recipient: RecipientID(id), registration: .token(id, version: $0), died: .at(Double($0)))
            }
        }
        #expect(Set(all) == Set(expected))
        #expect(all.map(\.recipient) == [1, 1, 1, 2, 2, 2, 3, 3, 3])
        #expect(all == all.sorted(by: Tombstone.precedes))
    }

    @Test(arguments: StoreKind.allCases)
    func `memberships stay with the registration that made them`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(
            .register([1: .token(1), 2: .token(2), 3: .token(3)]), .members("t", [1, 3], .managed, at: .at(0)),
            .members("u", [1], .preexisting, at: .at(0)), .groupMembers("g", [2], .member))
        try await open.commit(.supersede([1, 2, 9]))
        try await open.commit(.register([1: .token(1, version: 2), 2: .fid(2)]))
        let state = try await open.reopened()
        #expect(state.formers == [first: 1, first + 1: 2])
        #expect(state.topics["t"]?.managed == [3, first])
        #expect(state.topics["u"]?.preexisting == [first])
        #expect(state.groups["g"]?.members == [first + 1])
        #expect(
            try await open.store.registrations(of: [1, first, first + 1])
                == [1: .token(1, version: 2), first: .token(1), first + 1: .token(2)])
        // Numbers of recipients are given out as before.
        #expect(try await open.store.recipients(after: 0, limit: 9).map(\.id) == [1, 2, 3])
        #expect(state.nextRecipient == 4)
    }

    @Test(arguments: StoreKind.allCases)
    func `a registration that is used again has its memberships again`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(.register([1: .token(1)]), .members("t", [1], .managed, at: .at(0)))
        try await open.commit(.supersede([1]), .register([1: .fid(1)]))
        try await open.commit(.supersede([1]), .readopt([first]), .register([1: .token(1)]))
        let state = try await open.reopened()
        #expect(state.formers == [:])
        #expect(state.topics["t"]?.managed == [1])
        #expect(try await open.store.registrations(of: [first]).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `a former registration that dies leaves, and its recipient stays alive`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(.register([1: .token(1)]), .members("t", [1], .managed, at: .at(0)))
        try await open.commit(
            .supersede([1]), .register([1: .fid(1)]), .members("t", [1], .managed, at: .at(1)),
            .forget([first], at: .at(2)))
        let state = try await open.reopened()
        #expect(state.topics["t"]?.managed == [1])
        #expect(state.dead == [])
        #expect(
            try await open.store.tombstones(after: nil, limit: 9)
                == [Tombstone(recipient: 1, registration: .token(1), died: .at(2))])
    }

    @Test(arguments: StoreKind.allCases)
    func `a history carries the names it had`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(
            .open(.tide, .sample()), .rename(campaign: "tide", to: "b"), .rename(campaign: "b", to: "c"),
            .open(.wind, .sample("wind")), .rename(campaign: "wind", to: "tide"))
        #expect(try await open.reopened().formerNames == ["c": ["tide", "b"], "tide": ["wind"]])
        try await open.commit(.drop(.campaign("c")))
        #expect(try await open.store.wholeState().formerNames == ["tide": ["wind"]])
    }
}
