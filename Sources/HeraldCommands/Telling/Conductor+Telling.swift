import Foundation
import HeraldCore
import HeraldStore
import Synchronization

/// What a run has for people. It is noted in the state while the run has the lock, and told beside it: no webhook may
/// keep the run or the next one waiting.
final class Telling: Sendable {
    /// What was noted and is not told yet.
    let news: AsyncStream<Noted>
    private let noting: AsyncStream<Noted>.Continuation
    private let hasEnd = Atomic(false)
    private let hasDeaths = Mutex(false)
    private let signals = Mutex<Signals?>(nil)

    struct Noted: Sendable {
        var told: Told
        var delivered: Set<String>
        var report: Report?
        var files: RunFiles?
        /// What keeps it, if no state does.
        var outside: ToldFile?
    }

    init() { (news, noting) = AsyncStream.makeStream() }

    func note(_ noted: Noted) { noting.yield(noted) }

    /// Nothing more is noted.
    func close() { noting.finish() }

    /// How the run ended is noted.
    func noteEnd() { hasEnd.store(true, ordering: .sequentiallyConsistent) }

    var hasNotedEnd: Bool { hasEnd.load(ordering: .sequentiallyConsistent) }

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

    /// What the state must know before a run ends anything, so that people are told of it also if the run dies.
    ///
    /// - Parameter started: when the run began.
    func tellingBegin(_ recorded: RecordedState, at started: Date) -> [StateChange] {
        guard isReal, !webhooks.isEmpty else { return [] }
        var told = recorded.told
        told.begin(at: started, in: recorded)
        return told == recorded.told ? [] : [.told(told)]
    }

    /// What the state must know of what is too late, with the changes after which no run finds that again. A state may
    /// be large, so only what the news say is read of it.
    ///
    /// - Parameters:
    ///   - identity: the state's.
    ///   - started: when the run began.
    func tellingMissed(
        _ missed: [Plan.Missed], with changes: [StateChange], in store: any StateStore,
        _ identity: RecordedState.Identity, started: Date
    ) async throws -> [StateChange] {
        var recorded = RecordedState(identity: identity)
        recorded.notes = try await store.notes()
        var news = Told.News(run: request.id, started: started, now: request.now())
        news.missed = missed
        for id in missed.recorded(before: changes) {
            recorded.occurrences[id] = try await store.occurrence(id)
        }
        let before = recorded.told
        var told = before
        recorded.apply(changes)
        told.takeMissed(news, in: recorded)
        return told == before ? [] : [.told(told)]
    }

