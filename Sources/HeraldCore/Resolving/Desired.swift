package import FCM

/// What the files ask for, with every list resolved to recipients.
package struct Desired: Sendable {
    /// Sorted by name.
    package var topics: [DesiredTopic] = []
    package var groups: [DesiredGroup] = []
    package var sends: [DesiredSend] = []
    /// How many recipients each audience has, after its exclusions.
    package var audienceSizes: [String: Int] = [:]
    /// The names that renamed audiences had before.
    package var audiencePreviousNames: [String: [String]] = [:]
    /// Audiences that take people out: of others, of topics, of campaigns, or of everything.
    package var leavingOut: Set<String> = []
    /// How many names were merged: rows that stand in a list twice, and further registrations of one installation in
    /// any list.
    package var collapsed = 0
    /// What is to be said of audiences that go by what came of a campaign.
    package var remarks: [String] = []
    /// Whom filters of audiences left out for a time, or for a value of another type.
    package var leftOut: [LeftOut] = []
    /// All recipients that a list names.
    package var listed = RecipientSet()
    /// Those of them whom `suppress` takes out of everything.
    package var suppressed = RecipientSet()
    /// How many of those listed the state does not know, or knows by another registration.
    package var unrecorded = 0
    package var registrations = Registrations()

    /// How the registrations that count differ from those in the state.
    package struct Registrations: Sendable {
        /// Recipients that the state knows by another registration, or whose registration came back to life.
        package var changed = RecipientSet()
        /// Those among them whose registration came back to life.
        package var revived = RecipientSet()
        /// Former numbers whose registrations recipients change to, or have already.
        package var returning = RecipientSet()
        /// Recipients that lists name by dead registrations only.
        package var dead = RecipientSet()

        package init() {}

        /// What the state must learn before the recipients get their registrations.
        package var changes: [StateChange] {
            let superseded = changed.subtracting(revived)
            return (superseded.isEmpty ? [] : [.supersede(superseded)])
                + (returning.isEmpty ? [] : [.readopt(returning)]) + (revived.isEmpty ? [] : [.revive(revived)])
        }
    }

    package init() {}
}

package struct DesiredTopic: Sendable {
    package var name: TopicName
    /// Nobody while it is undecided.
    package var members: RecipientSet
    /// Whether what came of a campaign decides who its members are.
    package var goesByOutcomes = false
    /// Whether it only takes people out of conditions. Then who is suppressed stays in it: without it, they would get
    /// what it keeps from them.
    package var onlyExcludes = false
    /// Whom its audiences list, and `exclude` or `suppress` leaves out.
    package var leftOut = RecipientSet()
    /// The audiences that decide who its members are, and of which nobody knows yet who is in them. Until then only who
    /// is suppressed leaves it.
    package var undecided: [String] = []
    package var prune: Bool
    /// Whether the app subscribes its users itself.
    package var isOfApp: Bool
    package var drift: Topic.Drift
    package var adopt: Bool
    /// Topics whose members move here.
    package var previousNames: [TopicName]

    package init(
        name: TopicName, members: RecipientSet, prune: Bool = true, isOfApp: Bool = false,
        drift: Topic.Drift = .keep, adopt: Bool = false, previousNames: [TopicName] = []
    ) {
        self.name = name
        self.members = members
        self.prune = prune
        self.isOfApp = isOfApp
        (self.drift, self.adopt) = (drift, adopt)
        self.previousNames = previousNames
    }
}

package struct DesiredGroup: Sendable {
    package var name: GroupName
    /// Nobody while it is undecided.
    package var members: RecipientSet
    /// As of a topic.
    package var goesByOutcomes = false
    /// As of a topic.
    package var undecided: [String] = []

    package init(name: GroupName, members: RecipientSet) {
        self.name = name
        self.members = members
    }
}

extension Desired {
    /// The rows for the messages of personal campaigns, by the campaign's name.
    package var rows: [String: PersonalRows] {
        Dictionary(sends.compactMap { send in send.rows.map { (send.campaign.name.value, $0) } }) { first, _ in first }
    }
}

