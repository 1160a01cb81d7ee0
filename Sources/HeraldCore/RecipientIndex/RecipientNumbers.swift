/// The numbers that a state gave out, found by a digest of the registration they were given for. They answer for most
/// rows of a list without reading the state. They hold no registrations.
package struct RecipientNumbers: Sendable {
    /// What is looked up, noted and written to the disk: 24 bytes.
    struct Entry: Sendable {
        /// A digest of the recipient key, of 50 bits.
        var key: UInt64
        /// A digest of the whole registration.
        var whole: UInt64
        var id: RecipientID
        /// So that all bytes on the disk have a value.
        private let rest: UInt32 = 0

        init(key: UInt64, whole: UInt64, id: RecipientID) { (self.key, self.whole, self.id) = (key, whole, id) }

        fileprivate var bucket: Int { Int(key >> 32) }
    }

    /// An entry in memory: 16 bytes. Its bucket has the other bits of the key.
    private struct Slot {
        var whole: UInt64
        var lowKey: UInt32
        var id: RecipientID

        init(_ entry: Entry) {
            (whole, lowKey, id) = (entry.whole, UInt32(truncatingIfNeeded: entry.key), entry.id)
        }
    }

    /// With more entries they are not kept, because they would take more memory than sorting.
    package static let limit = 2 << 20
    private static let bucketBits: UInt64 = 18
    static let lastKey: UInt64 = 1 << (32 + bucketBits) - 1

    let hash: SipHash
    private let slots: [Slot]
    /// For each bucket, where its slots start. The extra last element is the end.
    private let starts: [UInt32]

    /// - Parameter each: hands out all entries, in any order. It is called twice, so that they need not be in memory
    ///   together.
    init(_ hash: SipHash, each: ((Entry) -> Void) throws -> Void) rethrows {
        var starts = [UInt32](repeating: 0, count: 1 << Int(Self.bucketBits) + 1)
        try each { starts[$0.bucket + 1] += 1 }
        for index in starts.indices.dropFirst() { starts[index] += starts[index - 1] }
        var slots = [Slot](repeating: Slot(Entry(key: 0, whole: 0, id: 0)), count: Int(starts[starts.count - 1]))
        var free = starts
        try each { entry in
            slots[Int(free[entry.bucket])] = Slot(entry)
            free[entry.bucket] += 1
        }
        slots.withUnsafeMutableBufferPointer { slots in
            for bucket in starts.indices.dropLast() where starts[bucket + 1] > starts[bucket] + 1 {
                var some = UnsafeMutableBufferPointer(rebasing: slots[Int(starts[bucket])..<Int(starts[bucket + 1])])
                some.sort { $0.lowKey < $1.lowKey }
            }
        }
        self.init(hash: hash, slots: slots, starts: starts)
    }

    private init(hash: SipHash, slots: [Slot], starts: [UInt32]) {
        (self.hash, self.slots, self.starts) = (hash, slots, starts)
    }

    /// Takes entries one by one, ascending by key.
    struct Builder {
        private var slots: [Slot] = []
        private var starts = [UInt32](repeating: 0, count: 1 << Int(bucketBits) + 1)

        /// - Parameter count: how many entries there will be, at most.
        init(_ count: Int) { slots.reserveCapacity(count) }

        mutating func append(_ entry: Entry) {
            slots.append(Slot(entry))
            starts[entry.bucket + 1] += 1
        }

        consuming func finish(_ hash: SipHash) -> RecipientNumbers {
            for index in starts.indices.dropFirst() { starts[index] += starts[index - 1] }
            return RecipientNumbers(hash: hash, slots: slots, starts: starts)
        }
    }

    var count: Int { slots.count }

    /// All entries, ascending by key.
    func forEach(_ body: (Entry) throws -> Void) rethrows {
        for bucket in starts.indices.dropLast() {
            for slot in slots[Int(starts[bucket])..<Int(starts[bucket + 1])] {
                try body(Entry(key: UInt64(bucket) << 32 | UInt64(slot.lowKey), whole: slot.whole, id: slot.id))
            }
        }
    }

    /// What the state knows about a registration.
    enum Finding: Equatable {
        /// A known recipient with this registration.
        case same(RecipientID)
        /// A known recipient with another registration.
        case other(RecipientID)
        case nobody
        /// The keys of several recipients have the same digest, and none has this registration.
        case unclear
    }

    /// Finds many at once. They are far apart in memory, so each stage asks for the places of all before the next one
    /// looks at what is there: the processor fetches them side by side.
    ///
    /// - Parameter wanted: made by `entry` with the same hash key. Their ids do not matter.
    func find(_ wanted: [Entry]) -> [Finding] {
        let places = starts.withUnsafeBufferPointer { starts in
            wanted.map { starts[$0.bucket]..<starts[$0.bucket + 1] }
        }
        return slots.withUnsafeBufferPointer { slots in
            let first = places.map { $0.isEmpty ? 0 : slots[Int($0.lowerBound)].lowKey }
            return wanted.indices.map { index in
                let (place, wanted) = (places[index], wanted[index])
                if place.isEmpty || place.count == 1 && first[index] != UInt32(truncatingIfNeeded: wanted.key) {
                    return .nobody
                }
                return Self.find(wanted, in: slots[Int(place.lowerBound)..<Int(place.upperBound)])
            }
        }
    }

    /// Two recipients may share the digest of their keys. Those whose whole registration is known are told apart.
    private static func find(_ wanted: Entry, in slots: Slice<UnsafeBufferPointer<Slot>>) -> Finding {
        var found = Finding.nobody
        let key = UInt32(truncatingIfNeeded: wanted.key)
        for slot in slots where slot.lowKey == key {
            if slot.whole == wanted.whole { return .same(slot.id) }
            found = found == .nobody ? .other(slot.id) : .unclear
        }
        return found
    }

    static func entry(
        for registration: UnsafeRawBufferPointer, keyLength: Int, id: RecipientID, _ hash: SipHash
    ) -> Entry {
        let key = hash.digest(of: UnsafeRawBufferPointer(rebasing: registration[..<keyLength]))
        let whole = keyLength == registration.count ? key : hash.digest(of: registration)
        return Entry(key: key.0 >> (32 - bucketBits), whole: whole.1, id: id)
    }
}
