/// Numbers the values that filters name, from 1, and finds a value's number by its bytes. Each row asks, and to make a
/// string would take longer than all else about the row.
struct ValueNumbers {
    let count: Int
    private let numbers: [String: Int]
    /// The ASCII values, one after the other.
    private var bytes: [UInt8] = []
    /// A hash table with linear probing. At least half of it is empty.
    private var slots: [Slot]

    private struct Slot {
        var begin = 0
        var end = 0
        /// 0 if the slot is empty.
        var number = 0
    }

    init(_ values: Set<String>) {
        count = values.count
        numbers = Dictionary(values.enumerated().map { ($1, $0 + 1) }) { first, _ in first }
        var size = 2
        while size < 2 * values.count { size *= 2 }
        slots = [Slot](repeating: Slot(), count: size)
        for (value, number) in numbers where value.utf8.allSatisfy({ $0 < 0x80 }) {
            let begin = bytes.count
            bytes += value.utf8
            var place = bytes[begin...].withUnsafeBufferPointer { Self.hash($0) ?? 0 } & (size - 1)
            while slots[place].number != 0 { place = (place + 1) & (size - 1) }
            slots[place] = Slot(begin: begin, end: bytes.count, number: number)
        }
    }

    /// 0 if no filter names it.
    func number(of value: String) -> Int { numbers[value] ?? 0 }

    func number(of value: UnsafeBufferPointer<UInt8>) -> Int {
        guard let hash = Self.hash(value) else {
            // Characters beyond ASCII can be written in several ways that are equal.
            return number(of: String(decoding: value, as: UTF8.self))
        }
        var place = hash & (slots.count - 1)
        while slots[place].number != 0 {
            let slot = slots[place]
            if bytes[slot.begin..<slot.end].elementsEqual(value) { return slot.number }
            place = (place + 1) & (slots.count - 1)
        }
        return 0
    }

    /// FNV-1a (Fowler, Noll, Vo), folded to fewer bits. `nil` for text beyond ASCII.
    private static func hash(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text {
            if byte >= 0x80 { return nil }
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return Int(truncatingIfNeeded: (hash ^ hash >> 32) & 0xffff_ffff)
    }
}
