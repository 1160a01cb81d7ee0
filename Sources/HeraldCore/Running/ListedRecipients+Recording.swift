internal import FCM

extension ListedRecipients {
    /// How many recipients are written to the state at a time.
    private static let chunkSize = 25_000
    /// How many are read from it at a time.
    fileprivate static let pageSize = 10_000

    /// Looks up which recipients the state already knows, unless the index has their numbers, and which registrations
    /// are dead.
    ///
    /// - Parameter next: the next number that the state gives, as it was read before. The highest one given may belong to
    ///   a recipient that was erased.
    package init(
        _ recipientIndex: RecipientIndex, recordedIn store: any StateStore, newFrom next: RecipientID
    ) async throws {
        guard recipientIndex.entries.count > 0 else {
            self.init(recipientIndex)
            return
        }
        let sorter = EntrySorter(folder: recipientIndex.temporaryFolder)
        try await store.eachTombstone { try sorter.append($0) }
        guard recipientIndex.numbering == nil else {
            self.init(recipientIndex, dead: try sorter.finish())
            return
        }
        var last = KnownRecipient.firstID - 1
        var page = try await store.recipients(after: last, limit: Self.pageSize)
        while let id = page.last?.id {
            last = id
            let isLast = page.count < Self.pageSize
            // The next page is read while this one is sorted.
            async let following = isLast ? [] : store.recipients(after: id, limit: Self.pageSize)
            for recipient in page { try sorter.append(recipient) }
            page = try await following
        }
        self.init(recipientIndex, recorded: try sorter.finish(), next: max(last + 1, next))
    }

    /// Writes the recipients that the state does not know yet, or knows by an older registration. It changes nothing at
    /// FCM, so it does no harm if only a part is written.
    ///
    /// - Parameter onlyNew: whether those with an older registration keep it.
    /// - Throws: `StateError.numberedOtherwise` if another process has given out numbers since. A plan with the old
    ///   numbers would reach other people.
    package func record(in store: any StateStore, onlyNew: Bool = false) async throws {
        var pass = try pass()
        var (numbers, arrivals): ([RecipientID], [Arrival]) = ([], [])
        var compared = next - 1
        while let recipient = try pass.next() {
            guard !recipient.isRecorded, !onlyNew || recipient.id >= next, let registration = pass.registration else {
                continue
            }
            numbers.append(recipient.id)
            arrivals.append(Arrival(registration, id: recipient.id < next ? recipient.id : nil))
            if numbers.count == Self.chunkSize { try await intern(&numbers, &arrivals, in: store, &compared) }
        }
        if !numbers.isEmpty { try await intern(&numbers, &arrivals, in: store, &compared) }
    }

    /// - Parameter compared: the highest number that the arrivals have been compared with.
    private func intern(
        _ numbers: inout [RecipientID], _ arrivals: inout [Arrival], in store: any StateStore,
        _ compared: inout RecipientID
    ) async throws {
        guard try await store.intern(arrivals, comparedUpTo: compared) == numbers else {
            throw StateError.numberedOtherwise
        }
        // The new numbers need no comparison with later arrivals, because lists name each recipient once.
        compared = max(compared, numbers.max() ?? 0)
        numbers.removeAll(keepingCapacity: true)
        arrivals.removeAll(keepingCapacity: true)
    }
}

extension StateStore {
    package func eachTombstone(_ body: (Tombstone) throws -> Void) async throws {
        var last: Tombstone?
        while true {
            let page = try await tombstones(after: last, limit: ListedRecipients.pageSize)
            for tombstone in page { try body(tombstone) }
            last = page.last ?? last
            if page.count < ListedRecipients.pageSize { return }
        }
    }
}

extension Tombstone {
    /// When the registration died, in seconds since 1970, as far as 32 bits reach.
    var second: UInt32 { UInt32(clamping: Int(died.timeIntervalSince1970)) }
}

extension EntrySorter {
    func append(_ tombstone: Tombstone) throws {
        try append(tombstone.registration, mark: ListEntry.dead, row: tombstone.second)
    }

    func append(_ recipient: KnownRecipient) throws {
        try append(recipient.registration, mark: ListEntry.recorded, row: recipient.id)
    }

    private func append(_ registration: Registration, mark: UInt32, row: UInt32) throws {
        var text = registration.rawValue
        try text.withUTF8 { text in
            try append(
                UnsafeRawBufferPointer(text), keyLength: Registration.keyLength(of: text), mark: mark, row: row)
        }
    }
}
