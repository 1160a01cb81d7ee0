import FCM
import HeraldTestSupport

@testable import HeraldCore

/// How a campaign of a life opens up, as its author writes it.
struct LifeStages: Hashable, Sendable {
    /// In percent. They rise, and the last one is everybody.
    var shares = [20, 60, 100]
    /// How long a stage soaks. `nil`: a person opens the next one.
    var soak: Duration? = .seconds(600)
    /// How many percent may be rejected, dead and unknown. `nil`: as many as herald allows by itself.
    var limits: [Int]?
    /// The audience that gets it first.
    var seeds: String?
    /// Whether later waves do not keep the next stage closed.
    var soaksOnce = false

    static func any(_ audience: String, _ random: inout SeededRandom) -> LifeStages {
        var stages = LifeStages()
        for _ in 0..<4 { stages = stages.edited(audience, &random) }
        return stages
    }

    /// With one thing changed.
    ///
    /// - Parameter audience: one that may be the seeds; `nil` leaves them.
    func edited(_ audience: String?, _ random: inout SeededRandom) -> LifeStages {
        var stages = self
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            let all = [[20, 60, 100], [5, 100], [50, 100], [100], [1, 30, 31, 100], [40, 80, 90, 100]]
            stages.shares = all.randomElement(using: &random) ?? shares
        case 1:
            let soaks = [nil, 0, 30, 60, 200, 600].map { $0.map(Duration.seconds) }
            stages.soak = soaks.randomElement(using: &random) ?? soak
        case 2: stages.limits = [nil, [0, 0, 0], [100, 100, 100]].randomElement(using: &random) ?? limits
        default:
            guard let audience else { break }
            stages.seeds = Bool.random(using: &random) ? audience : nil
        }
        return stages
    }

    /// How long they all soak.
    var soaking: Duration { (soak ?? .zero) * (shares.count - (seeds == nil ? 1 : 0)) }

    /// As in `delivery`.
    var text: String {
        var parts = ["stages: [\(shares.map { "\($0)%" }.joined(separator: ", "))]"]
        parts.append("soak: \(soak.map { "\($0.components.seconds)s" } ?? "manual")")
        if let limits {
            let names = ["rejected_percent", "dead_percent", "unknown_percent"]
            parts.append(
                "halt_when: {\(zip(names, limits).map { "\($0): \($1)" }.joined(separator: ", "))}")
        }
        if let seeds { parts.append("seeds: \(seeds)") }
        return parts.joined(separator: ", ")
    }

    /// The stage of somebody who is no seed.
    ///
    /// - Parameters:
    ///   - seed: the campaign's oldest name and its revision.
    ///   - time: the firing's; `once` without a schedule.
    func share(of person: RecipientKey, seed: String, time: String) -> StageShare {
        var stages = Stages()
        stages.shares = shares.map { StageShare(millionths: $0 * 10_000) }
        let draw = StageDraw(stages, seed: seed, time: time)
        return Array(person.rawValue.utf8).withUnsafeBytes { draw.share(of: $0) }
    }

    /// What there is too much of. Fewer than fifty count as fifty.
    func excess(_ came: some Collection<LifeOpening.Came>) -> LifeOpening.Came? {
        let kinds: [LifeOpening.Came] = [.rejected, .dead, .unknown]
        return zip(kinds, limits ?? [2, 5, 1]).first { kind, limit in
            came.count { $0 == kind } * 100 > limit * max(50, came.count)
        }?.0
    }
}

/// How far an occurrence has opened, and what came of those who were tried since.
struct LifeOpening {
    enum Came { case accepted, rejected, dead, unknown }

    /// `nil` before the first stage.
    private(set) var share: StageShare?
    /// The campaign's oldest name and its revision when the first stage opened. Who is in which stage stays so.
    private(set) var draw: String?
    /// The stages that have opened, as the state has them.
    private(set) var recorded: [RecordedStage] = []
    /// When the first stage opened.
    private var first: Date?
    /// What came since the stage opened, or since a person accepted what had come.
    private var came: [RecipientID: Came] = [:]
    private var underWay: Set<RecipientID> = []
    /// Whose unknown outcome a person accepted. They may be tried again, and stay unknown.
    private var excused: Set<RecipientID> = []
    /// When the last of it came.
    private var last: Date?
    /// When a person let it go on.
    private var accepted: Date?
    /// The earliest time at which the open stage, or what a person let go on of it, can have opened. `nil` if it is the
    /// first one, or not certain.
    private var since: Date?
    private var isHalted = false
    /// Whether nobody of the stage could start any more.
    private var isSettled = false
    /// Whether it was so at some time. Who goes on with it then makes nobody late whose stage a person opens.
    private var hasSettled = false

    init() {}

    /// As an older state has it, of which nothing else is known.
    init(restored occurrence: RecordedOccurrence) {
        (share, draw) = (occurrence.stages.last?.share, occurrence.stages.last?.draw)
        (accepted, isHalted, recorded) = (.distantPast, occurrence.halt == .stage, occurrence.stages)
    }

