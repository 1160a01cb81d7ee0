import FCM
import Foundation
import HeraldTestSupport
import Synchronization

@testable import HeraldCore

/// What a run needs in a test: a state, a simulated clock, and a sender that answers as told.
struct Laboratory: Sendable {
    static let start = Date(timeIntervalSince1970: 1_796_112_000)  // 2026-12-01T08:00:00Z

    let start: Date
    let clock: ManualClock
    let memory: MemoryStore
    /// Wraps `memory` if a test observes the store or makes it fail.
    var store: any StateStore
    var fcm = FCMSettings()
    var guards = GuardLimits()
    var random = SeededRandom(seed: 1)
    /// Who helps.
    var crew: (any Crew)?
    /// What reports say that requests go to.
    var endpoint = EndpointKind.emulator
    /// Whether the wall clock always shows `start`, as with `--at`.
    var standsStill = false

    /// A state that knows the installations `1...population` by their fids.
    init(
        population: Int = 100, state: RecordedState = .blank, clock: ManualClock = ManualClock(),
        start: Date = Laboratory.start
    ) {
        self.start = start
        let numbers = population == 0 ? [] : Array(1...population)
        let registrations = Dictionary(uniqueKeysWithValues: numbers.map { (RecipientID($0), Registration.fid($0)) })
        self.clock = clock
        memory = MemoryStore(state, registrations: registrations, fingerprintKey: Array(0..<32))
        store = memory
        fcm.rate = .unlimited
        fcm.subscriptionRate = .unlimited
        fcm.propagationDelay = .zero
        fcm.topicAPI = .registrations
    }

    var now: Date { start.adding(clock.now.offset) }

    func plan(_ steps: Plan.Work...) -> Plan { plan(steps) }

    func plan(_ steps: [Plan.Work]) -> Plan {
        var plan = Plan(at: now, workspaceDigest: "", state: nil)
        plan.steps = steps.map { Plan.Step(work: $0, reason: "", seconds: 0) }
        return plan
    }

    /// The plan for these campaigns, topics and groups with the current state.
    func plan(
        sends: [DesiredSend] = [], topics: [DesiredTopic] = [], groups: [DesiredGroup] = [],
        suppressed: RecipientSet = []
    ) -> Plan {
        var desired = Desired()
        (desired.sends, desired.suppressed) = (sends, suppressed)
        desired.topics = topics
        desired.groups = groups
        var settings = Settings(project: "p")
        settings.fcm = fcm
        settings.guards = guards
        return Planner.plan(.init(desired: desired, state: memory.snapshot(), settings: settings), at: now)
    }

    func run(
        _ plan: Plan, _ sender: any Sender, overrides: Overrides = .init(), dryRunSample: Int? = nil,
        stop: @escaping @Sendable () -> Stop? = { nil }, halt: @escaping @Sendable () async -> Void = Stop.never,
        lookAgain: (@Sendable (Date, [Plan.Send]) async -> Plan?)? = nil, followsUp: Bool = false,
        others: OtherRegistrations = OtherRegistrations(),
        observe: @escaping @Sendable (Report) async -> Void = { _ in },
        rows: @escaping @Sendable (String, RecipientSet) throws -> [RecipientID: FieldValues] = { _, _ in [:] },
        receive: (@Sendable (Receipt) -> Void)? = nil,
        news: @escaping @Sendable ([Plan.Missed], [StateChange]) async throws -> [StateChange] = { _, _ in [] },
        note: @escaping @Sendable (String, Report.Failure) -> Void = { _, _ in }
    ) async throws -> Report {
        let (clock, start, standsStill) = (clock, start, standsStill)
        var surroundings = Executor<ManualClock>.Surroundings(
            store: store, sender: sender, crew: crew, clock: clock,
            now: { standsStill ? start : start.adding(clock.now.offset) },
            random: random,
            fingerprints: Fingerprinter(key: store.fingerprintKey), stop: stop, halt: halt,
            lookAgain: lookAgain, others: others, rows: rows, observe: observe, receive: receive, note: note)
        (surroundings.news, surroundings.followsUp) = (news, followsUp)
        let options = Executor<ManualClock>.Options(
            fcm: fcm, guards: guards, overrides: overrides,
            mode: dryRunSample.map { .dryRun(sample: $0) } ?? .apply)
        return try await Executor.run(
            plan, from: try await store.snapshot(), options, in: surroundings,
            report: report(of: plan, dryRunSample != nil))
    }

