import ArgumentParser
import FCM
import Foundation
import HeraldStore
import HeraldTestSupport

@testable import HeraldCommands
@testable import HeraldCore

/// How a life calls herald: as people and cron do, with a command line.
extension Life {
    enum Call: Hashable {
        /// A person applies; with `overrides`, they let every refusal of a guard through.
        case apply(overrides: Bool)
        /// Cron calls.
        case run
        /// A person applies a plan that was saved then.
        case applySaved(at: Date)
        /// A person applies one campaign and its target.
        case applyOnly(String)

        fileprivate func arguments(in folder: LifeFolder) -> [String] {
            switch self {
            case .apply(true):
                ["apply", "--auto-approve"] + Guard.allCases.flatMap { ["--override", $0.rawValue] }
            case .apply(false): ["apply", "--auto-approve"]
            case .run: ["run"]
            case .applySaved: ["apply", folder.savedPlan]
            case .applyOnly(let name): ["apply", "--auto-approve", "--campaign", name]
            }
        }
    }

    /// One call, and what its outside shows judged.
    func call(_ call: Call, _ fate: LifeFate = LifeFate()) async throws {
        var fate = fate
        fate.spared = spared
        let run = newRun(fate)
        currentRun.set(run, skew)
        runFiles = files
        fcm.change {
            $0.calls = []
            $0.arrivals = []
            $0.pushes = []
        }
        noteOwnership()
        meetReceivers()
        let before = (clocks, lines, fastUntil)
        let scope = scope(of: call)
        let deaths = known.deaths
        // A saved plan has its own time.
        let begin = if case .applySaved(let saved) = call { saved } else { now }
        (deadBefore, pausedBefore) = (known.dead, paused.union(recordedPauses))
        if let fast = fastUntil, skew == 0, scope == nil {
            // Of a disabled campaign, runs do not tell that its mark is ahead.
            let declared = Set(files.campaigns.filter(\.isEnabled).map(\.line))
            for line in Set(lines.keys).subtracting(rewound) where now >= fast || !declared.contains(line) {
                lines[line]?.pass(until: fast)
            }
            (fastUntil, rewound) = (nil, [])
            passClocks(until: fast)
        }
        if !files.areWrong { noteClocks(of: scope, at: begin) }
        let isWhole = try await carryOut(call, run)
        if run.now.isStale {
            (clocks, lines, fastUntil) = before
            return tell("apply PLAN: it is not true any more")
        }
        tell(words(for: call, run))
        time.advance(by: .seconds(1))
        if !files.areWrong { noteCall(of: scope) }
        hasDied = hasDied || run.isDead
        noteOtherMessages(run.now)
        try noteSkipped(run.now)
        noteKeptRejections(run.now)
        try account(run)
        noteForgotten(at: begin)
        // Whoever is dead leaves no list.
        if known.deaths != deaths { refused = [] }
        if run.isDead { noteWhatDied(run.now) } else if !run.now.isRefused, !run.now.isUnapproved { noteSeen(scope) }
        noteMissed(run)
        noteGivenUp(run)
        try checkToldOnce(run)
        try await judgeTelling(call, run)
        if isWhole, !run.isDead { noteGivenBack() }
        guard isWhole, fate.isQuiet, !run.isDead, run.now.mishaps.isEmpty, !isForgiven else { return }
        try judge(run, at: begin)
        // Whom FCM calls dead in this run may have another registration, which the next run subscribes.
        guard known.deaths == deaths, run.now.report.map({ $0.result == .ok }) ?? true else { return }
        try await checkSettled(after: call, run, at: begin)
    }

