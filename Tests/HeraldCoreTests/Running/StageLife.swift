import FCM
import Foundation
import HeraldTestSupport
import Synchronization

@testable import HeraldCore

/// A random life of a campaign in stages: people join and leave, the author edits shares, soak, seeds, window and text, a
/// person pauses, resumes and accepts what was halted, FCM refuses, runs die at any commit, and time passes while they
/// send. At its end nothing happens for some days, and everybody who is part of it must have had it once.
struct StageLife {
    private static let population = 24
    /// Seeds that are on no other list.
    private static let outsiders = 25...27
    private var random: SeededRandom
    private var laboratory: Laboratory
    private let truth = StageTruth()
    private var listed = Set(1...StageLife.population)
    private var seeds: Set<Int> = []
    private var shares = ["20%", "60%", "100%"]
    private var soak = "10m"
    private var limits = "rejected_percent: 20, dead_percent: 20, unknown_percent: 20"
    private var hasStages = true
    private var window = ""
    private var texts = 0
    private var names: [String] = ["c"]
    private var isPaused = false
    private var isQuiet = false

    var sent: Int { truth.count }
    var violations: [String] { truth.violations }

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        let starts = ["2026-12-01 07:30", "2026-12-01 12:00", "2026-12-01 19:50"]
        laboratory = Laboratory(population: 0, start: .utc(starts.randomElement(using: &random) ?? starts[0]))
        if chance(0.6) { seeds = Set((0..<3).map { _ in .random(in: 1...27, using: &random) }) }
        if chance(0.4) { window = "window: {from: \"08:00\", to: \"20:00\", timezone: UTC}, expires_after: 28d" }
        if chance(0.2) { soak = "manual" }
        if chance(0.3) { limits = "rejected_percent: 2, dead_percent: 5, unknown_percent: 1" }
    }

    mutating func live(runs: Int) async throws {
        for _ in 0..<runs {
            laboratory.clock.advance(by: .seconds(60 * Int.random(in: 1...25, using: &random)))
            if chance(0.4) { try await edit() }
            try await run()
        }
        try await rest()
    }

    // MARK: Files

    private var files: [String: String] {
        let list = { (people: Set<Int>) in
            "fid\n" + people.sorted().map { "\(Registration.fid($0).rawValue)\n" }.joined()
        }
        var delivery = window.isEmpty ? [] : [window]
        if hasStages {
            delivery.append("stages: [\(shares.joined(separator: ", "))], soak: \(soak), halt_when: {\(limits)}")
            if !seeds.isEmpty { delivery.append("seeds: seeds") }
        }
        return [
            "members.csv": list(listed), "seeds.csv": list(seeds),
            "c.yaml": """
            kind: audience
            name: members
            source: {file: members.csv}
            ---
            kind: audience
            name: seeds
            source: {file: seeds.csv}
            ---
            kind: campaign
            name: \(names[0])
            previous_names: [\(names.dropFirst().reversed().joined(separator: ", "))]
            target: {audience: members}
            message: {data: {text: "\(texts)"}}
            delivery: {stop_when_rejected_percent: 100, \(delivery.joined(separator: ", "))}

            """,
        ]
    }

    private mutating func edit() async throws {
        let person = Int.random(in: 1...Self.population, using: &random)
        switch Int.random(in: 0...11, using: &random) {
        case 0: listed.insert(person)
        case 1: listed.remove(person)
        case 2: listed = chance(0.3) ? [] : Set(1...Self.population)
        case 3:
            let all = [
                ["20%", "60%", "100%"], ["5%", "100%"], ["50%", "100%"], ["100%"], ["1%", "30%", "31%", "100%"],
            ]
            shares = all.randomElement(using: &random) ?? all[0]
        // A run waits for a soak of up to a minute.
        case 4: soak = ["manual", "0s", "30s", "60s", "7m", "20m"].randomElement(using: &random) ?? soak
        case 5 where chance(0.3): hasStages.toggle()
        case 6: seeds = Set(seeds.map { _ in .random(in: 1...27, using: &random) })
        case 7:
            isPaused.toggle()
            try laboratory.memory.commit([isPaused ? .pause(nil) : .resume(nil)])
        case 8 where chance(0.3): texts += 1
        case 9 where chance(0.5): names.insert("c\(names.count)", at: 0)
        default: try await goOn()
        }
    }

    /// A person lets it go on, if anything holds it.
    private mutating func goOn() async throws {
        let state = laboratory.memory.state()
        guard let (id, occurrence) = state.occurrences.first, occurrence.finished == nil else { return }
        let campaign = try await wanted().desiredOnceRecorded.sends.first?.campaign
        let changes = try? state.changes(resolving: id, by: .goOn, campaign: campaign, at: laboratory.now)
        guard let changes else { return }
        try laboratory.memory.commit(changes)
        // With a corrected text alone a stage goes on as it is, unless a person opens each one.
        let isCorrected = occurrence.halt == nil && campaign.map(occurrence.isChanged(in:)) == true
        truth.goOn(isAccepted: !isCorrected || soak == "manual")
    }

    /// The only one: each life has one revision.
    private var occurrence: RecordedOccurrence? { laboratory.memory.state().occurrences.values.first }

    // MARK: Runs

    private func wanted() async throws -> Wanted {
        let loaded = try WorkspaceLoader.load(files: files)
        guard let workspace = loaded.workspace, let index = try loaded.recipientIndex?.get(),
            !loaded.diagnostics.hasErrors
        else { throw StateError.inaccessible(path: "c.yaml", detail: "\(loaded.diagnostics)") }
        let memory = laboratory.memory
        let wanted = try await Wanted(
            workspace, index, knownTo: memory, as: memory.snapshot(), noting: nil, keep: nil, sorted: { index })
        try await wanted.record(in: memory)
        return wanted
    }

    private mutating func run() async throws {
        let desired = try await wanted().desiredOnceRecorded
        let (clock, memory, start, fcm) = (laboratory.clock, laboratory.memory, laboratory.start, laboratory.fcm)
        let plan = { @Sendable (now: Date, underWay: [Plan.Send]) in
            var settings = Settings(project: "p")
            settings.fcm = fcm
            var input = Planner.Input(desired: desired, state: memory.snapshot(), settings: settings)
            input.underWay = underWay
            return Planner.plan(input, at: now)
        }
        let first = plan(laboratory.now, [])
        truth.begin(desired.sends.first?.campaign, of: memory)
        if first.steps.isEmpty { return try memory.commit(first.bookkeeping(at: laboratory.now)) }
        let end = !isQuiet && chance(0.3) ? Int.random(in: 0...8, using: &random) : .max
        let delays = (0..<40).map { _ in !isQuiet && chance(0.15) ? Int.random(in: 1...300, using: &random) : 0 }
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
        let answers = (0..<60).map { _ in isQuiet ? 9 : Int.random(in: 0...25, using: &random) }
        let sender = ScriptedSender(capacity: 2) { [truth] request, number in
            truth.send(request, number, as: answers[number % answers.count], at: start.adding(clock.now.offset))
        }
        _ = try await laboratory.run(first, sender, lookAgain: { now, underWay in plan(now, underWay) })
    }

    /// Runs come every five minutes for three days. A person looks after what is held, and nothing else happens.
    private mutating func rest() async throws {
        isQuiet = true
        if isPaused { try laboratory.memory.commit([.resume(nil)]) }
        listed = Set(1...Self.population)
        for number in 0..<(3 * 288) {
            laboratory.clock.advance(by: .seconds(300))
            try await run()
            guard let occurrence else { continue }
            if occurrence.finished != nil { break }
            if number % 12 == 11 { try await goOn() }
        }
        guard let occurrence else { return truth.blame("it never began") }
        // Whoever is part of it has an outcome, unless they left: then it waits for them.
        let (all, ledger) = (occurrence.classes.all, occurrence.ledger ?? Ledger())
        let reachable = try await wanted().desiredOnceRecorded.sends.first?.members ?? []
        let waitsForGone = !all.subtracting(reachable).subtracting(ledger.entries.all).isEmpty
        if occurrence.finished == nil, !waitsForGone { truth.blame("it never ended") }
        let left = all.intersection(reachable).subtracting(ledger.settled).subtracting(laboratory.memory.state().dead)
        if !left.isEmpty { truth.blame("\(left.count) of \(all.count) got nothing") }
    }

    private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
}

