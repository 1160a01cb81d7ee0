import FCM
import Foundation
import HeraldTestSupport

@testable import HeraldCore

/// Does what a step asks for, as the shell around it does, in simulated time and at random: commits fail; answers come
/// late, in any order or not at all; wake-ups come early or late; clocks stand still and jump.
struct StepWorld<Step: DecidingStep> {
    var step: Step
    var context: RunContext
    var random: SeededRandom
    var now = Moment(elapsed: .zero, date: Laboratory.start)
    /// What was committed.
    var state: RecordedState
    /// The number, from 0, of the first commit that fails.
    var failsFrom = Int.max
    /// After this many events the run is asked to end.
    var stopsAfter = Int.max
    /// Whether the run must then end without waiting for requests in flight.
    var isInsistent = false
    /// Whether a person pauses the campaign at some time.
    var isPaused = false
    /// Whom the step may claim if it helps.
    var free = RecipientSet()
    /// The answer to a request.
    var answer: (Request, inout SeededRandom) -> Exchange = { request, _ in .accepted(request) }

    private(set) var effects: [StepEffect] = []
    private(set) var underWay: [StepEffect.Departure] = []
    /// Requests that left although they were not committed first.
    private(set) var unwritten: [Request] = []
    /// Waits that nothing would have ended.
    private(set) var endlessWaits = 0
    /// The state when the step left its job. Nobody can add an outcome to it after that.
    private(set) var left: RecordedState?
    private var commits = 0

    init(_ step: Step, _ context: RunContext, seed: UInt64, state: RecordedState = .blank) {
        self.step = step
        self.context = context
        self.state = state
        random = SeededRandom(seed: seed)
    }

    private static var patience: Int { 200_000 }

    /// Goes on until the step is over (`true`) or yields. Gives up if neither happens for very long.
    mutating func run(isWritten: (Request, RecordedState) -> Bool) -> Bool? {
        var event = StepEvent.begun
        while effects.count < Self.patience {
            if effects.count >= stopsAfter { context.stop = .machine }
            let effect = step.handle(event, at: now, &context)
            effects.append(effect)
            pass()
            switch effect {
            case .finish: return true
            case .yield: return false
            case .lookForPauses: event = .looked(isPaused: isPaused && chance(0.1))
            case .prepare: event = .prepared
            case .read(let recipients):
                let numbers = Array(recipients)
                event = .read(Dictionary(uniqueKeysWithValues: numbers.map { ($0, Registration.fid(Int($0))) }))
            case .readRows: event = .readRows([:])
            case .findOthers(let recipients, _):
                event = .foundOthers(RunContext.sampleOthers.filter { recipients.contains($0.key) }, formers: [:])
            case .commit(let changes): event = commit(changes)
            case .send(let departures):
                unwritten += departures.map(\.request).filter { !isWritten($0, state) }
                underWay += departures
                event = .sent
            case .wait(let instant, let answers): event = wait(until: instant, answers)
            case .claim(let job):
                event = .claimed(Claim(members: free))
                free = []
                context.crew?.jobs[job]?.hasFree = false
                context.crew?.reading += 1
            case .leave:
                left = state
                event = .settled(Settlement())
            case .share: preconditionFailure("nobody helps here")
            }
        }
        return nil
    }

    private mutating func commit(_ changes: [StateChange]) -> StepEvent {
        if changes.isEmpty { return .committed }
        commits += 1
        if commits > failsFrom { return .storeFailed("disk I/O error") }
        state.apply(changes)
        return .committed
    }

    private mutating func wait(until instant: Duration?, _ answers: Int) -> StepEvent {
        if instant == nil, answers == 0 || underWay.isEmpty { endlessWaits += 1 }
        if context.stop != nil, isInsistent, chance(0.3) { return .halted(take(chance(0.5) ? 1 : 0)) }
        if let instant, underWay.isEmpty || chance(0.5) {
            // Slightly early, on time, or late.
            let late = Duration.milliseconds([-3, 0, 0, 1, 2000].randomElement(using: &random) ?? 0)
            advance(to: max(now.elapsed, instant + late))
            return .woke(take(chance(0.3) ? Int.random(in: 0...2, using: &random) : 0))
        }
        // A step must not need more answers than it asked for. Sometimes it gets another number.
        return .woke(take(chance(0.8) ? max(1, answers) : Int.random(in: 0...underWay.count, using: &random)))
    }

    /// Answers to some random requests.
    private mutating func take(_ count: Int) -> [Inbox.Answer] {
        (0..<min(count, underWay.count)).map { _ in
            let departure = underWay.remove(at: Int.random(in: 0..<underWay.count, using: &random))
            return Inbox.Answer(asked: departure.asked, exchange: answer(departure.request, &random))
        }
    }

    /// Lets some time pass, or none. Sometimes the wall clock is set.
    private mutating func pass() {
        let milliseconds = [0, 0, 0, 1, 7, 150, 900].randomElement(using: &random) ?? 0
        advance(to: now.elapsed + .milliseconds(milliseconds))
        if chance(0.01) { now.date += Double.random(in: -30...30, using: &random) }
    }

    mutating func advance(to instant: Duration) {
        now.date = now.date.adding(instant - now.elapsed)
        now.elapsed = instant
    }

    private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
}

extension RunContext {
    /// Recipients that lists name by other registrations too. Those of 3 cannot be found any more.
    static let sampleOthers: [RecipientID: [Registration]] = [2: [.token(2), .token(2, version: 2)], 3: []]

    /// A context for tests that only care about these values.
    static func sample(
        rate: Rate = .unlimited, capacity: Int = 8, stop: Stop? = nil, seed: UInt64 = 1
    ) -> RunContext {
        var fcm = FCMSettings()
        (fcm.rate, fcm.subscriptionRate, fcm.ramp, fcm.topicAPI) = (rate, rate, .zero, .registrations)
        var context = RunContext(
            RunOptions(fcm: fcm, guards: GuardLimits()), capacity: capacity, random: SeededRandom(seed: seed),
            fingerprints: Fingerprinter(key: Array(0..<32)),
            withOthers: RecipientSet(sampleOthers.keys.sorted()), recorded: .blank,
            endpoint: .emulator, began: Laboratory.start)
        context.stop = stop
        return context
    }
}

extension StepState {
    static func sample(_ work: Plan.Work) throws -> StepState {
        let members: RecipientSet
        switch work {
        case .subscribe(_, let all), .unsubscribe(_, let all): members = all
        case .adopt: members = []
        case .group(let change): members = change.members
        case .send(let send): members = send.members
        }
        return StepState(
            try StepWork(work, isDryRun: false, begun: Laboratory.start, now: Laboratory.start), members: members,
            probesAPI: false, report: StepReport(Plan.Step(work: work, reason: "")))
    }
}

extension StepEffect {
    /// The effect's name, without its contents.
    var word: String {
        switch self {
        case .lookForPauses: "look"
        case .prepare: "prepare"
        case .read: "read"
        case .readRows: "rows"
        case .findOthers: "others"
        case .commit: "commit"
        case .share: "share"
        case .claim: "claim"
        case .leave: "leave"
        case .send: "send"
        case .wait: "wait"
        case .yield: "yield"
        case .finish: "finish"
        }
    }
}
