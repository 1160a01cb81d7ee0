/// A recipient's number in the state. Numbers are given out in ascending order and never reused. 0 stands for the whole
/// target of a single request.
package typealias RecipientID = UInt32

/// A set of recipients in chunks of 65,536 numbers. Each chunk uses the smaller of two forms (after Roaring bitmaps,
/// Chambi et al., 2016).
package struct RecipientSet: Sendable {
    /// Sorted by key. No chunk is empty.
    private(set) var chunks: [Chunk] = []

    struct Chunk: Sendable {
        /// The upper 16 bits of its members.
        var key: UInt16
        var members: ChunkMembers
    }

    package init() {}

    package init(_ members: some Sequence<RecipientID>) {
        for member in members { insert(member) }
    }

    /// Works chunk by chunk, so that ranges of millions are fast.
    package init(_ range: Range<RecipientID>) {
        var rest = range
        while let low = rest.first, let high = rest.last {
            let last = Swift.min(high, low | 0xFFFF)
            let values = (low...last).map { UInt16(truncatingIfNeeded: $0) }
            chunks.append(Chunk(key: Self.split(low).key, members: ChunkMembers(sorted: values)))
            rest = rest.dropFirst(values.count)
        }
    }

    init(chunks: [Chunk]) { self.chunks = chunks.filter { !$0.members.isEmpty } }

    /// - Parameter chunk: not empty, and above all that are there.
    mutating func append(_ chunk: Chunk) { chunks.append(chunk) }

    package var isEmpty: Bool { chunks.isEmpty }
    package var count: Int { chunks.reduce(0) { $0 + $1.members.count } }

    package var last: RecipientID? {
        chunks.last.flatMap { chunk in chunk.members.last.map { RecipientID(chunk.key) << 16 | RecipientID($0) } }
    }

    package func contains(_ member: RecipientID) -> Bool {
        let (key, low) = Self.split(member)
        guard let index = index(of: key) else { return false }
        return chunks[index].members.contains(low)
    }

    package mutating func insert(_ member: RecipientID) {
        let (key, low) = Self.split(member)
        let place = firstIndex(notBelow: key)
        if place < chunks.count, chunks[place].key == key {
            chunks[place].members.insert(low)
        } else {
            chunks.insert(Chunk(key: key, members: .array([low])), at: place)
        }
    }

    /// Returns `false` if it was not a member.
    @discardableResult
    package mutating func remove(_ member: RecipientID) -> Bool {
        let (key, low) = Self.split(member)
        guard let place = index(of: key), chunks[place].members.remove(low) else { return false }
        if chunks[place].members.isEmpty { chunks.remove(at: place) }
        return true
    }

    package func union(_ other: RecipientSet) -> RecipientSet {
        combined(with: other, keepsLeft: true, keepsRight: true) { $0.union($1) }
    }

    package func subtracting(_ other: RecipientSet) -> RecipientSet {
        combined(with: other, keepsLeft: true, keepsRight: false) { $0.subtracting($1) }
    }

    package func intersection(_ other: RecipientSet) -> RecipientSet {
        combined(with: other, keepsLeft: false, keepsRight: false) { $0.intersection($1) }
    }

    package mutating func formUnion(_ other: RecipientSet) { self = union(other) }
    package mutating func subtract(_ other: RecipientSet) { self = subtracting(other) }

    /// The upper 16 bits that occur, ascending.
    package var chunkKeys: [UInt16] { chunks.map(\.key) }

    /// The ranges without gaps, ascending. A range across two chunks counts as two.
    package var runs: [ClosedRange<RecipientID>] {
        var runs: [ClosedRange<RecipientID>] = []
        for chunk in chunks {
            let high = RecipientID(chunk.key) << 16
            chunk.members.forEachRun { first, extra in
                let first = high | RecipientID(first)
                runs.append(first...(first + RecipientID(extra)))
            }
        }
        return runs
    }

    /// The members whose upper 16 bits are `key`.
    package func chunk(_ key: UInt16) -> RecipientSet {
        index(of: key).map { RecipientSet(chunks: [chunks[$0]]) } ?? []
    }

    private func combined(
        with other: RecipientSet, keepsLeft: Bool, keepsRight: Bool,
        _ both: (ChunkMembers, ChunkMembers) -> ChunkMembers
    ) -> RecipientSet {
        var result: [Chunk] = []
        var (i, j) = (0, 0)
        while i < chunks.count || j < other.chunks.count {
            if j == other.chunks.count || i < chunks.count && chunks[i].key < other.chunks[j].key {
                if keepsLeft { result.append(chunks[i]) }
                i += 1
            } else if i == chunks.count || other.chunks[j].key < chunks[i].key {
                if keepsRight { result.append(other.chunks[j]) }
                j += 1
            } else {
                result.append(Chunk(key: chunks[i].key, members: both(chunks[i].members, other.chunks[j].members)))
                i += 1
                j += 1
            }
        }
        return RecipientSet(chunks: result)
    }

    private static func split(_ member: RecipientID) -> (key: UInt16, low: UInt16) {
        (UInt16(truncatingIfNeeded: member >> 16), UInt16(truncatingIfNeeded: member))
    }

    private func index(of key: UInt16) -> Int? {
        let place = firstIndex(notBelow: key)
        return place < chunks.count && chunks[place].key == key ? place : nil
    }

    private func firstIndex(notBelow key: UInt16) -> Int {
        // Members mostly arrive in ascending order, so the last chunk is tried first.
        if let last = chunks.last, last.key < key { return chunks.count }
        var (low, high) = (0, chunks.count)
        while low < high {
            let middle = (low + high) / 2
            if chunks[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension RecipientSet: Sequence {
    /// Ascending.
    package struct Iterator: IteratorProtocol {
        private var chunks: ArraySlice<Chunk>
        private var values: [UInt16] = []
        private var position = 0
        private var high: RecipientID = 0

        init(_ chunks: [Chunk]) { self.chunks = chunks[...] }

        package mutating func next() -> RecipientID? {
            if position == values.count {
                guard let chunk = chunks.popFirst() else { return nil }
                values = chunk.members.values
                high = RecipientID(chunk.key) << 16
                position = 0
            }
            defer { position += 1 }
            return high | RecipientID(values[position])
        }
    }

    package func makeIterator() -> Iterator { Iterator(chunks) }
    package var underestimatedCount: Int { count }
}

extension RecipientSet: Hashable {
    package static func == (one: RecipientSet, other: RecipientSet) -> Bool {
        one.chunks.elementsEqual(other.chunks) { $0.key == $1.key && $0.members == $1.members }
    }

    package func hash(into hasher: inout Hasher) {
        for chunk in chunks {
            hasher.combine(chunk.key)
            hasher.combine(chunk.members.values)
        }
    }
}

extension RecipientSet: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: RecipientID...) { self.init(elements) }
}
