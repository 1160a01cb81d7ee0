import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Compares audiences that go by outcomes with a model that keeps each person's story in dictionaries.
/// `FOLLOW_UP_HISTORIES` says how many histories it compares.
struct FollowUpModelTests {
    private static let seeds: Range<UInt64> =
        0..<(ProcessInfo.processInfo.environment["FOLLOW_UP_HISTORIES"].flatMap { UInt64($0) } ?? 1500)

    @Test(arguments: seeds)
    func `who is in an audience is what a table of everybody's outcomes says`(seed: UInt64) async throws {
        let history = RandomHistory(seed: seed)
        if let pruned = history.prunedFollowUps {
            let error = await #expect(throws: PrunedFollowUp.self) { try await history.wanted() }
            #expect(error.map { pruned.contains($0.audience) } == true, "seed \(seed)")
            return
        }
        let desired = try await history.wanted().desired
        for send in desired.sends where send.campaign.name.value.hasPrefix("to-") {
            let name = String(send.campaign.name.value.dropFirst("to-".count))
            // Nobody begins to send while it is undecided who is in it, so it has all who may be.
            let isUndecided = history.isUndecided(name)
            #expect(send.undecided == (isUndecided ? [name] : []), "seed \(seed), audience \(name)")
            let members = isUndecided ? history.listed(in: name) : history.members(of: name)
            #expect(history.people(send.members) == members, "seed \(seed), audience \(name)")
            #expect(send.isKnown)
        }
        // Guards look at the list, whatever came of its people.
        for (name, size) in desired.audienceSizes {
            #expect(size == history.listed(in: name).count, "seed \(seed), size of \(name)")
        }
    }

    @Test func `the histories have what an audience may go by`() {
        let histories = Self.seeds.map { RandomHistory(seed: $0) }
        let judged = histories.filter { $0.prunedFollowUps == nil }.reduce(0) { $0 + $1.judged }
        #expect(judged > 10_000, "\(judged) people were judged by what came of them")
        #expect(histories.count { $0.prunedFollowUps != nil } > 10)
        let stories = histories.flatMap(\.past).filter(\.isFinished).flatMap(\.stories.values)
        #expect(Set(stories).count == RandomHistory.Story.allCases.count)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `without a state an audience has everybody who may be in it, and says that it does not know`(
        seed: UInt64
    ) throws {
        let history = RandomHistory(seed: seed)
        let desired = try Resolver.desired(
            of: history.workspace, ListedRecipients(try RecipientIndex.of(history.workspace)))
        for send in desired.sends where send.campaign.name.value.hasPrefix("to-") {
            let name = String(send.campaign.name.value.dropFirst("to-".count))
            #expect(send.isKnown == !history.goesByOutcomes(name), "seed \(seed), audience \(name)")
            // The numbers are those of an empty state, so only how many there are can be compared.
            #expect(send.members.count == history.listed(in: name).count, "seed \(seed), audience \(name)")
        }
    }
}

/// Campaigns that were sent, and audiences made of what came of them.
private struct RandomHistory {
    /// What came of one person in one occurrence.
    enum Story: CaseIterable {
        case accepted, rejected, dead, unknown, intended, abandoned, capped, superseded, missed, outside, jumped,
            heldOut
        /// FCM refused for now, and it was not tried again.
        case deferred
        /// The occurrence is for them, and nothing was tried.
        case waiting
    }

    struct Past {
        var id: OccurrenceID
        var campaign: String
        /// Each time is that of a revision: what is due once has one time in each.
        var revision: Int
        var at: Date
        var isFinished: Bool
        /// Nobody knows any more what came of whom.
        var isPruned = false
        var stories: [Int: Story]
        /// Whether it did something that lasts.
        var hasBegun: Bool { !Set(stories.values).isSubset(of: [.waiting, .heldOut, .deferred]) }
        /// Whether an older herald ended it, which left those deferred whom FCM had refused for now.
        var isOfOlder: Bool { Int(at.timeIntervalSince1970) / 86_400 % 2 == 0 }
    }

    private(set) var workspace = Workspace(audiences: [])
    private(set) var past: [Past] = []
    private let population: Int
    /// The number of each person in the state. People have numbers there in another order than in lists.
    private var numbers: [Int: RecipientID] = [:]
    private var dead: Set<Int> = []