/// What people got, and whether they might.
final class StageTruth: Sendable {
    fileprivate struct Content {
        /// When each person got it.
        var pushes: [RecipientID: Date] = [:]
        var intents: Set<RecipientID> = []
        var campaign: Campaign?
        var stages: [RecordedStage] = []
        var isHalted = false
        /// Whether a person has let it go on since the open stage opened.
        var isAccepted = false
        /// The outcomes since the open stage opened.
        var figures = StageFigures()
        var opened: Date?
        var violations: [String] = []
    }

    private let content = Mutex(Content())

    var count: Int { content.withLock { $0.pushes.count } }
    var violations: [String] { content.withLock { $0.violations } }

    func blame(_ words: String) { content.withLock { $0.violations.append(words) } }

    /// A person lets it go on.
    ///
    /// - Parameter isAccepted: whether they accept what came of the open stage.
    func goOn(isAccepted: Bool) {
        content.withLock { content in
            content.isAccepted = content.isAccepted || isAccepted
            content.isHalted = false
        }
    }

    /// A run begins. What one that died left between intent and outcome is unknown now.
    func begin(_ campaign: Campaign?, of memory: MemoryStore) {
        content.withLock { content in
            content.campaign = campaign
            content.figures.unknown += content.intents.count
            content.intents = []
        }
    }

