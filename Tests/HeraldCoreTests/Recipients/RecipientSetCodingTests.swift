import HeraldTestSupport
import Testing

@testable import HeraldCore

/// The encoding of chunks (0002-membership-and-ledger.md): a kind byte, and the smallest of three
/// bodies.
struct RecipientSetCodingTests {
    @Test(arguments: RecipientShape.allCases)
    func `is read as it was written`(_ shape: RecipientShape) throws {
        var random = SeededRandom(seed: 17)
        let set = RecipientSet(shape.members(using: &random))
        #expect(try RecipientSet(encodedChunks: set.encodedChunks) == set)
    }

    @Test(arguments: RecipientShape.allCases)
    func `is written in the smallest of the three forms`(_ shape: RecipientShape) {
        var random = SeededRandom(seed: 19)
        let members = shape.members(using: &random)
        let sizes = Dictionary(
            uniqueKeysWithValues: RecipientSet(members).encodedChunks.map { ($0.key, $0.bytes.count) })
        for (key, values) in Dictionary(grouping: members, by: { UInt16($0 >> 16) }) {
            let runs = values.count { $0 % 65_536 == 0 || !members.contains($0 - 1) }
            #expect(sizes[key] == 1 + min(2 * values.count, 4 * runs, 8192))
        }
        #expect(sizes.count == Set(members.map { $0 >> 16 }).count)
    }

    @Test func `writes little-endian numbers behind the kind`() {
        let array = RecipientSet([1, 0x1234, 0xFFFF]).encodedChunks
        #expect(array.map(\.key) == [0])
        #expect(array.map(\.bytes) == [[1, 1, 0, 0x34, 0x12, 0xFF, 0xFF]])
        let runs = RecipientSet(0x5_0100...0x5_02FF).encodedChunks
        #expect(runs.map(\.key) == [5])
        #expect(runs.map(\.bytes) == [[3, 0x00, 0x01, 0xFF, 0x01]])
        let everyOther = RecipientSet((0..<32_768).map { $0 * 2 }).encodedChunks
        #expect(everyOther.map(\.bytes) == [[2] + [UInt8](repeating: 0b0101_0101, count: 8192)])
    }

    @Test(
        arguments: [
            [], [1], [2], [3], [0, 1, 0], [4, 1, 0], [255, 1, 0],
            [1, 1], [1, 1, 0, 2],
            [1, 2, 0, 1, 0], [1, 1, 0, 1, 0],
            [2] + [UInt8](repeating: 1, count: 8191), [2] + [UInt8](repeating: 1, count: 8193),
            [2] + [UInt8](repeating: 1, count: 8194), [2] + [UInt8](repeating: 0, count: 8192),
            [3, 1, 0], [3, 1, 0, 1, 0, 9, 0],
            [3, 0xFF, 0xFF, 1, 0], [3, 1, 0, 0xFF, 0xFF],
            [3, 9, 0, 1, 0, 1, 0, 1, 0], [3, 1, 0, 5, 0, 6, 0, 1, 0], [3, 1, 0, 5, 0, 3, 0, 1, 0],
            [3, 1, 0, 1, 0, 1, 0, 1, 0], [3, 1, 0, 5, 0, 7, 0, 1, 0],
        ] as [[UInt8]])
    func `bytes that herald never writes are damage`(_ bytes: [UInt8]) {
        #expect(throws: RecipientSet.DamagedChunk.self) { try RecipientSet(encodedChunks: [(0, bytes)]) }
    }

    @Test(arguments: [[1, 1], [2, 1]] as [[UInt16]])
    func `chunks out of order are damage`(_ keys: [UInt16]) {
        #expect(throws: RecipientSet.DamagedChunk.self) {
            try RecipientSet(encodedChunks: keys.map { ($0, [1, 1, 0]) })
        }
    }

    /// If damaged bytes can be read, the result must be a valid set within its chunk.
    @Test(arguments: 0..<12 as Range<UInt64>)
    func `damaged bytes throw or are a set in good order`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let shape = [RecipientShape.runs, .justBitmap, .sparse, .dense][Int(seed % 4)]
        let chunks = RecipientSet(shape.members(using: &random)).encodedChunks
        for round in 0..<12 {
            guard var bytes = chunks.randomElement(using: &random)?.bytes else { continue }
            for _ in 0...Int.random(in: 0...3, using: &random) {
                let place = bytes.indices.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<8, using: &random) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(.random(in: 0...255, using: &random), at: place)
                case 2: bytes.removeSubrange(place...)
                case 3: bytes[0] = .random(in: 0...4, using: &random)
                default: bytes[place] = .random(in: 0...255, using: &random)
                }
                if bytes.isEmpty { break }
            }
            do {
                let set = try RecipientSet(encodedChunks: [(2, bytes)])
                let members = Array(set)
                #expect(zip(members, members.dropFirst()).allSatisfy(<), "seed \(seed), round \(round)")
                #expect(members.allSatisfy { $0 >> 16 == 2 }, "seed \(seed), round \(round)")
                #expect(set.count == members.count && !set.isEmpty, "seed \(seed), round \(round)")
            } catch {
                #expect(error is RecipientSet.DamagedChunk, "seed \(seed), round \(round)")
            }
        }
    }
}

extension RecipientSet {
    fileprivate init(encodedChunks: [(key: UInt16, bytes: [UInt8])]) throws {
        self.init()
        for (key, bytes) in encodedChunks { try bytes.withUnsafeBytes { try append(key, $0) } }
    }
}
