import FCM
import Foundation
import HeraldTestSupport
import Synchronization

@testable import HeraldCore

/// A random life of a campaign in local time: people move, join and leave, the author edits the schedule, gives it the
/// field and takes it away, renames it, pauses it; runs die at any commit, and time passes while they send. At its end
/// nothing happens for some days, and everybody must get every occurrence once.
struct LocalLife {
    private static let zones = [
        "Pacific/Kiritimati", "Asia/Tokyo", "Asia/Kolkata", "Europe/Rome", "America/New_York", "Pacific/Honolulu",
    ].compactMap { Zone(named: $0) }
    private static let population: RecipientID = 6
    private static let usual = Zone(named: "Europe/Rome") ?? .utc

    private var random: SeededRandom
    private var laboratory: Laboratory
    private let truth = Truth()
    private var campaign: Campaign
    private var listed: RecipientSet = RecipientSet(1...LocalLife.population)
    /// The zone in each person's row. Without one, they have the default.
    private var places: [RecipientID: Zone] = [:]
    private var isPaused = false
    private var names = 0
    private var isQuiet = false
    /// From then on nothing happens any more.
    private var quietSince = Date.distantFuture

    var sent: Int { truth.count }
    var violations: [String] { truth.violations }

    init(seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        // A little before clocks change in Europe or America, or on a day without anything.
        let starts = ["2026-10-23 11:03", "2026-10-30 17:41", "2027-03-12 05:20", "2026-12-07 00:03"]
        laboratory = Laboratory(
            population: Int(Self.population), start: .utc(starts.randomElement(using: &random) ?? starts[0]))
        campaign = try Campaign.cron("0 9 * * *", "c")
        campaign.message = .init(["data": ["campaign": "0"]])
        for person in listed { places[person] = Self.zones.randomElement(using: &random) }
        try newSchedule()
    }

    mutating func live(runs: Int) async throws {
        for _ in 0..<runs {
            laboratory.clock.advance(by: .seconds(60 * Int.random(in: 1...200, using: &random)))
            if chance(0.4) { try await edit() }
            try await run()
        }
        try await rest()
    }

    // MARK: Files

    private mutating func newSchedule() throws {
        let crons = ["0 9 * * *", "30 2 * * *", "15 8,20 * * *", "59 23 * * *", "0 0 * * *"]
        let cron = try Cron(parsing: crons.randomElement(using: &random) ?? crons[0])
        campaign.schedule.zone = Self.usual
        campaign.schedule.maxLateness = .seconds([1800, 7200, 21_600].randomElement(using: &random) ?? 7200)
        campaign.schedule.catchUp = Schedule.CatchUp.allCases.randomElement(using: &random) ?? .latest
        campaign.schedule.dst = DST(
            gap: chance(0.7) ? .next : .skip, overlap: chance(0.5) ? .first : .second)
        if chance(0.85) {
            campaign.schedule.times = .local(LocalSchedule(.cron(cron, start: nil, end: nil), field: "zone"))
            campaign.zoneField = Located("zone")
        } else {
            campaign.schedule.times = .cron(cron, start: nil, end: nil)
            campaign.zoneField = nil
        }
    }

    private mutating func edit() async throws {
        let person = RecipientID.random(in: 1...Self.population, using: &random)
        switch Int.random(in: 0...8, using: &random) {
        case 0, 1: places[person] = chance(0.8) ? Self.zones.randomElement(using: &random) : nil
        case 2: listed.insert(person)
        case 3: listed.subtract([person])
        case 4: listed = chance(0.5) ? [] : RecipientSet(1...Self.population)
        case 5: try newSchedule()
        case 6:
            names += 1
            campaign = campaign.named("c\(names)", formerly: campaign.name.value)
        case 7:
            isPaused.toggle()
            try laboratory.memory.commit([isPaused ? .pause(nil) : .resume(nil)])
        default: campaign.enabled.toggle()
        }
    }

    // MARK: Runs

    private var input: Planner.Input {
        var send = DesiredSend(campaign: campaign, members: listed)
        for (person, zone) in places where listed.contains(person) {
            send.zones["zone", default: [:]][zone, default: []].insert(person)
        }
        var desired = Desired()
        desired.sends = [send]
        var settings = Settings(project: "p")
        settings.fcm = laboratory.fcm
        return Planner.Input(desired: desired, state: laboratory.memory.snapshot(), settings: settings)
    }

    private mutating func run() async throws {
        let (clock, memory, start) = (laboratory.clock, laboratory.memory, laboratory.start)
        let input = input
        let plan = Planner.plan(input, at: laboratory.now)
        truth.begin(places, listed, campaign, at: laboratory.now)
        // Without a step there is nothing but what is noted.
        if plan.steps.isEmpty { return try memory.commit(plan.bookkeeping(at: laboratory.now)) }
        let end = !isQuiet && chance(0.3) ? Int.random(in: 0...8, using: &random) : .max
        let delays = (0..<40).map { _ in !isQuiet && chance(0.2) ? Int.random(in: 1...900, using: &random) : 0 }
        let count = Mutex(0)
        laboratory.store = ProbedStore(
            memory, refusesFrom: end,
            committed: { [truth] changes, _ in truth.note(changes, at: start.adding(clock.now.offset)) },
            holdUp: {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                clock.advance(by: .seconds(delays[number % delays.count]))
            })
        let answers = (0..<60).map { _ in isQuiet ? 9 : Int.random(in: 0...11, using: &random) }
        let sender = ScriptedSender(capacity: 2) { [truth] request, number in
            truth.send(request, number, as: answers[number % answers.count], at: start.adding(clock.now.offset))
        }
        _ = try await laboratory.run(
            plan, sender,
            lookAgain: { now, underWay in
                var input = input
                (input.state, input.underWay) = (memory.snapshot(), underWay)
                return Planner.plan(input, at: now)
            })
    }

