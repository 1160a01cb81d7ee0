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
    fileprivate static let words = sliceBytes / 8
    /// How many slices a chunk has.
    fileprivate static let slicesPerChunk = 16

    /// Sorted by number. None is empty.
    package var slices: [Slice] {
        var slices: [Slice] = []
        for chunk in chunks {
            let words = chunk.members.words
            for place in 0..<Self.slicesPerChunk {
                let part = words[(place * Self.words)..<((place + 1) * Self.words)]
                guard part.contains(where: { $0 != 0 }) else { continue }
                let bits = part.map { $0.littleEndian }.withUnsafeBytes { Array($0) }
                slices.append(Slice(number: Int64(chunk.key) * Int64(Self.slicesPerChunk) + Int64(place), bits: bits))
            }
        }
        return slices
    }

    /// A set that grows slice by slice.
    package struct Joined {
        private var chunks: [Chunk] = []
        /// The chunk that grows.
        private var key: UInt16 = 0
        private var members: [UInt64] = []
        private var last: Int64 = -1

        package init() {}

        /// - Parameter number: higher than those before it.
        /// - Returns: How many members the slice has.
        package mutating func append(_ number: Int64, _ bits: UnsafeRawBufferPointer) throws -> Int {
            let (slices, words) = (RecipientSet.slicesPerChunk, RecipientSet.words)
            guard number > last, bits.count == RecipientSet.sliceBytes,
                let key = UInt16(exactly: number / Int64(slices))
            else { throw DamagedChunk() }
            if key != self.key || members.isEmpty {
                close()
                (self.key, members) = (key, [UInt64](repeating: 0, count: slices * words))
            }
            let first = Int(number % Int64(slices)) * words
            var count = 0
            for place in 0..<words {
                let word = UInt64(littleEndian: bits.loadUnaligned(fromByteOffset: 8 * place, as: UInt64.self))
                members[first + place] = word
                count += word.nonzeroBitCount
            }
            last = number
            return count
        }

        package var set: RecipientSet {
            var joined = self
            joined.close()
            return RecipientSet(chunks: joined.chunks)
        }

        private mutating func close() {
            guard !members.isEmpty else { return }
            chunks.append(Chunk(key: key, members: ChunkMembers(words: members)))
            members = []
        }
    }
}
