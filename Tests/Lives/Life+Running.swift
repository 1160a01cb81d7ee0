import FCM
import HeraldTestSupport

@testable import HeraldCore

/// How a life calls herald: what `apply` and `run` do between the lock and the exit status.
extension Life {
    enum Call: Hashable {
        /// A person applies; with `overrides`, they let every refusal of a guard through.
        case apply(overrides: Bool)
        /// Cron calls.
        case run
    }

    /// One call, and what its outside shows judged.
    func call(_ call: Call, _ fate: LifeFate = LifeFate()) async throws {
        var fate = fate
        fate.spared = spared
        let run = LifeRun(fate)
        currentRun.set(run, skew)
        fcm.change {
            $0.calls = []
            $0.arrivals = []
            $0.pushes = []
        }
        let (begin, deaths) = (now, store.deaths)
        if let fast = fastUntil, skew == 0 {
            // Of a disabled campaign, runs do not tell that its mark is ahead.
            let declared = Set(files.campaigns.filter(\.isEnabled).map(\.line))
            for line in lines.keys where now >= fast || !declared.contains(line) { lines[line]?.pass(until: fast) }
            fastUntil = nil
        }
        let isWhole = try await carryOut(call, run)
        tell(words(for: call, run))
        time.advance(by: .seconds(1))
        hasDied = hasDied || run.isDead
        try account(run)
        // Whoever is dead leaves no list.
        if store.deaths != deaths { refused = [] }
        if run.isDead { noteWhatDied() } else if !run.now.isRefused { noteSeen() }
        noteMissed(run)
        guard isWhole, fate.isQuiet, !run.isDead, run.now.mishaps.isEmpty, !isForgiven else { return }
        try judge(run, at: begin)
        // Whom FCM calls dead in this run may have another registration, which the next run subscribes.
        guard store.deaths == deaths, run.now.report.map({ $0.result == .ok }) ?? true else { return }
        try await checkSettled(after: run, at: begin)
    }

    /// Returns whether nothing was left out.
    private func carryOut(_ call: Call, _ run: LifeRun) async throws -> Bool {
        let store = store
        let probe = ProbedStore(
            store, refuses: { run.dies(atCommit: $0) },
            committed: { [fcm] changes, _ in run.note(changes, before: fcm.calls.count) })
        let workspace = files.workspace(settings)
        let index = try files.recipientIndex(of: workspace)
        var recorded = store.snapshot()
        let wanted = try await Wanted(
            workspace, index, knownTo: store, as: recorded, noting: nil, keep: nil, sorted: { index })
        let proposal = Planner.proposal(input(wanted.desired, recorded), at: now)
        run.change { $0.plans.append(proposal) }
        if comparesForecasts { try await checkForecast(proposal, wanted.desired, recorded, workspace) }
        var policy = GuardPolicy.leaveOut
        switch call {
        case .apply(true):
            policy = .stop(Overrides(Guard.allCases.map(\.rawValue)) ?? Overrides())
            if recorded.serial < reportedSerial {
                // A person knows what the older state has forgotten. From now on herald may repeat itself.
                isForgiven = true
                try store.commit([.outgrow(reportedSerial)])
                recorded.apply([.outgrow(reportedSerial)])
            }
        case .apply(false): policy = .stop(Overrides())
        case .run: break
        }
        let course = RunCourse(proposal, policy, in: workspace, sizes: wanted.desired.audienceSizes)
        try checkRefusals(proposal, call)
        guard course.blocking.isEmpty else {
            run.change { $0.isRefused = true }
            return false
        }
        let isWhole = course.leftOut.isEmpty
        if call != .apply(overrides: true) { try checkGuarded(course.plan) }
        try await wanted.record(in: store)
        if course.plan.isEmpty {
            let changes = course.bookkeeping(at: now)
            let isSaved = (try? await probe.commit(changes)) != nil
            // Then a report says it.
            if isSaved, changes.contains(where: \.isEffect) {
                reportedSerial = max(reportedSerial, store.snapshot().serial)
            }
            return isWhole
        }
        recorded.apply(wanted.desired.registrations.changes)
        let report = try await execute(course, recorded, run, probe, wanted, policy.overrides, call)
        run.change { $0.report = report }
        reportedSerial = max(reportedSerial, store.snapshot().serial)
        return isWhole && report.result != .interrupted && !report.isUnreachable && !report.wasBlocked
    }

    func input(_ desired: Desired, _ recorded: RecordedState) -> Planner.Input {
        Planner.Input(desired: desired, state: recorded, settings: settings, reportedSerial: reportedSerial)
    }

