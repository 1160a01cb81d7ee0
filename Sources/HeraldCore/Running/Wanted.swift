package import FCM

/// What the files ask for, and how to reach its recipients.
package struct Wanted: Sendable {
    /// Saves the resolved lists for the next plan. They are valid as long as the state gives no other numbers.
    package typealias Keep = @Sendable (ResolvedLists, Numbering) -> Void

    package var desired: Desired { lists.desired }
    private let lists: ResolvedLists
    private let recipients: ListedRecipients
    /// The state's numbering before this run changed it.
    private let numbering: Numbering?
    private let keep: Keep?

    /// - Parameters:
    ///   - store: the state, or `nil` if there is none yet.
    ///   - key: a random key for digests of registrations, or `nil` if no numbers are kept.
    ///   - sorted: reads all rows of the lists again. It is called if the index was matched with the numbers of another
    ///     state, or with older numbers of this one.
    package init(
        _ workspace: Workspace, _ recipientIndex: RecipientIndex, knownTo store: (any StateStore)?,
        noting key: (UInt64, UInt64)?, keep: Keep?, sorted: () throws -> RecipientIndex
    ) async throws {
        numbering = try await store?.numbering()
        self.keep = keep
        let isForeign = recipientIndex.numbering != nil && recipientIndex.numbering != numbering
        let recipientIndex = isForeign ? try sorted() : recipientIndex
        if let store, recipientIndex.numbering == nil {
            recipients = try await ListedRecipients(recipientIndex, recordedIn: store)
        } else {
            recipients = ListedRecipients(recipientIndex)
        }
        lists = try Resolver.lists(of: workspace, recipients, noting: key)
        if let store, let numbering, desired.unrecorded == 0 { try await remember(as: numbering, in: store) }
    }

    /// Writes the recipients that the state does not know yet. A recipient needs a number there before a send or a
    /// subscription.
    package func record(in store: any StateStore) async throws {
        guard desired.unrecorded > 0 else { return }
        let isAlone = try await store.numbering() == numbering
        try await recipients.record(in: store)
        if isAlone, let numbering = try await store.numbering() { try await remember(as: numbering, in: store) }
    }

    /// The registrations of some recipients, whether the state already knows them or not.
    package func registrations(
        of ids: RecipientSet, knownTo store: (any StateStore)?
    ) async throws -> [RecipientID: Registration] {
        let known = try await store?.registrations(of: ids) ?? [:]
        return try known.merging(recipients.registrations(of: ids)) { _, listed in listed }
    }

    /// - Parameter numbering: the state's numbering, once every recipient has a number.
    private func remember(as numbering: Numbering, in store: any StateStore) async throws {
        guard let keep, lists.isWorthKeeping, numbering.next == lists.next, try await store.numbering() == numbering
        else { return }
        keep(lists, numbering)
    }
}
