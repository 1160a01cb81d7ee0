import FCM
import Foundation
import HeraldStore
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A plan with the list cache is the same as one without it.
struct CachedPlanTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `whatever happens, a plan with the cache is the plan without it`(seed: UInt64) async throws {
        let world = try CachedWorld(seed: seed)
        var random = SeededRandom(seed: seed &+ 1_000_000)
        var story: [String] = []
        for _ in 0..<25 {
            story.append(try await world.change())
            try await compare(world, isApplied: Bool.random(using: &random), &story)
        }
    }

    @Test func `zones of lists that did not change are not read again`() async throws {
        let world = try CachedWorld(seed: 1)
        world.fill([[.fid(1), .fid(2)], [.fid(3)], [.fid(4)]])
        try world.writeLists()
        var story: [String] = []
        for _ in 0..<2 { try await compare(world, isApplied: true, &story) }
        let index = try #require(try world.load(isCached: true).recipientIndex).get()
        #expect(index.entries.count == 0 && index.matched?.isInCache == true)
        #expect(index.matched?.zones.values.contains { $0.keys.map(\.name) == ["Asia/Tokyo"] } == true)
    }

    private func compare(_ world: CachedWorld, isApplied: Bool, _ story: inout [String]) async throws {
        let store = try world.openStore()
        let (cached, plain) = (try world.load(isCached: true), try world.load(isCached: false))
        let told: Comment = "\(story.joined(separator: "; "))"
        #expect(cached.diagnostics == plain.diagnostics, told)
        #expect(cached.digest() == plain.digest(), told)
        let without = try await world.wanted(plain, knownTo: store, isCached: false)
        let with = try await world.wanted(cached, knownTo: store, isCached: true)
        #expect(try await plan(with, cached, store) == plan(without, plain, store), told)
        #expect(with.desired.unrecorded == without.desired.unrecorded, told)
        #expect(with.desired.listed == without.desired.listed, told)
        let listed = with.desired.listed
        #expect(
            try await with.registrations(of: listed, knownTo: store)
                == without.registrations(of: listed, knownTo: store), told)
        guard isApplied else { return }
        story.append("applied")
        let expected = try await without.registrations(of: listed, knownTo: store)
        try await with.record(in: store)
        #expect(try await store.registrations(of: listed) == expected, told)
        // The next plan then sees a state with these subscriptions.
        for topic in with.desired.topics {
            try await store.commit([.members(topic.name, topic.members, .managed, at: .at(1))])
        }
    }

    private func plan(
        _ wanted: Wanted, _ loaded: WorkspaceLoader.Loaded, _ store: SQLiteStore
    ) async throws -> [UInt8] {
        let workspace = try #require(loaded.workspace)
        let input = Planner.Input(
            desired: wanted.desired, state: try await store.snapshot(), settings: workspace.settings,
            workspaceDigest: loaded.digest())
        let plan = Planner.plan(input, at: .at(100))
        var text = wanted.desired.topics.map { "\($0.name) \(Array($0.members))\n" }.joined()
        for send in wanted.desired.sends {
            text += "\(send.campaign.name.value) \(Array(send.members))\n"
            let zones = (send.zones["zone"] ?? [:]).map { "\($0.name) \(Array($1))" }.sorted()
            text += "\(zones) \(send.zonesDefaulted)\n"
        }
        return try PlanDocument(Proposal(plan), id: "id", created: .at(100)).json.bytes() + Array(text.utf8)
    }

    @Test func `lists that did not change are not read, nor is the state's table`() async throws {
        let world = try CachedWorld(seed: 3)
        var store = try world.openStore()
        let first = try await world.wanted(world.load(isCached: true), knownTo: store, isCached: true)
        #expect(first.desired.unrecorded > 0)
        try await first.record(in: store)
        store = try world.openStore()
        let loaded = try world.load(isCached: true)
        let index = try #require(loaded.recipientIndex).get()
        #expect(index.matched?.isInCache == true)
        #expect(index.entries.count == 0)
        let second = try await world.wanted(loaded, knownTo: store, isCached: true)
        #expect(second.desired.listed == first.desired.listed)
        #expect(second.desired.unrecorded == 0)
    }

    @Test func `of a list that changed only rows that the state does not know are sorted`() async throws {
        let world = try CachedWorld(seed: 3)
        world.fill([(5...20).map { .fid($0) }, (15...30).map { .fid($0) }, []])
        try world.writeLists()
        let first = try await world.wanted(
            world.load(isCached: true), knownTo: world.openStore(), isCached: true)
        try await first.record(in: world.openStore())
        world.fill([(6...22).map { .fid($0) }, (15...30).map { .fid($0) }, []])
        try world.writeLists()
        let loaded = try world.load(isCached: true)
        let index = try #require(loaded.recipientIndex).get()
        let matched = try #require(index.matched)
        #expect(!matched.isContradicted)
        #expect(matched.hash != nil)
        #expect(index.entries.count == 0)
        world.fill([(6...22).map { .fid($0) } + [.fid(500)], (15...30).map { .fid($0) }, []])
        try world.writeLists()
        #expect(try #require(world.load(isCached: true).recipientIndex).get().entries.count == 1)
        // One recipient under two names: only all rows together tell which name counts.
        world.fill([(6...22).map { .fid($0) }, (15...30).map { .fid($0) } + [.token(6)], []])
        try world.writeLists()
        let mixed = try #require(world.load(isCached: true).recipientIndex).get()
        #expect(mixed.matched == nil)
        #expect(mixed.entries.count > 30)
    }
}
