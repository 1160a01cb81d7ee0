internal import FCM

extension ListedRecipients {
    /// How many recipients are read from the state, or written to it, at a time.
    private static let chunkSize = 25_000

    /// Looks up in the state whom it knows already.
    ///
    /// - Parameter next: one more than the highest number that the state gave.
    package init(
        _ recipientIndex: RecipientIndex, recordedIn store: any StateStore, next: RecipientID
    ) async throws {
        guard recipientIndex.entries.count > 0 else {
            self.init(recipientIndex, next: next)
            return
        }
        let sorter = EntrySorter(folder: recipientIndex.temporaryFolder)
        var last: RecipientID = 0
        while last + 1 < next {
            let page = try await store.recipients(after: last, limit: Self.chunkSize)
            for recipient in page where recipient.id < next { try sorter.append(recipient) }
            guard let end = page.last, page.count == Self.chunkSize else { break }
            last = end.id
        }
        self.init(recipientIndex, recorded: try sorter.finish(), next: next)
    }

    /// Writes down whom the state does not know yet, or not by the registration that is best now. It changes nothing at
    /// FCM, so that a part of it does no harm.
    package func record(in store: any StateStore) async throws {
        var pass = try pass()
        var chunk: [RecipientID: Registration] = [:]
        while let recipient = try pass.next() {
            guard !recipient.isRecorded else { continue }
            chunk[recipient.id] = pass.registration
            if chunk.count == Self.chunkSize {
                try await store.commit([.intern(chunk)])
                chunk.removeAll(keepingCapacity: true)
            }
        }
        if !chunk.isEmpty { try await store.commit([.intern(chunk)]) }
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
