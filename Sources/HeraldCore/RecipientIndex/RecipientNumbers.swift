/// The numbers that a state gave, each found by a digest of the registration it was given for: what tells most rows of a
/// list without a look at the state. It holds no registration.
package struct RecipientNumbers: Sendable {
    /// 24 bytes, in memory as on disk.
    struct Entry: Sendable {
        /// Of the recipient key, 96 bits in two parts.
        var key: UInt64
        /// Of what the registration has behind its key.
        var rest: UInt64
        var moreOfKey: UInt32
        var id: RecipientID
    }

    /// Beyond so many it is not kept: it would take more memory than sorting does.
    package static let limit = 2 << 20

    let hash: SipHash
    /// By `key`.
    let entries: [Entry]
    /// For each value of the key's first bits, where its entries begin; one more for where the last ones end.
    private let starts: [UInt32]
    /// How far a key is shifted to leave those bits.
    private let shift: UInt64

    /// - Parameter entries: ascending by `key`, fewer than 2^32.
    init(_ entries: [Entry], _ hash: SipHash) {
        (self.entries, self.hash) = (entries, hash)
        var bits: UInt64 = 1
        while 4 << bits < entries.count { bits += 1 }
        let shift = 64 - bits
        var starts = [UInt32](repeating: 0, count: (1 << Int(bits)) + 1)
        for entry in entries { starts[Int(entry.key >> shift) + 1] += 1 }
        for index in starts.indices.dropFirst() { starts[index] += starts[index - 1] }
        (self.starts, self.shift) = (starts, shift)
    }

    /// What the state knows of a registration.
    enum Finding: Equatable {
        /// The recipient, by this registration.
        case same(RecipientID)
        /// The recipient, by another one.
        case other(RecipientID)
        case nobody
        /// Several recipients' keys have one digest.
        case unclear
    }

    func find(_ registration: UnsafeRawBufferPointer, keyLength: Int) -> Finding {
        let wanted = Self.entry(for: registration, keyLength: keyLength, id: 0, hash)
        let bucket = Int(wanted.key >> shift)
        return entries.withUnsafeBufferPointer { entries in
            var found = Finding.nobody
            var index = Int(starts[bucket])
            let end = Int(starts[bucket + 1])
            while index < end {
                let entry = entries[index]
                index += 1
                guard entry.key == wanted.key, entry.moreOfKey == wanted.moreOfKey else { continue }
                guard found == .nobody else { return .unclear }
                found = entry.rest == wanted.rest ? .same(entry.id) : .other(entry.id)
            }
            return found
        }
    }

    static func entry(
        for registration: UnsafeRawBufferPointer, keyLength: Int, id: RecipientID, _ hash: SipHash
    ) -> Entry {
        let key = hash.digest(of: UnsafeRawBufferPointer(rebasing: registration[..<keyLength]))
        let rest = hash.digest(of: UnsafeRawBufferPointer(rebasing: registration[keyLength...]))
        return Entry(key: key.0, rest: rest.0, moreOfKey: UInt32(truncatingIfNeeded: key.1), id: id)
    }
}
