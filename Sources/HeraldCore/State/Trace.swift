package import FCM

/// Where the state knows a recipient. Each list is sorted by name.
package struct Trace: Hashable, Sendable {
    package var isDead: Bool
    package var topics: [TopicPlace] = []
    package var groups: [GroupPlace] = []
    package var occurrences: [OccurrencePlace] = []
    /// The messages that count for caps, by their end.
    package var starts: [StartPlace] = []
    /// When FCM was asked last which topics the current registration follows. `nil` if it never was.
    package var observed: Date?

    package init(isDead: Bool) { self.isDead = isDead }

    package struct TopicPlace: Hashable, Sendable {
        package var name: TopicName
        package var membership: Membership

        package init(name: TopicName, membership: Membership) {
            self.name = name
            self.membership = membership
        }
    }

    package struct GroupPlace: Hashable, Sendable {
        package var name: GroupName
        package var membership: GroupMembership

        package init(name: GroupName, membership: GroupMembership) {
            self.name = name
            self.membership = membership
        }
    }

    package struct StartPlace: Hashable, Sendable {
        package var occurrence: OccurrenceID
        package var start: MessageStart

        package init(occurrence: OccurrenceID, start: MessageStart) {
            (self.occurrence, self.start) = (occurrence, start)
        }
    }

    /// Sorts the starts.
    package mutating func add(_ all: [StartPlace]) {
        starts += all
        starts.sort { ($0.start.until, $0.occurrence) < ($1.start.until, $1.occurrence) }
    }

    package struct OccurrencePlace: Hashable, Sendable {
        package var id: OccurrenceID
        /// `nil` if the recipient is part of it and was not tried, as those of a holdout.
        package var entry: LedgerEntry?
        /// The code that the recipient was rejected with.
        package var code: String?
        /// Which text it is for the recipient. `nil` unless the campaign is personal.
        package var messageClass: MessageClass?

        package init(id: OccurrenceID, entry: LedgerEntry?, code: String?, _ messageClass: MessageClass? = nil) {
            self.id = id
            self.entry = entry
            self.code = code
            self.messageClass = messageClass
        }
    }
}

extension Partition where State: Forgettable {
    /// What the first of the numbers is that has a place. What is past counts last.
    package func place(of numbers: [RecipientID]) -> State? {
        let states = numbers.compactMap { state(of: $0) }
        return states.first { !$0.isPast } ?? states.first
    }
}

extension RecordedState {
    /// All about one recipient, from the ledgers that were read.
    package func trace(of id: RecipientID) -> Trace {
        var trace = Trace(isDead: dead.contains(id))
        // An earlier registration may be in a topic or group where the current one is not.
        let numbers = [id] + formers.filter { $0.value == id }.keys.sorted()
        trace.topics = topics.sorted { $0.key < $1.key }.compactMap { name, topic in
            topic.recipients.place(of: numbers).map { .init(name: name, membership: $0) }
        }
        trace.groups = groups.sorted { $0.key < $1.key }.compactMap { name, group in
            group.recipients.place(of: numbers).map { .init(name: name, membership: $0) }
        }
        trace.occurrences = occurrences.sorted { $0.key < $1.key }.compactMap { name, occurrence in
            guard let ledger = occurrence.ledger else { return nil }
            let (entry, messageClass) = (ledger.entries.state(of: id), occurrence.classes.state(of: id))
            if entry == nil, messageClass == nil { return nil }
            return .init(id: name, entry: entry, code: ledger.codes.state(of: id), messageClass)
        }
        trace.observed = observed.state(of: id)
        trace.add(
            starts.compactMap { name, partition in
                partition.state(of: id).map { .init(occurrence: name, start: $0) }
            })
        return trace
    }
}
