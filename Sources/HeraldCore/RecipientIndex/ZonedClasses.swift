/// The membership classes of rows by what names their zone. Nearly every row has a text that another had shortly before, and
/// is looked up by its bytes: to make a string would take longer than all else about the row.
struct ZonedClasses {
    private let zones: ZoneNumbers
    private let table: MembershipClassTable
    /// By the hash of class and text, the last that had it.
    private var slots = [Slot](repeating: Slot(), count: slotCount)
    /// The texts of all slots, each from its own place.
    private var texts = [UInt8](repeating: 0, count: slotCount * Slot.longestText)

    private struct Slot {
        static let longestText = 40

        var membershipClass: UInt32 = 0
        var zoned: UInt32 = 0
        /// Of its text. -1 if it is empty.
        var length = -1
    }

    private static let slotCount = 1 << 11

    init(_ zones: ZoneNumbers, _ table: MembershipClassTable) { (self.zones, self.table) = (zones, table) }

    /// The class of the rows of a class if the next of their columns names a zone.
    ///
    /// - Parameter text: what the column has, as written.
    mutating func number(_ membershipClass: UInt32, zone text: UnsafeBufferPointer<UInt8>) -> UInt32 {
        guard text.count <= Slot.longestText else { return find(membershipClass, text) }
        let place = Self.place(membershipClass, text)
        let slot = slots[place]
        let begin = place * Slot.longestText
        if slot.length == text.count, slot.membershipClass == membershipClass {
            let isSame = texts.withUnsafeBytes {
                UnsafeRawBufferPointer(rebasing: $0[begin..<begin + text.count])
                    .compared(to: UnsafeRawBufferPointer(text)) == 0
            }
            if isSame { return slot.zoned }
        }
        let zoned = find(membershipClass, text)
        slots[place] = Slot(membershipClass: membershipClass, zoned: zoned, length: text.count)
        for (offset, byte) in text.enumerated() { texts[begin + offset] = byte }
        return zoned
    }

    /// The class of the same rows if there is no such column.
    func number(_ membershipClass: UInt32) -> UInt32 { table.number(membershipClass, zone: 0) }

    private func find(_ membershipClass: UInt32, _ text: UnsafeBufferPointer<UInt8>) -> UInt32 {
        table.number(membershipClass, zone: zones.number(of: text))
    }

    /// FNV-1a (Fowler, Noll, Vo) of eight bytes at a time.
    private static func place(_ membershipClass: UInt32, _ text: UnsafeBufferPointer<UInt8>) -> Int {
        let bytes = UnsafeRawBufferPointer(text)
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ UInt64(membershipClass)
        var offset = 0
        while offset + 8 <= bytes.count {
            hash = (hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0x100_0000_01b3
            hash ^= hash >> 32
            offset += 8
        }
        while offset < bytes.count {
            hash = (hash ^ UInt64(bytes[offset])) &* 0x100_0000_01b3
            offset += 1
        }
        return Int(truncatingIfNeeded: (hash ^ hash >> 32) & UInt64(slotCount - 1))
    }
}
