import Foundation
import Testing

/// Who is stopped by caps, beside a count of every message one by one: nobody gets one too many, and nobody is stopped who
/// had fewer, but for the slack that a cap has. `CAP_HISTORIES` says how many people's histories each store lives.
struct CapHistoryTests {
    private static var worlds: UInt64 {
        let histories = ProcessInfo.processInfo.environment["CAP_HISTORIES"].flatMap { UInt64($0) } ?? 200
        return max(1, histories / UInt64(CapWorld.population))
    }

    @Test(arguments: StoreKind.allCases)
    func `caps stop those who had enough, and nobody else`(_ kind: StoreKind) async throws {
        var (sent, capped) = (0, 0)
        for seed in 1...Self.worlds {
            var world = CapWorld(seed: seed)
            try await world.live(in: OpenStore(kind))
            #expect(world.problems.prefix(3) == [], "seed \(seed)")
            (sent, capped) = (sent + world.sent, capped + world.capped)
        }
        let histories = Int(Self.worlds) * CapWorld.population
        #expect(sent > 10 * histories && capped > histories, "\(sent) sent, \(capped) stopped")
        print("\(histories) histories in \(kind): \(sent) messages, \(capped) stopped by caps")
    }

    @Test(arguments: [-86_400, 86_400])
    func `a book that remembers for another time is noticed`(_ lead: Double) async throws {
        var problems: [String] = []
        for seed in [2, 4, 6, 8] as [UInt64] {
            var world = CapWorld(seed: seed, lead: lead)
            try await world.live(in: OpenStore(.memory))
            problems += world.problems
        }
        #expect(problems.contains { $0.contains(lead > 0 ? "one more than" : "is stopped by") })
    }
}
