import FCM
import HeraldTestSupport
import Synchronization

@testable import HeraldCore

/// What happens to one run of a life.
struct LifeFate: Sendable {
    /// Out of a hundred requests, so many meet with a mishap.
    var mishaps = 0
    /// The process dies at that commit, or at that request.
    var diesAtCommit = Int.max
    var diesAtCall = Int.max
    /// Somebody stops the run, or pauses every campaign, at that request.
    var stopsAtCall = Int.max
    var stop = Stop.machine
    var pausesAtCall = Int.max
    var hasWrongClock = false
    var seed: UInt64 = 0
    /// Mishaps that do not happen.
    var spared: Set<LifeMishap> = []

    /// Whether nothing disturbs the run.
    var isQuiet: Bool {
        mishaps == 0 && !hasWrongClock && min(diesAtCommit, diesAtCall, stopsAtCall, pausesAtCall) == .max
    }
}

/// What went wrong with a request between herald and FCM.
enum LifeMishap: String, CaseIterable, Sendable {
    case lostBefore, lostAfter, notSent, unavailable, unavailableAfter, proxy, proxyAfter, internalError,
        internalErrorAfter, quota, refused, mismatch
    /// A membership changed, and FCM says that it could not.
    case changedAllTheSame

    /// Whether FCM says in its own words that it wants to be asked again. Then a second message is possible.
    var asksAgain: Bool {
        switch self {
        case .unavailable, .unavailableAfter, .internalError, .internalErrorAfter, .quota: true
        default: false
        }
    }

    /// Whether the answer settles the request without a message.
    var isRefusal: Bool { self == .refused || self == .mismatch }

    /// Whether an error is the answer to a request that had its effect.
    var isAfterEffect: Bool { [.unavailableAfter, .proxyAfter, .internalErrorAfter].contains(self) }

    func fault(for request: Request) -> ModelFCM.Fault {
        switch self {
        case .lostBefore: .loseRequest
        case .lostAfter: .loseAnswer
        case .notSent: .answer(.notSent(reason: "GOAWAY"))
        case .unavailable: .answer(Self.busy)
        case .unavailableAfter, .changedAllTheSame: .replaceAnswer(Self.busy)
        case .proxy: .answer(.json(503, "<html>"))
        case .proxyAfter: .replaceAnswer(.json(503, "<html>"))
        case .internalError: .answer(Self.broken)
        case .internalErrorAfter: .replaceAnswer(Self.broken)
        case .quota: .answer(.error(429, "RESOURCE_EXHAUSTED", fcm: "QUOTA_EXCEEDED", retryAfter: "2"))
        case .refused:
            if case .group = request {
                .answer(.groupError("INVALID_SENDER"))
            } else {
                .answer(.error(400, "INVALID_ARGUMENT", fcm: "INVALID_ARGUMENT"))
            }
        case .mismatch: .answer(.error(403, "PERMISSION_DENIED", fcm: "SENDER_ID_MISMATCH"))
        }
    }

    private static let busy = Exchange.error(503, "UNAVAILABLE", fcm: "UNAVAILABLE")
    private static let broken = Exchange.error(500, "INTERNAL", fcm: "INTERNAL")
}

/// What is seen of one run from outside: its requests with what came of them, and what it told.
final class LifeRun: Sendable {
    struct Content: Sendable {
        var isDead = false
        var isStopped = false
        /// Whether guards let herald do nothing.
        var isRefused = false
        var random: SeededRandom
        /// By the number of the request.
        var mishaps: [Int: LifeMishap] = [:]
        var starts: [(offset: Duration, date: Date)] = []
        /// The occurrence that intents were written for, with the number of the next request.
        var begun: [(call: Int, occurrence: OccurrenceID)] = []
        var plans: [Proposal] = []
        var report: Report?
    }

    let fate: LifeFate
    private let content: Mutex<Content>

    init(_ fate: LifeFate) {
        self.fate = fate
        content = Mutex(Content(random: SeededRandom(seed: fate.seed)))
    }

    var now: Content { content.withLock { $0 } }
    func change(_ body: (inout Content) -> Void) { content.withLock { body(&$0) } }

    var isDead: Bool { content.withLock(\.isDead) }

    /// Called for each request before it arrives.
    func fault(_ request: Request, _ number: Int, at offset: Duration, _ date: Date) -> ModelFCM.Fault? {
        content.withLock { content in
            content.starts.append((offset, date))
            if number >= fate.stopsAtCall { content.isStopped = true }
            guard Int.random(in: 0..<100, using: &content.random) < fate.mishaps else { return nil }
            var mishap = LifeMishap.allCases.randomElement(using: &content.random) ?? .quota
            if case .send = request {} else if mishap.isAfterEffect { mishap = .changedAllTheSame }
            if case .send = request, mishap == .changedAllTheSame { mishap = .quota }
            guard !fate.spared.contains(mishap) else { return nil }
            content.mishaps[number] = mishap
            return mishap.fault(for: request)
        }
    }

    func dies(atCommit number: Int) -> Bool {
        content.withLock { content in
            if number >= fate.diesAtCommit { content.isDead = true }
            return content.isDead
        }
    }

    func dies(atCall number: Int) -> Bool {
        content.withLock { content in
            if number >= fate.diesAtCall { content.isDead = true }
            return content.isDead
        }
    }

    func note(_ changes: [StateChange], before call: Int) {
        for case .outcome(let id, _, .intended?) in changes {
            content.withLock { $0.begun.append((call, id)) }
        }
    }
}

/// Carries requests to the model at once, unless the process is dead.
struct LifeSender: Sender {
    let fcm: ModelFCM
    let run: LifeRun
    let date: @Sendable () -> Date
    let time: SimulatedTime
    /// How long an answer takes.
    let latency: Duration
    let store: MemoryStore
    let capacity: Int

    func start(_ calls: [Call]) async {
        for call in calls {
            let number = fcm.calls.count
            guard !run.dies(atCall: number) else {
                call.answer(.lost(reason: "the process is dead"))
                continue
            }
            if number >= run.fate.pausesAtCall { try? store.commit([.pause(nil)]) }
            let exchange = fcm.answer(call.request)
            guard latency > .zero else {
                call.answer(exchange)
                continue
            }
            Task(executorPreference: time) { [time, latency] in
                try? await time.sleep(for: latency)
                call.answer(exchange)
            }
        }
    }
}
