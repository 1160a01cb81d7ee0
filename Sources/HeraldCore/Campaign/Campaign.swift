package import FCM

/// One message, one target, one schedule.
package struct Campaign: Hashable, Sendable {
    package var name: Located<String>
    package var description: String?
    package var owner: String?
    package var enabled = true
    /// Raised by its author to send a one-time campaign again.
    package var revision = 1
    /// What it was called before: what was sent under those names was sent.
    package var previousNames: [Located<String>] = []
    package var target: Located<Target>
    /// The topics of its condition where they are written, each as often as it is; none with another target.
    package var conditionTopics: [Located<TopicName>] = []
    /// Audiences whose members are left out.
    package var exclude: [Located<String>] = []
    /// The v1 message without its target.
    package var message: Located<[String: JSONValue]>
    package var schedule = Schedule()
    package var delivery = Delivery()
    package var acknowledged = Acknowledgement()

    /// What recipients get.
    package var content: MessageContent { MessageContent(message.value) }

    /// Whom a campaign is for.
    package enum Target: Hashable, Sendable {
        case topic(TopicName)
        case condition(Condition)
        case group(GroupName)
        case audience(String)
        /// Listed in the campaign itself, all of one kind.
        case registrations([Registration])
    }

    package struct Delivery: Hashable, Sendable {
        /// Lower than the workspace's.
        package var rate: Rate?
        /// From the due time.
        package var expiresAfter: Duration?
        package var onUnknown: OnUnknown = .hold
        /// Of at least 100 outcomes, dead registrations not counted.
        package var stopWhenRejectedPercent = 50
        package var members: Members = .key
    }

    /// How a device group is reached.
    package enum Members: String, Hashable, Sendable, CaseIterable {
        /// By its notification key: one request, and FCM does not say who got it.
        case key
        /// Each recorded member by a request of its own.
        case each
    }

    /// What the reviewed file itself lets through.
    package struct Acknowledgement: Hashable, Sendable {
        /// It may reach devices that follow no topic.
        package var broadcast = false
        package var maxRecipients: Int?
    }

    /// What becomes of a recipient whose outcome nobody knows.
    package enum OnUnknown: String, Hashable, Sendable, CaseIterable {
        case hold, resend
    }
}
