/// How a chunk is stored: one byte for the form, then little-endian 16-bit numbers. The smallest form is used.
///
/// Form 1: the members, ascending. Form 2: a bitmap of 8192 bytes. Form 3: runs, each as its first member and its
/// length minus one.
extension RecipientSet {
    /// The bytes are not an encoded chunk, so the state is damaged.
    package struct DamagedChunk: Error {}

    private enum Form: UInt8 {
        case array = 1
        case bits = 2
        case runs = 3
    }

    /// Each chunk's key and bytes, sorted by key.
    package var encodedChunks: [(key: UInt16, bytes: [UInt8])] {
        chunks.map { ($0.key, Self.encode($0.members)) }
    }

    /// Adds a chunk as it was encoded. It trusts neither the key nor the bytes.
    ///
    /// - Parameter key: must be above those before it.
    package mutating func append(_ key: UInt16, _ bytes: UnsafeRawBufferPointer) throws {
        if let last = chunks.last, last.key >= key { throw DamagedChunk() }
        append(Chunk(key: key, members: try Self.decode(bytes)))
    }

    /// The set of a single chunk.
    package init(_ key: UInt16, _ bytes: UnsafeRawBufferPointer) throws {
        self.init()
        try append(key, bytes)
    }

    private static func encode(_ members: ChunkMembers) -> [UInt8] {
        let runs = members.runCount
        if runs * 4 < Swift.min(members.count * 2, 8192) {
            return bytes(.runs, runs * 2) { append in
                members.forEachRun { first, extra in
                    append(first)
                    append(extra)
                }
            }
        }
        if members.count * 2 <= 8192 {
            return bytes(.array, members.count) { append in for value in members.values { append(value) } }
        }
        // In one piece: a set that an occurrence is half through is a bitmap at every commit.
        return members.words.map { $0.littleEndian }.withUnsafeBytes { [Form.bits.rawValue] + $0 }
    }

    private static func bytes(_ form: Form, _ count: Int, _ write: ((UInt16) -> Void) -> Void) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 1 + 2 * count) { bytes, size in
            bytes[0] = form.rawValue
            size = 1
            write { number in
                bytes[size] = UInt8(truncatingIfNeeded: number)
                bytes[size + 1] = UInt8(truncatingIfNeeded: number >> 8)
                size += 2
            }
        }
    }

    private static func decode(_ bytes: UnsafeRawBufferPointer) throws -> ChunkMembers {
        guard let form = bytes.first.flatMap({ Form(rawValue: $0) }), bytes.count > 2, bytes.count % 2 == 1 else {
            throw DamagedChunk()
        }
        let count = bytes.count / 2
        let number = { (index: Int) in UInt16(bytes[2 * index + 1]) | UInt16(bytes[2 * index + 2]) << 8 }
        switch form {
        case .array:
            var values: [UInt16] = []
            values.reserveCapacity(count)
            for index in 0..<count {
                let value = number(index)
                if let last = values.last, last >= value { throw DamagedChunk() }
                values.append(value)
            }
            return ChunkMembers(sorted: values)
        case .bits:
            guard count == 4096 else { throw DamagedChunk() }
            let words = [UInt64](unsafeUninitializedCapacity: 1024) { words, size in
                for index in 0..<1024 {
                    words[index] = UInt64(
                        littleEndian: bytes.loadUnaligned(fromByteOffset: 1 + 8 * index, as: UInt64.self))
                }
                size = 1024
            }
            let members = ChunkMembers(words: words)
            guard !members.isEmpty else { throw DamagedChunk() }
            return members
        case .runs:
            guard count % 2 == 0 else { throw DamagedChunk() }
            var runs: [ClosedRange<UInt16>] = []
            runs.reserveCapacity(count / 2)
            for index in stride(from: 0, to: count, by: 2) {
                let (first, extra) = (number(index), number(index + 1))
                let (last, overflows) = first.addingReportingOverflow(extra)
                guard !overflows, runs.last.map({ Int($0.upperBound) + 1 < Int(first) }) ?? true else {
                    throw DamagedChunk()
                }
                runs.append(first...last)
            }
            return ChunkMembers(runs: runs)
        }
    }
}
