import FCM
import Foundation
import HeraldTestSupport
import Synchronization

@testable import HeraldCore

/// A random life of a workspace with frequency caps: campaigns come due, people edit, rename, drop and decide, runs die at
/// any commit, and commits take their time. Beside herald it counts each person's messages one by one.
struct CapLife {
    private static let people: RecipientSet = [1, 2, 3, 4]
    private static let tags = ["news", "promo"]
    private static let spans: [Duration] = [.seconds(1800), .seconds(7200), .seconds(6 * 3600), .seconds(86_400)]
    private static let crons = ["*/10 * * * *", "5 * * * *", "30 */3 * * *", "0 9 * * *"]

    private var random: SeededRandom
    private var laboratory = Laboratory(population: people.count, start: .utc("2026-12-07 00:03"))
    private let truth = Truth()
    private var caps: [FrequencyCap] = []
    private var campaigns: [Campaign] = []
    /// How many caps skipped, by their word.
    private(set) var capped = 0

    var sent: Int { truth.count }
    var violations: [String] { truth.violations }

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        editCaps()
    }

    mutating func live(runs: Int) async throws {
        for number in 0..<Int.random(in: 2...4, using: &random) { campaigns.append(try newCampaign(number)) }
        for _ in 0..<runs {
            laboratory.clock.advance(by: .seconds(60 * Int.random(in: 1...200, using: &random)))
            if chance(0.5) { try await edit() }
            try await run()
        }
    }

    // MARK: Files

    private mutating func editCaps() {
        caps = (0..<Int.random(in: 1...3, using: &random)).map { number in
            FrequencyCap(
                name: "cap\(number)", max: .random(in: 1...3, using: &random),
                per: Self.spans.randomElement(using: &random) ?? .seconds(3600),
                tags: chance(0.4) ? nil : Set(Self.tags.filter { _ in chance(0.6) }))
        }
    }

    private mutating func newCampaign(_ number: Int) throws -> Campaign {
        var campaign = try Campaign.cron(Self.crons.randomElement(using: &random) ?? "0 9 * * *", "c\(number)")
        // Who is sent to at once comes back if its occurrence is dropped.
        if chance(0.3) { campaign.schedule.times = .once }
        campaign.message = .init(["data": ["campaign": .string("\(number)")]])
        campaign.delivery.onUnknown = chance(0.3) ? .resend : .hold
        campaign.delivery.frequency = newFrequency()
        return campaign
    }

    private mutating func newFrequency() -> Frequency {
        var frequency = Frequency(
            tags: Self.tags.filter { _ in chance(0.5) }, priority: .random(in: 3...6, using: &random))
        (frequency.ignoresCaps, frequency.counts) = (chance(0.1), !chance(0.1))
        return frequency
    }

    private mutating func edit() async throws {
        guard let index = campaigns.indices.randomElement(using: &random) else { return }
        let memory = laboratory.memory
        let occurrences = memory.state().occurrences
        let some = occurrences.keys.sorted().randomElement(using: &random)
        switch Int.random(in: 0...6, using: &random) {
        case 0: editCaps()
        case 1: campaigns[index].delivery.frequency = newFrequency()
        case 2:
            let old = campaigns[index].name.value
            campaigns[index] = campaigns[index].named(old + "x", formerly: old)
        case 3: campaigns[index].revision += 1
        case 4:
            guard let some else { return }
            try memory.commit([.drop(chance(0.5) ? .occurrence(some) : .campaign(occurrences[some]?.campaign ?? ""))])
            let left = Set(memory.state().occurrences.keys)
            for id in occurrences.keys where !left.contains(id) { truth.drop(id) }
        case 5:
            try memory.commit([.prune(Set(occurrences.filter { $0.value.finished != nil }.keys))])
        default:
            guard let some, let resolution = [Resolution.resend, .accept, .abandon].randomElement(using: &random),
                let campaign = campaigns.first(where: { $0.continues(occurrences[some]?.campaign ?? "") }),
                let changes = try? memory.state().changes(
                    resolving: some, by: resolution, campaign: campaign, at: laboratory.now)
            else { return }
            try memory.commit(changes)
        }
    }

    // MARK: Runs

    private var input: Planner.Input {
        var desired = Desired()
        for campaign in campaigns {
            var campaign = campaign
            campaign.delivery.frequency.caps = caps.filter { $0.isFor(campaign.delivery.frequency.tags) }
            desired.sends.append(DesiredSend(campaign: campaign, members: Self.people))
        }
        var settings = Settings(project: "p")
        settings.frequencyCaps = caps
        settings.fcm = laboratory.fcm
        return Planner.Input(desired: desired, state: laboratory.memory.snapshot(), settings: settings)
    }

    private mutating func run() async throws {
        let (clock, memory) = (laboratory.clock, laboratory.memory)
        let input = input
        let plan = Planner.plan(input, at: laboratory.now)
        note(plan)
        truth.begin(caps, campaigns, memory.state(), at: laboratory.now)
        let start = laboratory.start
        let end = chance(0.3) ? Int.random(in: 0...12, using: &random) : .max
        let delays = (0..<40).map { _ in chance(0.2) ? Int.random(in: 1...100, using: &random) : 0 }
        let count = Mutex(0)
        laboratory.store = ProbedStore(
            memory, refusesFrom: end,
            committed: { [truth] changes, state in truth.note(changes, state, at: start.adding(clock.now.offset)) },
            holdUp: {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                clock.advance(by: .seconds(delays[number % delays.count]))
            })
        let answers = (0..<60).map { _ in Int.random(in: 0...11, using: &random) }
        let sender = ScriptedSender(capacity: 2) { [truth] request, number in
            truth.send(request, number, as: answers[number % answers.count])
        }
        _ = try await laboratory.run(
            plan, sender,
            lookAgain: { now, underWay in
                var input = input
                (input.state, input.underWay) = (memory.snapshot(), underWay)
                return Planner.plan(input, at: now)
            })
    }

    private mutating func note(_ plan: Plan) {
        for step in plan.steps {
            guard case .send(let send) = step.work else { continue }
            for (reason, count) in send.skipped.counts { if case .capped = reason { capped += count } }
        }
    }

    private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }

    // MARK: What people got

    fileprivate final class Truth: Sendable {
        fileprivate struct Message {
            var person: RecipientID
            var start: Date
            var tags: [String]
            var counts: Bool
        }

        fileprivate struct Content {
            /// By occurrence and person. A retry is no second message.
            var messages: [String: Message] = [:]
            /// How often an occurrence of that name was dropped.
            var drops: [OccurrenceID: Int] = [:]
            /// What each person's next request is for, and since when it may leave.
            var intents: [RecipientID: (id: OccurrenceID, start: Date)] = [:]
            var caps: [FrequencyCap] = []
            var frequencies: [String: Frequency] = [:]
            var since = Date.distantPast
            /// When the last run began, and what the state knew then.
            var began = Date.distantPast
            var known: [OccurrenceID: Partition<MessageStart>] = [:]
            var violations: [String] = []
        }

        private let content = Mutex(Content())

        var count: Int { content.withLock { $0.messages.count } }
        var violations: [String] { content.withLock { $0.violations } }

        func begin(_ caps: [FrequencyCap], _ campaigns: [Campaign], _ state: RecordedState, at now: Date) {
            content.withLock { content in
                (content.caps, content.since) = (caps, state.countingSince ?? now)
                (content.began, content.known) = (now, state.starts)
                for campaign in campaigns {
                    let mark = campaign.message.value["data"]?["campaign"]?.string ?? ""
                    content.frequencies[mark] = campaign.delivery.frequency
                }
            }
        }

        func drop(_ id: OccurrenceID) { content.withLock { $0.drops[id, default: 0] += 1 } }

        func note(_ changes: [StateChange], _ state: RecordedState, at now: Date) {
            content.withLock { content in
                for case .skip(let id, let members, .capped(let cap)) in changes {
                    for person in members { content.checkSkipped(person, id, cap, state.starts) }
                }
                for case .outcome(let id, let members, .intended) in changes {
                    for person in members { content.intents[person] = (id, now) }
                }
            }
        }

        func send(_ request: Request, _ number: Int, as kind: Int) -> Exchange {
            content.withLock { content in
                let person = request.recipient
                let mark = request.json["message"]?["data"]?["campaign"]?.string ?? ""
                guard let (id, now) = content.intents[person], let frequency = content.frequencies[mark] else {
                    content.violations.append("a request without an intent")
                    return .accepted(request, number)
                }
                let own = "\(id) \(content.drops[id] ?? 0) \(person)"
                // What does not count is judged in the order of the plan, and may leave later than others.
                if !frequency.ignoresCaps, frequency.counts { content.check(person, own, frequency, id, now) }
                let answer: Exchange =
                    switch kind {
                    case 0: .error(400, "INVALID_ARGUMENT", fcm: "INVALID_ARGUMENT")
                    case 1: .error(503, "UNAVAILABLE", retryAfter: "30")
                    case 2: .error(429, "RESOURCE_EXHAUSTED", fcm: "QUOTA_EXCEEDED", retryAfter: "90")
                    case 3: .lost(reason: "the connection closed")
                    default: .accepted(request, number)
                    }
                // After a 503 it may have arrived. What is refused takes no earlier one back.
                let isRefused = kind == 0 || kind == 2
                if !isRefused || content.messages[own] == nil {
                    content.messages[own] = Message(
                        person: person, start: now, tags: frequency.tags, counts: frequency.counts && !isRefused)
                }
                return answer
            }
        }
    }
}

