#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A fixed block of memory for entries to be sorted. Entries grow from its start, an index of them from its end. It
/// comes directly from the system, so all of it goes back after use.
final class SortArena {
    private struct Slot {
        var prefix: UInt64
        var offset: UInt32
    }

    private let memory: UnsafeMutableRawBufferPointer
    private let end: UnsafeMutableRawPointer
    private var filled = 0
    private var count = 0
    /// Whether each entry's prefix is larger than the one before: then nothing is to be sorted.
    private var isAscending = true
    private var last: UInt64 = 0

    /// How many bytes are handed out at once.
    static let blockSize = 256 << 10

    /// - Parameter size: in bytes, at most 4 GiB. The result is `nil` if the system has no memory.
    init?(size: Int) {
        let size = max(size, ListEntry.maximumSize + MemoryLayout<Slot>.stride) & ~(MemoryLayout<Slot>.stride - 1)
        guard let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | Self.anonymous, -1, 0),
            start != UnsafeMutableRawPointer(bitPattern: -1)
        else { return nil }
        memory = UnsafeMutableRawBufferPointer(start: start, count: size)
        end = start + size
    }

    deinit { munmap(memory.baseAddress, memory.count) }

    #if canImport(Darwin)
        private static let anonymous = MAP_ANON
    #else
        private static let anonymous = MAP_ANONYMOUS
    #endif

    var isEmpty: Bool { count == 0 }
    /// The size of the entries alone.
    var byteCount: Int { filled }

    /// `false` if there is no room for the entry.
    func append(
        _ registration: UnsafeRawBufferPointer, keyLength: Int, mark: UInt32, row: UInt32, tail: UnsafeRawBufferPointer
    ) -> Bool {
        let size = ListEntry.headerSize + registration.count + (tail.isEmpty ? 0 : 2 + tail.count)
        guard filled + size + (count + 1) * MemoryLayout<Slot>.stride <= memory.count, let base = memory.baseAddress
        else { return false }
        ListEntry.write(registration, keyLength: keyLength, mark: mark, row: row, tail: tail, to: base + filled)
        count += 1
        let prefix = ListEntry(base + filled).prefix
        (end - count * MemoryLayout<Slot>.stride).storeBytes(
            of: Slot(prefix: prefix, offset: UInt32(filled)), as: Slot.self)
        if prefix <= last, count > 1 { isAscending = false }
        last = prefix
        filled += size
        return true
    }

    /// Hands out the bytes of all entries in order, and removes them.
    func drain(_ body: (UnsafeRawBufferPointer) throws(RecipientIndexError) -> Void) throws(RecipientIndexError) {
        guard let base = memory.baseAddress else { return }
        defer { (filled, count, isAscending) = (0, 0, true) }
        if isAscending {
            for begin in stride(from: 0, to: filled, by: Self.blockSize) {
                try body(.init(start: base + begin, count: min(Self.blockSize, filled - begin)))
            }
            return
        }
        var slots = UnsafeMutableBufferPointer(
            start: (end - count * MemoryLayout<Slot>.stride).assumingMemoryBound(to: Slot.self), count: count)
        slots.sort { one, other in
            one.prefix == other.prefix
                ? ListEntry(base + Int(one.offset)).precedes(ListEntry(base + Int(other.offset)))
                : one.prefix < other.prefix
        }
        for slot in slots {
            let entry = ListEntry(base + Int(slot.offset))
            try body(UnsafeRawBufferPointer(start: entry.start, count: entry.size))
        }
    }
}
