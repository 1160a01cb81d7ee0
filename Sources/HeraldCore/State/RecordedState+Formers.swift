package import FCM

/// Memberships belong to the registration that made them. When a recipient gets another registration, they move to a
/// number of their own, so that leaving reaches the registration that joined.
extension RecordedState {
    package var nextFormer: RecipientID { (formers.keys.max() ?? KnownRecipient.firstFormer - 1) + 1 }

    /// The recipients of former numbers that are in a topic because of herald, where the recipients themselves are not.
    /// What a former number has nowhere replaces what the recipient has because of herald, or by themselves.
    package var formersApart: [RecipientID: RecipientID] {
        if formers.isEmpty { return [:] }
        let numbers = RecipientSet(formers.keys.sorted())
        var apart: [RecipientID: RecipientID] = [:]
        var both: Set<RecipientID> = []
        for topic in topics.values {
            let own = topic.recipients.union(of: Membership.own + [.adopted])
            let kept = own.union(topic.left)
            for former in topic.recipients.all.intersection(numbers) {
                guard let recipient = formers[former] else { continue }
                if kept.contains(recipient) { both.insert(former) }
                if own.contains(former), !own.contains(recipient) { apart[former] = recipient }
            }
        }
        return apart.filter { !dead.contains($0.value) && !both.contains($0.key) }
    }

    /// The recipients among `members` that are in a topic or group.
    func withMembership(among members: RecipientSet) -> RecipientSet {
        var found = RecipientSet()
        for topic in topics.values { found.formUnion(topic.recipients.ofRegistrations.intersection(members)) }
        for group in groups.values { found.formUnion(group.recipients.ofRegistrations.intersection(members)) }
        return found
    }

    mutating func supersede(_ members: RecipientSet) {
        let moving = Array(withMembership(among: members))
        // The new registration was not asked for yet.
        observed.move(members.subtracting(RecipientSet(moving)), to: nil)
        guard !moving.isEmpty else { return }
        let next = nextFormer
        let numbers = Dictionary(uniqueKeysWithValues: zip(moving, next...))
        for (recipient, former) in numbers { formers[former] = recipient }
        move(RecipientSet(moving), by: numbers, except: Membership.personal)
    }

    mutating func readopt(_ returning: RecipientSet) {
        var numbers: [RecipientID: RecipientID] = [:]
        for former in returning { numbers[former] = formers.removeValue(forKey: former) }
        move(RecipientSet(numbers.keys.sorted()), by: numbers)
        reviveMemberships(of: RecipientSet(Set(numbers.values).sorted()))
    }

    /// Gives the memberships of `members`, and when they were observed, to other numbers.
    private mutating func move(
        _ members: RecipientSet, by numbers: [RecipientID: RecipientID], except fixed: Set<Membership> = []
    ) {
        for name in topics.keys { topics[name]?.recipients.renumber(members, by: numbers, except: fixed) }
        for name in groups.keys { groups[name]?.recipients.renumber(members, by: numbers) }
        observed.renumber(members, by: numbers)
    }
}

extension StateStore {
    /// The former numbers of recipients that stand for these registrations.
    package func formers(with wanted: [RecipientID: Registration]) async throws -> RecipientSet {
        let formers = try await snapshot().formers.filter { wanted[$0.value] != nil }
        let found = try await registrations(of: RecipientSet(formers.keys.sorted()))
        return RecipientSet(
            formers.filter { former, recipient in found[former] == wanted[recipient] }.keys.sorted())
    }
}

extension Partition where State: Forgettable {
    /// The recipients in states that belong to a registration, and not to the person.
    package var ofRegistrations: RecipientSet { union(of: states.filter { !State.personal.contains($0) }) }
}

extension Partition {
    /// Puts other numbers in the place of `members`, in every set but those of some states.
    mutating func renumber(
        _ members: RecipientSet, by numbers: [RecipientID: RecipientID], except fixed: Set<State> = []
    ) {
        for state in states where !fixed.contains(state) {
            let moving = self[state].intersection(members)
            guard !moving.isEmpty else { continue }
            move(moving, to: nil)
            move(RecipientSet(moving.compactMap { numbers[$0] }.sorted()), to: state)
        }
    }
}

extension RecordedState {
    /// Whether an occurrence of that campaign may be opened under the id.
    package func isFree(_ id: OccurrenceID, for campaign: String) -> Bool {
        occurrences[id].map { $0.campaign == campaign && $0.isUnbegun } ?? true
    }
}
