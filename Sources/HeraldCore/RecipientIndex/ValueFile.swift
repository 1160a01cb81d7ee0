/// The values of recipients' newest rows, sorted by owner and number, in a file without a name or, if there are few, in
/// memory. They live as long as the plan or the run that needs them.
package final class ValueFile: Sendable {
    /// One recipient's newest row. It lives only while it is handed out.
    struct Row {
        var id: RecipientID
        /// The recipient key.
        var key: UnsafeRawBufferPointer
        /// The number of the row's line. 0 for a registration that stands in the file of an audience, group or campaign.
        var line: Int
        /// As `FieldValues` packs them.
        var bytes: UnsafeBufferPointer<UInt8>

        /// A copy of them.
        var values: FieldValues { FieldValues(bytes: Array(bytes)) }

        /// One of the values, by its place. `nil` if the row lacks it.
        func value(at place: Int) -> UnsafeBufferPointer<UInt8>? {
            var (found, number): (Range<Int>?, Int) = (nil, 0)
            FieldValues.eachPlace(in: bytes) { range in
                if number == place { found = range }
                number += 1
            }
            return found.map { UnsafeBufferPointer(rebasing: bytes[$0]) }
        }
    }

    /// How many bytes lie between two places in the file whose first row is known.
    private static let stride = 32 << 10

    private let owners: [ValueNeed.Owner]
    private let run: SortedEntries.Run
    /// Ascending: where blocks of rows begin.
    private let places: [(first: UInt64, offset: Int)]

    private init(owners: [ValueNeed.Owner], run: SortedEntries.Run, places: [(first: UInt64, offset: Int)]) {
        (self.owners, self.run, self.places) = (owners, run, places)
    }

    private func place(of owner: RecipientIndex.Owner) -> Int? { owners.firstIndex { $0.owner == owner } }

    /// Calls `body` with the rows of an owner's members, in the order of their numbers.
    func each(
        of members: RecipientSet, in owner: RecipientIndex.Owner,
        _ body: (Row) throws(RecipientIndexError) -> Void
    ) throws(RecipientIndexError) {
        guard let place = place(of: owner), let first = members.first(where: { _ in true }) else { return }
        try walk(from: Self.number(place, first)) { (number, entry) throws(RecipientIndexError) in
            guard number >> 32 == place else { return false }
            let id = RecipientID(truncatingIfNeeded: number)
            if members.contains(id) { try body(Row(id, key: entry.rest, tail: entry.tail)) }
            return true
        }
    }

    /// The values of some recipients. Who is not among an owner's rows is left out.
    func values(
        of ids: RecipientSet, in owner: RecipientIndex.Owner
    ) throws(RecipientIndexError) -> [RecipientID: FieldValues] {
        guard let place = place(of: owner) else { return [:] }
        var found: [RecipientID: FieldValues] = [:]
        found.reserveCapacity(ids.count)
        var wanted = ids.makeIterator()
        var next = wanted.next()
        // Recipients that start together are mostly neighbours. Others are looked for one by one.
        while let id = next {
            let end = self.end(ofBlockWith: Self.number(place, id))
            try walk(from: Self.number(place, id)) { (number, entry) throws(RecipientIndexError) in
                while let id = next, Self.number(place, id) < number { next = wanted.next() }
                guard let id = next, Self.number(place, id) < end else { return false }
                if Self.number(place, id) == number {
                    found[id] = Row(id, key: entry.rest, tail: entry.tail).values
                    next = wanted.next()
                }
                return true
            }
            // The rows after the last one are missing.
            while let id = next, Self.number(place, id) < end { next = wanted.next() }
        }
        return found
    }

    /// Calls `body` with each entry from a number on, until that returns `false`.
    private func walk(
        from number: UInt64, _ body: (UInt64, ListEntry) throws(RecipientIndexError) -> Bool
    ) throws(RecipientIndexError) {
        guard let block = block(with: number) else { return }
        let cursor = EntryCursor(run, from: places[block].offset, bufferSize: 2 * Self.stride)
        while let start = try cursor.next() {
            let entry = ListEntry(start)
            if entry.prefix < number { continue }
            guard try body(entry.prefix, entry) else { return }
        }
    }

    /// The last block that begins no later than a number; the first one for lower numbers.
    private func block(with number: UInt64) -> Int? {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].first > number { high = middle } else { low = middle + 1 }
        }
        return places.isEmpty ? nil : max(0, low - 1)
    }

    private func end(ofBlockWith number: UInt64) -> UInt64 {
        guard let block = block(with: number), block + 1 < places.count else { return .max }
        return places[block + 1].first
    }

    private static func number(_ owner: Int, _ id: RecipientID) -> UInt64 { UInt64(owner) << 32 | UInt64(id) }

    /// Takes rows in any order.
    struct Builder {
        private let owners: [ValueNeed.Owner]
        private let sorter: EntrySorter
        private let folder: String
        private var name: [UInt8] = []
        private static let noValues: [UInt8] = {
            var tail: [UInt8] = []
            RowValues.begin(&tail, line: 0)
            return tail
        }()
        /// As long as each row has a higher number than the one before, as usual in a first plan, the file needs no
        /// sorting. Then these are its places, and its size in bytes.
        private var places: [(first: UInt64, offset: Int)]? = []
        private var (size, last) = (0, UInt64(0))

        init(_ owners: [ValueNeed.Owner], folder: String) {
            (self.owners, self.folder) = (owners, folder)
            sorter = EntrySorter(folder: folder)
        }

        /// - Parameters:
        ///   - row: as `NewestRows` hands it out.
        ///   - owner: the owner's place.
        mutating func add(
            _ id: RecipientID, key: UnsafeRawBufferPointer, _ row: UnsafeRawBufferPointer, of owner: Int
        ) throws(RecipientIndexError) {
            let number = ValueFile.number(owner, id)
            name.removeAll(keepingCapacity: true)
            withUnsafeBytes(of: number.bigEndian) { name.append(contentsOf: $0) }
            name.append(contentsOf: key)
            if !row.isEmpty { return try append(number, row) }
            try Self.noValues.withUnsafeBufferPointer { (row) throws(RecipientIndexError) in
                try append(number, UnsafeRawBufferPointer(row))
            }
        }

        private mutating func append(
            _ number: UInt64, _ row: UnsafeRawBufferPointer
        ) throws(RecipientIndexError) {
            note(number, size: ListEntry.headerSize + name.count + 2 + row.count)
            try name.withUnsafeBufferPointer { (name) throws(RecipientIndexError) in
                try sorter.append(.init(name), keyLength: 8, mark: 0, row: 0, tail: row)
            }
        }

        /// - Parameter size: that of the row's entry in bytes.
        private mutating func note(_ number: UInt64, size: Int) {
            guard let first = places?.last else {
                if places != nil { places = [(number, 0)] }
                (self.size, last) = (size, number)
                return
            }
            if number <= last {
                places = nil
            } else if self.size - first.offset >= ValueFile.stride {
                places?.append((number, self.size))
            }
            (self.size, last) = (self.size + size, number)
        }

        func finish() throws(RecipientIndexError) -> ValueFile {
            let sorted = try sorter.finish()
            if let places, let run = sorted.joined { return ValueFile(owners: owners, run: run, places: places) }
            let run = try sorted.merged(in: folder)
            var places: [(first: UInt64, offset: Int)] = []
            var offset = 0
            let cursor = EntryCursor(run, bufferSize: 256 << 10)
            while let start = try cursor.next() {
                let entry = ListEntry(start)
                if places.last.map({ offset - $0.offset >= ValueFile.stride }) ?? true {
                    places.append((entry.prefix, offset))
                }
                offset += entry.size
            }
            return ValueFile(owners: owners, run: run, places: places)
        }
    }
}

