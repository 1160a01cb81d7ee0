/// How a chunk is stored: one byte for the form, then little-endian 16-bit numbers; whichever form is smallest.
///
/// 1: the members, ascending. 2: a bitmap of 8192 bytes. 3: runs, each a first member and its length less one.
extension RecipientSet {
    /// Bytes that no `encoded` wrote: the record is damaged.
    package struct DamagedChunk: Error {}

    private enum Form: UInt8 {
        case array = 1
        case bits = 2
        case runs = 3
    }

    /// Each chunk's key and bytes, by key.
    package var encodedChunks: [(key: UInt16, bytes: [UInt8])] {
        chunks.map { ($0.key, Self.encode($0.members)) }
    }

    /// Puts a set together from stored chunks.
    package init(encodedChunks: [(key: UInt16, bytes: [UInt8])]) throws {
        var decoded: [Chunk] = []
        for (key, bytes) in encodedChunks {
            if let last = decoded.last, last.key >= key { throw DamagedChunk() }
            decoded.append(Chunk(key: key, members: try Self.decode(bytes)))
        }
        self.init(chunks: decoded)
    }

    private static func encode(_ members: ChunkMembers) -> [UInt8] {
        let values = members.values
        let runs = runs(of: values)
        let (arraySize, runsSize) = (values.count * 2, runs.count * 4)
        if runsSize < Swift.min(arraySize, 8192) {
            return [Form.runs.rawValue] + runs.flatMap { littleEndian($0.first) + littleEndian($0.extra) }
        }
        if arraySize <= 8192 { return [Form.array.rawValue] + values.flatMap(littleEndian) }
        return [Form.bits.rawValue]
            + members.words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    }

    private static func decode(_ bytes: [UInt8]) throws -> ChunkMembers {
        guard let form = bytes.first.flatMap({ Form(rawValue: $0) }), bytes.count > 2, bytes.count % 2 == 1 else {
            throw DamagedChunk()
        }
        let numbers = stride(from: 1, to: bytes.count, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
        switch form {
        case .array:
            guard zip(numbers, numbers.dropFirst()).allSatisfy(<) else { throw DamagedChunk() }
            return ChunkMembers(sorted: numbers)
        case .bits:
            guard numbers.count == 4096 else { throw DamagedChunk() }
            let words = stride(from: 0, to: 4096, by: 4).map { index in
                (0..<4).reduce(UInt64(0)) { $0 | UInt64(numbers[index + $1]) << (UInt64($1) * 16) }
            }
            let members = ChunkMembers(words: words)
            guard !members.isEmpty else { throw DamagedChunk() }
            return members
        case .runs:
            guard numbers.count % 2 == 0 else { throw DamagedChunk() }
            var values: [UInt16] = []
            for index in stride(from: 0, to: numbers.count, by: 2) {
                let (first, extra) = (numbers[index], numbers[index + 1])
                guard Int(first) + Int(extra) <= Int(UInt16.max), values.last.map({ Int($0) + 1 < Int(first) }) ?? true
                else {
                    throw DamagedChunk()
                }
                values.append(contentsOf: first...(first + extra))
            }
            return ChunkMembers(sorted: values)
        }
    }

    private static func runs(of values: [UInt16]) -> [(first: UInt16, extra: UInt16)] {
        var runs: [(first: UInt16, extra: UInt16)] = []
        for value in values {
            if let last = runs.last, Int(last.first) + Int(last.extra) + 1 == Int(value) {
                runs[runs.count - 1].extra += 1
            } else {
                runs.append((value, 0))
            }
        }
        return runs
    }

    private static func littleEndian(_ number: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    }
}