    /// Returns whether nothing was left out.
    private func carryOut(_ call: Call, _ run: LifeRun) async throws -> Bool {
        if comparesForecasts, !files.areWrong { try await checkForecast() }
        let failure = try await herald(call.arguments(in: folder), run)
        if run.isDead {
            pool?.empty()
            try folder.leaveRemains()
        }
        if files.areWrong { return try await checkNothingDone(failure, .wrong, run) }
        if case .applySaved = call, failure?.status == .stalePlan {
            run.change { $0.isStale = true }
            return try await checkNothingDone(failure, .stalePlan, run)
        }
        guard let course = run.now.course, let proposal = run.now.plans.first else {
            throw LifeProblem(promise: "does not fail", words: run.now.told + (failure?.text ?? "nothing was planned"))
        }
        try check(failure, of: run)
        if call == .apply(overrides: true), proposal.plan.refusals.contains(where: { $0.kind == .stateWentBack }) {
            // A person knows what the older state has forgotten. From now on herald may repeat itself.
            isForgiven = true
        }
        if case .applyOnly = call {} else { try checkRefusals(proposal, call) }
        run.change { $0.isRefused = !course.blocking.isEmpty }
        if course.blocking.isEmpty, call != .apply(overrides: true) { try checkGuarded(course.plan) }
        try await look()
        if try leavesOutUnapproved(run.now) {
            run.change { $0.isUnapproved = true }
            return false
        }
        guard course.blocking.isEmpty, course.leftOut.isEmpty, scope(of: call) == nil else { return false }
        guard let report = run.now.report else { return true }
        return report.result != .interrupted && !report.isUnreachable && !report.wasBlocked
    }

    /// With wrong files, or a plan that is not true any more, nothing is done. Returns whether nothing was left out.
    private func checkNothingDone(
        _ failure: CommandFailure?, _ status: ExitStatus, _ run: LifeRun
    ) async throws -> Bool {
        var before = known.state.untold
        try await look()
        // Whoever comes first after a failover notes that, and what is in doubt since.
        before.serial = server == nil ? before.serial : known.state.serial
        for (id, occurrence) in known.state.occurrences where occurrence.halt == .failedOver {
            before.occurrences[id]?.halt = .failedOver
        }
        guard failure?.status == status, fcm.calls.isEmpty, known.state.untold == before else {
            throw LifeProblem(promise: "does nothing that it refuses", words: failure?.text ?? "")
        }
        run.change { $0.isRefused = true }
        return false
    }

    /// Only a process that died may end in any way.
    func check(_ failure: CommandFailure?, of run: LifeRun) throws {
        guard let failure, !run.isDead else { return }
        switch failure.status {
        case .refused, .failed, .unknown, .interrupted: return
        case .done, .wrong, .changes, .locked, .stalePlan, .usage:
            throw LifeProblem(promise: "does not fail", words: run.now.told + failure.text)
        }
    }

    // MARK: Commands

    /// A command that nothing disturbs, and that must not fail.
    func succeed(_ arguments: [String]) async throws {
        let run = newRun(LifeFate())
        if let failure = try await herald(arguments, run) {
            throw LifeProblem(promise: "does not fail", words: "\(arguments): \(run.now.told)\(failure.text)")
        }
        try await look()
    }

    /// Writes the files and does what the command line says, in this process. `nil` if it ends well.
    func herald(_ arguments: [String], _ run: LifeRun) async throws -> CommandFailure? {
        looked = nil
        let isRun = arguments.first == "apply" || arguments.first == "run"
        if !isRun { pool?.empty() }
        try folder.write(files.texts(settings))
        return await Machine.$current.withValue(machine(for: run)) {
            do {
                let line = arguments + ["-w", currentFolder]
                guard isRun else {
                    try await Herald.run(line)
                    return nil
                }
                // A value, and each run has its own.
                nonisolated(unsafe) let call = try await parsedCall(line)
                try await Herald.run(call)
                return nil
            } catch {
                return CommandFailure(error) ?? CommandFailure(.usage, "\(error)", help: "")
            }
        }
    }

    /// A call of `apply` or `run`. Lives call the same again and again.
    private func parsedCall(_ line: [String]) async throws -> any ParsableCommand {
        if let call = parsedCalls[line] { return call }
        let call = try await Herald.asyncParseAsRoot(line)
        parsedCalls[line] = call
        return call
    }

    func newRun(_ fate: LifeFate) -> LifeRun {
        let folder = folder.box
        return LifeRun(fate) { folder.value.noteDeath() }
    }

