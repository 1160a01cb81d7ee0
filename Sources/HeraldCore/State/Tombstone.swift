package import FCM

/// A registration that FCM declared dead. Another registration of the same installation is not dead.
package struct Tombstone: Hashable, Sendable {
    package var recipient: RecipientID
    package var registration: Registration
    package var died: Date

    package init(recipient: RecipientID, registration: Registration, died: Date) {
        self.recipient = recipient
        self.registration = registration
        self.died = died
    }

    /// What the state stores sort tombstones by.
    package static func precedes(_ one: Tombstone, _ other: Tombstone) -> Bool {
        (one.recipient, one.registration.rawValue) < (other.recipient, other.registration.rawValue)
    }
}