    /// Runs come every eight minutes for four days, and nothing else happens.
    private mutating func rest() async throws {
        isQuiet = true
        if isPaused { try laboratory.memory.commit([.resume(nil)]) }
        campaign.enabled = true
        listed = RecipientSet(1...Self.population)
        try await run()
        quietSince = laboratory.now
        for _ in 0..<(4 * 173) {
            laboratory.clock.advance(by: .seconds(500))
            try await run()
        }
        guard case .local(let schedule) = campaign.schedule.times else { return }
        // An edit of the schedule may leave out the next time of a day.
        let begin = LocalTime(secondsAsUTC: LocalTime(latestAt: quietSince).secondsAsUTC + 86_400)
        let last = LocalTime(earliestAt: laboratory.now)
        for local in schedule.times(after: begin, through: last, limit: 20) {
            let sent = truth.people(at: local)
            for person in listed {
                let zone = places[person] ?? Self.usual
                let isSent = campaign.schedule.reaching(local, in: zone).fate == .sent
                if sent[person, default: 0] != (isSent ? 1 : 0) {
                    truth.blame("\(local) came \(sent[person, default: 0]) times to \(person) in \(zone.name)")
                }
            }
        }
        let open = laboratory.memory.state().occurrences.filter { $0.value.finished == nil && $0.value.halt == nil }
        for (id, occurrence) in open where (occurrence.local?.lastInstant ?? .distantFuture) < quietSince {
            // Only what a person must decide about stays open.
            if occurrence.counts.uncertain == 0, !occurrence.isChanged(in: campaign) { truth.blame("\(id) stays open") }
        }
    }

    private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }

    // MARK: What people got

    fileprivate final class Truth: Sendable {
        private struct Content {
            /// How often each person got each occurrence.
            var messages: [String: [RecipientID: Int]] = [:]
            var times: [String: LocalTime] = [:]
            var intents: [RecipientID: OccurrenceID] = [:]
            /// Every zone that a person had at a run, with the time since when.
            var zones: [RecipientID: [(zone: Zone, since: Date)]] = [:]
            var campaign: Campaign?
            var violations: [String] = []
        }

        private let content = Mutex(Content())

        var count: Int { content.withLock { $0.messages.values.reduce(0) { $0 + $1.values.reduce(0, +) } } }
        var violations: [String] { content.withLock { $0.violations } }

        func blame(_ words: String) { content.withLock { $0.violations.append(words) } }

        func begin(_ places: [RecipientID: Zone], _ listed: RecipientSet, _ campaign: Campaign, at now: Date) {
            content.withLock { content in
                content.campaign = campaign
                for person in listed {
                    let zone = places[person] ?? LocalLife.usual
                    if content.zones[person]?.last?.zone != zone {
                        content.zones[person, default: []].append((zone, now))
                    }
                }
            }
        }

        func note(_ changes: [StateChange], at now: Date) {
            content.withLock { content in
                for change in changes {
                    if case .open(let id, let occurrence) = change { content.times[id.rawValue] = occurrence.local }
                    if case .outcome(let id, let members, .intended) = change {
                        for person in members { content.intents[person] = id }
                    }
                }
            }
        }

        func people(at local: LocalTime) -> [RecipientID: Int] {
            content.withLock { content in
                content.messages.filter { content.times[$0.key] == local }.values
                    .reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
            }
        }

        func send(_ request: Request, _ number: Int, as kind: Int, at now: Date) -> Exchange {
            content.withLock { content in
                let person = request.recipient
                guard let id = content.intents[person] else {
                    content.violations.append("a request without an intent")
                    return .accepted(request, number)
                }
                if let local = content.times[id.rawValue], let schedule = content.campaign?.schedule {
                    let zones = content.zones[person] ?? []
                    let isReached = zones.contains { schedule.reaching(local, in: $0.zone).instant <= now }
                    if !isReached { content.violations.append("\(id) to \(person) at \(now.rfc3339) is early") }
                }
                switch kind {
                case 0: return .error(400, "INVALID_ARGUMENT", fcm: "INVALID_ARGUMENT")
                case 1: return .error(503, "UNAVAILABLE", retryAfter: "30")
                default: break
                }
                content.messages[id.rawValue, default: [:]][person, default: 0] += 1
                if content.messages[id.rawValue]?[person] ?? 0 > 1 {
                    content.violations.append("\(id) to \(person) at \(now.rfc3339) comes twice")
                }
                return kind == 3 ? .lost(reason: "the connection closed") : .accepted(request, number)
            }
        }
    }
}
