import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// What is asked of every store.
struct StateStoreTests {
    // MARK: Recipients

    @Test(arguments: StoreKind.allCases)
    func `a new state is empty and has a key of 32 bytes`(_ kind: StoreKind) async throws {
        let open = try OpenStore(kind)
        #expect(try await open.store.state() == RecordedState(identity: OpenStore.identity))
        #expect(open.store.fingerprintKey.count == 32)
    }

    @Test(arguments: StoreKind.allCases)
    func `finds recipients by key and by number`(_ kind: StoreKind) async throws {
        let open = try OpenStore(kind)
        try await open.commit(.intern([1: .fid(1), 2: .token(2), 70_000: .token(3)]))
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
        #expect(try await open.store.state().nextRecipient == 70_001)
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            (.token(1), .token(1, version: 2)), (.token(1), .fid(1)), (.fid(1), .token(1)), (.fid(1), .fid(1)),
        ] as [(Registration, Registration)])
    func `a newer registration takes the place of the older`(
        _ kind: StoreKind, _ registrations: (older: Registration, newer: Registration)
    ) async throws {
        let open = try OpenStore(kind)
        try await open.commit(.intern([1: registrations.older, 2: .fid(2)]))
        try await open.commit(.intern([1: registrations.newer]))
        #expect(try await open.store.registrations(of: [1, 2]) == [1: registrations.newer, 2: .fid(2)])
        let key = Registration.fid(1).recipientKey
        #expect(
            try await open.store.recipient(for: key) == KnownRecipient(id: 1, registration: registrations.newer))
        #expect(try await open.store.state().nextRecipient == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func `a token without an installation id in front is its own key`(_ kind: StoreKind) async throws {
        let open = try OpenStore(kind)
        let token = try #require(Registration(String(repeating: "x", count: 140)))
        try await open.commit(.intern([1: token]))
        #expect(try await open.store.recipient(for: token.recipientKey)?.registration == token)
        #expect(try await open.store.registrations(of: [1]) == [1: token])
    }

    // MARK: Memberships

    @Test(arguments: StoreKind.allCases, Membership.allCases)
    func `puts members into one relation and out of the others`(_ kind: StoreKind, _ membership: Membership)
        async throws
    {
        let open = try OpenStore(kind)
        try await open.commit(
            interned(4), .members("tides", [1], .subscribing, at: .at(0)), .members("tides", [2], .managed, at: .at(1)),
            .members("tides", [3], .preexisting, at: .at(2)), .members("winds", [1, 2, 3], .managed, at: .at(3)))
        try await open.commit(.members("tides", [1, 2, 3, 4], membership, at: .at(4.25)))
        let topics = try await open.store.state().topics
        for other in Membership.allCases {
            #expect(topics["tides"]?[other] == (other == membership ? [1, 2, 3, 4] : []))
        }
        #expect(topics["tides"]?.changed == .at(4.25))
        #expect(topics["winds"]?.managed == [1, 2, 3])
        #expect(topics["winds"]?.changed == .at(3))
    }

    @Test(arguments: StoreKind.allCases)
    func `takes members out of a topic, the others stay`(_ kind: StoreKind) async throws {
        let open = try OpenStore(kind)
        try await open.commit(
            interned(4), .members("tides", [1, 2], .managed, at: .at(0)),
            .members("tides", [3, 4], .preexisting, at: .at(0)))
        try await open.commit(.members("tides", [2, 3], nil, at: .at(1)))
        let topic = try await open.store.state().topics["tides"]
        #expect(topic?.managed == [1])
        #expect(topic?.preexisting == [4])
        #expect(topic?.changed == .at(1))
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps members on both sides of a chunk's border apart`(_ kind: StoreKind) async throws {
        let open = try OpenStore(kind)
        let all = RecipientSet(60_000...70_000)
        let some = RecipientSet(65_530...65_545)
        try await open.commit(.members("tides", all, .managed, at: .at(0)))
        try await open.commit(.members("tides", some, .preexisting, at: .at(1)))
        let topic = try await open.store.state().topics["tides"]
        #expect(topic?.managed == all.subtracting(some))
        #expect(topic?.preexisting == some)
    }

    @Test(arguments: StoreKind.allCases)
    func `forgetsDead the dead and takes them out of every topic, not out of what was sent`(_ kind: StoreKind)
        async throws
    {
        let open = try OpenStore(kind)
        try await open.commit(
            interned(5), .members("tides", [1, 2], .managed, at: .at(0)),
            .members("winds", [2, 3], .preexisting, at: .at(0)),
            .members("winds", [4], .subscribing, at: .at(0)), .open(.tide, .sample()),
            .outcome(.tide, [1, 2], .accepted))
        try await open.commit(.forget([2, 4]))
        let state = try await open.store.state()
        #expect(state.dead == [2, 4])
        #expect(state.topics["tides"]?.managed == [1])
        #expect(state.topics["winds"]?.preexisting == [3])
        #expect(state.topics["winds"]?.subscribing == [])
        #expect(state.topics["tides"]?.changed == .at(0))
        #expect(state.occurrences[.tide]?.accepted == [1, 2])
        try await open.commit(.forget([2, 5]))
        #expect(try await open.store.state().dead == [2, 4, 5])
    }

    // MARK: Occurrences

    @Test(arguments: StoreKind.allCases)
    func `opens an occurrence`(_ kind: StoreKind) async throws {
        let open = try OpenStore(kind)
        let occurrence = RecordedOccurrence(
            campaign: "tide", revision: 3, due: .at(0.5), contentDigest: "sha256:1", target: "topic:tides")
        try await open.commit(.open(OccurrenceID(rawValue: "tide@2025-12-01T08:00:00Z#3"), occurrence))
        #expect(
            try await open.store.state().occurrences == [
                OccurrenceID(rawValue: "tide@2025-12-01T08:00:00Z#3"): occurrence
            ])
    }

    @Test(arguments: StoreKind.allCases)
    func `what came of an occurrence stays when it is opened again`(_ kind: StoreKind) async throws {
        let open = try OpenStore(kind)
        try await open.commit(
            interned(3), .open(.tide, .sample()), .outcome(.tide, [1], .accepted),
            .outcome(.tide, [2], .unknown), .finish(.tide, at: .at(1)))
        var changed = RecordedOccurrence(
            campaign: "tide", revision: 2, due: .at(9), contentDigest: "sha256:2", target: "topic:winds")
        changed.rejected = [3]
        try await open.commit(.open(.tide, changed))
        changed.rejected = []
        changed.accepted = [1]
        changed.unknown = [2]
        changed.finished = .at(1)
        #expect(try await open.store.state().occurrences == [.tide: changed])
    }

    @Test(arguments: StoreKind.allCases, LedgerEntry.allCases)
    func `moves recipients to one entry and out of the others`(_ kind: StoreKind, _ entry: LedgerEntry) async throws {
        let open = try OpenStore(kind)
        try await open.commit(.open(.tide, .sample()), .open(.wind, .sample("wind")))
        for (id, other) in LedgerEntry.allCases.enumerated() {
            try await open.commit(.outcome(.tide, [RecipientID(id)], other))
            try await open.commit(.outcome(.wind, [RecipientID(id)], other))
        }
        let before = try await open.store.state().occurrences[.wind]
        let everybody: RecipientSet = [0, 1, 2, 3, 4, 5]
        #expect(everybody.count == LedgerEntry.allCases.count)
        try await open.commit(.outcome(.tide, everybody, entry))
        let state = try await open.store.state()
        for other in LedgerEntry.allCases {
            #expect(state.occurrences[.tide]?[other] == (other == entry ? everybody : []))
        }
        #expect(state.occurrences[.wind] == before)
    }

    @Test(arguments: StoreKind.allCases)
    func `takes recipients back to not tried`(_ kind: StoreKind) async throws {
        let open = try OpenStore(kind)
        try await open.commit(.open(.tide, .sample()), .outcome(.tide, [1, 2, 3], .intended))
        try await open.commit(.outcome(.tide, [2], nil))
        #expect(try await open.store.state().occurrences[.tide]?.tried == [1, 3])
    }

    @Test(arguments: StoreKind.allCases)
    func `outcome and end of an occurrence that was never opened leave no trace`(_ kind: StoreKind) async throws {
        let open = try OpenStore(kind)
        try await open.commit(.outcome(.tide, [1], .accepted), .finish(.tide, at: .at(0)))
        #expect(try await open.store.state().occurrences.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `finishes an occurrence`(_ kind: StoreKind) async throws {
        let open = try OpenStore(kind)
        try await open.commit(
            .open(.tide, .sample()), .open(.wind, .sample("wind")), .finish(.tide, at: .at(2)))
        let occurrences = try await open.store.state().occurrences
        #expect(occurrences[.tide]?.finished == .at(2))
        #expect(occurrences[.wind]?.finished == nil)
    }

    // MARK: The rest

    @Test(arguments: StoreKind.allCases)
    func `remembers spent plans, sizes and watermarks`(_ kind: StoreKind) async throws {
        let open = try OpenStore(kind)
        try await open.commit(
            .spendPlan("one"), .audienceSizes(["a": 1, "b": 2]), .watermark("tide", .at(1)), .watermark("wind", .at(1)))
        try await open.commit(
            .spendPlan("one"), .spendPlan("two"), .audienceSizes(["b": 3]), .watermark("tide", .at(2)))
        let state = try await open.store.state()
        #expect(state.spentPlans == ["one", "two"])
        #expect(state.audienceSizes == ["b": 3])
        #expect(state.watermarks == ["tide": .at(2), "wind": .at(1)])
    }

    @Test(arguments: StoreKind.allCases)
    func `changes of one commit take place in their order`(_ kind: StoreKind) async throws {
        let open = try OpenStore(kind)
        try await open.commit(
            .open(.tide, .sample()), .outcome(.tide, [1, 2], .intended),
            .outcome(.tide, [1], .accepted), .outcome(.tide, [2], nil),
            .members("tides", [1], .managed, at: .at(0)),
            .members("tides", [1], nil, at: .at(1)))
        let state = try await open.store.state()
        #expect(state.occurrences[.tide]?.accepted == [1])
        #expect(state.occurrences[.tide]?.tried == [1])
        #expect(state.topics["tides"]?.managed == [])
    }

    // MARK: Groups

    @Test(arguments: StoreKind.allCases)
    func `keeps a group's key and members, and takes the dead out`(_ kind: StoreKind) async throws {
        let open = try OpenStore(kind)
        try await open.commit(interned(4), .groupMembers("chris", [1, 2, 3], .adding))
        #expect(try await open.store.state().groups["chris"]?.key == nil)
        let key = try #require(NotificationKey(rawValue: "APA91b"))
        try await open.commit(.groupKey("chris", key), .groupMembers("chris", [1, 2], .member), .groupKey("ann", key))
        try await open.commit(.groupMembers("chris", [2], nil), .forget([3]))
        let groups = try await open.recordReopened().groups
        #expect(groups["chris"]?.members == [1])
        #expect(groups["chris"]?.adding == [])
        #expect(groups["chris"]?.key == key)
        #expect(groups["ann"]?.members == [])
        try await open.commit(.groupKey("chris", nil), .drop(.group("ann")))
        #expect(try await open.store.state().groups["chris"]?.key == nil)
        #expect(try await open.store.state().groups["ann"] == nil)
    }

    // MARK: Rejections

    @Test(arguments: StoreKind.allCases)
    func `keeps who was rejected with which code, until something else came of them`(_ kind: StoreKind) async throws {
        let open = try OpenStore(kind)
        try await open.commit(
            interned(5), .open(.tide, .sample()), .open(.wind, .sample("wind")),
            .reject(.tide, [1, 2, 3], code: "UNREGISTERED"), .reject(.wind, [1], code: "UNREGISTERED"))
        try await open.commit(
            .reject(.tide, [3, 4], code: "INVALID_ARGUMENT"), .outcome(.tide, [1], .accepted), .outcome(.tide, [2], nil)
        )
        let occurrences = try await open.recordReopened().occurrences
        #expect(occurrences[.tide]?.rejected == [3, 4])
        #expect(occurrences[.tide]?.accepted == [1])
        #expect(occurrences[.tide]?.codes == ["INVALID_ARGUMENT": [3, 4]])
        #expect(occurrences[.wind]?.codes == ["UNREGISTERED": [1]])
    }

    @Test(arguments: StoreKind.allCases)
    func `takes an occurrence's end back`(_ kind: StoreKind) async throws {
        let open = try OpenStore(kind)
        try await open.commit(.open(.tide, .sample()), .finish(.tide, at: .at(1)), .reopen(.tide))
        #expect(try await open.store.state().occurrences[.tide]?.finished == nil)
    }

    // MARK: What people say

    @Test(arguments: StoreKind.allCases)
    func `a pause that somebody else makes is seen at once`(_ kind: StoreKind) async throws {
        let open = try OpenStore(kind)
        let other = try open.other()
        #expect(try await open.store.pauses() == Pauses())
        try await other.commit([.pause("tide")])
        #expect(try await open.store.pauses().campaigns == ["tide"])
        #expect(try await open.store.state().pauses.include("tide"))
        try await other.commit([.pause(nil)])
        #expect(try await open.store.pauses().include("wind"))
        try await other.commit([.resume("tide")])
        #expect(
            try await open.store.pauses()
                == {
                    var all = Pauses(); all.everything = true; return all
                }())
        try await other.commit([.pause("wind"), .resume(nil)])
        #expect(try await open.store.pauses() == Pauses())
    }

    @Test(arguments: StoreKind.allCases)
    func `a rename gives one campaign another's history and keeps the later watermark`(_ kind: StoreKind) async throws {
        for (old, new, kept) in [(1.0, nil, 1.0), (1, 2, 2), (2, 1, 2)] as [(Double, Double?, Double)] {
            let open = try OpenStore(kind)
            try await open.commit(
                .open(.tide, .sample()), .open(.wind, .sample("wind")), .watermark("tide", .at(old)), .pause("tide"))
            if let new { try await open.commit(.watermark("ebb", .at(new)), .pause("ebb")) }
            try await open.commit(.rename(campaign: "tide", to: "ebb"))
            let state = try await open.recordReopened()
            #expect(state.occurrences[.tide]?.campaign == "ebb")
            #expect(state.occurrences[.wind]?.campaign == "wind")
            #expect(state.watermarks == ["ebb": .at(kept)])
            #expect(state.pauses.campaigns == ["ebb"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `what is dropped is gone with all that belongs to it, the rest stays`(_ kind: StoreKind) async throws {
        let open = try OpenStore(kind)
        try await open.commit(
            interned(3), .members("tides", [1], .managed, at: .at(0)), .members("winds", [1], .managed, at: .at(0)),
            .open(.tide, .sample()), .reject(.tide, [1], code: "X"), .outcome(.tide, [2], .accepted),
            .open(.wind, .sample("wind")), .watermark("tide", .at(0)), .pause("tide"), .watermark("wind", .at(0)))
        try await open.commit(.drop(.topic("tides")), .drop(.campaign("tide")), .drop(.group("nobody")))
        let state = try await open.recordReopened()
        #expect(state.topics.keys.map(\.rawValue) == ["winds"])
        #expect(state.occurrences.keys.map { $0 } == [.wind])
        #expect(state.watermarks == ["wind": .at(0)])
        #expect(state.pauses == Pauses())
        // A new one of the name has nothing of the old.
        try await open.commit(
            .open(.tide, .sample()), .members("tides", [2], .preexisting, at: .at(0)), .drop(.occurrence(.wind)))
        let later = try await open.recordReopened()
        #expect(later.occurrences[.tide] == .sample())
        #expect(later.topics["tides"]?.managed == [])
        #expect(later.occurrences[.wind] == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `remembers tests in their order, the topic API, and who came back to life`(_ kind: StoreKind) async throws {
        let open = try OpenStore(kind)
        let tests = (1...3).map {
            RecordedTest(campaign: "c\($0 % 2)", at: .at(Double($0)), accepted: $0, rejected: 0, unknown: 1)
        }
        try await open.commit(
            interned(3), .test(tests[0]), .test(tests[1]), .topicAPI(.registrations), .forget([1, 2]))
        try await open.commit(.test(tests[2]), .topicAPI(.iid), .revive([2, 3]))
        let state = try await open.recordReopened()
        #expect(state.tests == tests)
        #expect(state.topicAPI == .iid)
        #expect(state.dead == [1])
    }

    /// Contract §4: the serial moves only with recorded effects.
    @Test(
        arguments: StoreKind.allCases,
        [
            ([.intern([1: .fid(1)])], 0), ([.spendPlan("p")], 0), ([.audienceSizes(["a": 1])], 0), ([], 0),
            ([.members("t", [1], .managed, at: .at(0))], 1), ([.members("t", [1], nil, at: .at(0))], 1),
            ([.open(.tide, .sample())], 1), ([.outcome(.tide, [1], .accepted)], 1),
            ([.finish(.tide, at: .at(0))], 1), ([.watermark("tide", .at(0))], 0),
            ([.intern([1: .fid(1)]), .forget([1])], 1), ([.spendPlan("p"), .open(.tide, .sample())], 1),
            ([.open(.tide, .sample()), .finish(.tide, at: .at(0))], 1), ([.reopen(.tide)], 1),
            ([.reject(.tide, [1], code: "X")], 1), ([.groupKey("g", nil)], 1), ([.groupMembers("g", [1], .member)], 1),
            ([.rename(campaign: "a", to: "b")], 1), ([.revive([1])], 1), ([.drop(.topic("t"))], 1),
            ([.pause(nil)], 0), ([.resume("tide")], 0), ([.topicAPI(.iid)], 0),
            ([.test(.init(campaign: "c", at: .at(0), accepted: 1, rejected: 0, unknown: 0))], 0),
        ] as [([StateChange], Int64)])
    func `the serial moves by one with a commit that has an effect`(
        _ kind: StoreKind, _ commit: (changes: [StateChange], moves: Int64)
    ) async throws {
        let open = try OpenStore(kind)
        try await open.commit(.watermark("first", .at(0)))
        let before = try await open.store.state().serial
        try await open.store.commit(commit.changes)
        #expect(try await open.store.state().serial == before + commit.moves)
    }

    @Test(arguments: StoreKind.allCases)
    func `commits at the same time are all kept`(_ kind: StoreKind) async throws {
        let open = try OpenStore(kind)
        try await open.commit(interned(40), .open(.tide, .sample()))
        let store = open.store
        try await withThrowingTaskGroup { group in
            for id in 1...40 as ClosedRange<RecipientID> {
                group.addTask { try await store.commit([.outcome(.tide, [id], .accepted)]) }
            }
            try await group.waitForAll()
        }
        let state = try await open.store.state()
        #expect(state.occurrences[.tide]?.accepted == RecipientSet(1...40))
        #expect(state.serial == 41)
    }

    @Test(arguments: StoreKind.allCases, 0..<60 as Range<UInt64>)
    func `any changes give the state that the value itself gives, also reopened`(_ kind: StoreKind, seed: UInt64)
        async throws
    {
        let open = try OpenStore(kind)
        var expected = RecordedState(identity: OpenStore.identity)
        var changes = RandomChanges(seed: seed)
        for commit in 0..<12 {
            let batch = changes.batch()
            expected.apply(batch)
            try await open.store.commit(batch)
            #expect(try await open.store.state() == expected, "seed \(seed), commit \(commit)")
        }
        #expect(try await open.recordReopened() == expected, "seed \(seed)")
        #expect(try await open.store.registrations(of: changes.everybody) == changes.registrations, "seed \(seed)")
    }
}
