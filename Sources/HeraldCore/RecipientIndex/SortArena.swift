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
    func append(_ registration: UnsafeRawBufferPointer, keyLength: Int, mark: UInt32, row: UInt32) -> Bool {
        let size = ListEntry.headerSize + registration.count
        guard filled + size + (count + 1) * MemoryLayout<Slot>.stride <= memory.count, let base = memory.baseAddress
        else { return false }
        ListEntry.write(registration, keyLength: keyLength, mark: mark, row: row, to: base + filled)
        count += 1
        (end - count * MemoryLayout<Slot>.stride).storeBytes(
            of: Slot(prefix: ListEntry(base + filled).prefix, offset: UInt32(filled)), as: Slot.self)
        filled += size
        return true
    }

    /// Hands out all entries in order, and removes them.
    func drain(_ body: (UnsafeRawBufferPointer) throws(RecipientIndexError) -> Void) throws(RecipientIndexError) {
        guard let base = memory.baseAddress else { return }
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
        (filled, count) = (0, 0)
    }
}