extension CapLife.Truth.Content {
    /// Whoever is skipped for good has had as many messages as the state knows, not as a plan was to send.
    fileprivate mutating func checkSkipped(
        _ person: RecipientID, _ id: OccurrenceID, _ name: String, _ starts: [OccurrenceID: Partition<MessageStart>]
    ) {
        guard let cap = caps.first(where: { $0.name == name }) else { return }
        let begin = began - cap.per.seconds
        let counted = Set(starts.keys).union(known.keys).subtracting([id]).filter { other in
            [starts[other], known[other]].compactMap { $0?.state(of: person) }
                .contains { $0.until > begin && cap.isFor($0.tags) }
        }
        if counted.count >= cap.max { return }
        violations.append("\(id) was not sent to \(person): \(name) (\(cap.words)) had only \(counted.count)")
    }

    fileprivate mutating func check(
        _ person: RecipientID, _ own: String, _ frequency: Frequency, _ id: OccurrenceID, _ now: Date
    ) {
        for cap in caps where cap.isFor(frequency.tags) {
            let before = messages.filter { key, message in
                key != own && message.person == person && message.counts && cap.isFor(message.tags)
                    && message.start > now - cap.per.seconds && message.start >= since
            }
            guard before.count >= cap.max else { continue }
            violations.append(
                "\(id) to \(person) at \(now.rfc3339): \(cap.name) (\(cap.words)) was full by \(before.keys.sorted().joined(separator: ", "))"
            )
        }
    }
}
