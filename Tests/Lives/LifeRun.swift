import FCM
import Foundation
import HeraldTestSupport
import Synchronization

@testable import HeraldCommands
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
    /// The author edits a campaign at that request.
    var editsAtCall = Int.max
    /// The machine sleeps for so long, once that request has arrived.
    var sleepsAtCall = Int.max
    var sleep = Duration.zero
    var hasWrongClock = false
    /// How long an answer takes. `nil`: as always in this life.
    var latency: Duration?
    var seed: UInt64 = 0
    /// Mishaps that do not happen.
    var spared: Set<LifeMishap> = []

    /// Whether nothing disturbs the run.
    var isQuiet: Bool {
        mishaps == 0 && !hasWrongClock && latency == nil
            && min(diesAtCommit, diesAtCall, stopsAtCall, pausesAtCall, editsAtCall, sleepsAtCall) == .max
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
    /// Changes that one commit made, before the request of that number.
    struct Note: Sendable {
        var call: Int
        var offset: Duration
        var changes: [StateChange]
    }

    struct Content: Sendable {
        var isDead = false
        var isStopped = false
        /// Whether guards let herald do nothing.
        var isRefused = false
        /// Whether something was left out because nobody approved it.
        var isUnapproved = false
        /// Whether a saved plan was not true any more.
        var isStale = false
        var random: SeededRandom
        /// By the number of the request.
        var mishaps: [Int: LifeMishap] = [:]
        var starts: [(offset: Duration, date: Date)] = []
        /// The occurrence that intents were written for, with the number of the next request.
        var begun: [(call: Int, occurrence: OccurrenceID)] = []
        /// Whom the run skipped for good. Without a reason: whom FCM had refused for now, and who is not tried again.
        var skipped: [(occurrence: OccurrenceID, members: RecipientSet, reason: SkipReason?)] = []
        /// Whom it noted as rejected for another reason, or left as they had been before a person had them tried again.
        var rejected: [(occurrence: OccurrenceID, members: RecipientSet)] = []
        /// What it committed about occurrences.
        var notes: [Note] = []
        var plans: [Proposal] = []
        /// What the run does of its first plan.
        var course: RunCourse?
        var report: Report?
        var commits = 0
        /// The title of the campaign that was edited in mid-run, and when.
        var edited: (title: String, offset: Duration)?
        /// What the state had to tell people, after each commit of it.
        var toldNotes: [String] = []
        /// What standard error says.
        var told = ""

        /// Whether a run may not have noticed the edit yet. It looks every second.
        func mayStillSend(_ title: String, at offset: Duration) -> Bool {
            edited.map { $0.title == title && offset <= $0.offset + .seconds(1) } ?? false
        }
    }

    let fate: LifeFate
    private let content: Mutex<Content>
    private let signals = Signals()
    private let died: @Sendable () -> Void

    /// - Parameter died: called when the process dies.
    init(_ fate: LifeFate, died: @escaping @Sendable () -> Void = {}) {
        (self.fate, self.died) = (fate, died)
        content = Mutex(Content(random: SeededRandom(seed: fate.seed)))
    }

    var now: Content { content.withLock { $0 } }
    func change(_ body: (inout Content) -> Void) { content.withLock { body(&$0) } }

    var isDead: Bool { content.withLock(\.isDead) }

    /// Called for each request before it arrives.
    func fault(_ request: Request, _ number: Int, at offset: Duration, _ date: Date) -> ModelFCM.Fault? {
        content.withLock { content in
            content.starts.append((offset, date))
            if number >= fate.stopsAtCall, !content.isStopped {
                content.isStopped = true
                signals.receive(fate.stop == .person ? SIGINT : SIGTERM)
            }
            guard Int.random(in: 0..<100, using: &content.random) < fate.mishaps else { return nil }
            var mishap = LifeMishap.allCases.randomElement(using: &content.random) ?? .quota
            if case .send = request {} else if mishap.isAfterEffect { mishap = .changedAllTheSame }
            if case .send = request, mishap == .changedAllTheSame { mishap = .quota }
            guard !fate.spared.contains(mishap) else { return nil }
            content.mishaps[number] = mishap
            return mishap.fault(for: request)
        }
    }

    /// What asks the run to stop.
    var stopping: Signals { signals }

    /// Called before each commit: whether the process dies instead.
    func diesAtNextCommit() -> Bool {
        dies { content in
            content.commits += 1
            return content.commits > fate.diesAtCommit
        }
    }

    func dies(atCall number: Int) -> Bool { dies { _ in number >= fate.diesAtCall } }

    private func dies(_ condition: (inout Content) -> Bool) -> Bool {
        let (isDead, isNew) = content.withLock { content in
            let wasDead = content.isDead
            if condition(&content) { content.isDead = true }
            return (content.isDead, content.isDead && !wasDead)
        }
        if isNew { died() }
        return isDead
    }

    func note(_ changes: [StateChange], before call: Int, at offset: Duration) {
        let ofStages = changes.filter { $0.ofStages != nil }
        if !ofStages.isEmpty {
            content.withLock { $0.notes.append(Note(call: call, offset: offset, changes: ofStages)) }
        }
        for case .note(.told, let text) in changes { content.withLock { $0.toldNotes.append(text) } }
        for case .outcome(let id, _, .intended?) in changes {
            content.withLock { $0.begun.append((call, id)) }
        }
        for case .skip(let id, let members, let reason) in changes {
            content.withLock { $0.skipped.append((id, members, reason)) }
        }
        for case .restore(let id, let members) in changes {
            content.withLock { $0.rejected.append((id, members)) }
        }
        for case .reject(let id, let members, let code) in changes {
            content.withLock { content in
                if code == "UNAVAILABLE" {
                    content.skipped.append((id, members, nil))
                } else {
                    content.rejected.append((id, members))
                }
            }
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
    /// Pauses every campaign.
    let pause: @Sendable () async -> Void
    /// Edits a campaign.
    let edit: @Sendable () async -> Void
    let capacity: Int

    func start(_ calls: [Call]) async {
        let first = fcm.calls.count
        defer { if first..<first + calls.count ~= run.fate.sleepsAtCall { time.advance(by: run.fate.sleep) } }
        for call in calls {
            let number = fcm.calls.count
            guard !run.dies(atCall: number) else {
                call.answer(.lost(reason: "the process is dead"))
                continue
            }
            if number >= run.fate.pausesAtCall { await pause() }
            if number >= run.fate.editsAtCall, run.now.edited == nil { await edit() }
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
