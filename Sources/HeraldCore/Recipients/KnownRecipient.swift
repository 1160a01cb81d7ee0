package import FCM

/// A recipient as the state knows it.
package struct KnownRecipient: Hashable, Sendable {
    /// The first number that a state gives out.
    package static let firstID: RecipientID = 1
    /// Numbers from here on are former numbers: they stand for earlier registrations of recipients.
    package static let firstFormer = RecipientID.max / 2 + 1

    package var id: RecipientID
    package var registration: Registration

    package init(id: RecipientID, registration: Registration) {
        self.id = id
        self.registration = registration
    }
}

extension RecipientSet {
    /// Whether some of these stand for earlier registrations.
    package var hasFormers: Bool { runs.last.map { $0.upperBound >= KnownRecipient.firstFormer } ?? false }
}
