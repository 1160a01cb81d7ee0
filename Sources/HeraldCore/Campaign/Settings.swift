/// The workspace's own settings, from `herald.yaml`. It has many parts, because each key of the file is one.
package struct Settings: Hashable, Sendable {
    /// The format versions that this herald reads. A newer one has more keys.
    package static let formatVersions = 1...2

    package var project: String
    /// The numeric project number. Only device groups need it.
    package var senderID: String?
    /// The IANA name, such as `Europe/Rome`, for schedules that name no zone.
    package var timezone = "UTC"
    package var state = StateSettings()
    /// Names the workspace among those that could share a state. A state in PostgreSQL belongs to one.
    package var workspace: String?
    /// A second place for lists besides the workspace, relative to it or absolute.
    package var lists = "lists"
    /// Audiences whose members are removed from every audience, topic, group and list.
    package var suppress: [Located<String>] = []
    /// Audiences that are left out of campaigns with certain tags only.
    package var suppressedByTag: [Suppression] = []
    /// Whether each campaign must have tags.
    package var requiresTags = false
    /// In the order of the file: of several that are full, the first stops a message.
    package var frequencyCaps: [FrequencyCap] = []
    /// The window of campaigns that say nothing of it.
    package var window: WrittenWindow?
    /// Who is told of dead registrations.
    package var feedback: FeedbackSettings?
    /// The address that is told when a run begins and ends. Its `${VAR}` are not replaced: it is a secret.
    package var heartbeat: String?
    /// Who is told when something changes.
    package var webhooks: [Webhook] = []
    /// How often cron calls `run`.
    package var runEvery = usualRunEvery
    package static let usualRunEvery: Duration = .seconds(300)
    package var fcm = FCMSettings()
    package var guards = GuardLimits()
    package var approval = ApprovalSettings()

    package init(project: String) { self.project = project }

    /// Whether a workspace may have the name.
    package static func isWorkspaceName(_ text: String) -> Bool { text.isName(with: "._-") }
}

/// Where the state is, relative to the workspace or absolute.
package struct StateSettings: Hashable, Sendable {
    package var file: String
    /// The file that every apply and run writes a snapshot to when it ends.
    package var snapshot: String?

    /// The state's place if it is in PostgreSQL and not in a file.
    package var postgres: PostgresSettings?

    package init(file: String = ".herald/state.sqlite", snapshot: String? = nil) {
        self.file = file
        self.snapshot = snapshot
    }
}

/// Where in PostgreSQL the state is.
package struct PostgresSettings: Hashable, Sendable {
    /// A URI. Its `${VAR}` are not replaced yet: that happens in its parts, so that no value can add a part.
    package var address: String
    package var schema = "herald"
    /// Whether the server may be on another machine without a checked certificate.
    package var isInsecure = false
    /// Whether runs need a standby that has every commit before it counts.
    package var requiresSynchronousStandby = false

    package init(address: String) { self.address = address }

    /// Whether a schema may have the name.
    package static func isSchema(_ text: String) -> Bool {
        text.wholeMatch(of: #/[a-z_][a-z0-9_]{0,62}/#) != nil
    }

    /// Whether a text names a PostgreSQL database, and not a file.
    package static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// Whether a text looks like the address of a database, but in a form that herald does not read. It may hold a
    /// password. Messages show paths, so it is never taken for a path.
    package static func isMistakenAddress(_ text: String) -> Bool {
        guard !isAddress(text), !text.hasPrefix("/"), !text.hasPrefix(".") else { return false }
        // Most paths have no sign that any of these forms has.
        guard text.utf8.contains(where: { ":=".utf8.contains($0) }) else { return false }
        return text.contains("://") || text.firstMatch(of: #/:.*@/#.dotMatchesNewlines()) != nil
            || text.firstMatch(of: #/\b(?:postgres|pg|psql)[a-z+]*:|password\s*=/#.ignoresCase()) != nil
    }

    package static let mistakenAddressHelp =
        "write postgresql://USER@HOST/DATABASE for a database; a path that looks like an address begins with ./ or /"
}

package struct FCMSettings: Hashable, Sendable {
    package var topicAPI: TopicAPI = .auto
    package var rate: Rate = .limited(10_000)
    package var subscriptionRate: Rate = .limited(3_000)
    /// The time in which sends go from 0 to the full rate.
    package var ramp: Duration = .seconds(60)
    /// How long a send to a topic waits after changes to the topic.
    package var propagationDelay: Duration = .seconds(60)
    /// Whether a person wrote it down.
    package var isPropagationDelayWritten = false
    /// The limit for one attempt.
    package var timeout: Duration = .seconds(15)
    /// The most requests in flight at once. After a crash at most this many outcomes are unknown.
    package var maxInFlight = 1000
    /// The path of a credential file, relative to the workspace.
    package var credentials: Located<String>?
    /// Servers besides Google's that a credential may be sent to, by name.
    package var tokenHosts: [String] = []
    package var endpoint = "https://fcm.googleapis.com"
    /// The Instance ID service. `nil` if it is where `endpoint` is.
    package var iidEndpoint: String?
    /// A PEM file with one more certificate authority to trust, relative to the workspace.
    package var ca: String?

    /// Whether `tokenHosts` may have it: a name in small letters, without a port.
    package static func isHostName(_ text: String) -> Bool {
        text.wholeMatch(of: #/[a-z0-9]([a-z0-9\-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9\-]*[a-z0-9])?)*/#) != nil
    }
}

/// Which API changes topic memberships.
package enum TopicAPI: String, Hashable, Sendable, CaseIterable {
    /// The one that the project has. The Topic Subscription API is preferred to the Instance ID service.
    case auto
    /// The Topic Subscription API: one request for each registration and topic.
    case registrations
    /// The Instance ID service: up to 1,000 registrations in a batch.
    case iid
}

/// How many requests may start in any sliding second.
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

/// What must be approved before it runs.
package struct ApprovalSettings: Hashable, Sendable {
    /// Whether only what `herald approve` recorded is sent and changed.
    package var isRequired = false
    /// By how many percent a list may grow after it was approved.
    package var band = 10

    package init() {}

    /// The most recipients that may be reached, if that many were approved.
    package func limit(approved size: Int) -> Int {
        let (product, isTooLarge) = size.multipliedReportingOverflow(by: 100 + band)
        return isTooLarge ? .max : product / 100
    }
}

/// The limits above which a guard asks for an override.
package struct GuardLimits: Hashable, Sendable {
    package var maxRecipients = 1_000_000
    package var maxUnsubscribePercent = 30
    package var maxForgetPercent = 10
}
