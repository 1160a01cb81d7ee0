/// Entries in order, in one or more sorted runs. They can be read any number of times with `EntryMerge`.
struct SortedEntries: Sendable {
    enum Run: Sendable {
        case memory([UInt8])
        case file(SpillFile, Range<Int>)
    }

    var runs: [Run] = []
    var count = 0
}

extension SortedEntries.Run {
    /// Fills the buffer from an offset in the run. It returns less than the buffer's size only at the end of the run.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(RecipientIndexError) -> Int {
        switch self {
        case .memory(let bytes):
            let part = bytes[offset..<min(offset + buffer.count, bytes.count)]
            buffer.copyBytes(from: part)
            return part.count
        case .file(let file, let place):
            let count = min(buffer.count, place.count - offset)
            return try file.read(into: .init(rebasing: buffer[..<count]), at: place.lowerBound + offset)
        }
    }
}

/// A position in a run.
final class EntryCursor {
    private let run: SortedEntries.Run
    private let buffer: UnsafeMutableRawBufferPointer
    /// The start of the unread bytes in the buffer, and the end of the filled ones.
    private var (position, filled) = (0, 0)
    /// The place in the run after the bytes in the buffer.
    private var offset: Int

    /// - Parameters:
    ///   - offset: where an entry begins in the run.
    ///   - bufferSize: in bytes. It is raised to the size of one entry if necessary.
    init(_ run: SortedEntries.Run, from offset: Int = 0, bufferSize: Int) {
        (self.run, self.offset) = (run, offset)
        buffer = .allocate(byteCount: max(bufferSize, ListEntry.maximumSize), alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// The next entry, valid until the next call. `nil` at the end.
    func next() throws(RecipientIndexError) -> UnsafeRawPointer? {
        if filled - position < ListEntry.maximumSize { try refill() }
        guard position < filled, let base = buffer.baseAddress else { return nil }
        let start = UnsafeRawPointer(base + position)
        position += ListEntry(start).size
        return start
    }

    private func refill() throws(RecipientIndexError) {
        let rest = UnsafeRawBufferPointer(rebasing: buffer[position..<filled])
        buffer.copyMemory(from: rest)
        (position, filled) = (0, rest.count)
        guard filled < buffer.count else { return }
        let count = try run.read(into: .init(rebasing: buffer[filled...]), at: offset)
        filled += count
        offset += count
    }
}
