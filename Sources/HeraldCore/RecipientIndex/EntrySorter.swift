/// Sorts any number of entries in bounded memory (external merge sort, Knuth, TAOCP 3, 5.4). Entries that do not fit go
/// to a file in sorted runs, which another core sorts and writes.
final class EntrySorter {
    /// In bytes. Half of it is enough to sort about 150,000 fids without the disk.
    static let usualBudget = 16 << 20

    private let folder: String
    private let budget: Int
    private var arena: SortArena?
    private var spill: EntrySpill?
    private var count = 0

    /// - Parameter folder: where the file goes, if one is needed.
    init(folder: String, budget: Int = EntrySorter.usualBudget) {
        (self.folder, self.budget) = (folder, budget)
    }

    /// - Parameter tail: the row's values, if they are needed; at most `RowValues.maximumSize` bytes.
    func append(
        _ registration: UnsafeRawBufferPointer, keyLength: Int, mark: UInt32, row: UInt32,
        tail: UnsafeRawBufferPointer = .init(start: nil, count: 0)
    ) throws(RecipientIndexError) {
        count += 1
        let arena = try neededArena()
        if arena.append(registration, keyLength: keyLength, mark: mark, row: row, tail: tail) { return }
        try handOver(arena)
        _ = try neededArena().append(registration, keyLength: keyLength, mark: mark, row: row, tail: tail)
    }

    /// All entries in order. The sorter is empty afterwards.
    func finish() throws(RecipientIndexError) -> SortedEntries {
        defer { (arena, spill, count) = (nil, nil, 0) }
        if let spill {
            // If most entries are on disk, the rest goes there too, so that it takes no memory.
            if let arena, !arena.isEmpty { try handOver(arena) }
            return SortedEntries(runs: try spill.finish(), count: count)
        }
        guard let arena, !arena.isEmpty else { return SortedEntries(runs: [], count: count) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(arena.byteCount)
        try arena.drain { (block) throws(RecipientIndexError) in bytes.append(contentsOf: block) }
        return SortedEntries(runs: [.memory(bytes)], count: count)
    }

    private func neededArena() throws(RecipientIndexError) -> SortArena {
        if let arena { return arena }
        // One is filled while the one before is sorted.
        guard let arena = SortArena(size: budget / 2) else {
            throw .noRoom(folder: folder, detail: "there is no memory for \(budget / 2) bytes")
        }
        self.arena = arena
        return arena
    }

    private func handOver(_ full: SortArena) throws(RecipientIndexError) {
        let spill = if let spill { spill } else { try EntrySpill(in: folder) }
        self.spill = spill
        arena = nil
        arena = try spill.exchange(full)
    }
}
