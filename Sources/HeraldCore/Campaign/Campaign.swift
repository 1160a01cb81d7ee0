package import FCM

/// One message, one target, one schedule. It has many parts, because each part of a campaign's file is one.
package struct Campaign: Hashable, Sendable {
    package var name: Located<String>
    package var description: String?
    package var owner: String?
    package var enabled = true
    /// The author increases it to send a one-time campaign again.
    package var revision = 1
    /// Former names. What was sent under them counts as sent.
    package var previousNames: [Located<String>] = []
    package var target: Located<Target>
    /// The topics of its condition with their places, repeated ones included. Empty for other targets.
    package var conditionTopics: [Located<TopicName>] = []
    /// Audiences whose members do not get it.
    package var exclude: [Located<String>] = []
    /// Audiences that the settings leave out for its tags. They are named there.
    package var suppressed: [Located<String>] = []
    /// The v1 message without its target.
    package var message: Located<[String: JSONValue]>
    @Boxed package var schedule = Schedule()
    /// The field of the target's audience by whose zones it is due. `nil` if it is due at one instant for all.
    @Boxed package var zoneField: Located<String>? = nil
    @Boxed package var delivery = Delivery()
    package var acknowledged = Acknowledgement()
    /// `nil` if everybody gets the same message. Then braces in its texts have no meaning.
    @Boxed package var personal: Personal? = nil

    /// What draws among its recipients begin with: the first of its former names, or its name, `#` and the revision.
    package var drawSeed: String { "\((previousNames.first ?? name).value)#\(revision)" }

    /// The schedule, as its watermark notes it. In local time, a new revision of what is due once is seen anew.
    var markedSchedule: String {
        guard let local = schedule.local, !local.isCron, revision > 1 else { return schedule.text }
        return "\(schedule.text) revision=\(revision)"
    }

    /// The audience that gets it before all others; at most one.
    package var seeds: [Located<String>] { [delivery.stages?.seeds].compactMap(\.self) }

    /// The audiences besides its target that decide who gets it.
    package var otherAudiences: [Located<String>] { without + seeds }

    /// What recipients get.
    package var content: MessageContent { personal?.content ?? MessageContent(message.value) }

    /// Who gets the message.
    package enum Target: Hashable, Sendable {
        case topic(TopicName)
        case condition(Condition)
        case group(GroupName)
        case audience(String)
        /// Listed in the campaign itself. All are of one kind.
        case registrations([Registration])
    }

    package struct Delivery: Hashable, Sendable {
        /// Limits the rate further than the workspace's setting.
        package var rate: Rate?
        /// Counted from the due time.
        package var expiresAfter: Duration?
        package var onError: OnError = .retry
        package var onUnknown: OnUnknown = .hold
        /// Applies from 100 outcomes on. Dead registrations do not count.
        package var stopWhenRejectedPercent = 50
        package var members: Members = .key
        /// When requests may start. `nil` if at any hour.
        package var window: SendWindow?
        /// Whether the campaign lifts the workspace's window.
        package var isAtAnyHour = false
        package var frequency = Frequency()
        /// `nil` if it opens to everybody at once.
        package var stages: Stages?
    }

    /// How a device group is reached.
    package enum Members: String, Hashable, Sendable, CaseIterable {
        /// By its notification key: one request. FCM does not tell which members got the message.
        case key
        /// One request for each recorded member.
        case each
    }

    /// The guards that the reviewed file itself lets pass.
    package struct Acknowledgement: Hashable, Sendable {
        /// The condition may match devices that follow no topic.
        package var broadcast = false
        package var maxRecipients: Int?
    }

    /// What happens after FCM itself answered 500 or 503: it says that it has not taken the message, and may be wrong.
    package enum OnError: String, Hashable, Sendable, CaseIterable {
        /// Try again, and count a possible duplicate.
        case retry
        /// The outcome is unknown.
        case hold
    }

    /// What happens to recipients whose outcome is unknown.
    package enum OnUnknown: String, Hashable, Sendable, CaseIterable {
        case hold, resend
    }
}