    /// Takes in what was committed. Returns what should not have been.
    mutating func take(
        _ change: StateChange, at date: Date, _ stages: LifeStages?, drawnBy draw: String?,
        byPerson isPerson: Bool = false
    ) -> String? {
        // The soak begins with what a run did, and with waves with the first that was sent.
        let counts = !isPerson && !(isSettled && stages?.soaksOnce == true)
        switch change {
        case .open: self = LifeOpening()
        case .outcome(_, let members, .intended):
            if isHalted { return "somebody is sent it, although a stage is halted" }
            // Whoever is tried by another registration, too, may still be unknown from before.
            let others = came.filter { !members.contains($0.key) }.values
            if share != nil, let excess = stages?.excess(others) {
                return "somebody is sent it, although too many are \(excess)"
            }
            for id in members {
                came[id] = nil
                underWay.insert(id)
            }
        case .outcome(_, let members, let entry):
            let kind: Came? = entry == .accepted ? .accepted : entry == .unknown ? .unknown : nil
            note(members, kind, at: counts ? date : nil)
        case .reject(_, let members, let code):
            note(members, code == "UNREGISTERED" ? .dead : .rejected, at: counts ? date : nil)
        case .skip(_, let members, _): note(members, nil, at: nil)
        case .halt(_, let halt): isHalted = halt == .stage
        case .finish: isHalted = false
        case .stages(_, let opened):
            if share == nil { self.draw = draw }
            defer { recorded = opened }
            return open(opened, at: date, stages, isPerson)
        default: break
        }
        return nil
    }

    private mutating func note(_ members: RecipientSet, _ kind: Came?, at date: Date?) {
        for id in members {
            came[id] = kind == .unknown && excused.contains(id) ? nil : kind
            underWay.remove(id)
        }
        if kind != nil { last = date ?? last }
    }

    private mutating func open(
        _ opened: [RecordedStage], at date: Date, _ stages: LifeStages?, _ isPerson: Bool
    ) -> String? {
        guard let newest = opened.last else {
            self = LifeOpening()
            return nil
        }
        (isSettled, hasSettled) = (newest.isOver, newest.settled != nil)
        if isPerson, let accepted = newest.accepted {
            excused.formUnion(came.filter { $0.value == .unknown }.keys)
            (self.accepted, since, came) = (accepted, accepted, [:])
        }
        guard newest.share != share else { return nil }
        let problem = share == nil ? nil : problem(at: date, stages)
        since = share == nil ? nil : accepted ?? (stages == nil ? newest.opened : soaked(stages))
        (share, first, accepted, came, last) = (newest.share, first ?? date, nil, [:], nil)
        return problem.map { "stage \(newest.share.text) opens, although \($0)" }
    }

    /// Why the next stage may not open.
    private func problem(at date: Date, _ stages: LifeStages?) -> String? {
        if !underWay.isEmpty { return "requests of the stage before are under way" }
        guard let stages, let last, accepted == nil, !came.isEmpty else { return nil }
        guard let soak = stages.soak else { return "a person opens each stage" }
        if date < last.adding(soak) { return "the stage before had its last outcome at \(last.rfc3339)" }
        return stages.excess(came.values).map { "too many are \($0)" }
    }

    /// Until when the stage soaked. `nil` where that is not certain: one that sent nobody anything is passed over, and
    /// with waves the first that was sent counts.
    private func soaked(_ stages: LifeStages?) -> Date? {
        guard let stages, !stages.soaksOnce, let soak = stages.soak, came.values.contains(.accepted) else { return nil }
        return last?.adding(soak)
    }

    /// The process died: what was under way is unknown from now on.
    mutating func die(at date: Date) {
        guard !underWay.isEmpty else { return }
        note(RecipientSet(underWay.sorted()), .unknown, at: date)
    }

    /// From when on lateness counts for those whose stage is open, at the earliest.
    func start(due: Date, _ maxLateness: Duration) -> Date {
        // If the first stage was late, a later one is so, too.
        guard let since, let first, first <= due.adding(maxLateness) else { return due }
        return max(due, since)
    }

    /// From when on lateness counts for those who are sent it, at the latest. `nil` where no run knew that before.
    ///
    /// - Parameters:
    ///   - earlier: how many stages had opened before the run.
    ///   - isAgain: whether a person has them tried again. They are in time as long as those whose stage is closed.
    func lastStart(due: Date, openedBefore earlier: Int, _ stages: LifeStages?, isAgain: Bool) -> Date? {
        guard let last = recorded.last else { return due }
        let opened = { (stage: RecordedStage) in max(due, stage.opened, stage.accepted ?? due) }
        if recorded.count <= earlier {
            guard isAgain, last.accepted == nil, last.share < .everybody, isHalted || last.settled != nil else {
                return opened(last)
            }
            guard !isHalted, let settled = last.settled, let soak = stages?.soak else { return nil }
            return max(opened(last), settled.adding(soak))
        }
        guard let before = recorded.dropLast().last else { return due }
        if before.accepted != nil { return opened(before) }
        // A stage that an edit has the rest go on with begins when a run does that.
        guard let stages, let settled = before.settled else { return stages == nil ? nil : opened(before) }
        return stages.soak.map { max(opened(before), settled.adding($0)) }
    }

    /// Whether nobody can be late then whose stage is closed, or who is left of a stage since a person let it go on.
    func keepsFromLateness(at date: Date, due: Date, _ maxLateness: Duration, _ stages: LifeStages) -> Bool {
        guard let share, let first, first <= due.adding(maxLateness) else { return false }
        if let accepted { return date < accepted.adding(maxLateness) }
        guard share < .everybody, let last, isHalted || isSettled || hasSettled && stages.soak == nil else {
            return false
        }
        guard !isHalted, let soak = stages.soak else { return true }
        return date < last.adding(soak + maxLateness)
    }
}

extension StateChange {
    /// The occurrence whose stages it concerns.
    var ofStages: OccurrenceID? {
        switch self {
        case .open(let id, _), .outcome(let id, _, _), .reject(let id, _, _), .skip(let id, _, _), .halt(let id, _),
            .finish(let id, _), .stages(let id, _):
            id
        default: nil
        }
    }
}