/// A campaign with whom it goes to. It has many parts, because each rule that takes somebody out or in has what is known by
/// it.
package struct DesiredSend: Sendable {
    package var campaign: Campaign
    /// Whether what came of a campaign decides who its members are.
    package var goesByOutcomes = false
    /// The audiences that decide who gets it, and of which nobody knows yet who is in them. Until then nothing begins, and
    /// nobody joins what has begun. The members are all who may be members.
    package var undecided: [String] = []
    /// Those of them that only what came of the campaign itself decides. They hold up what has not begun. What has begun
    /// goes on, because its end decides them.
    package var undecidedByItself: Set<String> = []
    /// Whether nobody knows yet who of them opted out. What has begun waits for that, too.
    package var isListUndecided = false
    /// Whom the target has, whatever came of whom, but for those who opted out. `nil` if no outcomes decide.
    package var listed: RecipientSet?
    /// Whether nothing is under way that may choose other members than those that outcomes choose now.
    package var isSettled = true
    /// Whether the members are known. If not, they are all who may be members.
    package var isKnown = true
    /// The recipients of the requests, or `[0]` if one request reaches the whole target.
    package var members: RecipientSet
    /// What a personal campaign makes of the members' rows.
    package var census: RowCensus?
    /// The members' rows, for the messages of a personal campaign and for the draw of stages.
    package var rows: PersonalRows?
    /// The members, and who may be one, by the zone that their row names, for each field that the campaign's schedule or
    /// window goes by. A field that their list does not have is missing.
    package var zones: [String: [Zone: RecipientSet]] = [:]
    /// Who gets it before all others, where it opens in stages. They are members too.
    package var seeds = RecipientSet()
    /// Those of them whom the target does not have.
    package var guests = RecipientSet()
    /// How many of them have the default, because their row names no zone.
    package var zonesDefaulted = 0
    /// The path of the list that has the rows, as written. `nil` for registrations that stand in a file.
    package var list: String?

    package init(campaign: Campaign, members: RecipientSet) {
        self.campaign = campaign
        self.members = members
    }
}

extension DesiredSend {
    /// The audiences for which also what has begun waits.
    var undecidedByOthers: [String] { undecided.filter { !undecidedByItself.contains($0) } }

    /// Whether it is known how many members there are.
    var isCounted: Bool { isKnown && undecided.isEmpty }

    /// Whether the target has people, and what came of campaigns leaves none of them.
    var isForNobody: Bool {
        isCounted && isSettled && members.subtracting(guests).isEmpty && listed?.isEmpty == false
    }

    /// Who may be sent an occurrence.
    ///
    /// - Parameter partakers: whom it is for, as the state has it. Empty where outcomes are still to choose them.
    func members(for partakers: Partition<MessageClass>) -> RecipientSet {
        listed(for: partakers).map { $0.union(seeds) } ?? members
    }

    /// Those of them whom the target has.
    func targeted(for partakers: Partition<MessageClass>) -> RecipientSet {
        listed(for: partakers) ?? members.subtracting(guests)
    }

    private func listed(for partakers: Partition<MessageClass>) -> RecipientSet? { partakers.isEmpty ? nil : listed }

    /// Members by zone.
    ///
    /// - Parameters:
    ///   - field: the one that has their zones; `nil` if all have the same.
    ///   - usual: the zone of those whose row names none.
    func zones(of members: RecipientSet, by field: String?, else usual: Zone) -> [Zone: RecipientSet] {
        var (named, result) = (0, [Zone: RecipientSet]())
        for (zone, all) in field.flatMap({ zones[$0] }) ?? [:] {
            let here = all.intersection(members)
            if here.isEmpty { continue }
            named += here.count
            result[zone] = here
        }
        guard named < members.count else { return result }
        let rest = result.values.reduce(into: members) { $0.subtract($1) }
        result[usual, default: []].formUnion(rest)
        return result
    }

    /// The members that are sent something: in a personal campaign, those with a good row who are in no holdout.
    package var reached: RecipientSet {
        guard campaign.content.personal != nil, let census else { return members }
        return census.classes.filter { !$0.key.isHoldout }.values.reduce(into: []) { $0.formUnion($1) }
    }
}

extension RecipientSet {
    /// Stands for the whole target.
    package static let target: RecipientSet = [0]
}