    /// - Parameter opened: The state, if it is open already.
    func machine(for run: LifeRun, opened: (any StateStore)? = nil) -> Machine {
        let (time, skew, fcm) = (time, skew, fcm)
        let date: @Sendable () -> Date = { Life.date(at: time.now.offset, skew) }
        let box = Unchecked(self)
        let sender = LifeSender(
            fcm: fcm, run: run, date: date, time: time, latency: run.fate.latency ?? latency,
            pause: { _ = try? await box.value.herald(["pause"], box.value.newRun(LifeFate())) },
            edit: { box.value.editInMidRun(run) }, capacity: Int(seed % 5) + 1)
        var machine = Machine.current
        machine.environment = statePlace.map { ["HERALD_STATE": $0] } ?? [:]
        machine.environment.merge(LifeReceiver.variables) { own, _ in own }
        machine.carry = { [receiver] _, letter in await receiver.carry(letter, run, date(), by: time) }
        machine.now = date
        machine.clock = time
        machine.write = { text, descriptor in
            if descriptor == STDERR_FILENO { run.change { $0.told += text } }
        }
        machine.signals = { _ in run.stopping }
        machine.connect = { _, _, _, _ in Connection(over: sender) }
        machine.state = { [pool] in
            LifePlace(inner: $0, run: run, time: time, fcm: fcm, opened: opened, pool: pool)
        }
        machine.random = { SeededRandom(seed: run.fate.seed) }
        machine.planned = { proposal, course in
            run.change { content in
                content.plans.append(proposal)
                content.course = content.course ?? course
            }
        }
        machine.reported = { report in run.change { $0.report = report } }
        return machine
    }

    /// What the state says now.
    func look() async throws {
        looked = nil
        let store = try await currentPlace().open(for: .inspecting)
        known = try await LifeKnowledge(of: store)
        var looked = store as? LifeStore
        looked?.known = known.snapshotAsRead
        self.looked = looked ?? store
    }

    /// Where commands are called, and what they are told about the state.
    private var placeKey: String { "\(currentFolder) \(statePlace ?? "")" }

    /// Where the settings say that the state is. They never say anything else.
    func currentPlace() throws -> any StateLocation {
        let key = placeKey
        if let place = places[key] { return place }
        let place = try Machine.$current.withValue(machine(for: newRun(LifeFate()))) {
            try CommandContext.openSettings(Common(workspace: currentFolder)).state
        }
        places[key] = place
        return place
    }

    /// What a plan says at an instant.
    func plan(at date: Date) async throws -> (proposal: Proposal, desired: Desired, files: LoadedWorkspace) {
        let texts = files.texts(settings)
        try folder.write(texts)
        return try await Machine.$current.withValue(machine(for: newRun(LifeFate()), opened: looked)) {
            let (files, location) = try planFiles(texts)
            let state = try await planState(at: location, date, files)
            let lists = try await files.wanted(knownTo: state, at: location, judgedAt: now)
            let proposal = try files.proposal(lists.desired, from: state, at: date, clock: now, PlanScope())
            return (proposal, lists.desired, files)
        }
    }

    /// The files as herald reads them. Plans of the same files need that once.
    private func planFiles(_ texts: [String: String]) throws -> (LoadedWorkspace, any StateLocation) {
        if let known = plannedFiles, known.place == placeKey, known.texts == texts {
            return (known.read, Machine.current.state(known.state))
        }
        let context = try CommandContext.open(Common(workspace: currentFolder), cache: .use)
        let inner = (context.state as? LifePlace)?.inner ?? context.state
        plannedFiles = (placeKey, texts, context.files, inner)
        return (context.files, context.state)
    }

    /// The state as herald reads it. Nothing changes it until `looked` does.
    private func planState(
        at location: any StateLocation, _ date: Date, _ files: LoadedWorkspace
    ) async throws -> KnownState {
        if let known = plannedFrom, known.place == placeKey { return known.state }
        let state = try await KnownState.read(from: location, for: .reading, at: date, filesIn: files.folder.path)
        if looked != nil { plannedFrom = (placeKey, state) }
        return state
    }

    // MARK: The story

    private func words(for call: Call, _ run: LifeRun) -> String {
        let content = run.now
        if files.areWrong { return "\(call): the files are wrong" }
        var words =
            switch call {
            case .run: "run"
            case .apply(true): "apply, guards overridden"
            case .apply(false): "apply"
            case .applySaved: "apply PLAN"
            case .applyOnly(let name): "apply --campaign \(name)"
            }
        if let plan = content.course?.plan {
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
