import FCM
import Foundation
import HeraldTestSupport

@testable import HeraldCore

/// A workspace and a state that may or may not be from earlier runs of it. With every fourth seed, the numbers are on
/// both sides of the border between two chunks.
struct RandomScenario {
    var workspace: Workspace
    var state: RecordedState
    var known: [RecipientKey: KnownRecipient]

    private let firstID: RecipientID
    private static let installations = 40

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        firstID = seed % 4 == 0 ? 65_520 : 1
        workspace = Workspace(audiences: [])
        known = [:]
        state = RecordedState(identity: .sample())
        state.serial = 1
        state.nextRecipient = firstID + RecipientID(Self.installations)
        makeKnown(&random)
        makeAudiences(&random)
        makeTopics(&random)
        makeGroups(&random)
        makeCampaigns(&random)
        makeCrons(&random)
        state.dead = some(of: ids, share: 0.1, &random)
        let dead = state.dead
        for name in state.topics.keys { state.topics[name]?.recipients.move(dead, to: nil) }
        for name in state.groups.keys { state.groups[name]?.recipients.move(dead, to: nil) }
    }

    /// The state when recipients have the registrations that the files name.
    func begin(_ desired: Desired) -> RecordedState {
        var begin = state
        begin.apply(desired.registrations.changes)
        begin.dead = begin.dead.subtracting(desired.registrations.changed).union(desired.registrations.dead)
        return begin
    }

    /// - Parameter order: Reorders everything whose order must not matter.
    func plan(order: SeededRandom? = nil) throws -> (desired: Resolved, plan: Plan) {
        let (desired, proposal) = try proposal(order: order)
        return (desired, proposal.plan)
    }

    func proposal(order: SeededRandom? = nil) throws -> (desired: Resolved, proposal: Proposal) {
        var (workspace, state) = (workspace, state)
        if var random = order {
            workspace.audiences.shuffle(using: &random)
            workspace.topics.shuffle(using: &random)
            workspace.groups.shuffle(using: &random)
            state.groups = Dictionary(uniqueKeysWithValues: state.groups.map { ($0, $1) }.shuffled(using: &random))
            state.watermarks = Dictionary(
                uniqueKeysWithValues: state.watermarks.map { ($0, $1) }.shuffled(using: &random))
            state.topics = Dictionary(uniqueKeysWithValues: state.topics.map { ($0, $1) }.shuffled(using: &random))
            state.occurrences = Dictionary(
                uniqueKeysWithValues: state.occurrences.map { ($0, $1) }.shuffled(using: &random))
        }
        let resolved = try Resolved(workspace, known: Array(known.values), next: state.nextRecipient)
        let input = Planner.Input(desired: resolved.desired, state: state, settings: workspace.settings)
        return (resolved, Planner.proposal(input, at: PlanScenario.now))
    }

    /// An audience's members, computed with sets of keys.
    func keys(ofAudience name: String) -> Set<RecipientKey> {
        guard let audience = workspace.audiences.first(where: { $0.name.value == name }) else { return [] }
        return audience.exclude.reduce(Set(audience.inlineRegistrations.map(\.recipientKey))) {
            $0.subtracting(keys(ofAudience: $1.value))
        }
    }

    /// Whether an audience is one of those, or excludes one of them, however far down.
    func uses(_ names: [String], _ audience: String) -> Bool {
        let excluded = workspace.audiences.first { $0.name.value == audience }?.exclude ?? []
        return names.contains(audience) || excluded.contains { uses(names, $0.value) }
    }

    /// Whom herald has subscribed under that name and those that the topic had before.
    func owned(by name: TopicName, in state: RecordedState) -> Set<RecipientID> {
        let earlier = workspace.topics.first { $0.name.value == name }?.previousNames.map(\.value) ?? []
        let mine = { (name: TopicName) in
            state.topics[name].map { $0.managed.union($0.subscribing) } ?? RecipientSet()
        }
        // Whoever is there with an earlier registration moves to another topic with the newest, unless that is dead.
        let moved = { (member: RecipientID) in
            state.formers[member].flatMap { state.dead.contains($0) ? nil : $0 } ?? member
        }
        let moving = Set(earlier.flatMap { mine($0) }.map(moved)).subtracting(state.dead)
        return Set(mine(name)).union(moving)
    }

    func keys(of topic: Topic) -> Set<RecipientKey> {
        let union = topic.subscribers.reduce(into: Set()) { $0.formUnion(keys(ofAudience: $1.value)) }
        return topic.exclude.reduce(union) { $0.subtracting(keys(ofAudience: $1.value)) }
    }

    // MARK: Random parts

    private var ids: [RecipientID] { known.values.map(\.id).sorted() }

    private mutating func makeKnown(_ random: inout SeededRandom) {
        for number in 0..<Self.installations where Double.random(in: 0..<1, using: &random) < 0.7 {
            let registration = Registration.any(number, &random)
            known[registration.recipientKey] = KnownRecipient(
                id: firstID + RecipientID(number), registration: registration)
        }
    }

    private mutating func makeAudiences(_ random: inout SeededRandom) {
        for number in 0..<4 {
            // One in five is empty.
            let listed = (0..<max(0, Int.random(in: -10...40, using: &random))).map { _ in
                Registration.any(.random(in: 0..<Self.installations, using: &random), &random)
            }
            // Excludes only earlier audiences, so that there is no cycle.
            let excluded = (0..<number).filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
            workspace.audiences.append(
                Audience(
                    name: .init("a\(number)"), source: .inline(listed),
                    exclude: excluded.map { .init("a\($0)") }))
        }
    }

    private mutating func makeTopics(_ random: inout SeededRandom) {
        for name in ["t0", "t1", "t2", "t3"] as [TopicName] {
            if Int.random(in: 0..<4, using: &random) > 0 {
                workspace.topics.append(
                    Topic(
                        name: .init(name), subscribers: someAudiences(2, &random), exclude: someAudiences(1, &random),
                        prune: Bool.random(using: &random)))
            }
            if Int.random(in: 0..<4, using: &random) > 0 {
                let parts = disjoint(3, &random)
                state.topics[name] = RecordedTopic(managed: parts[0], found: parts[1], subscribing: parts[2])
            }
        }
        renameTopics(&random)
    }

    /// A topic may have had several other names.
    private mutating func renameTopics(_ random: inout SeededRandom) {
        let declared = Set(workspace.topics.map(\.name.value))
        for old in ["t0", "t1", "t2", "t3"] as [TopicName] where !declared.contains(old) && Bool.random(using: &random)
        {
            guard let index = workspace.topics.indices.randomElement(using: &random) else { continue }
            workspace.topics[index].previousNames.append(.init(old))
        }
    }

    private mutating func makeGroups(_ random: inout SeededRandom) {
        for name in ["g0", "g1", "g2"] as [GroupName] {
            if Int.random(in: 0..<4, using: &random) > 0 {
                let listed = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                    Registration.any(.random(in: 0..<Self.installations, using: &random), &random)
                }
                workspace.groups.append(Group(name: .init(name), members: .inline(listed)))
            }
            if Int.random(in: 0..<4, using: &random) > 0 {
                var group = RecordedGroup()
                let some = RecipientSet(ids.shuffled(using: &random).prefix(Int.random(in: 0...20, using: &random)))
                group.adding = some
                if Bool.random(using: &random) {
                    group.key = NotificationKey(rawValue: "key")
                    group.members = self.some(of: Array(some), share: 0.7, &random)
                    group.adding.subtract(group.members)
                }
                state.groups[name] = group
            }
        }
    }

    private static let crons = [
        "0 * * * *", "*/20 * * * *", "45 7 * * *", "30 9 * * *", "45 7,9 * * *", "50 6,7 * * *", "10 8 * * *",
    ]

    private mutating func makeCrons(_ random: inout SeededRandom) {
        for number in 0..<4 {
            guard let cron = Self.crons.randomElement(using: &random).flatMap({ try? Cron(parsing: $0) }) else {
                continue
            }
            var campaign = Campaign.tide(
                "cron\(number)", to: anyTarget(&random), revision: .random(in: 1...2, using: &random),
                title: "cron\(number)", enabled: Int.random(in: 0..<6, using: &random) > 0,
                onUnknown: Bool.random(using: &random) ? .hold : .resend)
            campaign.schedule = Schedule(
                .cron(cron, start: nil, end: nil), zone: .utc,
                maxLateness: .seconds(.random(in: 600...20_000, using: &random)),
                catchUp: Schedule.CatchUp.allCases.randomElement(using: &random) ?? .latest)
            campaign.delivery.members = Bool.random(using: &random) ? .key : .each
            // A clock that was fast leaves a mark ahead of now.
            let age = Int.random(in: 0..<6, using: &random) == 0 ? -7200...0 : 0...15_000
            let mark = PlanScenario.now.adding(.seconds(-Int.random(in: age, using: &random)))
            if Int.random(in: 0..<4, using: &random) > 0 {
                let text = Bool.random(using: &random) ? campaign.schedule.text : "cron another"
                state.watermarks[campaign.name.value] = Watermark(
                    at: mark, schedule: text, next: campaign.schedule.next(after: mark))
            }
            // An occurrence that began before a crash may be before the watermark.
            for instant in campaign.schedule.occurrences(
                after: mark.adding(.seconds(-4000)), through: max(mark, PlanScenario.now), limit: 20)
            where Int.random(in: 0..<3, using: &random) == 0 {
                begin(campaign, due: instant, &random)
            }
            // An edit of the schedule: the recorded one is what it was.
            if let edited = try? Cron(parsing: Self.crons.randomElement(using: &random) ?? "0 * * * *"),
                Int.random(in: 0..<3, using: &random) == 0
            {
                campaign.schedule.times = .cron(edited, start: nil, end: nil)
            }
            if Int.random(in: 0..<5, using: &random) == 0 {
                campaign.previousNames = [campaign.name]
                campaign.name = .init("renamed\(number)")
            }
            if Int.random(in: 0..<6, using: &random) > 0 { workspace.campaigns.append(campaign) }
        }
    }

    private func anyTarget(_ random: inout SeededRandom) -> Campaign.Target {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: .topic("t1")
        case 1: Condition(any: ["t0", "t1"], all: [], none: ["t2"]).map { .condition($0) } ?? .topic("t1")
        case 2: .group("g1")
        default: .audience("a\(Int.random(in: 0..<4, using: &random))")
        }
    }

    /// Adds an occurrence of the campaign, as the campaign is now, with random outcomes.
    private mutating func begin(_ campaign: Campaign, due: Date?, _ random: inout SeededRandom) {
        var occurrence = RecordedOccurrence(
            campaign: campaign.name.value, revision: campaign.revision, due: due,
            contentDigest: campaign.contentDigest, target: campaign.target.value.recordedText)
        var parts = disjoint(LedgerEntry.allCases.count, &random)
        if campaign.target.value.isOneRequest(campaign.delivery) {
            let state = Int.random(in: 0..<6, using: &random)
            parts = LedgerEntry.allCases.map { $0.rawValue == state ? .target : [] }
        }
        for entry in LedgerEntry.allCases { occurrence[entry] = parts[entry.rawValue] }
        occurrence.finished = Int.random(in: 0..<3, using: &random) == 0 ? .after(-10) : nil
        let id = OccurrenceID(campaign: campaign.name.value, due: due, revision: campaign.revision)
        state.occurrences[id] = occurrence
    }

    private mutating func makeCampaigns(_ random: inout SeededRandom) {
        for number in 0..<6 {
            var campaign = Campaign.tide(
                "c\(number)",
                to: anyTarget(&random),
                at: [nil, .after(-60), .after(-20_000), .after(60)].randomElement(using: &random) ?? nil,
                revision: .random(in: 1...2, using: &random), title: "c\(number)",
                enabled: Int.random(in: 0..<5, using: &random) > 0,
                onUnknown: Bool.random(using: &random) ? .hold : .resend)
            campaign.delivery.members = Bool.random(using: &random) ? .key : .each
            if Int.random(in: 0..<3, using: &random) > 0 { begin(campaign, due: campaign.schedule.at, &random) }
            switch Int.random(in: 0..<7, using: &random) {
            case 0: campaign.message = .init(["notification": ["title": "changed"]])
            case 1: campaign.schedule.times = .at(.after(-30))
            case 2: campaign.revision += 1
            case 3: continue
            case 4: campaign.delivery.members = campaign.delivery.members == .key ? .each : .key
            default: break
            }
            workspace.campaigns.append(campaign)
        }
    }

    private func someAudiences(_ most: Int, _ random: inout SeededRandom) -> [Located<String>] {
        (0..<Int.random(in: 0...most, using: &random)).map { _ in .init("a\(Int.random(in: 0..<4, using: &random))") }
    }

    private func some(of ids: [RecipientID], share: Double, _ random: inout SeededRandom) -> RecipientSet {
        RecipientSet(ids.filter { _ in Double.random(in: 0..<1, using: &random) < share })
    }

    /// Disjoint sets that do not contain all recipients.
    private func disjoint(_ count: Int, _ random: inout SeededRandom) -> [RecipientSet] {
        var parts = [RecipientSet](repeating: [], count: count)
        for id in ids {
            let part = Int.random(in: 0..<(count + 2), using: &random)
            if part < count { parts[part].insert(id) }
        }
        return parts
    }
}

extension Registration {
    fileprivate static func any(_ number: Int, _ random: inout SeededRandom) -> Registration {
        Bool.random(using: &random) ? .fid(number) : .token(number, version: .random(in: 0...2, using: &random))
    }
}
