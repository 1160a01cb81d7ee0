/// Reads several sorted runs as if they were one.
struct EntryMerge {
    /// In bytes, for all runs together. Each run still gets room for a few entries.
    private static let bufferSize = 4 << 20

    private let cursors: [EntryCursor]
    /// The current entry of each cursor, and its prefix, which mostly decides.
    private var heads: [(start: UnsafeRawPointer, prefix: UInt64)]
    /// A heap of cursors by their heads, with the least at the front. Cursors at their end are removed.
    private var heap: [Int] = []

    init(_ parts: [SortedEntries]) throws(RecipientIndexError) {
        let runs = parts.flatMap(\.runs)
        // With room for little more than the largest entry, nearly each entry would cost a read.
        let size = min(256 << 10, max(2 * ListEntry.maximumSize, Self.bufferSize / max(1, runs.count)))
        var cursors: [EntryCursor] = []
        var heads: [(start: UnsafeRawPointer, prefix: UInt64)] = []
        for run in runs {
            let cursor = EntryCursor(run, bufferSize: size)
            guard let head = try cursor.next() else { continue }
            cursors.append(cursor)
            heads.append((head, ListEntry(head).prefix))
        }
        (self.cursors, self.heads) = (cursors, heads)
        heap = Array(cursors.indices)
        for place in heap.indices.reversed() { siftDown(from: place) }
    }

    /// The least entry that has not been passed. It is valid until `pass`.
    var head: ListEntry? { heap.first.map { ListEntry(heads[$0].start) } }

    /// Moves past the head.
    mutating func pass() throws(RecipientIndexError) {
        guard let first = heap.first else { return }
        if let head = try cursors[first].next() {
            heads[first] = (head, ListEntry(head).prefix)
        } else {
            let last = heap.removeLast()
            if heap.isEmpty { return }
            heap[0] = last
        }
        siftDown(from: 0)
    }

    private mutating func siftDown(from place: Int) {
        var place = place
        while true {
            var least = place
            let child = 2 * place + 1
            if child < heap.count, precedes(child, least) { least = child }
            if child + 1 < heap.count, precedes(child + 1, least) { least = child + 1 }
            if least == place { return }
            heap.swapAt(place, least)
            place = least
        }
    }

    private func precedes(_ one: Int, _ other: Int) -> Bool {
        let (one, other) = (heads[heap[one]], heads[heap[other]])
        if one.prefix != other.prefix { return one.prefix < other.prefix }
        return ListEntry(one.start).precedes(ListEntry(other.start))
    }
}
