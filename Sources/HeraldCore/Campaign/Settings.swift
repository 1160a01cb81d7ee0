/// The workspace's own settings, from `herald.yaml`.
package struct Settings: Hashable, Sendable {
    /// The format version this herald reads.
    package static let formatVersion = 1

    package var project: String
    /// The numeric project number; device groups need it.
    package var senderID: String?
    /// IANA name, e.g. `Europe/Rome`; for schedules that name none.
    package var timezone = "UTC"
    /// Where the state lives, relative to the workspace or absolute.
    package var state = ".herald/state.sqlite"
    /// Where lists may live besides the workspace, relative to it or absolute.
    package var lists = "lists"
    /// Audiences whose members are removed from every audience, topic, group and list.
    package var suppress: [Located<String>] = []
    /// How often `run` is called.
    package var runEvery: Duration = .seconds(300)
    package var fcm = FCMSettings()
    package var guards = GuardLimits()

    package init(project: String) { self.project = project }
}

package struct FCMSettings: Hashable, Sendable {
    package var topicAPI: TopicAPI = .auto
    package var rate: Rate = .limited(10_000)
    package var subscriptionRate: Rate = .limited(3_000)
    /// From 0 to the full rate of sends.
    package var ramp: Duration = .seconds(60)
    /// A send to a topic waits this long after changes to it.
    package var propagationDelay: Duration = .seconds(60)
    /// For one attempt.
    package var timeout: Duration = .seconds(15)
    /// Requests under way at once, at most: as many outcomes a crash can leave unknown.
    package var maxInFlight = 1000
    /// The path of a key file, relative to the workspace.
    package var credentials: Located<String>?
    package var endpoint = "https://fcm.googleapis.com"
    package var iidEndpoint = "https://iid.googleapis.com"
    /// A PEM file with one more certificate authority to trust; relative to the workspace.
    package var ca: String?
}

/// How topic memberships are changed.
package enum TopicAPI: String, Hashable, Sendable, CaseIterable {
    /// Whatever the project has; registrations rather than iid.
    case auto
    /// FCM's own: one request for each registration and topic.
    case registrations
    /// The Instance ID service: batches of up to 1000 registrations.
    case iid
}

/// How many may start in any sliding second.
package enum Rate: Hashable, Sendable {
    /// Per second, at least 1.
    case limited(Int)
    case unlimited

    package func combined(with other: Rate?) -> Rate {
        switch (self, other) {
        case (.limited(let one), .limited(let another)): .limited(min(one, another))
        case (.unlimited, let other?): other
        case (_, _): self
        }
    }
}

/// What the guards let pass without being asked.
package struct GuardLimits: Hashable, Sendable {
    package var maxRecipients = 1_000_000
    package var maxUnsubscribePercent = 30
    package var maxForgetPercent = 10
}
