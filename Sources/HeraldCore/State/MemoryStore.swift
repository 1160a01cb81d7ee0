package import FCM
internal import Synchronization

/// A state in memory: what a dry run works on, so that the real one stays untouched.
package final class MemoryStore: StateStore {
    private struct Content {
        var state: RecordedState
        var registrations: [RecipientID: Registration]
    }

    package let fingerprintKey: [UInt8]
    private let content: Mutex<Content>

    package init(_ state: RecordedState, registrations: [RecipientID: Registration] = [:], fingerprintKey: [UInt8]) {
        self.fingerprintKey = fingerprintKey
        content = Mutex(Content(state: state, registrations: registrations))
    }

    package func state() -> RecordedState { content.withLock(\.state) }

    package func pauses() -> Pauses { content.withLock(\.state.pauses) }

    package func recipients(after id: RecipientID, limit: Int) -> [KnownRecipient] {
        content.withLock { content in
            content.registrations.filter { $0.key > id }.sorted { $0.key < $1.key }.prefix(limit)
                .map { KnownRecipient(id: $0.key, registration: $0.value) }
        }
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

    package func commit(_ changes: [StateChange]) {
        content.withLock { content in
            content.state.apply(changes)
            for case .intern(let registrations) in changes {
                content.registrations.merge(registrations) { _, newer in newer }
            }
        }
    }
}
