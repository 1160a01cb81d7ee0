import FCM
import Foundation
import GRDB
import HeraldCore
import HeraldTestSupport
import Testing

@testable import HeraldStore

/// What every store keeps of what FCM said of memberships.
struct ObservationContractTests {
    private let first = KnownRecipient.firstFormer

    /// One member in each relation, and one in none. The numbers are on both sides of the border between two chunks.
    private static let members = Partition<Membership>(
        disjoint: [
            .subscribing: [1], .managed: [2, 65_540], .preexisting: [3, 65_541], .forgotten: [4], .left: [5],
            .adopted: [6],
        ])
    private static let everybody: RecipientSet = [1, 2, 3, 4, 5, 6, 7, 65_540, 65_541, 65_542]

    private func made(_ kind: StoreKind) async throws -> OpenStore {
        let open = try await OpenStore(kind)
        try await open.commit(
            .register(Dictionary(uniqueKeysWithValues: Self.everybody.map { ($0, .token(Int($0))) })))
        for membership in Membership.allCases {
            try await open.commit(.members("t", Self.members[membership], membership, at: .at(0)))
        }
        return open
    }

    private func relations(_ sets: [Membership: RecipientSet]) -> Partition<Membership> { Partition(disjoint: sets) }

    @Test(arguments: StoreKind.allCases)
    func `what becomes known without a request changes those whom it concerns`(_ kind: StoreKind) async throws {
        let expected: [Reclassification: Partition<Membership>] = [
            .left: relations([.subscribing: [1], .forgotten: [4], .left: [2, 3, 5, 6, 65_540, 65_541]]),
            .unlisted: relations([
                .subscribing: [1], .managed: [2, 65_540], .preexisting: [3, 65_541], .forgotten: [4], .adopted: [6],
            ]),
            .leftEarlierName: relations([
                .subscribing: [1], .managed: [2, 65_540], .preexisting: [3, 65_541], .forgotten: [4],
                .left: [5, 7, 65_542], .adopted: [6],
            ]),
            .adopted: relations([
                .subscribing: [1], .managed: [2, 65_540], .forgotten: [4], .left: [5], .adopted: [3, 6, 65_541],
            ]),
            .returned: relations([
                .subscribing: [1], .managed: [2, 65_540], .preexisting: [3, 6, 65_541], .forgotten: [4], .left: [5],
            ]),
            .importedAsManaged: relations([
                .subscribing: [1], .managed: [2, 3, 5, 6, 7, 65_540, 65_541, 65_542], .forgotten: [4],
            ]),
            .importedAsPreexisting: relations([
                .subscribing: [1], .managed: [2, 65_540], .preexisting: [3, 5, 7, 65_541, 65_542], .forgotten: [4],
                .adopted: [6],
            ]),
        ]
        for reclassification in Reclassification.allCases {
            let open = try await made(kind)
            let before = try await open.reopened()
            try await open.commit(.reclassify("t", Self.everybody, reclassification))
            let state = try await open.reopened()
            #expect(state.topics["t"]?.recipients == expected[reclassification], "\(reclassification)")
            // Sends wait for requests only.
            #expect(state.topics["t"]?.changed == .at(0))
            #expect(state.serial == before.serial + 1, "a plan from before is stale")
            // Again, it changes nothing.
            try await open.commit(.reclassify("t", Self.everybody, reclassification))
            #expect(try await open.reopened().topics["t"] == state.topics["t"], "\(reclassification)")
            // Nobody else is concerned.
            try await open.commit(.reclassify("t", [], reclassification), .reclassify("u", [3, 5], reclassification))
            #expect(try await open.reopened().topics["t"] == state.topics["t"], "\(reclassification)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `taking an adoption back returns exactly those who were adopted`(_ kind: StoreKind) async throws {
        let open = try await made(kind)
        try await open.commit(.reclassify("t", [2, 3, 7], .adopted))
        #expect(try await open.reopened().topics["t"]?.adopted == [3, 6])
        #expect(try await open.store.trace(of: 3).topics.map(\.membership) == [.adopted])
        try await open.commit(.reclassify("t", [3, 6, 2], .returned))
        let topic = try #require(try await open.reopened().topics["t"])
        #expect(topic.preexisting == [3, 6, 65_541] && topic.managed == [2, 65_540] && topic.adopted.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `a topic that was imported waits for its file`(_ kind: StoreKind) async throws {
        let open = try await made(kind)
        try await open.commit(
            .awaitFile("old", true), .reclassify("old", [1, 65_541], .importedAsManaged), .awaitFile("none", false))
        var state = try await open.reopened()
        #expect(state.topics["old"]?.awaitsFile == true && state.topics["old"]?.managed == [1, 65_541])
        #expect(state.topics["old"]?.changed == nil && state.topics["t"]?.awaitsFile == false)
        #expect(state.topics["none"] == nil)
        try await open.commit(.awaitFile("old", false))
        state = try await open.reopened()
        #expect(state.topics["old"]?.awaitsFile == false && state.topics["old"]?.managed == [1, 65_541])
        try await open.commit(.awaitFile("t", true))
        #expect(try await open.reopened().topics["t"]?.recipients == Self.members)
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps when each registration was observed last`(_ kind: StoreKind) async throws {
        let open = try await made(kind)
        let serial = try await open.reopened().serial
        try await open.commit(.observed([1, 2, 65_540], at: .at(1)))
        try await open.commit(.observed([2, 3], at: .at(1.5)), .observed([], at: .at(9)))
        var state = try await open.reopened()
        #expect(state.observed == Partition(disjoint: [.at(1): [1, 65_540], .at(1.5): [2, 3]]))
        #expect(state.serial == serial, "it makes no plan stale")
        #expect(try await open.store.trace(of: 65_540).observed == .at(1))
        #expect(try await open.store.trace(of: 7).observed == nil)
        // To the millisecond, and not later than it was.
        try await open.commit(.observed([1], at: Date(timeIntervalSince1970: 1_764_576_003.123_9)))
        state = try await open.reopened()
        #expect(state.observed.state(of: 1) == Date(timeIntervalSince1970: 1_764_576_003.123))
        try await open.store.check()
    }

    @Test(arguments: StoreKind.allCases)
    func `times that are long ago become one`(_ kind: StoreKind) async throws {
        let open = try await made(kind)
        let kept = RecordedState.keptObservations
        // Two are observed each time. One of them is observed again the next time.
        for time in 0...(kept + 1) {
            try await open.commit(.observed([RecipientID(time + 1), RecipientID(time + 2)], at: .at(Double(time))))
        }
        let observed = try await open.reopened().observed
        var expected = [Date.at(0): [1, 2, 3] as RecipientSet]
        for time in 3...kept { expected[.at(Double(time))] = [RecipientID(time + 1)] }
        expected[.at(Double(kept + 1))] = [RecipientID(kept + 2), RecipientID(kept + 3)]
        #expect(observed == Partition(disjoint: expected))
        // A clock that goes back is no reason to lose anything.
        try await open.commit(.observed([1], at: .at(-5)))
        #expect(try await open.reopened().observed.state(of: 1) == .at(-5))
        #expect(try await open.reopened().observed.all == observed.all)
    }

    @Test(arguments: StoreKind.allCases)
    func `an observation belongs to the registration, and who left to the person`(_ kind: StoreKind) async throws {
        let open = try await made(kind)
        try await open.commit(.observed([2, 3, 5, 6, 7], at: .at(1)))
        // 5 has left and 7 is in no topic, so neither has a former number.
        try await open.commit(
            .supersede([2, 5, 6, 7]), .register([2: .fid(2), 5: .fid(5), 6: .fid(6), 7: .fid(7)]))
        var state = try await open.reopened()
        #expect(state.formers == [first: 2, first + 1: 6])
        #expect(state.observed == Partition(disjoint: [.at(1): [3, first, first + 1]]))
        #expect(state.topics["t"]?.left == [5] && state.topics["t"]?.adopted == [first + 1])
        #expect(try await open.store.trace(of: 6).topics.map(\.membership) == [.adopted])
        try await open.commit(.observed([2], at: .at(2)))
        try await open.commit(.supersede([2]), .readopt([first]), .register([2: .token(2)]))
        state = try await open.reopened()
        #expect(state.observed.state(of: 2) == .at(1))
        #expect(state.topics["t"]?.managed == [2, 65_540])
        // Nothing is left of a recipient that is erased, also of the former numbers.
        try await open.commit(.erase([3, 5, 6]))
        state = try await open.reopened()
        #expect(state.observed == Partition(disjoint: [.at(1): [2]]))
        #expect(state.topics["t"]?.left == [] && state.topics["t"]?.adopted == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `what is past is told only where nothing else is`(_ kind: StoreKind) async throws {
        let open = try await made(kind)
        try await open.commit(
            .supersede([2]), .register([2: .fid(2)]), .reclassify("t", [2], .leftEarlierName))
        // The registration from before is still subscribed.
        #expect(try await open.store.trace(of: 2).topics.map(\.membership) == [.managed])
        #expect(try await open.store.trace(of: 5).topics.map(\.membership) == [.left])
    }

    @Test(arguments: StoreKind.allCases)
    func `who dies is not adopted any more, and has still left`(_ kind: StoreKind) async throws {
        let open = try await made(kind)
        try await open.commit(.forget(Self.everybody, at: .at(5)))
        let topic = try #require(try await open.reopened().topics["t"])
        #expect(topic.recipients == relations([.forgotten: [1, 2, 4, 65_540], .left: [5]]))
    }

    @Test(arguments: StoreKind.allCases)
    func `whoever left by an earlier registration has left when it counts again`(_ kind: StoreKind) async throws {
        let open = try await made(kind)
        try await open.commit(.supersede([2]), .register([2: .fid(2)]), .reclassify("t", [first], .left))
        try await open.commit(.forget([first], at: .at(5)), .readopt([first]), .register([2: .token(2)]))
        #expect(try await open.reopened().topics["t"]?.left == [2, 5])
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps the last look at FCM`(_ kind: StoreKind) async throws {
        let open = try await made(kind)
        #expect(try await open.reopened().lastDrift == nil)
        let drift = RecordedDrift(at: .at(60), asked: 100_000, drifted: 312)
        try await open.commit(.lastDrift(RecordedDrift(at: .at(0), asked: 1, drifted: 1)), .lastDrift(drift))
        #expect(try await open.reopened().lastDrift == drift)
        for damaged in ["", "{}", #"{"at":"2026-12-01T09:00:00Z","asked":1,"drifted":2}"#] {
            try await open.commit(.note(.lastDrift, damaged))
            #expect(try await open.reopened().lastDrift == nil)
        }
    }

    /// A byte or two each, as long as a pass asks for one after the other.
    @Test(arguments: StoreKind.allCases.filter { $0 != .memory })
    func `observations take little space`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        let everybody = RecipientSet(1..<200_001)
        try await open.commit(.observed(everybody, at: .at(0)))
        var random = SeededRandom(seed: 35)
        for pass in 1...RecordedState.keptObservations {
            let sample = (0..<1000).map { _ in RecipientID.random(in: 1..<200_001, using: &random) }
            try await open.commit(.observed(RecipientSet(sample.sorted()), at: .at(Double(pass))))
        }
        let bytes = try await size(of: open.store)
        #expect((1...400_000).contains(bytes), "\(bytes) bytes for 200,000 registrations")
    }

    /// The bytes of the rows that say when registrations were observed.
    private func size(of store: any StateStore) async throws -> Int {
        if let store = store as? SQLiteStore {
            return try await store.database.read { db in
                try Int.fetchOne(db, sql: "SELECT sum(length(bytes)) FROM observation") ?? 0
            }
        }
        let store = try #require(store as? PostgresStore)
        return try await store.session.perform(for: { .now }) { connection, _ in
            let rows = try connection.perform(
                "SELECT sum(pg_column_size(bits))::bigint FROM @observation", until: .now + .seconds(300))
            return Int(try rows.first?.int(0) ?? 0)
        }
    }
}
