package import FCM

/// What the files ask for, and how those are reached whom it is about.
package struct Wanted: Sendable {
    /// Spares the next plan what did not change, as long as the state gives no other numbers.
    package typealias Keep = @Sendable (ResolvedLists, Numbering) -> Void

    package var desired: Desired { lists.desired }
    private let lists: ResolvedLists
    private let recipients: ListedRecipients
    /// What the state said of its numbers before.
    private let numbering: Numbering?
    private let keep: Keep?

    /// - Parameters:
    ///   - store: the state; `nil` where there is none yet.
    ///   - key: random, for digests of registrations; `nil` where nobody's number is kept.
    ///   - sorted: all rows of the lists, read once more: asked for where the index was matched with another state's
    ///     numbers, or with those that this one had before.
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

    /// Writes down whom the state does not know yet: whoever is sent to, or subscribed, has a number there.
    package func record(in store: any StateStore) async throws {
        guard desired.unrecorded > 0 else { return }
        let isAlone = try await store.numbering() == numbering
        try await recipients.record(in: store)
        if isAlone, let numbering = try await store.numbering() { try await remember(as: numbering, in: store) }
    }

    /// How some of them are reached, whether the state knows them already or not.
    package func registrations(
        of ids: RecipientSet, knownTo store: (any StateStore)?
    ) async throws -> [RecipientID: Registration] {
        let known = try await store?.registrations(of: ids) ?? [:]
        return try known.merging(recipients.registrations(of: ids)) { _, listed in listed }
    }

    /// - Parameter numbering: the state's, with everybody's number.
    private func remember(as numbering: Numbering, in store: any StateStore) async throws {
        guard let keep, lists.isWorthKeeping, numbering.next == lists.next, try await store.numbering() == numbering
        else { return }
        keep(lists, numbering)
    }
}
