/// One message that FCM accepted.
package struct Receipt: Hashable, Sendable {
    package var step: String
    /// A fingerprint, or the registration itself where it is revealed. `nil` if the request addresses no single
    /// registration.
    package var registration: String?
    /// FCM's name for the message.
    package var messageID: String
    /// `nil` if everybody gets the same.
    package var text: Text?

    /// Which text of a personal campaign it is.
    package struct Text: Hashable, Sendable {
        /// As in the report: the default locale for the message itself.
        package var locale: String
        /// `nil` in a campaign without variants.
        package var variant: String?
    }
}
