import FCM
import HeraldTestSupport

@testable import HeraldCore

/// The files of a life's workspace, as its author thinks of them.
///
/// A *line* is what stays the same for the author: one campaign or topic through all its names. Another campaign under
/// a name that was used before is another line.
struct LifeFiles: Sendable {
    struct Audience: Sendable {
        var name: String
        var rows: [Registration]
        var exclude: [String] = []

        /// The installations on its list.
        var installations: Set<RecipientKey> { Set(rows.map(\.recipientKey)) }
    }

    struct Topic: Sendable {
        var line: Int
        var name: TopicName
        var subscribers: [String]
        var exclude: [String] = []
        var prune = true
        var drift = HeraldCore.Topic.Drift.keep
        var adopt = false
        var previousNames: [TopicName] = []
    }

    struct Group: Sendable {
        var name: GroupName
        var audience: String
    }

    struct Campaign: Sendable {
        enum Due: Hashable, Sendable, CustomStringConvertible {
            case once
            case at(Date)
            /// These hours of each day, in UTC.
            case daily(minute: Int, hours: Set<Int>)
        }

        enum Window: Hashable, Sendable {
            case ofWorkspace, always
            case own(LifeWindow)
        }

        enum Target: Hashable, Sendable {
            case audience(String)
            /// By line, so that a topic's rename changes every target.
            case topic(Int)
            /// Who follows the first topic and not the second.
            case condition(Int, not: Int)
            case group(GroupName)

            /// The lines of topics that it names.
            var topics: [Int] {
                switch self {
                case .topic(let line): [line]
                case .condition(let line, let other): [line, other]
                case .audience, .group: []
                }
            }
        }

        var line: Int
        var name: String
        var previousNames: [String] = []
        var revision = 1
        /// Counts the edits of its message.
        var version = 1
        var isEnabled = true
        var due: Due
        var target: Target
        var exclude: [String] = []
        var maxLateness: Duration = .seconds(7200)
        var catchUp = Schedule.CatchUp.latest
        var expiresAfter: Duration?
        var onUnknown = HeraldCore.Campaign.OnUnknown.hold
        var onError = HeraldCore.Campaign.OnError.retry
        /// How many messages of it may start in a second.
        var rate: Int?
        /// Which goes first of those that are due together.
        var priority: Int?
        /// What kind of message it is.
        var tags: [String] = []
        var members = HeraldCore.Campaign.Members.key
        /// Whether everybody of an audience is called by name, in one of two languages.
        var isPersonal = false
        /// When it may be sent, where that is not refused (`written`).
        var window = Window.ofWorkspace
        /// How it opens up, where it can (`staged`).
        var stages: LifeStages?
        /// Of whom something came in another campaign, if it is only for those of its audience.
        var follows: LifeFollowing?
        /// Whether it goes by each person's own clock, where it can (`isInLocalTime`).
        var isLocal = false

        /// What the message says, so that the model of FCM knows which campaign it got.
        var title: String { "\(line) \(revision) \(version)" }

        var isDaily: Bool { if case .daily = due { true } else { false } }

        /// Whether everybody gets a request of their own.
        var isForEach: Bool {
            switch target {
            case .audience: true
            case .group: members == .each
            case .topic, .condition: false
            }
        }
    }

    var audiences: [Audience] = []
    var topics: [Topic] = []
    var groups: [Group] = []
    var campaigns: [Campaign] = []
    /// The audiences whose members are left out of everything else.
    var suppress: [String] = []
    /// Counts how often the names and languages in the lists were changed.
    var issue = 0
    /// Where people are, as far as the lists know.
    var zones: [RecipientKey: String] = [:]

    // MARK: What the files ask for

    func members(ofAudience name: String) -> Set<RecipientKey> {
        guard let audience = audiences.first(where: { $0.name == name }) else { return [] }
        return audience.exclude.reduce(audience.installations) { $0.subtracting(members(ofAudience: $1)) }
    }

    func members(ofAudiences names: [String]) -> Set<RecipientKey> {
        names.reduce(into: []) { $0.formUnion(members(ofAudience: $1)) }
    }

    func members(of topic: Topic) -> Set<RecipientKey> {
        members(ofAudiences: topic.subscribers).subtracting(members(ofAudiences: topic.exclude))
            .subtracting(suppressed(of: topic.line))
    }

