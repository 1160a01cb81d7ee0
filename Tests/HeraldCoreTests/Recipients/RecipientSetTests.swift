import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Compares it with Swift's own set, around the borders of chunks (65,536) and forms (4,096).
struct RecipientSetTests {
    @Test(arguments: RecipientShape.pairs)
    func `agrees with Swift's set in every operation`(seed: UInt64, one: RecipientShape, other: RecipientShape) {
        var random = SeededRandom(seed: seed)
        let (left, right) = (one.members(using: &random), other.members(using: &random))
        let (a, b) = (RecipientSet(left.shuffled(using: &random)), RecipientSet(right.shuffled(using: &random)))
        #expect(Array(a.union(b)) == left.union(right).sorted(), "seed \(seed)")
        #expect(Array(a.intersection(b)) == left.intersection(right).sorted(), "seed \(seed)")
        #expect(Array(a.subtracting(b)) == left.subtracting(right).sorted(), "seed \(seed)")
        #expect(a.union(b).count == left.union(right).count, "seed \(seed)")
        #expect(a.subtracting(b).isEmpty == left.isSubset(of: right), "seed \(seed)")
        #expect((a == b) == (left == right), "seed \(seed)")
    }

    @Test(arguments: RecipientShape.allCases)
    func `iterates in ascending order, whatever the order of insertion`(_ shape: RecipientShape) {
        var random = SeededRandom(seed: 7)
        let members = shape.members(using: &random)
        let set = RecipientSet(members.shuffled(using: &random))
        #expect(Array(set) == members.sorted())
        #expect(set.count == members.count)
        #expect(set.isEmpty == members.isEmpty)
    }

    @Test(arguments: RecipientShape.allCases)
    func `contains its members and nobody else`(_ shape: RecipientShape) {
        var random = SeededRandom(seed: 11)
        let members = shape.members(using: &random)
        let set = RecipientSet(members)
        let neighbours = members.flatMap { [$0 &- 1, $0, $0 &+ 1, $0 ^ 0x1_0000] } + [0, 65_535, 65_536, .max]
        #expect(neighbours.allSatisfy { set.contains($0) == members.contains($0) })
    }

    @Test(arguments: RecipientShape.allCases)
    func `equals and hashes like a set that came about otherwise`(_ shape: RecipientShape) {
        var random = SeededRandom(seed: 13)
        let members = shape.members(using: &random)
        let direct = RecipientSet(members.sorted())
        let extra: RecipientSet = RecipientSet((0..<6000).map { $0 * 3 })
        let grown = direct.union(extra).subtracting(extra.subtracting(direct))
        #expect(direct == grown)
        #expect(direct.hashValue == grown.hashValue)
    }

    @Test func `equals and hashes alike in both forms of a chunk`() {
        let values: [UInt16] = [0, 63, 64, 65_535]
        let array = ChunkMembers.array(values)
        let bits = ChunkMembers.bits(array.words, count: 4)
        let (one, other) = (
            RecipientSet(chunks: [.init(key: 3, members: array)]), RecipientSet(chunks: [.init(key: 3, members: bits)])
        )
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(Array(one) == Array(other))
    }

    @Test func `adding a member that is there changes nothing`() {
        for size in [4095, 4096, 4097] as [RecipientID] {
            var set = RecipientSet(0..<size)
            let before = set
            set.insert(size - 1)
            #expect(set == before)
            #expect(set.count == Int(size))
        }
    }

    @Test func `differs from a set with one member more, less or elsewhere`() {
        let set: RecipientSet = [1, 2, 65_536]
        #expect(set != [1, 2])
        #expect(set != [1, 2, 65_536, 65_537])
        #expect(set != [1, 2, 131_072])
        #expect(set.subtracting([65_536]) == [1, 2])
    }

    @Test func `gives one chunk of 65,536 numbers at a time`() {
        let set: RecipientSet = [0, 65_535, 65_536, 131_071, .max]
        #expect(Array(set.chunk(0)) == [0, 65_535])
        #expect(Array(set.chunk(1)) == [65_536, 131_071])
        #expect(set.chunk(2).isEmpty)
        #expect(Array(set.chunk(65_535)) == [.max])
    }

    @Test(
        arguments: [
            0..<0, 0..<1, 5..<5, 1..<70_000, 65_535..<65_536, 65_535..<65_537, 65_536..<131_072,
            4_294_967_290..<4_294_967_295,
            65_530..<65_536, 65_530..<65_540,
        ] as [Range<RecipientID>])
    func `a range has every one of its members`(_ range: Range<RecipientID>) {
        #expect(RecipientSet(range) == RecipientSet(Array(range)))
        #expect(RecipientSet(range).count == range.count)
    }
}
