package import FCM

/// One message, one target, one schedule.
package struct Campaign: Hashable, Sendable {
    package var name: Located<String>
    package var description: String?
    package var owner: String?
    package var enabled = true
    /// Raised by its author to send a one-time campaign again.
    package var revision = 1
    package var target: Located<Target>
    /// The v1 message without its target.
    package var message: Located<[String: JSONValue]>
    package var schedule = Schedule()
    package var delivery = Delivery()

    /// Whom a campaign is for.
    package enum Target: Hashable, Sendable {
        case topic(TopicName)
        case audience(String)
    }

    package struct Delivery: Hashable, Sendable {
        /// Lower than the workspace's.
        package var rate: Rate?
        /// From the due time.
        package var expiresAfter: Duration?
        package var onUnknown: OnUnknown = .hold
        /// Of at least 100 outcomes, dead registrations not counted.
        package var stopWhenRejectedPercent = 50
    }

    /// What becomes of a recipient whose outcome nobody knows.
    package enum OnUnknown: String, Hashable, Sendable, CaseIterable {
        case hold, resend
    }
}
