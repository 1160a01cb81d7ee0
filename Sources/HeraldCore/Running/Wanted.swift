package import FCM

/// What the files ask for, and how to reach its recipients.
package struct Wanted: Sendable {
    /// Saves the resolved lists for the next plan. They are valid as long as the state gives no other numbers.
    package typealias Keep = @Sendable (ResolvedLists, Numbering) -> Void

    package private(set) var desired: Desired
    private let lists: ResolvedLists
    private let recipients: ListedRecipients
    /// The state's numbering before this run changed it.
    private let numbering: Numbering?
    private let keep: Keep?
    private let sorted: @Sendable () throws -> RecipientIndex

    /// - Parameters:
    ///   - store: the state, or `nil` if there is none yet.
    ///   - recorded: what is in the state.
    ///   - key: a random key for digests of registrations, or `nil` if no numbers are kept.
    ///   - sorted: reads all rows of the lists again. It is called if the index was matched with the numbers of another
    ///     state, or with older numbers of this one.
    package init(
        _ workspace: Workspace, _ recipientIndex: RecipientIndex, knownTo store: (any StateStore)?,
        as recorded: RecordedState,
        noting key: (UInt64, UInt64)?, keep: Keep?, sorted: @escaping @Sendable () throws -> RecipientIndex
    ) async throws {
        self.sorted = sorted
        numbering = try await store?.numbering()
        self.keep = keep
        let isForeign = recipientIndex.numbering != nil && recipientIndex.numbering != numbering
        var mustSort = isForeign
        if let store, !mustSort { mustSort = try await recipientIndex.isOutlived(by: recorded.dead, in: store) }
        let recipientIndex = mustSort ? try sorted() : recipientIndex
        if let store {
            recipients = try await ListedRecipients(
                recipientIndex, recordedIn: store, newFrom: recorded.nextRecipient)
        } else {
            recipients = ListedRecipients(recipientIndex)
        }
        let now = recipientIndex.date
        var followed = FollowedOccurrences(of: workspace, in: recorded, at: now)
        var lists = try Resolver.lists(of: workspace, recipients, try await followed.limits(from: store), noting: key)
        // Only the lists tell who is ahead of what was done, and who lives again.
        let back = followed.goesByDead ? lists.desired.registrations.changed.intersection(recorded.dead) : []
        var ahead = followed.ahead(in: lists.desired)
        var isNews = !ahead.isEmpty || !back.isEmpty
        while isNews {
            followed = FollowedOccurrences(
                of: workspace, in: recorded, besides: ahead, reviving: back, at: now)
            lists = try Resolver.lists(of: workspace, recipients, try await followed.limits(from: store), noting: key)
            let others = followed.ahead(in: lists.desired)
            isNews = !others.isEmpty
            ahead.formUnion(others)
        }
        self.lists = lists
        desired = lists.desired
        desired.remarks = followed.remarks
        if let store, !desired.registrations.changed.isEmpty {
            desired.registrations.revived = try await revived(among: recorded.dead, in: store)
        }
        if let store { desired.registrations.returning = try await returning(to: recorded, in: store) }
        if let store, let numbering, desired.unrecorded == 0 { try await remember(as: numbering, in: store) }
    }

    /// The former numbers whose registrations recipients change to, or have again since an earlier run changed them.
    private func returning(to recorded: RecordedState, in store: any StateStore) async throws -> RecipientSet {
        let changed = desired.registrations.changed
        let apart = recorded.formersApart.filter { !changed.contains($0.value) }
        let formers = recorded.formers.filter { changed.contains($0.value) }.merging(apart) { one, _ in one }
        guard !formers.isEmpty else { return [] }
        let found = try await store.registrations(of: RecipientSet(formers.keys.sorted()))
        let recipients = RecipientSet(Set(formers.values).sorted())
        let current = try await store.registrations(of: recipients.subtracting(changed))
            .merging(self.recipients.registrations(of: recipients.intersection(changed))) { _, listed in listed }
        return RecipientSet(
            found.filter { former, registration in
                formers[former].flatMap { current[$0] } == registration
            }.keys.sorted())
    }

    /// The dead recipients that lists name with the registration that died.
    private func revived(among dead: RecipientSet, in store: any StateStore) async throws -> RecipientSet {
        let dead = dead.intersection(desired.registrations.changed)
        guard !dead.isEmpty else { return [] }
        let (known, listed) = (try await store.registrations(of: dead), try recipients.registrations(of: dead))
        return RecipientSet(dead.filter { known[$0] == listed[$0] })
    }

    /// Recipients that are listed with several living registrations.
    package var withOthers: RecipientSet { lists.withOthers }

    /// The living registrations that some recipients are also listed with. Lists that did not change were not read, so
    /// they are read for this.
    package func others(
        of ids: RecipientSet, knownTo store: any StateStore
    ) async throws -> [RecipientID: [Registration]] {
        let wanted = ids.intersection(lists.withOthers)
        if wanted.isEmpty { return [:] }
        if recipients.hasAllRows { return try recipients.others(of: wanted) }
        let read = try await ListedRecipients(try sorted(), recordedIn: store, newFrom: recipients.next)
        return try read.others(of: wanted)
    }

    /// What the files ask for once the state has all these registrations.
    package var desiredOnceRecorded: Desired {
        var desired = desired
        (desired.registrations.changed, desired.registrations.revived) = ([], [])
        desired.registrations.returning = []
        return desired
    }

    /// Writes the recipients that the state does not know yet. A recipient needs a number there before a send or a
    /// subscription.
    package func record(in store: any StateStore) async throws {
        guard desired.unrecorded > 0 || !desired.registrations.returning.isEmpty else { return }
        let isAlone = try await store.numbering() == numbering
        // Before the registrations: memberships were made with the earlier ones.
        let changes = desired.registrations.changes
        if !changes.isEmpty { try await store.commit(changes) }
        try await recipients.record(in: store)
        if isAlone, let numbering = try await store.numbering() { try await remember(as: numbering, in: store) }
    }

    /// Writes only those who have no number there yet. All others keep the registration that the state has of them.
    package func recordNew(in store: any StateStore) async throws {
        if desired.registrations.changes.isEmpty { return try await record(in: store) }
        try await recipients.record(in: store, onlyNew: true)
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

extension RecipientIndex {
    /// Whether matched rows may name their recipients by a registration that does not count any more: it died and there
    /// is another, or its app was seen after it died.
    fileprivate func isOutlived(by dead: RecipientSet, in store: any StateStore) async throws -> Bool {
        guard let matched else { return false }
        if !matched.withOthers.intersection(dead).isEmpty { return true }
        var seen: [RecipientID: UInt32] = [:]
        for time in matched.seen where dead.contains(time.recipient) {
            seen[time.recipient] = max(time.seen, seen[time.recipient] ?? 0)
        }
        if seen.isEmpty { return false }
        var isSeenLater = false
        try await store.eachTombstone { tombstone in
            if let time = seen[tombstone.recipient], time > tombstone.second { isSeenLater = true }
        }
        return isSeenLater
    }
}
