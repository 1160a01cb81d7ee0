internal import FCM

/// One row of a list, or one recipient of the state, in the form that is sorted. It is packed, because there are
/// millions.
///
/// It has a header of 12 bytes in the machine's byte order (length of the recipient key, length of the rest, mark,
/// row), then the registration: its key and the rest. It is valid only as long as the bytes it points to.
struct ListEntry {
    static let headerSize = 12
    static let maximumSize = headerSize + Registration.maximumLength
    /// The mark of a recipient of the state.
    static let recorded = UInt32.max
    /// The mark of a registration that is dead. All other marks are membership classes.
    static let dead = UInt32.max - 1

    let start: UnsafeRawPointer

    init(_ start: UnsafeRawPointer) { self.start = start }

    var keyLength: Int { Int(start.loadUnaligned(as: UInt16.self)) }
    var restLength: Int { Int(start.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) }
    /// Where the entry comes from: an index into `RecipientIndex.membershipClasses`, or `recorded`, or `dead`.
    var mark: UInt32 { start.loadUnaligned(fromByteOffset: 4, as: UInt32.self) }
    /// The row's place in its list, or when its app was seen last if its membership class says so. For a recipient of the
    /// state its number, for a dead registration when it died. Times are seconds since 1970.
    var row: UInt32 { start.loadUnaligned(fromByteOffset: 8, as: UInt32.self) }

    var size: Int { Self.headerSize + keyLength + restLength }
    var key: UnsafeRawBufferPointer { .init(start: start + Self.headerSize, count: keyLength) }
    var rest: UnsafeRawBufferPointer { .init(start: start + Self.headerSize + keyLength, count: restLength) }

    /// The first eight bytes of the key, as a number with the same order. No key is shorter.
    var prefix: UInt64 { UInt64(bigEndian: (start + Self.headerSize).loadUnaligned(as: UInt64.self)) }

    /// Writes an entry. The caller must have room for it.
    static func write(
        _ registration: UnsafeRawBufferPointer, keyLength: Int, mark: UInt32, row: UInt32,
        to start: UnsafeMutableRawPointer
    ) {
        start.storeBytes(of: UInt16(keyLength), as: UInt16.self)
        start.storeBytes(of: UInt16(registration.count - keyLength), toByteOffset: 2, as: UInt16.self)
        start.storeBytes(of: mark, toByteOffset: 4, as: UInt32.self)
        start.storeBytes(of: row, toByteOffset: 8, as: UInt32.self)
        UnsafeMutableRawBufferPointer(start: start + headerSize, count: registration.count)
            .copyMemory(from: registration)
    }

    /// Sorted by key, then by the rest, byte by byte. So all entries of a recipient are neighbours, and all of a
    /// registration.
    func precedes(_ other: ListEntry) -> Bool {
        let order = key.compared(to: other.key)
        return order == 0 ? rest.compared(to: other.rest) < 0 : order < 0
    }
}
