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

        enum Target: Hashable, Sendable {
            case audience(String)
            /// By line, so that a topic's rename changes every target.
            case topic(Int)
            /// Who follows the first topic and not the second.
            case condition(Int, not: Int)
            case group(GroupName)
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
        var members = HeraldCore.Campaign.Members.key

        /// What the message says, so that the model of FCM knows which campaign it got.
        var title: String { "\(line) \(revision) \(version)" }

        var isDaily: Bool { if case .daily = due { true } else { false } }
    }

    var audiences: [Audience] = []
    var topics: [Topic] = []
    var groups: [Group] = []
    var campaigns: [Campaign] = []

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
    }

    /// The installations that get their own request; `nil` if one request reaches the whole target.
    func recipients(of campaign: Campaign) -> Set<RecipientKey>? {
        switch campaign.target {
        case .audience(let name):
            return members(ofAudience: name).subtracting(members(ofAudiences: campaign.exclude))
        case .topic, .condition: return nil
        case .group(let name):
            guard campaign.members == .each else { return nil }
            return groups.first { $0.name == name }.map { members(ofAudience: $0.audience) } ?? []
        }
    }

    /// All registrations that a list names.
    var listed: Set<Registration> { audiences.reduce(into: []) { $0.formUnion($1.rows) } }

    // MARK: As herald reads them

    func workspace(_ settings: Settings) -> Workspace {
        var workspace = Workspace(
            settings: settings, audiences: audiences.map(\.value).sorted { $0.name.value < $1.name.value }, topics: [],
            campaigns: [])
        workspace.topics = topics.map(\.value).sorted { $0.name.value < $1.name.value }
        workspace.groups = groups.map { group in
            HeraldCore.Group(name: .init(group.name), members: .audience(.init(group.audience)))
        }
        workspace.campaigns = campaigns.map(value).sorted { $0.name.value < $1.name.value }
        return workspace
    }

    func recipientIndex(of workspace: Workspace) throws(RecipientIndexError) -> RecipientIndex {
        var builder = RecipientIndexBuilder(workspace, temporaryFolder: "/tmp", budget: 1 << 15)
        for audience in audiences {
            var classifier = builder.classifier(for: [audience.name], columns: [])
            guard let membershipClass = classifier.membershipClass(of: []) else { continue }
            for (row, registration) in audience.rows.enumerated() {
                var text = registration.rawValue
                text.withUTF8 { builder.add($0, membershipClass, row: row) }
            }
        }
        return try builder.finish()
    }

    private func topic(_ line: Int) -> TopicName? { topics.first { $0.line == line }?.name }

    private func value(_ campaign: Campaign) -> HeraldCore.Campaign {
        let target: HeraldCore.Campaign.Target? =
            switch campaign.target {
            case .audience(let name): .audience(name)
            case .topic(let line): topic(line).map { .topic($0) }
            case .condition(let line, let other):
                Condition(
                    any: [topic(line)].compactMap(\.self), all: [], none: [topic(other)].compactMap(\.self)
                ).map { .condition($0) }
            case .group(let name): .group(name)
            }
        var value = HeraldCore.Campaign(
            name: .init(campaign.name), target: .init(target ?? .topic("none")),
            message: .init(["notification": ["title": .string(campaign.title)]]))
        value.revision = campaign.revision
        value.enabled = campaign.isEnabled
        value.delivery.onUnknown = campaign.onUnknown
        value.previousNames = campaign.previousNames.map { .init($0) }
        value.exclude = campaign.exclude.map { .init($0) }
        value.delivery.members = campaign.members
        value.delivery.expiresAfter = campaign.expiresAfter
        value.schedule = Schedule(
            campaign.due.times, maxLateness: campaign.maxLateness, catchUp: campaign.catchUp)
        return value
    }
}

extension LifeFiles.Audience {
    fileprivate var value: HeraldCore.Audience {
        var value = HeraldCore.Audience(name: .init(name), source: .list(.init("\(name).csv")))
        value.exclude = exclude.map { .init($0) }
        return value
    }
}

extension LifeFiles.Topic {
    fileprivate var value: HeraldCore.Topic {
        HeraldCore.Topic(
            name: .init(name), subscribers: subscribers.map { .init($0) }, exclude: exclude.map { .init($0) },
            prune: prune, previousNames: previousNames.map { .init($0) })
    }
}

extension LifeFiles.Campaign.Due {
    /// Whether a time of each day is none any more.
    func hasLost(_ time: Date) -> Bool {
        guard case .daily = self else { return false }
        return firings(after: time.addingTimeInterval(-1), through: time).isEmpty
    }

    /// When it fires in (after, through].
    func firings(after: Date, through: Date) -> [Date] {
        switch self {
        case .once: return []
        case .at(let date): return date > after && date <= through ? [date] : []
        case .daily(let minute, let hours):
            let day = (after.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400
            var firings: [Date] = []
            for begin in stride(from: day, through: through.timeIntervalSince1970, by: 86_400) {
                for hour in hours.sorted() {
                    let date = Date(timeIntervalSince1970: begin + Double(hour * 3600 + minute * 60))
                    if date > after, date <= through { firings.append(date) }
                }
            }
            return firings
        }
    }

    /// The same in every life of a seed: a set's own order is not.
    var description: String {
        switch self {
        case .once: "once"
        case .at(let date): "at \(date.rfc3339)"
        case .daily(let minute, let hours): "daily at minute \(minute) of \(hours.sorted())"
        }
    }

    fileprivate var times: Schedule.Times {
        switch self {
        case .once: return .once
        case .at(let date): return .at(date)
        case .daily(let minute, let hours):
            let text = "\(minute) \(hours.sorted().map { "\($0)" }.joined(separator: ",")) * * *"
            guard let cron = try? Cron(parsing: text) else { preconditionFailure("'\(text)' is no cron") }
            return .cron(cron, start: nil, end: nil)
        }
    }
}

extension Located {
    fileprivate init(_ value: Value) { self.init(value, at: SourceRange(file: "life.yaml")) }
}
