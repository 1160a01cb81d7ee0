internal import FCM

extension ListedRecipients {
    /// How many recipients are read from the state, or written to it, at a time.
    private static let chunkSize = 25_000

    /// Looks up which recipients the state already knows.
    package init(_ recipientIndex: RecipientIndex, recordedIn store: any StateStore) async throws {
        guard recipientIndex.entries.count > 0 else {
            self.init(recipientIndex)
            return
        }
        let sorter = EntrySorter(folder: recipientIndex.temporaryFolder)
        var last = KnownRecipient.firstID - 1
        while true {
            let page = try await store.recipients(after: last, limit: Self.chunkSize)
            for recipient in page { try sorter.append(recipient) }
            last = page.last?.id ?? last
            if page.count < Self.chunkSize { break }
        }
        self.init(recipientIndex, recorded: try sorter.finish(), next: last + 1)
    }

    /// Writes the recipients that the state does not know yet, or knows by an older registration. It changes nothing at
    /// FCM, so it does no harm if only a part is written.
    ///
    /// - Throws: `StateError.numberedOtherwise` if another process has given out numbers since. A plan with the old
    ///   numbers would reach other people.
    package func record(in store: any StateStore) async throws {
        var pass = try pass()
        var (numbers, arrivals): ([RecipientID], [Arrival]) = ([], [])
        var compared = next - 1
        while let recipient = try pass.next() {
            guard !recipient.isRecorded, let registration = pass.registration else { continue }
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

extension EntrySorter {
    func append(_ recipient: KnownRecipient) throws {
        var text = recipient.registration.rawValue
        try text.withUTF8 { text in
            try append(
                UnsafeRawBufferPointer(text), keyLength: Registration.keyLength(of: text),
                mark: ListEntry.recorded, row: recipient.id)
        }
    }
}
