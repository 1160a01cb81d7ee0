/// The numbers that a state gave out, found by a digest of the registration they were given for. They answer for most
/// rows of a list without reading the state. They hold no registrations.
package struct RecipientNumbers: Sendable {
    /// 24 bytes, both in memory and on disk.
    struct Entry: Sendable {
        /// A digest of the recipient key: 96 bits in two parts, `key` and `moreOfKey`.
        var key: UInt64
        /// A digest of the part of the registration after its key.
        var rest: UInt64
        var moreOfKey: UInt32
        var id: RecipientID
    }

    /// With more entries they are not kept, because they would take more memory than sorting.
    package static let limit = 2 << 20

    let hash: SipHash
    /// Sorted by `key`.
    let entries: [Entry]
    /// For each value of the key's first bits, where its entries start. The extra last element is the end.
    private let starts: [UInt32]
    /// The shift that leaves only those bits of a key.
    private let shift: UInt64

    /// - Parameter entries: ascending by `key`, fewer than 2^32.
    init(_ entries: [Entry], _ hash: SipHash) {
        (self.entries, self.hash) = (entries, hash)
        var bits: UInt64 = 1
        while 1 << bits < entries.count { bits += 1 }
        let shift = 64 - bits
        var starts = [UInt32](repeating: 0, count: (1 << Int(bits)) + 1)
        for entry in entries { starts[Int(entry.key >> shift) + 1] += 1 }
        for index in starts.indices.dropFirst() { starts[index] += starts[index - 1] }
        (self.starts, self.shift) = (starts, shift)
    }

    /// What the state knows about a registration.
    enum Finding: Equatable {
        /// A known recipient with this registration.
        case same(RecipientID)
        /// A known recipient with another registration.
        case other(RecipientID)
        case nobody
        /// The keys of several recipients have the same digest.
        case unclear
    }

    /// Finds many at once. They are far apart in memory, so each stage asks for the places of all before the next one
    /// looks at what is there: the processor fetches them side by side.
    ///
    /// - Parameter wanted: made by `entry` with the same hash key. Their ids do not matter.
    func find(_ wanted: [Entry]) -> [Finding] {
        let places = starts.withUnsafeBufferPointer { starts in
            wanted.map { starts[Int($0.key >> shift)]..<starts[Int($0.key >> shift) + 1] }
        }
        return entries.withUnsafeBufferPointer { entries in
            let first = places.map { $0.isEmpty ? 0 : entries[Int($0.lowerBound)].key }
            return wanted.indices.map { index in
                let (place, wanted) = (places[index], wanted[index])
                if place.isEmpty || place.count == 1 && first[index] != wanted.key { return .nobody }
                return Self.find(wanted, in: entries[Int(place.lowerBound)..<Int(place.upperBound)])
            }
        }
    }

    private static func find(_ wanted: Entry, in entries: Slice<UnsafeBufferPointer<Entry>>) -> Finding {
        var found = Finding.nobody
        for entry in entries where entry.key == wanted.key && entry.moreOfKey == wanted.moreOfKey {
            guard found == .nobody else { return .unclear }
            found = entry.rest == wanted.rest ? .same(entry.id) : .other(entry.id)
        }
        return found
    }

    static func entry(
        for registration: UnsafeRawBufferPointer, keyLength: Int, id: RecipientID, _ hash: SipHash
    ) -> Entry {
        let key = hash.digest(of: UnsafeRawBufferPointer(rebasing: registration[..<keyLength]))
        let rest = hash.digest(of: UnsafeRawBufferPointer(rebasing: registration[keyLength...]))
        return Entry(key: key.0, rest: rest.0, moreOfKey: UInt32(truncatingIfNeeded: key.1), id: id)
    }
}
