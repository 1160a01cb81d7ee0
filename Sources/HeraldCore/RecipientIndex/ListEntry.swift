internal import FCM

/// One row of a list, or one recipient of the state, in the form that is sorted. It is packed, because there are
/// millions.
///
/// It has a header of 12 bytes in the machine's byte order (length of the recipient key, length of the rest, mark,
/// row), then the registration: its key and the rest. A row whose values are needed has a tail: its length in two bytes,
/// and the values, behind times that filters compare. An entry is valid only as long as the bytes it points to.
struct ListEntry {
    static let headerSize = 12
    static let maximumSize = headerSize + Registration.maximumLength + 2 + RowTimes.maximumSize + RowValues.maximumSize
    /// In the length of the key: whether there is a tail.
    private static let tailFlag: UInt16 = 1 << 15
    /// The mark of a recipient of the state.
    static let recorded = UInt32.max
    /// The mark of a registration that is dead. All other marks are membership classes.
    static let dead = UInt32.max - 1

    let start: UnsafeRawPointer

    init(_ start: UnsafeRawPointer) { self.start = start }

    private var head: UInt16 { start.loadUnaligned(as: UInt16.self) }
    private var hasTail: Bool { head & Self.tailFlag != 0 }
    var keyLength: Int { Int(head & ~Self.tailFlag) }
    var restLength: Int { Int(start.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) }
    /// Where the entry comes from: an index into `RecipientIndex.membershipClasses`, or `recorded`, or `dead`.
    var mark: UInt32 { start.loadUnaligned(fromByteOffset: 4, as: UInt32.self) }
    /// The row's place in its list, or when its app was seen last if its membership class says so. For a recipient of the
    /// state its number, for a dead registration when it died. Times are seconds since 1970.
    var row: UInt32 { start.loadUnaligned(fromByteOffset: 8, as: UInt32.self) }

    var size: Int {
        let size = Self.headerSize + keyLength + restLength
        return hasTail ? size + 2 + tail.count : size
    }
    var key: UnsafeRawBufferPointer { .init(start: start + Self.headerSize, count: keyLength) }
    var rest: UnsafeRawBufferPointer { .init(start: start + Self.headerSize + keyLength, count: restLength) }

    /// Empty for an entry without a tail.
    var tail: UnsafeRawBufferPointer {
        guard hasTail else { return .init(start: nil, count: 0) }
        let place = start + Self.headerSize + keyLength + restLength
        return .init(start: place + 2, count: Int(place.loadUnaligned(as: UInt16.self)))
    }

    /// The first eight bytes of the key, as a number with the same order. No key is shorter.
    var prefix: UInt64 { UInt64(bigEndian: (start + Self.headerSize).loadUnaligned(as: UInt64.self)) }

    /// Eight bytes of the key from a place on, as a number with the same order. Behind the key's end are zeros.
    func prefix(from place: Int) -> UInt64 {
        let left = keyLength - place
        let start = start + Self.headerSize + place
        if left >= 8 { return UInt64(bigEndian: start.loadUnaligned(as: UInt64.self)) }
        var prefix: UInt64 = 0
        for place in 0..<max(0, left) {
            prefix |= UInt64(start.load(fromByteOffset: place, as: UInt8.self)) << UInt64(56 - 8 * place)
        }
        return prefix
    }

    /// Writes an entry. The caller must have room for it.
    static func write(
        _ registration: UnsafeRawBufferPointer, keyLength: Int, mark: UInt32, row: UInt32,
        tail: UnsafeRawBufferPointer, to start: UnsafeMutableRawPointer
    ) {
        start.storeBytes(of: UInt16(keyLength) | (tail.isEmpty ? 0 : tailFlag), as: UInt16.self)
        start.storeBytes(of: UInt16(registration.count - keyLength), toByteOffset: 2, as: UInt16.self)
        start.storeBytes(of: mark, toByteOffset: 4, as: UInt32.self)
        start.storeBytes(of: row, toByteOffset: 8, as: UInt32.self)
        UnsafeMutableRawBufferPointer(start: start + headerSize, count: registration.count)
            .copyMemory(from: registration)
        if tail.isEmpty { return }
        let place = start + headerSize + registration.count
        place.storeBytes(of: UInt16(tail.count), as: UInt16.self)
        UnsafeMutableRawBufferPointer(start: place + 2, count: tail.count).copyMemory(from: tail)
    }

    /// Sorted by key, then by the rest, byte by byte. So all entries of a recipient are neighbours, and all of a
    /// registration.
    func precedes(_ other: ListEntry) -> Bool {
        let order = key.compared(to: other.key)
        return order == 0 ? rest.compared(to: other.rest) < 0 : order < 0
    }
}