    /// Notes at once that herald stopped a send, while others go on.
    ///
    /// - Parameter started: when the run began.
    func noteHalt(
        _ step: StepReport, in store: any StateStore, under lock: (any StateLock)?, started: Date
    ) async {
        guard isReal, !webhooks.isEmpty, lock?.mayWrite?() != false, let need = Need(haltedIn: step),
            let recorded = try? await store.snapshot(),
            recorded.occurrences[OccurrenceID(rawValue: need.name)]?.halt != nil
        else { return }
        var news = Told.News(run: request.id, started: started, now: request.now())
        (news.needs, news.areNew) = ([need], true)
        await note(news, in: store, recorded, nil, nil)
    }

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
        (news.missed, news.isEnd) = (report.missedOccurrences, true)
        // Whoever was interrupted does not know what is well.
        if report.result != .interrupted, let proposal {
            news.areAll = true
            let reports = (try? await context.unwrittenReports(in: store, recorded)) ?? [:]
            news.needs = Need.all(
                in: proposal, context.files.listAges(of: context.files.knownLists, at: news.now),
                lastRun: recorded.lastRun, every: context.settings.runEvery, atWork: .thisRun, reports)
        }
        request.telling.noteEnd()
        await note(news, in: store, recorded, report, files)
        noteState()
    }

    /// The state can be used again.
    private func noteState() {
        let file = ToldFile(context)
        guard let known = file.read() else { return }
        var news = Told.News(run: request.id, started: request.now(), now: request.now())
        news.areAll = true
        note(news, in: file, known)
    }

    private func note(_ news: Told.News, in file: ToldFile, _ known: RecordedState) {
        var (told, known) = (known.told, known)
        told.take(news, in: known, for: webhooks)
        known.apply([.told(told)])
        do { try file.write(known) } catch {
            return console.error("herald: nobody is told what is new: it could not be noted in .herald/told\n")
        }
        request.telling.note(.init(told: told, delivered: known.delivered, outside: file))
    }

    /// What a run would do now, after one that sent something.
    func proposal(after lists: RunLists?, in store: any StateStore, _ recorded: RecordedState) async -> Proposal? {
        let now = request.now()
        guard let lists, let desired = try? await lists.desired(at: now, store: store) else { return nil }
        return try? context.files.proposal(
            desired, from: KnownState(store: store, recorded: recorded), at: now, clock: context.machine.now(),
            PlanScope())
    }

    /// Notes that a run could not go on. Whoever types `apply` sees it.
    ///
    /// - Parameter lock: Without one, or without a state, the news are kept in the workspace.
    func noteFailure(_ error: any Error, under lock: (any StateLock)?) async {
        guard isReal, case .leaveOut = request.guards, !webhooks.isEmpty, !request.telling.hasNotedEnd else { return }
        let failure = CommandFailure(blaming: error)
        if case .interrupted = failure.status { return }
        guard failure.status != .locked, lock?.mayWrite?() != false else { return }
        var news = Told.News(run: request.id, started: request.now(), now: request.now())
        news.needs = [(error as? StateError)?.isMissing == true ? .missingState : failure.need]
        if lock != nil, let store = try? await context.state.openIfPresent(for: .changing),
            let recorded = try? await store.snapshot()
        {
            return await note(news, in: store, recorded, nil, nil)
        }
        let file = ToldFile(context)
        note(news, in: file, file.read() ?? file.blank)
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

    /// Does what notes news, and tells them meanwhile. What does not arrive is told by the next run.
    func telling(_ body: () async throws -> Void) async rethrows {
        async let told: Void = tellNews()
        do { try await body() } catch {
            request.telling.close()
            await told
            throw error
        }
        request.telling.close()
        await told
    }

    private func tellNews() async {
        let telling = request.telling
        var arrived: Set<String> = []
        for await noted in telling.news where !telling.isStopped {
            arrived.formUnion(noted.delivered)
            let outcome = await Notifier(context).tell(
                noted.told.outbox, amid: noted.told.current, except: arrived, unless: { telling.isStopped }
            ) {
                // At once: if the run dies while another webhook does not answer, this one is not told again.
                arrived.formUnion($0)
                do { try await noteArrival(of: noted, arrived) } catch {
                    console.error("herald: the state could not note that people were told; they are told again\n")
                }
            }
            for problem in outcome.problems { console.error("herald: \(problem)\n") }
            if var report = noted.report, let files = noted.files, !outcome.problems.isEmpty {
                report.notes += outcome.problems
                try? files.save(report)
            }
        }
    }

    private func noteArrival(of noted: Telling.Noted, _ arrived: Set<String>) async throws {
        let ids = Set(noted.told.outbox.map(\.id))
        let kept = arrived.filter { ids.contains(String($0.prefix { $0 != " " })) }
        guard let file = noted.outside else {
            return try await context.state.open(for: .changing).commit([.delivered(kept)])
        }
        let isLeft =
            noted.told.isTroubled
            || !noted.told.outbox.allSatisfy { notice in
                webhooks.allSatisfy { !notice.concerns($0) || kept.contains(notice.key(for: $0)) }
            }
        guard isLeft else { return file.remove() }
        var known = file.blank
        known.apply([.told(noted.told), .delivered(kept)])
        try file.write(known)
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
        await conductor.telling { await lock.hold { await conductor.noteFailure(error, under: lock) } }
    }
}

extension CommandFailure {
    /// What people are told of it.
    fileprivate var need: Need {
        guard let message else {
            return Need(failure: "No run works: a file of the workspace has a mistake.", command: "herald validate")
        }
        let text = ([message] + (help.map { [$0] } ?? [])).joined(separator: "; ").maskingSecrets
        return Need(failure: "A run could not do its work: \(text).", command: command ?? "herald run")
    }
}
