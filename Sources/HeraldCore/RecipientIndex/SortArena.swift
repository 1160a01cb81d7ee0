#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A fixed block of memory for entries to be sorted. Entries grow from its start, an index of them from its end. It
/// comes directly from the system, so all of it goes back after use.
///
/// Unchecked: one core fills it and hands it over to another one, which sorts it and hands it back.
final class SortArena: @unchecked Sendable {
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

    /// Hands out the bytes of all entries in order, and removes them. Of equal entries the one added first comes first.
    func drain(_ body: (UnsafeRawBufferPointer) throws(RecipientIndexError) -> Void) throws(RecipientIndexError) {
        guard let base = memory.baseAddress else { return }
        defer { (filled, count, isAscending) = (0, 0, true) }
        if isAscending {
            for begin in stride(from: 0, to: filled, by: Self.blockSize) {
                try body(.init(start: base + begin, count: min(Self.blockSize, filled - begin)))
            }
            return
        }
        let slots = UnsafeMutableBufferPointer(
            start: (end - count * MemoryLayout<Slot>.stride).assumingMemoryBound(to: Slot.self), count: count)
        Self.sort(slots, of: base)
        let block = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.blockSize + ListEntry.maximumSize, alignment: 16)
        defer { block.deallocate() }
        var size = 0
        for slot in slots {
            let entry = ListEntry(base + Int(slot.offset))
            let entrySize = entry.size
            UnsafeMutableRawBufferPointer(rebasing: block[size...]).copyMemory(
                from: UnsafeRawBufferPointer(start: entry.start, count: entrySize))
            size += entrySize
            guard size >= Self.blockSize else { continue }
            try body(UnsafeRawBufferPointer(rebasing: block[..<size]))
            size = 0
        }
        if size > 0 { try body(UnsafeRawBufferPointer(rebasing: block[..<size])) }
    }

    private typealias Slots = UnsafeMutableBufferPointer<Slot>

    /// Up to this many are sorted by comparing them.
    private static let few = 32
    /// Keys are sorted by at most this many of their first bytes. A fid has 22.
    private static let sortedBytes = 24

    /// Sorts by the keys' bytes, from one on: American flag sort (McIlroy, Bostic and McIlroy, Engineering Radix Sort,
    /// 1993). Slots that are alike so far are compared by their entries.
    private static func sort(_ slots: Slots, of base: UnsafeMutableRawPointer, from byte: Int = 0) {
        guard slots.count > few, byte < sortedBytes else { return compare(slots, of: base) }
        if byte > 0, byte % 8 == 0 {
            for place in slots.indices {
                slots[place].prefix = ListEntry(base + Int(slots[place].offset)).prefix(from: byte)
            }
        }
        let shift = UInt64(56 - byte % 8 * 8)
        let bucket = { (slot: Slot) in Int(truncatingIfNeeded: slot.prefix >> shift & 0xFF) }
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 512) { places in
            places.initialize(repeating: 0)
            // For each bucket, where its next slot goes and where it ends.
            let next = UnsafeMutableBufferPointer(rebasing: places[..<256])
            let ends = UnsafeMutableBufferPointer(rebasing: places[256...])
            for slot in slots { ends[bucket(slot)] += 1 }
            if ends[bucket(slots[0])] == slots.count { return sort(slots, of: base, from: byte + 1) }
            for number in 1..<256 {
                next[number] = ends[number - 1]
                ends[number] += ends[number - 1]
            }
            for number in 0..<256 {
                while next[number] < ends[number] {
                    var slot = slots[next[number]]
                    // Puts the slot where it belongs and goes on with the one that was there, until one belongs here.
                    while case let home = bucket(slot), home != number {
                        swap(&slot, &slots[next[home]])
                        next[home] += 1
                    }
                    slots[next[number]] = slot
                    next[number] += 1
                }
            }
            var begin = 0
            for end in ends where end > begin {
                sort(Slots(rebasing: slots[begin..<end]), of: base, from: byte + 1)
                begin = end
            }
        }
    }

    private static func compare(_ slots: Slots, of base: UnsafeMutableRawPointer) {
        var slots = slots
        slots.sort { one, other in
            if one.prefix != other.prefix { return one.prefix < other.prefix }
            let (entry, another) = (ListEntry(base + Int(one.offset)), ListEntry(base + Int(other.offset)))
            return entry.precedes(another) || one.offset < other.offset && !another.precedes(entry)
        }
    }
}
