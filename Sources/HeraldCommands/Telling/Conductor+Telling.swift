import Foundation
import HeraldCore
import HeraldStore
import Synchronization

/// What a run has for people. It is noted in the state while the run has the lock, and told when the lock is free: no
/// webhook may keep the next run waiting.
final class Telling: Sendable {
    private let noted = Mutex<Noted?>(nil)
    private let hasDeaths = Mutex(false)
    private let signals = Mutex<Signals?>(nil)

    struct Noted: Sendable {
        var told: Told
        var delivered: Set<String>
        var report: Report?
        var files: RunFiles?
    }

    func note(_ noted: Noted) { self.noted.withLock { $0 = noted } }

    /// Once.
    func take() -> Noted? {
        noted.withLock { noted in
            defer { noted = nil }
            return noted
        }
    }

    var hasNoted: Bool { noted.withLock { $0 != nil } }

    /// Dead registrations are numbered, for whom herald.yaml names.
    func noteDeaths() { hasDeaths.withLock { $0 = true } }

    /// Once.
    func takeDeaths() -> Bool {
        hasDeaths.withLock { hasDeaths in
            defer { hasDeaths = false }
            return hasDeaths
        }
    }

    /// Nobody is told any more after one of these.
    func end(with signals: Signals) { self.signals.withLock { $0 = signals } }

    var isStopped: Bool { signals.withLock { $0?.first ?? 0 } != 0 }
}

extension Conductor {
    private var webhooks: [Webhook] { context.settings.webhooks }

    /// Notes what is new after a run that came to its end. A failure must not hide how the run ended.
    ///
    /// - Parameters:
    ///   - proposal: what a run would do now. `nil` if that is not known.
    ///   - recorded: the state as it is now.
    func noteNews(
        of report: Report, _ proposal: Proposal?, in store: any StateStore, _ recorded: RecordedState,
        _ files: RunFiles? = nil
    ) async {
        guard isReal, !webhooks.isEmpty else { return }
        var news = Told.News(run: report.run, started: report.started, now: request.now())
        news.missed = report.missedOccurrences
        // Whoever was interrupted does not know what is well.
        let whole = report.result == .interrupted ? nil : proposal
        news.needs = whole.map { proposal in
            Need.all(
                in: proposal, context.files.listAges(of: context.files.knownLists, at: news.now),
                lastRun: recorded.lastRun, every: context.settings.runEvery, atWork: .thisRun)
        }
        await note(news, in: store, recorded, report, files)
    }

    /// What a run would do now, after one that sent something.
    func proposal(after lists: RunLists?, in store: any StateStore, _ recorded: RecordedState) async -> Proposal? {
        let now = request.now()
        guard let lists, let desired = try? await lists.desired(at: now, store: store) else { return nil }
        return try? context.files.proposal(
            desired, from: KnownState(store: store, recorded: recorded), at: now, PlanScope())
    }

    /// Notes that a run could not go on. Whoever types `apply` sees it.
    func noteFailure(_ error: any Error) async {
        guard isReal, case .leaveOut = request.guards, !webhooks.isEmpty, !request.telling.hasNoted else { return }
        let failure = CommandFailure(blaming: error)
        if case .interrupted = failure.status { return }
        guard failure.status != .locked, let store = try? await context.state.openIfPresent(for: .changing),
            let recorded = try? await store.snapshot()
        else { return }
        var news = Told.News(run: request.id, started: request.now(), now: request.now())
        news.failure = failure.news
        await note(news, in: store, recorded, nil, nil)
    }

    private func note(
        _ news: Told.News, in store: any StateStore, _ recorded: RecordedState, _ report: Report?, _ files: RunFiles?
    ) async {
        var told = recorded.told
        told.take(news, in: recorded, for: webhooks)
        do { if told != recorded.told { try await store.commit([.told(told)]) } } catch {
            return console.error("herald: nobody is told what is new: the state could not note it\n")
        }
        request.telling.note(.init(told: told, delivered: recorded.delivered, report: report, files: files))
    }

    /// Tells what is noted. What does not arrive is told by the next run.
    func tellNews() async {
        guard !request.telling.isStopped, var noted = request.telling.take(), !noted.told.outbox.isEmpty else { return }
        let outcome = await Notifier(context).tell(noted.told.outbox, except: noted.delivered)
        for problem in outcome.problems { console.error("herald: \(problem)\n") }
        if var report = noted.report, let files = noted.files, !outcome.problems.isEmpty {
            report.notes += outcome.problems
            try? files.save(report)
        }
        guard !outcome.arrived.isEmpty else { return }
        let ids = Set(noted.told.outbox.map(\.id))
        noted.delivered.formUnion(outcome.arrived)
        let kept = noted.delivered.filter { ids.contains(String($0.prefix { $0 != " " })) }
        do { try await context.state.open(for: .changing).commit([.delivered(kept)]) } catch {
            console.error("herald: the state could not note that people were told; they are told again\n")
        }
    }

    /// Tells that a run could not even begin, such as for a mistake in a file.
    ///
    /// - Parameter settings: those of the workspace, as far as they can be read.
    static func tellFailure(_ error: any Error, _ settings: Settings?, _ request: RunRequest, _ common: Common) async {
        guard settings?.webhooks.isEmpty == false, let context = try? CommandContext.openSettings(common) else {
            return
        }
        let conductor = Conductor(context: context, request: request)
        // Whoever has the lock tells how that run ends.
        guard let lock = try? await context.state.lock(for: request.id) else { return }
        await lock.hold { await conductor.noteFailure(error) }
        await conductor.tellNews()
    }
}

extension CommandFailure {
    /// What people are told of it.
    fileprivate var news: (sentence: String, command: String) {
        guard let message else { return ("No run works: a file of the workspace has a mistake.", "herald validate") }
        let text = ([message] + (help.map { [$0] } ?? [])).joined(separator: "; ").maskingSecrets
        return ("A run could not do its work: \(text).", "herald run")
    }
}
