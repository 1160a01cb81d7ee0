package import FCM

/// The registrations with the smallest HMAC-SHA256 under a key and a seed: always the same of the same registrations,
/// and independent of everything else about them.
package struct SurveySample {
    private let hash: KeyedHash
    private let size: Int
    /// A binary heap with the largest hash first.
    private var heap: [Entry] = []

    private struct Entry {
        var hash: UInt64
        var id: RecipientID

        static func < (one: Entry, other: Entry) -> Bool { (one.hash, one.id) < (other.hash, other.id) }
    }

    /// - Parameter size: how many registrations are drawn.
    package init(of size: Int, seed: String) {
        (self.size, hash) = (size, KeyedHash(key: "herald.sample/1", prefix: seed))
    }

    package var members: RecipientSet { RecipientSet(heap.map(\.id).sorted()) }

    package mutating func add(_ id: RecipientID, _ registration: Registration) {
        var text = registration.rawValue
        add(Entry(hash: text.withUTF8 { hash.number(of: UnsafeRawBufferPointer($0)) }, id: id))
    }

    private mutating func add(_ entry: Entry) {
        if heap.count < size {
            heap.append(entry)
            var place = heap.count - 1
            while place > 0, heap[(place - 1) / 2] < heap[place] {
                heap.swapAt(place, (place - 1) / 2)
                place = (place - 1) / 2
            }
        } else if let largest = heap.first, entry < largest {
            heap[0] = entry
            sink()
        }
    }

    /// Moves the first entry down to its place.
    private mutating func sink() {
        var place = 0
        while true {
            let children = (2 * place + 1)..<min(2 * place + 3, max(2 * place + 1, heap.count))
            guard let child = children.max(by: { heap[$0] < heap[$1] }), heap[place] < heap[child] else { return }
            heap.swapAt(place, child)
            place = child
        }
    }
}
