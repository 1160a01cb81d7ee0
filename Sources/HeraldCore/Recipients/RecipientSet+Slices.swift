/// How PostgreSQL stores a set: slices of 4,096 numbers, each a bitmap of 512 bytes. There a change is a bitwise
/// operation on rows that are small enough to be rewritten in place.
///
/// The lowest number of a slice is the lowest bit of its first byte.
extension RecipientSet {
    package struct Slice: Sendable {
        /// Which slice of all numbers.
        package var number: Int64
        package var bits: [UInt8]

        package init(number: Int64, bits: [UInt8]) {
            self.number = number
            self.bits = bits
        }
    }

    /// How many bytes a slice has.
    package static let sliceBytes = 512
    private static let words = sliceBytes / 8
    /// How many slices a chunk has.
    private static let slicesPerChunk = 16

    /// Sorted by number. None is empty.
    package var slices: [Slice] {
        var slices: [Slice] = []
        for chunk in chunks {
            let words = chunk.members.words
            for place in 0..<Self.slicesPerChunk {
                let part = words[(place * Self.words)..<((place + 1) * Self.words)]
                guard part.contains(where: { $0 != 0 }) else { continue }
                let bits: [UInt8] = part.flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
                slices.append(Slice(number: Int64(chunk.key) * Int64(Self.slicesPerChunk) + Int64(place), bits: bits))
            }
        }
        return slices
    }

    /// - Parameter slices: sorted by number.
    package init(slices: [Slice]) throws {
        var chunks: [Chunk] = []
        var words: [UInt64] = []
        var last: Int64 = -1
        for slice in slices {
            guard slice.number > last, slice.bits.count == Self.sliceBytes,
                let key = UInt16(exactly: slice.number / Int64(Self.slicesPerChunk))
            else { throw DamagedChunk() }
            if chunks.last?.key != key {
                Self.close(&chunks, words)
                words = [UInt64](repeating: 0, count: Self.slicesPerChunk * Self.words)
                chunks.append(Chunk(key: key, members: .array([])))
            }
            let first = Int(slice.number % Int64(Self.slicesPerChunk)) * Self.words
            slice.bits.withUnsafeBytes { bits in
                for place in 0..<Self.words {
                    words[first + place] = UInt64(
                        littleEndian: bits.loadUnaligned(fromByteOffset: 8 * place, as: UInt64.self))
                }
            }
            last = slice.number
        }
        Self.close(&chunks, words)
        self.init(chunks: chunks)
    }

    private static func close(_ chunks: inout [Chunk], _ words: [UInt64]) {
        if !chunks.isEmpty { chunks[chunks.count - 1].members = ChunkMembers(words: words) }
    }
}
