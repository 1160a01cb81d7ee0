package import FCM
internal import Synchronization

/// A state in memory. Dry runs work on it, so that the real state stays untouched.
package final class MemoryStore: StateStore {
    private struct Content {
        var state: RecordedState
        var registrations: [RecipientID: Registration]
        /// By former number.
        var formerRegistrations: [RecipientID: Registration] = [:]
        var tombstones: [RecipientID: [Registration: Date]] = [:]
        /// The deaths that are numbered, and whether somebody was told. One that is no tombstone any more counts for none.
        var notices: [RecipientID: [Registration: (run: String, number: Int64, isTold: Bool)]] = [:]
        /// The epoch of the newest lease.
        var epoch: Int64 = 0

        /// All changes, or none if an occurrence cannot be opened.
        mutating func apply(_ changes: [StateChange]) throws {
            try checkOpening(changes)
            for change in changes { apply(change) }
            state.noteEffects(of: changes)
        }

        private func checkOpening(_ changes: [StateChange]) throws {
            guard changes.contains(where: { if case .open = $0 { true } else { false } }) else { return }
            var copy = state
            for change in changes {
                if case .open(let id, let occurrence) = change, !copy.isFree(id, for: occurrence.campaign) {
                    throw StateError.occurrenceTaken(id)
                }
                copy.apply(change)
            }
        }

        private mutating func apply(_ change: StateChange) {
            let formers = state.formers
            if case .forget(let members, let instant) = change { bury(members, at: instant) }
            state.apply(change)
            switch change {
            case .register(let newer):
                registrations.merge(newer) { _, newer in newer }
                for (id, registration) in newer { tombstones[id]?[registration] = nil }
            case .supersede:
                for (former, recipient) in state.formers where formers[former] == nil {
                    formerRegistrations[former] = registrations[recipient]
                }
            case .died(let tombstone):
                tombstones[tombstone.recipient, default: [:]][tombstone.registration] = tombstone.died
            case .readopt(let returning):
                for former in returning { formerRegistrations[former] = nil }
            case .erase(let members):
                for id in members { (registrations[id], tombstones[id]) = (nil, nil) }
                formerRegistrations = formerRegistrations.filter { state.formers[$0.key] != nil }
            case .numberDeaths(let run): numberDeaths(run)
            case .toldDeaths(let run, let numbers):
                for (id, known) in notices {
                    for (registration, notice) in known where notice.run == run && numbers ~= notice.number {
                        notices[id]?[registration]?.isTold = true
                    }
                }
            default: break
            }
            for (id, known) in notices {
                for registration in known.keys where tombstones[id]?[registration] == nil {
                    notices[id]?[registration] = nil
                }
            }
        }

        private mutating func numberDeaths(_ run: String) {
            var number = notices.values.flatMap(\.values).filter { $0.run == run }.map(\.number).max() ?? 0
            for (id, known) in tombstones.sorted(by: { $0.key < $1.key }) {
                for registration in known.keys.sorted(by: { $0.rawValue < $1.rawValue })
                where notices[id]?[registration] == nil {
                    number += 1
                    notices[id, default: [:]][registration] = (run, number, false)
                }
            }
        }

        func deathNotices() -> [DeathNotice] {
            notices.flatMap { id, known in
                known.compactMap { registration, notice in
                    guard !notice.isTold, let died = tombstones[id]?[registration] else { return nil }
                    return DeathNotice(run: notice.run, number: notice.number, registration: registration, died: died)
                }
            }.sorted { ($0.run, $0.number) < ($1.run, $1.number) }
        }

        private mutating func bury(_ members: RecipientSet, at instant: Date) {
            for id in members {
                guard let registration = registrations[id] ?? formerRegistrations[id] else { continue }
                tombstones[state.formers[id] ?? id, default: [:]][registration] = instant
            }
        }

        func recipients(after id: RecipientID) -> [KnownRecipient] {
            registrations.filter { $0.key > id }.sorted { $0.key < $1.key }
                .map { KnownRecipient(id: $0.key, registration: $0.value) }
        }
    }

    package let fingerprintKey: [UInt8]
    private let content: Mutex<Content>

    package init(_ state: RecordedState, registrations: [RecipientID: Registration] = [:], fingerprintKey: [UInt8]) {
        self.fingerprintKey = fingerprintKey
        content = Mutex(Content(state: state, registrations: registrations))
    }

    /// A store that goes on from what another one has now, as a restored backup does.
    package init(copying other: MemoryStore) {
        fingerprintKey = other.fingerprintKey
        content = Mutex(other.content.withLock { $0 })
    }

    /// The whole state, with all ledgers.
    package func state() -> RecordedState { content.withLock(\.state) }

    package func snapshot() -> RecordedState { state().snapshot }

    package func occurrence(_ id: OccurrenceID) -> RecordedOccurrence? { content.withLock { $0.state.occurrences[id] } }

    package func trace(of recipient: RecipientID) -> Trace { state().trace(of: recipient) }

    package func starts() -> [OccurrenceID: Partition<MessageStart>] { content.withLock(\.state.starts) }

    package func pauses() -> Pauses { content.withLock(\.state.pauses) }

    package func history() -> History { content.withLock(\.state.history) }

    package func notes() -> [StateNote: String] { content.withLock(\.state.notes) }

    package func approvals() -> [String: RecordedApproval] { content.withLock(\.state.approvals) }

    package func recipients(after id: RecipientID, limit: Int) -> [KnownRecipient] {
        Array(content.withLock { $0.recipients(after: id) }.prefix(limit))
    }

    package func tombstones(after last: Tombstone?, limit: Int) -> [Tombstone] {
        let (tombstones, notices) = content.withLock { ($0.tombstones, $0.notices) }
        let all = tombstones.flatMap { recipient, deaths in
            deaths.map { registration, died -> Tombstone in
                var tombstone = Tombstone(recipient: recipient, registration: registration, died: died)
                if let notice = notices[recipient]?[registration], !notice.isTold {
                    tombstone.notice = .init(run: notice.run, number: notice.number)
                }
                return tombstone
            }
        }
        let later = all.filter { tombstone in last.map { Tombstone.precedes($0, tombstone) } ?? true }
        return Array(later.sorted(by: Tombstone.precedes).prefix(limit))
    }

    package func tombstoneCount() -> Int { content.withLock { $0.tombstones.values.reduce(0) { $0 + $1.count } } }

    package func deathNotices(after last: DeathNotice?, limit: Int) -> [DeathNotice] {
        let all = content.withLock { $0.deathNotices() }
        let rest = all.drop { notice in last.map { (notice.run, notice.number) <= ($0.run, $0.number) } ?? false }
        return Array(rest.prefix(limit))
    }

    package func numbering() -> Numbering? { nil }

    package func recipient(for key: RecipientKey) -> KnownRecipient? {
        content.withLock { content in
            content.registrations.first { $0.value.recipientKey == key }
                .map { KnownRecipient(id: $0.key, registration: $0.value) }
        }
    }

    package func registrations(of recipients: RecipientSet) -> [RecipientID: Registration] {
        content.withLock { content in
            var found: [RecipientID: Registration] = [:]
            for id in recipients { found[id] = content.registrations[id] ?? content.formerRegistrations[id] }
            return found
        }
    }

    package func intern(_ arrivals: [Arrival], comparedUpTo last: RecipientID) throws -> [RecipientID] {
        try content.withLock { content in
            let numbers = arrivals.numbers(
                besides: content.recipients(after: last), after: content.state.nextRecipient - 1)
            try content.apply([.register(numbers, arrivals)])
            return numbers
        }
    }

    package func lease(to holder: String) -> WorkLease {
        content.withLock { content in
            content.epoch += 1
            return WorkLease(holder: holder, epoch: content.epoch)
        }
    }

    package func commit(_ changes: [StateChange], under lease: WorkLease) throws {
        try content.withLock { content in
            if lease.epoch != content.epoch { throw StateError.leaseLost(holder: lease.holder) }
            try content.apply(changes)
        }
    }

    package func commit(_ changes: [StateChange]) throws { try content.withLock { try $0.apply(changes) } }

    package func check() {}

    package func compact() -> Compaction { .done }
}
