package import FCM
internal import Synchronization

/// A record in memory: what a dry run works on, so that the real one stays untouched.
package final class MemoryStore: StateStore {
    private struct Content {
        var record: Record
        var registrations: [RecipientID: Registration]
        var ids: [RecipientKey: RecipientID]
    }

    package let fingerprintKey: [UInt8]
    private let content: Mutex<Content>

    package init(_ record: Record, registrations: [RecipientID: Registration] = [:], fingerprintKey: [UInt8]) {
        self.fingerprintKey = fingerprintKey
        let ids = Dictionary(registrations.map { ($1.recipientKey, $0) }) { first, _ in first }
        content = Mutex(Content(record: record, registrations: registrations, ids: ids))
    }

    package func record() -> Record { content.withLock(\.record) }

    package func pauses() -> Pauses { content.withLock(\.record.pauses) }

    package func recipients(for keys: Set<RecipientKey>) -> [RecipientKey: KnownRecipient] {
        content.withLock { content in
            var known: [RecipientKey: KnownRecipient] = [:]
            for key in keys {
                if let id = content.ids[key], let registration = content.registrations[id] {
                    known[key] = KnownRecipient(id: id, registration: registration)
                }
            }
            return known
        }
    }

    package func registrations(of recipients: RecipientSet) -> [RecipientID: Registration] {
        content.withLock { content in
            var found: [RecipientID: Registration] = [:]
            for id in recipients { found[id] = content.registrations[id] }
            return found
        }
    }

    package func commit(_ changes: [RecordChange]) {
        content.withLock { content in
            content.record.apply(changes)
            for case .intern(let registrations) in changes {
                for (id, registration) in registrations {
                    content.registrations[id] = registration
                    content.ids[registration.recipientKey] = id
                }
            }
        }
    }
}