    private static let sources = ["x", "y"]

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        population = Int.random(in: 1...30, using: &random)
        for (place, person) in (0..<population).shuffled(using: &random).enumerated() {
            numbers[person] = RecipientID(place + 1)
            if Int.random(in: 0..<8, using: &random) == 0 { dead.insert(person) }
        }
        for campaign in Self.sources { tell(campaign, &random) }
        makeAudiences(&random)
        let names = workspace.audiences.map(\.name.value)
        workspace.campaigns = Self.sources.map { .tide($0, to: .audience(names[0])) }
        workspace.campaigns[1].previousNames = [.init("y-before")]
        workspace.campaigns += names.map { .tide("to-\($0)", to: .audience($0)) }
    }

    /// Occurrences in a random order of their ids.
    private mutating func tell(_ campaign: String, _ random: inout SeededRandom) {
        for day in 0..<Int.random(in: 0...3, using: &random) {
            let at = Date(timeIntervalSince1970: Double(1_800_000_000 + day * 86_400))
            var stories: [Int: Story] = [:]
            for person in 0..<population where Int.random(in: 0..<4, using: &random) > 0 {
                stories[person] = Story.allCases.randomElement(using: &random)
            }
            // Some were sent before the campaign was renamed. Their ids stay.
            let name = campaign == "y" && Bool.random(using: &random) ? "y-before" : campaign
            var next = Past(
                id: OccurrenceID(campaign: name, due: at, revision: day + 1), campaign: name, revision: day + 1, at: at,
                isFinished: Int.random(in: 0..<3, using: &random) > 0, stories: stories)
            next.isPruned = next.isFinished && Int.random(in: 0..<12, using: &random) == 0
            past.append(next)
        }
    }

    private mutating func makeAudiences(_ random: inout SeededRandom) {
        for place in 0..<Int.random(in: 2...6, using: &random) {
            var audience = Audience(name: .init("a\(place)"), source: .inline([]))
            let before = place == 0 ? nil : Int.random(in: 0..<place, using: &random)
            if let before, Int.random(in: 0..<3, using: &random) > 0 {
                audience.source = .audience(.init("a\(before)"))
                if Int.random(in: 0..<3, using: &random) > 0 { audience.followUp = followUp(&random) }
            } else {
                let people = (0..<population).filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
                audience.source = .inline(people.map { .fid($0) })
            }
            audience.exclude = (0..<place).filter { _ in Int.random(in: 0..<5, using: &random) == 0 }
                .map { .init("a\($0)") }
            workspace.audiences.append(audience)
        }
    }

    private func followUp(_ random: inout SeededRandom) -> Audience.FollowUp {
        let campaign = Self.sources.randomElement(using: &random) ?? "x"
        let outcomes = Audience.FollowUp.Outcome.allCases.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
        var named: Located<String>?
        if Int.random(in: 0..<4, using: &random) == 0 {
            let ids = past.filter { Self.current($0.campaign) == campaign }.map(\.id.rawValue) + ["\(campaign)@once"]
            named = ids.randomElement(using: &random).map { .init($0) }
        }
        return .init(.init(campaign), Set(outcomes), of: named)
    }

    private static func current(_ campaign: String) -> String { campaign == "y-before" ? "y" : campaign }

    // MARK: What herald says

    func wanted() async throws -> Wanted {
        let store = try store()
        let index = try RecipientIndex.of(workspace)
        return try await Wanted(
            workspace, index, knownTo: store, as: store.snapshot(), noting: nil, keep: nil, sorted: { index })
    }

    private func store() throws -> MemoryStore {
        let identity = RecordedState.Identity(
            lineage: "l", project: "p", endpoint: .other, created: Date(timeIntervalSince1970: 0))
        let store = MemoryStore(RecordedState(identity: identity), fingerprintKey: Array(0..<32))
        let registrations = Dictionary(
            uniqueKeysWithValues: numbers.map { ($0.value, Registration.fid($0.key)) })
        var changes: [StateChange] = [.register(registrations)]
        changes.append(.forget(set(of: dead), at: Date(timeIntervalSince1970: 1)))
        for past in past {
            var occurrence = RecordedOccurrence(
                campaign: past.campaign, revision: past.revision, due: past.at, contentDigest: "d",
                target: "audience:a0", begun: past.at)
            occurrence.due = past.at
            changes.append(.open(past.id, occurrence))
            var classes = Partition<MessageClass>()
            classes.move(set(of: past.stories.filter { $0.value != .heldOut }.keys), to: MessageClass())
            classes.move(set(of: past.stories.filter { $0.value == .heldOut }.keys), to: MessageClass(isHoldout: true))
            changes.append(.assign(past.id, classes))
            let ends: [StateChange] = past.isFinished ? [.finish(past.id, at: past.at)] : []
            if past.isOfOlder { changes += ends }
            changes += Story.allCases.flatMap { story in
                Self.changes(story, past.id, set(of: past.stories.filter { $0.value == story }.keys))
            }
            if !past.isOfOlder { changes += ends }
            if past.isPruned { changes.append(.prune([past.id])) }
        }
        try store.commit(changes)
        return store
    }

    private static func changes(_ story: Story, _ id: OccurrenceID, _ members: RecipientSet) -> [StateChange] {
        if members.isEmpty { return [] }
        switch story {
        case .accepted: return [.outcome(id, members, .accepted)]
        case .rejected: return [.reject(id, members, code: "SENDER_ID_MISMATCH")]
        case .dead: return [.reject(id, members, code: "UNREGISTERED")]
        case .unknown: return [.outcome(id, members, .unknown)]
        case .intended: return [.outcome(id, members, .intended)]
        case .deferred: return [.outcome(id, members, .deferred)]
        case .abandoned: return [.outcome(id, members, .abandoned)]
        case .capped: return [.skip(id, members, .capped("promo"))]
        case .superseded: return [.skip(id, members, .superseded)]
        case .missed: return [.skip(id, members, .missed)]
        case .outside: return [.skip(id, members, .outsideWindow)]
        case .jumped: return [.skip(id, members, .noSuchTime)]
        case .heldOut, .waiting: return []
        }
    }

    private func set(of people: some Sequence<Int>) -> RecipientSet {
        RecipientSet(people.compactMap { numbers[$0] }.sorted())
    }

    func people(_ members: RecipientSet) -> Set<Int> {
        Set(numbers.filter { members.contains($0.value) }.keys)
    }

    // MARK: What the model says

    private func audience(_ name: String) -> Audience? { workspace.audiences.first { $0.name.value == name } }

    func goesByOutcomes(_ name: String) -> Bool {
        guard let audience = audience(name) else { return false }
        return audience.followUp != nil || audience.uses.contains { goesByOutcomes($0.value) }
    }

    func members(of name: String) -> Set<Int> {
        guard let audience = audience(name) else { return [] }
        var people = chain(of: audience).reduce(into: base(of: audience)) { people, link in
            for other in link.exclude { people.subtract(members(of: other.value)) }
        }
        for followUp in chain(of: audience).compactMap(\.followUp) { people = people.filter { passes($0, followUp) } }
        return people
    }

    /// Whether it, or an audience on the way, goes by an occurrence that is named or has begun, and none has ended.
    func isUndecided(_ name: String) -> Bool {
        guard let audience = audience(name) else { return false }
        return audience.followUp.map(isUndecided) ?? false || audience.uses.contains { isUndecided($0.value) }
    }

    private func isUndecided(_ followUp: Audience.FollowUp) -> Bool {
        if last(for: followUp) != nil { return false }
        return followUp.occurrence != nil
            || past.contains { Self.current($0.campaign) == followUp.campaign.value && $0.hasBegun }
    }

    /// Whoever the lists alone let in.
    func listed(in name: String) -> Set<Int> {
        guard let audience = audience(name) else { return [] }
        return chain(of: audience).reduce(into: base(of: audience)) { people, link in
            for other in link.exclude where !goesByOutcomes(other.value) { people.subtract(listed(in: other.value)) }
        }
    }

    private func chain(of audience: Audience) -> [Audience] {
        guard case .audience(let from) = audience.source, let parent = self.audience(from.value) else {
            return [audience]
        }
        return [audience] + chain(of: parent)
    }

    private func base(of audience: Audience) -> Set<Int> {
        guard case .inline(let registrations)? = chain(of: audience).last?.source else { return [] }
        return Set((0..<population).filter { registrations.contains(.fid($0)) })
    }

    /// How often somebody is judged by what came of them.
    var judged: Int {
        workspace.audiences.filter { $0.followUp != nil && last(for: $0.followUp) != nil }
            .reduce(0) { $0 + base(of: $1).count }
    }

    /// The audiences that go by an occurrence of which nothing is known any more. `nil` if there are none.
    var prunedFollowUps: Set<String>? {
        let names = workspace.audiences.filter { last(for: $0.followUp)?.isPruned == true }.map(\.name.value)
        return names.isEmpty ? nil : Set(names)
    }

    /// The occurrence that an audience goes by.
    private func last(for followUp: Audience.FollowUp?) -> Past? {
        guard let followUp else { return nil }
        return past.filter {
            Self.current($0.campaign) == followUp.campaign.value && $0.isFinished
                && (followUp.occurrence == nil || followUp.occurrence?.value == $0.id.rawValue)
                && !isReplaced($0)
        }.max { $0.at < $1.at }
    }

    /// Whether it tried nobody, and a raised revision did.
    private func isReplaced(_ one: Past) -> Bool {
        !one.hasBegun
            && past.contains {
                Self.current($0.campaign) == Self.current(one.campaign) && $0.revision > one.revision && $0.hasBegun
            }
    }

    private func passes(_ person: Int, _ followUp: Audience.FollowUp) -> Bool {
        guard let last = last(for: followUp) else { return false }
        guard let story = last.stories[person] else { return followUp.outcomes.contains(.never) }
        return followUp.outcomes.contains { outcome in
            switch (outcome, story) {
            case (.accepted, .accepted), (.capped, .capped), (.superseded, .superseded), (.missed, .missed),
                (.outsideWindow, .outside), (.heldOut, .heldOut), (.unknown, .unknown), (.unknown, .abandoned),
                (.unknown, .intended):
                true
            case (.rejected, .rejected), (.rejected, .deferred): !dead.contains(person)
            case (.skipped, .capped), (.skipped, .superseded), (.skipped, .missed), (.skipped, .outside),
                (.skipped, .jumped), (.skipped, .heldOut), (.skipped, .waiting):
                true
            default: false
            }
        }
    }
}
