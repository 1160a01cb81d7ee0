import HeraldTestSupport
import Testing

@testable import HeraldCore
@testable import HeraldStore

@Suite struct PieceRowsTests {
    /// Of slice 2: numbers 8192 to 12287.
    private static let rows: [RecipientID: FieldValues] = [
        8192: FieldValues(["Zoë", nil]), 8200: FieldValues([]),
        12287: FieldValues([String(repeating: "x", count: 60_000), String(repeating: "y", count: 60_000)]),
    ]

    @Test func `rows come back as they were written`() {
        #expect(PieceRows.read(PieceRows.bytes(Self.rows, ofSlice: 2), ofSlice: 2) == Self.rows)
        #expect(PieceRows.read(PieceRows.bytes([:], ofSlice: 2), ofSlice: 2) == [:])
    }

    @Test func `a bit that changed is noticed`() {
        let bytes = PieceRows.bytes([8192: FieldValues(["Zoë", nil, "12"])], ofSlice: 2)
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(PieceRows.read(changed, ofSlice: 2) == nil)
        }
        for count in bytes.indices { #expect(PieceRows.read(Array(bytes.prefix(count)), ofSlice: 2) == nil) }
    }

    @Test(
        arguments: [
            // Cut in the place, in the size, and in the values.
            [1], [1, 0, 3, 0], [1, 0, 3, 0, 0, 0, 9, 9], [1, 0, 255, 255, 255, 255],
            // Beyond the slice, twice, and in descending order.
            [0, 16, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0],
        ] as [[UInt8]])
    func `anything else is refused`(_ bytes: [UInt8]) {
        #expect(PieceRows.read(PieceRows.sealed(bytes), ofSlice: 2) == nil)
    }

    @Test(arguments: [-1, Int64.min, .max, 1 << 20] as [Int64])
    func `a slice that no recipient is in has no rows`(_ slice: Int64) {
        #expect(PieceRows.read(PieceRows.sealed([0, 0, 0, 0, 0, 0]), ofSlice: slice) == nil)
    }

    @Test func `random bytes never end the process`() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...(Bool.random(using: &random) ? 3 : 255), using: &random)
            }
            for (id, values) in PieceRows.read(PieceRows.sealed(bytes), ofSlice: 0) ?? [:] {
                #expect(id < 4096)
                _ = values.texts
            }
        }
    }
}