    /// Whom a topic does without. One that keeps people from messages, and brings nobody one, has everybody.
    func suppressed(of topic: Int) -> Set<RecipientKey> {
        let targets = campaigns.map(\.target)
        let brings = targets.contains { target in
            switch target {
            case .topic(let line), .condition(let line, _): line == topic
            case .audience, .group: false
            }
        }
        let keeps = targets.contains { if case .condition(_, let line) = $0 { line == topic } else { false } }
        return keeps && !brings ? [] : suppressed()
    }

    func members(of group: Group) -> Set<RecipientKey> {
        members(ofAudience: group.audience).subtracting(suppressed())
    }

    /// The installations that are left out, also of that audience. It is not left out of itself.
    func suppressed(in audience: String? = nil) -> Set<RecipientKey> {
        members(ofAudiences: suppress.filter { $0 != audience })
    }

    /// The installations that get their own request; `nil` if one request reaches the whole target.
    func recipients(of campaign: Campaign) -> Set<RecipientKey>? {
        target(of: campaign)?.union(seeds(of: campaign))
    }

    /// The same without those who are only among the seeds.
    func target(of campaign: Campaign) -> Set<RecipientKey>? {
        switch campaign.target {
        case .audience(let name):
            return members(ofAudience: name).subtracting(members(ofAudiences: campaign.exclude))
                .subtracting(suppressed(in: name))
        case .topic, .condition: return nil
        case .group(let name):
            guard campaign.members == .each else { return nil }
            return groups.first { $0.name == name }.map(members) ?? []
        }
    }

    /// Whether `validate` refuses them: FCM's groups have at most 20 members. One without members is none at FCM.
    var areWrong: Bool { groups.contains { members(of: $0).count > 20 } }

    /// All registrations that a list names.
    var listed: Set<Registration> { audiences.reduce(into: []) { $0.formUnion($1.rows) } }

    // MARK: As herald reads them

    /// The texts of all files, by their names in the workspace.
    func texts(_ settings: Settings) -> [String: String] {
        var texts = [
            "herald.yaml": settings.text(suppressing: suppress), "files.yaml": documents.joined(separator: "---\n"),
        ]
        for audience in audiences {
            texts["lists/\(audience.name).ndjson"] = audience.rows.map(row).joined()
        }
        return texts
    }

    private func row(_ registration: Registration) -> String {
        let key = registration.recipientKey
        let locale = (key.rawValue.utf8.reduce(0) { $0 &+ Int($1) } + issue).isMultiple(of: 2) ? "it" : "en"
        let zone = zones[key] ?? ""
        return """
            {"\(registration.kind)": "\(registration.rawValue)", "name": "\(name(of: key))", "locale": "\(locale)", "zone": "\(zone)"}

            """
    }

    /// What the message calls somebody whom no row of the list calls by name.
    static let sampleName = "Sam"

    /// What the lists call an installation.
    func name(of installation: RecipientKey) -> String { "\(installation.rawValue.suffix(3)),\(issue)" }

    private var documents: [String] {
        audiences.map(\.text) + topics.map(\.text) + groups.map(\.text) + campaigns.compactMap(followed(by:))
            + campaigns.map(text)
    }

    private func topic(_ line: Int) -> TopicName { topics.first { $0.line == line }?.name ?? "none" }