    func note(_ changes: [StateChange], _ state: RecordedState, at now: Date) {
        content.withLock { content in
            for change in changes {
                switch change {
                case .outcome(_, let members, .intended): content.intents.formUnion(members)
                case .outcome(_, let members, let entry):
                    let settled = members.filter { content.intents.remove($0) != nil }.count
                    if entry == .accepted { content.figures.accepted += settled }
                    if entry == .unknown { content.figures.unknown += settled }
                case .reject(_, let members, let code):
                    for id in members { content.intents.remove(id) }
                    if code == "UNREGISTERED" {
                        content.figures.dead += members.count
                    } else {
                        content.figures.rejected += members.count
                    }
                case .halt(_, let halt): content.isHalted = halt != nil
                case .stages(_, let stages): content.open(stages, at: now)
                default: break
                }
            }
        }
    }

    func send(_ request: Request, _ number: Int, as kind: Int, at now: Date) -> Exchange {
        content.withLock { content in
            let person = request.recipient
            if content.isHalted { content.violations.append("\(person) at \(now.rfc3339), although it is halted") }
            switch kind {
            case 0: return .error(400, "INVALID_ARGUMENT", fcm: "INVALID_ARGUMENT")
            case 1: return .error(503, "UNAVAILABLE", retryAfter: "30")
            case 2: return .unregistered
            default: break
            }
            if let before = content.pushes[person] {
                content.violations.append("\(person) at \(now.rfc3339), after \(before.rfc3339)")
            }
            content.pushes[person] = now
            return kind == 3 ? .lost(reason: "the connection closed") : .accepted(request, number)
        }
    }
}

extension StageTruth.Content {
    /// A stage that opens must have waited, and the one before must have been well.
    fileprivate mutating func open(_ new: [RecordedStage], at now: Date) {
        defer { stages = new }
        guard let last = new.last, last.share != stages.last?.share else { return }
        defer { (opened, figures, isAccepted) = (now, StageFigures(), false) }
        guard let opened, let delivery = campaign?.delivery.stages, !isAccepted, figures.outcomes > 0 else { return }
        switch delivery.soak {
        case .manual: violations.append("stage \(last.share.text) opened by itself")
        case .time(let soak):
            if now < opened.adding(soak) {
                violations.append("stage \(last.share.text) opened after \(now.timeIntervalSince(opened)) s")
            }
        }
        // The bounds of the contract, once more.
        let all = Swift.max(50, figures.outcomes)
        let limits = delivery.limits
        for (count, limit) in [
            (figures.rejected, limits.rejectedPercent), (figures.dead, limits.deadPercent),
            (figures.unknown, limits.unknownPercent),
        ] where count * 100 > limit * all {
            violations.append("stage \(last.share.text) opened although \(count) of \(figures.outcomes) were bad")
        }
    }
}
