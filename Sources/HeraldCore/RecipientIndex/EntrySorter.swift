/// Sorts any number of entries in bounded memory (external merge sort, Knuth, TAOCP 3, 5.4). Entries that do not fit go
/// to a file in sorted runs.
final class EntrySorter {
    /// In bytes. It is enough to sort about 300,000 fids without the disk.
    static let usualBudget = 16 << 20

    private let folder: String
    private let budget: Int
    private var arena: SortArena?
    private var file: SpillFile?
    private var fileSize = 0
    private var runs: [SortedEntries.Run] = []
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
        try spill(arena)
        _ = arena.append(registration, keyLength: keyLength, mark: mark, row: row, tail: tail)
    }

    /// All entries in order. The sorter is empty afterwards.
    func finish() throws(RecipientIndexError) -> SortedEntries {
        defer { (arena, file, fileSize, runs, count) = (nil, nil, 0, [], 0) }
        guard let arena, !arena.isEmpty else { return SortedEntries(runs: runs, count: count) }
        if file == nil {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(arena.byteCount)
            try arena.drain { (part) throws(RecipientIndexError) in bytes.append(contentsOf: part) }
            runs.append(.memory(bytes))
        } else {
            // If most entries are on disk, the rest goes there too, so that it takes no memory.
            try spill(arena)
        }
        return SortedEntries(runs: runs, count: count)
    }

    private func neededArena() throws(RecipientIndexError) -> SortArena {
        if let arena { return arena }
        guard let arena = SortArena(size: budget) else {
            throw .noRoom(folder: folder, detail: "there is no memory for \(budget) bytes")
        }
        self.arena = arena
        return arena
    }

    private func neededFile() throws(RecipientIndexError) -> SpillFile {
        if let file { return file }
        let file = try SpillFile(in: folder)
        self.file = file
        return file
    }

    private func spill(_ arena: SortArena) throws(RecipientIndexError) {
        let file = try neededFile()
        let begin = fileSize
        var block: [UInt8] = []
        block.reserveCapacity(2 * SortArena.blockSize)
        try arena.drain { (bytes) throws(RecipientIndexError) in
            block.append(contentsOf: bytes)
            if block.count >= SortArena.blockSize { try write(&block, to: file) }
        }
        try write(&block, to: file)
        runs.append(.file(file, begin..<fileSize))
    }

    private func write(_ block: inout [UInt8], to file: SpillFile) throws(RecipientIndexError) {
        try block.withUnsafeBufferPointer { (bytes) throws(RecipientIndexError) in
            try file.write(UnsafeRawBufferPointer(bytes), at: fileSize)
        }
        fileSize += block.count
        block.removeAll(keepingCapacity: true)
    }
}
