import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// What every store must do with registrations and their numbers.
struct RecipientContractTests {
    @Test(arguments: StoreKind.allCases)
    func `a new state is empty and has a key of 32 bytes`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        #expect(try await open.store.wholeState() == RecordedState(identity: OpenStore.identity))
        #expect(open.store.fingerprintKey.count == 32)
    }

    @Test(arguments: StoreKind.allCases)
    func `finds recipients by key and by number`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(.register([1: .fid(1), 2: .token(2), 70_000: .token(3)]))
        let all = [
            KnownRecipient(id: 1, registration: .fid(1)), KnownRecipient(id: 2, registration: .token(2)),
            KnownRecipient(id: 70_000, registration: .token(3)),
        ]
        for recipient in all {
            #expect(try await open.store.recipient(for: recipient.registration.recipientKey) == recipient)
        }
        #expect(try await open.store.recipient(for: Registration.fid(4).recipientKey) == nil)
        #expect(try await open.store.recipients(after: 0, limit: 10) == all)
        #expect(try await open.store.recipients(after: 0, limit: 2) == Array(all[..<2]))
        #expect(try await open.store.recipients(after: 2, limit: 2) == [all[2]])
        #expect(try await open.store.recipients(after: 70_000, limit: 2) == [])
        #expect(
            try await open.store.registrations(of: [0, 2, 3, 70_000]) == [2: .token(2), 70_000: .token(3)])
        #expect(try await open.store.wholeState().nextRecipient == 70_001)
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            (.token(1), .token(1, version: 2)), (.token(1), .fid(1)), (.fid(1), .token(1)), (.fid(1), .fid(1)),
        ] as [(Registration, Registration)])
    func `a newer registration takes the place of the older`(
        _ kind: StoreKind, _ registrations: (older: Registration, newer: Registration)
    ) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(.register([1: registrations.older, 2: .fid(2)]))
        try await open.commit(.register([1: registrations.newer]))
        #expect(try await open.store.registrations(of: [1, 2]) == [1: registrations.newer, 2: .fid(2)])
        let key = Registration.fid(1).recipientKey
        #expect(
            try await open.store.recipient(for: key) == KnownRecipient(id: 1, registration: registrations.newer))
        #expect(try await open.store.wholeState().nextRecipient == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func `a token without an installation id in front is its own key`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        let token = try #require(Registration(String(repeating: "x", count: 140)))
        try await open.commit(.register([1: token]))
        #expect(try await open.store.recipient(for: token.recipientKey)?.registration == token)
        #expect(try await open.store.registrations(of: [1]) == [1: token])
    }

    @Test(arguments: StoreKind.allCases)
    func `gives new registrations the next numbers in their order, and known ones their own`(_ kind: StoreKind)
        async throws
    {
        let open = try await OpenStore(kind)
        #expect(try await open.store.intern([Arrival(.fid(1)), Arrival(.token(2))], comparedUpTo: 0) == [1, 2])
        let arrivals = [Arrival(.fid(4)), Arrival(.token(2, version: 2), id: 2), Arrival(.fid(3))]
        #expect(try await open.store.intern(arrivals, comparedUpTo: 2) == [3, 2, 4])
        #expect(
            try await open.store.registrations(of: [1, 2, 3, 4])
                == [1: .fid(1), 2: .token(2, version: 2), 3: .fid(4), 4: .fid(3)])
        let state = try await open.reopened()
        #expect(state.nextRecipient == 5)
        #expect(state.serial == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `two that take in registrations at once give nobody two numbers`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        let other = try await open.other()
        try await open.commit(interned(2))
        // Both callers have compared only with the first two.
        #expect(try await open.store.intern([Arrival(.fid(7)), Arrival(.token(8))], comparedUpTo: 2) == [3, 4])
        #expect(try await other.intern([Arrival(.fid(9)), Arrival(.fid(8))], comparedUpTo: 2) == [5, 4])
        #expect(try await open.store.registrations(of: [3, 4, 5]) == [3: .fid(7), 4: .fid(8), 5: .fid(9)])
    }

    @Test(arguments: StoreKind.allCases, 0..<10 as Range<UInt64>)
    func `however they take turns, each installation has one number`(_ kind: StoreKind, seed: UInt64) async throws {
        let open = try await OpenStore(kind)
        let stores = [open.store, try await open.other()]
        var random = SeededRandom(seed: seed)
        var compared: [RecipientID] = [0, 0]
        var numbers: [Int: RecipientID] = [:]
        for _ in 0..<30 {
            let who = Int.random(in: 0...1, using: &random)
            if Bool.random(using: &random) { compared[who] = try await stores[who].snapshot().nextRecipient - 1 }
            let known = Set(numbers.filter { $0.value <= compared[who] }.keys)
            let new = (0..<40).filter { !known.contains($0) }.shuffled(using: &random).prefix(3)
            let given = try await stores[who].intern(new.map { Arrival(.fid($0)) }, comparedUpTo: compared[who])
            for (installation, id) in zip(new, given) {
                #expect(numbers[installation, default: id] == id, "seed \(seed)")
                numbers[installation] = id
            }
        }
        #expect(Set(numbers.values) == Set(1...RecipientID(numbers.count)), "seed \(seed)")
        let all = try await open.store.registrations(of: RecipientSet(1...100))
        #expect(all == Dictionary(uniqueKeysWithValues: numbers.map { ($1, Registration.fid($0)) }), "seed \(seed)")
    }
}
