/// Rows of a list that are looked up in the state's numbers together.
struct RowBatch {
    struct Row {
        var keyLength: Int
        var mark: UInt32
        /// The row's place in its list.
        var place: UInt32
        var seen: UInt32?
    }

    /// So many look-ups keep the memory busy; more would not fit into the caches.
    private static let size = 256

    private var rows: [(row: Row, end: Int)] = []
    /// The registrations, one after the other.
    private var bytes: [UInt8] = []

    var isFull: Bool { rows.count >= Self.size }

    mutating func append(_ registration: UnsafeRawBufferPointer, _ row: Row) {
        bytes.append(contentsOf: registration)
        rows.append((row, bytes.count))
    }

    /// What to look for in the numbers, row by row.
    func entries(_ hash: SipHash) -> [RecipientNumbers.Entry] {
        var begin = 0
        return bytes.withUnsafeBytes { bytes in
            rows.map { row, end in
                defer { begin = end }
                let registration = UnsafeRawBufferPointer(rebasing: bytes[begin..<end])
                return RecipientNumbers.entry(for: registration, keyLength: row.keyLength, id: 0, hash)
            }
        }
    }

    /// Empties the batch.
    ///
    /// - Parameter take: gets each row with its registration and its place in the batch.
    mutating func drain(_ take: (Row, UnsafeRawBufferPointer, Int) -> Void) {
        var begin = 0
        bytes.withUnsafeBytes { bytes in
            for (index, (row, end)) in rows.enumerated() {
                take(row, UnsafeRawBufferPointer(rebasing: bytes[begin..<end]), index)
                begin = end
            }
        }
        rows.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }
}
