package import FCM

/// A registration that FCM declared dead. Another registration of the same installation is not dead.
package struct Tombstone: Hashable, Sendable {
    package var recipient: RecipientID
    package var registration: Registration
    package var died: Date
    /// Under which number somebody is still to be told of it. `nil` if nobody is.
    package var notice: Notice?

    package struct Notice: Hashable, Sendable {
        package var run: String
        package var number: Int64

        package init(run: String, number: Int64) { (self.run, self.number) = (run, number) }
    }

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

extension StateStore {
    /// The tombstone of a registration, whichever one its recipient has by now. `nil` if it is not dead.
    package func tombstone(of registration: Registration, _ recipient: RecipientID) async throws -> Tombstone? {
        // All of one recipient stand together.
        var last = Tombstone(recipient: recipient - 1, registration: registration, died: .distantPast)
        while last.recipient <= recipient {
            let page = try await tombstones(after: last, limit: 100)
            if let found = page.first(where: { $0.recipient == recipient && $0.registration == registration }) {
                return found
            }
            guard let end = page.last else { return nil }
            last = end
        }
        return nil
    }
}
