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

        /// All entries, in the order in which they were added.
        fileprivate func forEach(_ body: (Entry) -> Void) throws {
            if isLost { throw ByteReader.Damage() }
            for begin in stride(from: 0, to: written, by: Self.blockSize) {
                let count = min(Self.blockSize, written - begin)
                let block = try [Entry](unsafeUninitializedCapacity: count) { buffer, filled in
                    let bytes = UnsafeMutableRawBufferPointer(buffer)
                    guard try file?.read(into: bytes, at: begin * MemoryLayout<Entry>.stride) == bytes.count else {
                        throw ByteReader.Damage()
                    }
                    filled = count
                }
                for entry in block { body(entry) }
            }
            for entry in block { body(entry) }
        }
    }

    /// The known numbers with the new notes. A note replaces an entry of the same recipient with another registration.
    ///
    /// - Returns: `nil` if there are more than `limit`, or if notes were lost.
    package static func merged(_ known: RecipientNumbers?, and notes: Notes) -> RecipientNumbers? {
        guard (known?.count ?? 0) + notes.count <= limit else { return nil }
        do {
            var replaced = RecipientSet()
            if known != nil {
                var noted: [RecipientID] = []
                try notes.forEach { noted.append($0.id) }
                replaced = RecipientSet(noted.sorted())
            }
            return try RecipientNumbers(notes.hash) { body in
                known?.forEach { if !replaced.contains($0.id) { body($0) } }
                try notes.forEach(body)
            }
        } catch { return nil }
    }
}
