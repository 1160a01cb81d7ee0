import HeraldTestSupport
import Testing

@testable import HeraldCore

@Suite struct PartitionTests {
    @Test func `somebody who is moved leaves the state they were in`() {
        var partition = Partition<Membership>()
        partition.move([1, 2, 70_000], to: .subscribing)
        partition.move([2, 3], to: .managed)
        #expect(partition[.subscribing] == [1, 70_000])
        #expect(partition[.managed] == [2, 3])
        #expect(partition.state(of: 2) == .managed)
        partition.move([1, 2, 3, 70_000], to: nil)
        #expect(partition.isEmpty)
        #expect(partition.state(of: 2) == nil)
    }

    @Test func `setting a state replaces who was in it`() {
        var partition = Partition<Membership>()
        partition[.managed] = [1, 2]
        partition[.preexisting] = [3]
        partition[.managed] = [2, 3]
        #expect(partition[.managed] == [2, 3])
        #expect(partition[.preexisting].isEmpty)
        #expect(partition.state(of: 1) == nil)
    }

    @Test func `sets with somebody in common are none`() {
        #expect(Partition(["a": [1, 2], "b": [2]]) == nil)
        #expect(Partition(["a": [1], "b": [2], "c": []])?.counts == ["a": 1, "b": 1])
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `any moves give what a dictionary gives`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var partition = Partition<LedgerEntry>()
        var expected: [RecipientID: LedgerEntry] = [:]
        for _ in 0..<60 {
            let members = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                // On both sides of the border between two chunks.
                RecipientID.random(in: 65_500..<65_570, using: &random)
            }
            let entry =
                Int.random(in: 0..<4, using: &random) == 0 ? nil : LedgerEntry.allCases.randomElement(using: &random)
            partition.move(RecipientSet(members), to: entry)
            for member in members { expected[member] = entry }
        }
        for entry in LedgerEntry.allCases {
            let members = expected.filter { $0.value == entry }.keys.sorted()
            #expect(Array(partition[entry]) == members, "seed \(seed)")
            #expect(partition.counts[entry, default: 0] == members.count, "seed \(seed)")
        }
        #expect(Array(partition.union(of: partition.states)) == expected.keys.sorted(), "seed \(seed)")
        #expect(Set(partition.states) == Set(expected.values), "no empty set stays, seed \(seed)")
    }
}
