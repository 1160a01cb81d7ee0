package import FCM
internal import Synchronization

/// A state in memory. Dry runs work on it, so that the real state stays untouched.
package final class MemoryStore: StateStore {
    private struct Content {
        var state: RecordedState
        var registrations: [RecipientID: Registration]
        /// The epoch of the newest lease.
        var epoch: Int64 = 0

        mutating func apply(_ changes: [StateChange]) {
            state.apply(changes)
            for change in changes {
                switch change {
                case .register(let registrations): self.registrations.merge(registrations) { _, newer in newer }
                case .erase(let members): for id in members { registrations[id] = nil }
                default: break
                }
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

    /// The whole state, with all ledgers.
    package func state() -> RecordedState { content.withLock(\.state) }

    package func snapshot() -> RecordedState { state().snapshot }

    package func occurrence(_ id: OccurrenceID) -> RecordedOccurrence? { content.withLock { $0.state.occurrences[id] } }

    package func trace(of recipient: RecipientID) -> Trace { state().trace(of: recipient) }

    package func pauses() -> Pauses { content.withLock(\.state.pauses) }

    package func recipients(after id: RecipientID, limit: Int) -> [KnownRecipient] {
        Array(content.withLock { $0.recipients(after: id) }.prefix(limit))
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
            for id in recipients { found[id] = content.registrations[id] }
            return found
        }
    }

    package func intern(_ arrivals: [Arrival], comparedUpTo last: RecipientID) -> [RecipientID] {
        content.withLock { content in
            let numbers = arrivals.numbers(
                besides: content.recipients(after: last), after: content.state.nextRecipient - 1)
            content.apply([.register(numbers, arrivals)])
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
            content.apply(changes)
        }
    }

    package func check() {}

    package func compact() {}

    package func commit(_ changes: [StateChange]) { content.withLock { $0.apply(changes) } }
}