extension ValueFile.Row {
    /// - Parameter tail: as `RowValues` packs it.
    init(_ id: RecipientID, key: UnsafeRawBufferPointer, tail: UnsafeRawBufferPointer) {
        let (line, values) = RowValues.parts(tail)
        let start = values.baseAddress?.assumingMemoryBound(to: UInt8.self)
        self.init(id: id, key: key, line: Int(line), bytes: .init(start: start, count: values.count))
    }
}

extension SortedEntries {
    /// The runs as one, if each begins where the one before ends.
    fileprivate var joined: Run? {
        guard case .file(let file, var place)? = runs.first else { return runs.count < 2 ? runs.first : nil }
        for run in runs.dropFirst() {
            guard case .file(let other, let next) = run, other === file, next.lowerBound == place.upperBound else {
                return nil
            }
            place = place.lowerBound..<next.upperBound
        }
        return .file(file, place)
    }

    /// All entries in one run.
    fileprivate func merged(in folder: String) throws(RecipientIndexError) -> Run {
        if runs.count < 2 { return runs.first ?? .memory([]) }
        let file = try SpillFile(in: folder)
        var (merge, size) = (try EntryMerge([self]), 0)
        var block: [UInt8] = []
        let write = { () throws(RecipientIndexError) in
            try block.withUnsafeBufferPointer { (bytes) throws(RecipientIndexError) in
                try file.write(.init(bytes), at: size)
            }
            size += block.count
            block.removeAll(keepingCapacity: true)
        }
        while let entry = merge.head {
            block.append(contentsOf: UnsafeRawBufferPointer(start: entry.start, count: entry.size))
            if block.count >= 256 << 10 { try write() }
            try merge.pass()
        }
        try write()
        return .file(file, 0..<size)
    }
}