    /// Its document.
    func text(_ campaign: Campaign) -> String {
        let target =
            switch campaign.target {
            case .audience(let name): "{audience: \(campaign.follows?.name ?? name)}"
            case .topic(let line): "{topic: \(topic(line))}"
            case .condition(let line, let other): "{topics: {any: [\(topic(line))], none: [\(topic(other))]}}"
            case .group(let name): "{group: \(name)}"
            }
        var delivery = ["on_unknown: \(campaign.onUnknown)", "on_error: \(campaign.onError)"]
        if case .group = campaign.target { delivery.append("members: \(campaign.members)") }
        if let expiry = campaign.expiresAfter { delivery.append("expires_after: \(expiry.components.seconds)s") }
        switch campaign.written {
        case .ofWorkspace: break
        case .always: delivery.append("window: always")
        case .own(let window): delivery.append("window: \(window.text)")
        }
        if let rate = campaign.rate { delivery.append("rate: \(rate)/s") }
        if let stages = campaign.staged { delivery.append(stages.text) }
        var schedule: [String] = []
        if let due = campaign.due.text(campaign.isInLocalTime ? campaign.ifPassed : nil) {
            let zone = campaign.isInLocalTime ? "{field: zone, default: UTC}" : "UTC"
            schedule = [due, "timezone: \(zone)", "max_lateness: \(campaign.maxLateness.components.seconds)s"]
        }
        if campaign.isDaily { schedule.append("catch_up: \(campaign.catchUp)") }
        var (exclude, name, personal) = ("", "", "")
        if case .audience = campaign.target { exclude = "exclude: [\(campaign.exclude.joined(separator: ", "))]\n" }
        if case .audience = campaign.target, campaign.isPersonal {
            name = " {{ name }}"
            personal = """
                personal: {fields: [name], locale: locale, default_locale: en}
                locales: {it: {notification: {title: "\(campaign.title) {{ name }} !"}}}

                """
        }
        return """
            kind: campaign
            name: \(campaign.name)
            revision: \(campaign.revision)
            enabled: \(campaign.isEnabled)
            \(campaign.priority.map { "priority: \($0)" } ?? "")
            \(campaign.tags.isEmpty ? "" : "tags: [\(campaign.tags.joined(separator: ", "))]")
            previous_names: [\(campaign.previousNames.joined(separator: ", "))]
            target: \(target)
            message: {notification: {title: "\(campaign.title)\(name)"}}
            delivery: {\(delivery.joined(separator: ", "))}

            """ + exclude + personal + (schedule.isEmpty ? "" : "schedule: {\(schedule.joined(separator: ", "))}\n")
    }
}

extension Settings {
    /// herald.yaml of a life. An emulator's memberships take effect at once, another server's do not.
    fileprivate func text(suppressing audiences: [String]) -> String {
        let isLocal = fcm.propagationDelay == .zero
        let rates = [fcm.rate, fcm.subscriptionRate].map { rate in
            if case .limited(let number) = rate { "\(number)/s" } else { isLocal ? "unlimited" : "100000/s" }
        }
        let caps = frequencyCaps.map { cap in
            let tags = cap.tags.map { ", tags: [\($0.sorted().joined(separator: ", "))]" } ?? ""
            return "{name: \(cap.name), max: \(cap.max), per: \(Int(cap.per.seconds))s\(tags)}"
        }
        .joined(separator: ", ")
        let window = window.map { "window: \(LifeWindow(hours: $0.hours).text)" } ?? ""
        return """
            herald: 2
            project: \(project)
            workspace: \(workspace ?? "life")
            sender_id: "1"
            timezone: UTC
            state: .herald/state.sqlite
            suppress: [\(audiences.joined(separator: ", "))]
            fcm:
              endpoint: \(isLocal ? "http://127.0.0.1:9" : "https://fcm.example")
              topic_api: \(fcm.topicAPI.rawValue)
              rate: \(rates[0])
              subscription_rate: \(rates[1])
              ramp: 0s
              settle: \(fcm.propagationDelay.components.seconds)s
            guards: {max_forget_percent: \(guards.maxForgetPercent)}
            frequency_caps: [\(caps)]
            delivery: {\(window)}
            notify: [\(webhooks.map(\.text).joined(separator: ", "))]

            """
    }
}

extension LifeFiles.Audience {
    fileprivate var text: String {
        """
        kind: audience
        name: \(name)
        source: {file: lists/\(name).ndjson}
        fields: {name: {}, locale: {type: locale}, zone: {type: timezone}}
        samples: [{name: \(LifeFiles.sampleName), locale: en}]
        exclude: [\(exclude.joined(separator: ", "))]

        """
    }
}

extension LifeFiles.Topic {
    fileprivate var text: String {
        """
        kind: topic
        name: \(name)
        subscribers: [\(subscribers.joined(separator: ", "))]
        exclude: [\(exclude.joined(separator: ", "))]
        prune: \(prune)
        drift: \(drift.rawValue)
        adopt: \(adopt)
        previous_names: [\(previousNames.map(\.rawValue).joined(separator: ", "))]

        """
    }
}

extension LifeFiles.Group {
    fileprivate var text: String { "kind: group\nname: \(name)\nmembers: {audience: \(audience)}\n" }
}
