import HeraldTestSupport
import Testing

@testable import HeraldCore

/// The slices in which PostgreSQL keeps sets.
struct RecipientSliceTests {
    @Test(arguments: RecipientShape.allCases)
    func `slices joined are the set`(_ shape: RecipientShape) throws {
        var random = SeededRandom(seed: 23)
        let set = RecipientSet(shape.members(using: &random))
        var joined = RecipientSet.Joined()
        var count = 0
        for slice in set.slices { count += try append(slice.number, slice.bits, to: &joined) }
        #expect(joined.set == set)
        #expect(count == set.count)
    }

    @Test func `the lowest number is the lowest bit of the first byte`() {
        let slices = RecipientSet([4096, 4096 + 15, 0xFFFF_FFFF]).slices
        #expect(slices.map(\.number) == [1, 0xF_FFFF])
        #expect(slices[0].bits == [1, 0x80] + [UInt8](repeating: 0, count: 510))
    }

    @Test(arguments: [(-1, 512), (2, 512), (1, 512), (0x10_0000, 512), (3, 511), (3, 513), (3, 0)] as [(Int64, Int)])
    func `a slice of another size or out of order is damage`(_ number: Int64, _ size: Int) throws {
        var joined = RecipientSet.Joined()
        _ = try append(2, [UInt8](repeating: 1, count: 512), to: &joined)
        #expect(throws: RecipientSet.DamagedChunk.self) {
            try append(number, [UInt8](repeating: 1, count: size), to: &joined)
        }
    }

    private func append(_ number: Int64, _ bits: [UInt8], to joined: inout RecipientSet.Joined) throws -> Int {
        try bits.withUnsafeBytes { try joined.append(number, $0) }
    }
}