    private func report(of plan: Plan, _ isDryRun: Bool) -> Report {
        Report(
            run: "r", plan: plan, planDigest: "sha256:", isDryRun: isDryRun, started: now, endpoint: endpoint,
            project: "p", version: "1")
    }
}

extension RecordedState {
    static var blank: RecordedState {
        RecordedState(
            identity: .init(
                lineage: "lineage", project: "p", endpoint: .emulator, created: Date(timeIntervalSince1970: 0)))
    }
}

extension Campaign {
    static func tide(
        to target: Target = .audience("all"), at due: Date? = nil,
        message: [String: JSONValue] = ["notification": ["title": "High tide"]]
    ) -> Campaign {
        let place = SourceRange(file: "c.yaml")
        var campaign = Campaign(
            name: Located("tide", at: place), target: Located(target, at: place), message: Located(message, at: place))
        campaign.schedule.times = due.map { .at($0) } ?? .once
        return campaign
    }
}

extension Plan.Send {
    /// A send that has not begun.
    static func sample(
        _ members: some Sequence<RecipientID>, campaign: String = "tide", target: Campaign.Target = .audience("all"),
        due: Date? = nil, message: [String: JSONValue] = ["notification": ["title": "High tide"]],
        onUnknown: Campaign.OnUnknown = .hold
    ) -> Plan.Send {
        let members = RecipientSet(members)
        return Plan.Send(
            campaign: campaign, occurrence: OccurrenceID(campaign: campaign, due: due, revision: 1), revision: 1,
            due: due, target: target, contentDigest: "sha256:", content: MessageContent(message), deadline: nil,
            delivery: .init(onUnknown: onUnknown), members: members, discovered: [], recipients: members.count,
            isResumed: false)
    }
}

extension Request {
    /// The number of its `Registration.fid(1...)`; 0 for a topic.
    var recipient: RecipientID {
        switch self {
        case .send(let body):
            let message = (try? JSONValue(parsing: body))?["message"]
            return Self.number(of: message?["fid"]?.string ?? message?["token"]?.string ?? "")
        case .subscribe(let registration, _), .unsubscribe(let registration, _):
            return Self.number(of: registration.rawValue)
        case .batch(_, _, let registrations):
            return Self.number(of: registrations.first?.rawValue ?? "")
        case .group, .read: return 0
        }
    }

    static func number(of registration: String) -> RecipientID {
        RecipientID(registration.prefix(22).dropFirst(5)) ?? 0
    }

    /// The body of a send; `null` for any other request.
    var json: JSONValue {
        if case .send(let body) = self { (try? JSONValue(parsing: body)) ?? .null } else { .null }
    }
}

extension StepReport {
    /// The figures that add up to `planned` by promise 2.
    var parts: [Int] { [accepted, rejected, unknown, skipped, held, pending] }
}

extension RecordedOccurrence {
    /// Only the outcomes.
    var byEntry: [LedgerEntry: RecipientSet] {
        Dictionary(uniqueKeysWithValues: LedgerEntry.allCases.map { ($0, self[$0]) }).filter { !$0.value.isEmpty }
    }
}

/// Collects values that closures report.
final class Log<Entry: Sendable>: Sendable {
    private let content = Mutex<[Entry]>([])

    var entries: [Entry] { content.withLock { $0 } }
    func append(_ entry: Entry) { content.withLock { $0.append(entry) } }
}

extension ScriptedSender {
    /// Each recipient's requests get these answers in turn, and success after that.
    convenience init(capacity: Int = 8, each answers: [Exchange]) {
        self.init(capacity: capacity) { _ in answers }
    }

    /// As above, with answers that differ by recipient.
    convenience init(capacity: Int = 8, answers: @escaping @Sendable (RecipientID) -> [Exchange]) {
        let attempts = Attempts()
        self.init(capacity: capacity) { request, number in
            let attempt = attempts.next(of: request.recipient)
            let answers = answers(request.recipient)
            return attempt < answers.count ? answers[attempt] : .accepted(request, number)
        }
    }

    /// The recipients of the requests, in the order in which they left.
    var recipients: [RecipientID] { requests.map(\.recipient) }
}

/// Counts requests by recipient.
final class Attempts: Sendable {
    private let counts = Mutex<[RecipientID: Int]>([:])

    func next(of recipient: RecipientID) -> Int {
        counts.withLock { counts in
            counts[recipient, default: 0] += 1
            return counts[recipient, default: 0] - 1
        }
    }
}