    private func execute(
        _ course: RunCourse, _ recorded: RecordedState, _ run: LifeRun, _ probe: ProbedStore, _ wanted: Wanted,
        _ overrides: Overrides, _ call: Call
    ) async throws -> Report {
        let (time, skew, settings) = (time, skew, settings)
        let date: @Sendable () -> Date = { Life.date(at: time.now.offset, skew) }
        let sender = LifeSender(
            fcm: fcm, run: run, date: date, time: time, latency: latency, store: store,
            capacity: Int(seed % 5) + 1)
        let lookAgain: @Sendable (Date) async -> Plan? = { [store] date in
            let input = Planner.Input(
                desired: wanted.desiredOnceRecorded, state: store.snapshot(), settings: settings)
            let proposal = Planner.proposal(input, at: date)
            run.change { $0.plans.append(proposal) }
            return course.rest(of: proposal)
        }
        let surroundings = Executor<SimulatedTime>.Surroundings(
            store: probe, sender: sender, clock: time, now: date, random: SeededRandom(seed: run.fate.seed),
            fingerprints: Fingerprinter(key: probe.fingerprintKey),
            stop: { run.now.isStopped ? run.fate.stop : nil }, lookAgain: call == .run ? lookAgain : nil,
            others: OtherRegistrations(of: wanted.withOthers) { [store] in
                (try? await wanted.others(of: $0, knownTo: store)) ?? [:]
            })
        let report = Report(
            run: "r", plan: course.plan, planDigest: "sha256:", isDryRun: false, started: date(), endpoint: .emulator,
            project: "p", version: "1")
        return try await course.carryOut(
            from: recorded, .init(fcm: settings.fcm, guards: settings.guards, overrides: overrides, mode: .apply),
            in: surroundings, report: report)
    }

    private func words(for call: Call, _ run: LifeRun) -> String {
        let content = run.now
        var words = call == .run ? "run" : call == .apply(overrides: true) ? "apply, guards overridden" : "apply"
        if let plan = content.plans.first?.plan {
            let steps = plan.steps.map { "\($0.id)×\($0.work.planned)\($0.refusal == nil ? "" : " refused")" }
            words += ": " + (steps.isEmpty ? "nothing to do" : steps.joined(separator: ", "))
            if !plan.refusals.isEmpty { words += "; guards \(plan.refusals.map(\.kind.rawValue))" }
            if !plan.missed.isEmpty { words += "; missed \(plan.missed.map(\.occurrence.rawValue))" }
            if !plan.held.isEmpty { words += "; held \(plan.held.map { "\($0.occurrence) (\($0.reason))" })" }
        }
        if let warnings = content.plans.first?.overview.warnings, !warnings.isEmpty { words += "; warns \(warnings)" }
        if !content.mishaps.isEmpty {
            let mishaps = content.mishaps.sorted { $0.key < $1.key }
            words += "; mishaps \(mishaps.map { "\($0.key) \($0.value)" }.joined(separator: ", "))"
        }
        if let report = content.report {
            let steps = report.steps.map {
                "\($0.id) \($0.accepted)+\($0.rejected)+\($0.unknown)+\($0.skipped)+\($0.held)+\($0.pending)"
            }
            words += run.isDead ? "; then it died" : " → \(report.result.rawValue): \(steps.joined(separator: ", "))"
        } else if run.isDead {
            words += "; it died"
        }
        return words + (isTraced ? "; \(trace()); died at \(run.fate.diesAtCommit), \(run.fate.diesAtCall)" : "")
    }

    /// The requests of the last run.
    private func trace() -> String {
        fcm.calls.enumerated().map { number, request in
            let words =
                switch request {
                case .send(let body): "send \((try? JSONValue(parsing: body))?["message"]?.target ?? "")"
                case .subscribe(let registration, let topic): "join \(topic) \(registration.rawValue)"
                case .unsubscribe(let registration, let topic): "leave \(topic) \(registration.rawValue)"
                case .batch(let operation, let topic, let some): "\(operation) \(topic) \(some.map(\.rawValue))"
                case .group(let operation): "group \(operation.name)"
                case .read: "read"
                }
            return "\(number): \(words.replacing("cTEST00000000000000", with: "").replacing("00000000", with: ""))"
        }.joined(separator: ", ")
    }
}

extension JSONValue {
    /// Who gets a message.
    fileprivate var target: String { ["fid", "token", "topic", "condition"].compactMap { self[$0]?.string }.joined() }
}

extension MemoryStore {
    /// How many registrations it knows to be dead.
    fileprivate var deaths: Int { tombstones(after: nil, limit: .max).count }
}
