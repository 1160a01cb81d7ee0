import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// What every store must do for the commands that people run on the state.
struct CommandContractTests {
    @Test(arguments: StoreKind.allCases)
    func `a pause that somebody else makes is seen at once`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        let other = try await open.other()
        #expect(try await open.store.pauses() == Pauses())
        try await other.commit([.pause("tide")])
        #expect(try await open.store.pauses().campaigns == ["tide"])
        #expect(try await open.store.wholeState().pauses.include("tide"))
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
            let open = try await OpenStore(kind)
            try await open.commit(
                .open(.tide, .sample()), .open(.wind, .sample("wind")), .watermark("tide", .at(old)), .pause("tide"))
            if let new { try await open.commit(.watermark("ebb", .at(new)), .pause("ebb")) }
            try await open.commit(.rename(campaign: "tide", to: "ebb"))
            let state = try await open.reopened()
            #expect(state.occurrences[.tide]?.campaign == "ebb")
            #expect(state.occurrences[.wind]?.campaign == "wind")
            #expect(state.watermarks == ["ebb": .at(kept)])
            #expect(state.pauses.campaigns == ["ebb"])
        }
    }

    /// The mark of a campaign that vanished goes with each run.
    @Test(arguments: StoreKind.allCases)
    func `a rename keeps the watermark of the campaign that lives, whichever is later`(_ kind: StoreKind) async throws {
        let gone = Watermark(at: .at(5), schedule: "cron 8 5 * * * UTC", next: nil)
        for (old, new) in [(gone, Watermark.at(2)), (Watermark.at(2), gone)] {
            let open = try await OpenStore(kind)
            try await open.commit(.watermark("tide", old), .watermark("ebb", new))
            try await open.commit(.rename(campaign: "tide", to: "ebb"))
            #expect(try await open.reopened().watermarks == ["ebb": .at(2)])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a rename takes the campaign's tests along, and nobody else's`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        for name in ["tide", "wind", "tide"] {
            try await open.commit(
                .test(RecordedTest(campaign: name, at: .at(0), accepted: 1, rejected: 0, unknown: 0)))
        }
        try await open.commit(.rename(campaign: "tide", to: "ebb"))
        #expect(try await open.reopened().tests.map(\.campaign) == ["ebb", "wind", "ebb"])
    }

    @Test(arguments: StoreKind.allCases)
    func `what is dropped is gone with all that belongs to it, the rest stays`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(
            interned(3), .members("tides", [1], .managed, at: .at(0)), .members("winds", [1], .managed, at: .at(0)),
            .open(.tide, .sample()), .reject(.tide, [1], code: "X"), .outcome(.tide, [2], .accepted),
            .open(.wind, .sample("wind")), .watermark("tide", .at(0)), .pause("tide"), .watermark("wind", .at(0)))
        try await open.commit(.drop(.topic("tides")), .drop(.campaign("tide")), .drop(.group("nobody")))
        let state = try await open.reopened()
        #expect(state.topics.keys.map(\.rawValue) == ["winds"])
        #expect(state.occurrences.keys.map { $0 } == [.wind])
        #expect(state.watermarks == ["wind": .at(0)])
        #expect(state.pauses == Pauses())
        // A new resource with the same name has nothing of the old one.
        try await open.commit(
            .open(.tide, .sample()), .members("tides", [2], .preexisting, at: .at(0)), .drop(.occurrence(.wind)))
        let later = try await open.reopened()
        #expect(later.occurrences[.tide] == .sample())
        #expect(later.topics["tides"]?.managed == [])
        #expect(later.occurrences[.wind] == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `remembers tests in their order, the topic API and the quota`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        let tests = (1...3).map {
            RecordedTest(campaign: "c\($0 % 2)", at: .at(Double($0)), accepted: $0, rejected: 0, unknown: 1)
        }
        try await open.commit(
            interned(3), .test(tests[0]), .test(tests[1]), .topicAPI(.registrations, at: .at(1)),
            .sendQuota(600_000, at: .at(1)))
        try await open.commit(.test(tests[2]), .topicAPI(.iid, at: .at(2)), .sendQuota(1, at: .at(2)))
        let state = try await open.reopened()
        #expect(state.tests == tests)
        #expect(state.topicAPI == .init(.iid, at: .at(2)))
        #expect(state.sendQuota == .init(perMinute: 1, at: .at(2)))
    }

    @Test(arguments: StoreKind.allCases)
    func `remembers spent plans, sizes and watermarks`(_ kind: StoreKind) async throws {
        let open = try await OpenStore(kind)
        try await open.commit(
            .spendPlan("one"), .audienceSizes(["a": 1, "b": 2]), .watermark("tide", .at(1)), .watermark("wind", .at(1)))
        try await open.commit(
            .spendPlan("one"), .spendPlan("two"), .audienceSizes(["b": 3]), .watermark("tide", .at(2)))
        let state = try await open.store.wholeState()
        #expect(state.spentPlans == ["one", "two"])
        #expect(state.audienceSizes == ["b": 3])
        #expect(state.watermarks == ["tide": .at(2), "wind": .at(1)])
    }
}
