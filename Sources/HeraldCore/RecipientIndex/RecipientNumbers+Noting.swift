extension RecipientNumbers {
    /// Puts down who has which number, in any order and in little memory: many go to a file.
    package struct Notes: Sendable {
        private static let blockSize = 16_384

        let hash: SipHash
        private let folder: String
        /// Of all entries the last ones.
        private var block: [Entry] = []
        private var file: SpillFile?
        private var written = 0
        private var isLost = false

        /// - Parameter folder: for the file, should one be needed.
        init(_ hash: SipHash, folder: String) { (self.hash, self.folder) = (hash, folder) }

        /// One at least where some were lost.
        var count: Int { isLost ? max(1, written) : written + block.count }

        mutating func add(_ registration: [UInt8], keyLength: Int, id: RecipientID) {
            // Of too many nothing is kept.
            if isLost || count > RecipientNumbers.limit { return }
            let entry = registration.withUnsafeBytes {
                RecipientNumbers.entry(for: $0, keyLength: keyLength, id: id, hash)
            }
            block.append(entry)
            if block.count == Self.blockSize { flush() }
        }

        /// A plan is made whether there is room for this or not.
        private mutating func flush() {
            do {
                let file = if let file { file } else { try SpillFile(in: folder) }
                self.file = file
                try block.withUnsafeBufferPointer { (entries) throws(RecipientIndexError) in
                    try file.write(UnsafeRawBufferPointer(entries), at: written * MemoryLayout<Entry>.stride)
                }
                written += block.count
            } catch {
                isLost = true
            }
            block.removeAll(keepingCapacity: true)
        }

        /// By key.
        fileprivate func sorted() -> [Entry]? {
            if isLost { return nil }
            var entries = try? [Entry](unsafeUninitializedCapacity: count) { buffer, filled in
                let bytes = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[..<written]))
                if let file {
                    guard try file.read(into: bytes, at: 0) == bytes.count else { throw ByteReader.Damage() }
                }
                filled = written
            }
            entries?.append(contentsOf: block)
            entries?.sort { $0.key < $1.key }
            return entries
        }
    }

    /// Those that were known, and those noted now, which may be known by another registration.
    ///
    /// - Returns: `nil` when there are more than are kept.
    init?(_ known: RecipientNumbers?, and notes: Notes) {
        guard (known?.entries.count ?? 0) + notes.count <= Self.limit, let added = notes.sorted() else { return nil }
        guard let known else {
            self.init(added, notes.hash)
            return
        }
        let replaced = RecipientSet(added.map(\.id).sorted())
        var entries: [Entry] = []
        entries.reserveCapacity(known.entries.count + added.count)
        var rest = added[...]
        for entry in known.entries where !replaced.contains(entry.id) {
            while let first = rest.first, first.key < entry.key { entries.append(rest.removeFirst()) }
            entries.append(entry)
        }
        entries.append(contentsOf: rest)
        self.init(entries, notes.hash)
    }
}
