extension RecipientNumbers {
    /// Collects the numbers of recipients, in any order and in little memory: many of them go to a file.
    package struct Notes: Sendable {
        private static let blockSize = 16_384

        let hash: SipHash
        private let folder: String
        /// The last entries, not yet in the file.
        private var block: [Entry] = []
        private var file: SpillFile?
        private var written = 0
        private var isLost = false

        /// - Parameter folder: where the file goes, if one is needed.
        init(_ hash: SipHash, folder: String) { (self.hash, self.folder) = (hash, folder) }

        /// At least 1 if entries were lost.
        var count: Int { isLost ? max(1, written) : written + block.count }

        mutating func add(_ registration: [UInt8], keyLength: Int, id: RecipientID) {
            // If there are too many, none will be kept.
            if isLost || count > RecipientNumbers.limit { return }
            let entry = registration.withUnsafeBytes {
                RecipientNumbers.entry(for: $0, keyLength: keyLength, id: id, hash)
            }
            block.append(entry)
            if block.count == Self.blockSize { flush() }
        }

        /// If there is no room, the notes are lost but the plan is still made.
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

        /// Sorted by key. `nil` if entries were lost.
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

    /// Merges the known numbers with the new notes. A note replaces an entry of the same recipient with another
    /// registration.
    ///
    /// - Returns: `nil` if there are more than `limit`, or if notes were lost.
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
