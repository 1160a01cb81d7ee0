import FCM
import HeraldTestSupport

@testable import HeraldCore

/// What happens in a life besides herald.
enum LifeAct: String, CaseIterable {
    case addRow, removeRow, emptyList, fillList, suppress, renamePeople
    case rotate, rotateBeside, rotateUnlisted, catchUpLists, uninstall, comeBack, appSubscribes
    case appLeaves, recordDrift
    case editMessage, editTarget, raiseRevision, moveSchedule, addHours, removeHours, toggleEnabled
    case changeMembers, changePolicy, editStages, editWindow, travel, toggleLocalTime, toggleNotify, detour, editCaps,
        approve
    case renameCampaign, deleteCampaign, bringBackCampaign, newCampaign
    case renameTopic, deleteTopic, bringBackTopic, newTopic, togglePrune, toggleDrift, toggleAdopt, editTopic,
        toggleGroup
    case wait, downtime, fastClock, slowClock
    case pause, resume, resolve, decide, forget, revive, prune, backUp, restore
    /// Of lives whose state is in PostgreSQL.
    case standbyLags, failover
    case run, runOnTime, faultyRun, dyingRun, stoppedRun, apply, overriddenApply
    case editedRun, suspendedRun, runThroughLink, runInOtherCheckout, dryRun, testSend, savedPlan, applyOne

    /// How often it happens, compared with the others.
    var weight: Int {
        switch self {
        case .run: 14
        case .runOnTime: 8
        case .faultyRun, .dyingRun: 6
        case .stoppedRun, .apply, .overriddenApply: 3
        case .wait: 6
        case .addRow, .removeRow, .rotate, .rotateBeside, .resolve, .decide, .editStages, .editWindow, .travel, .detour:
            3
        case .appLeaves, .recordDrift: 3
        case .renameCampaign, .renameTopic, .newCampaign: 3
        case .standbyLags, .failover: 8
        case .backUp, .restore: 4
        case .fastClock, .slowClock, .dryRun, .testSend, .toggleLocalTime: 1
        default: 2
        }
    }

    /// Whether nobody changes files, lists or the state by it.
    var isIdle: Bool {
        switch self {
        case .wait, .downtime, .fastClock, .slowClock, .pause, .resume, .backUp, .standbyLags, .run, .runOnTime,
            .faultyRun, .dyingRun, .stoppedRun, .suspendedRun, .apply, .overriddenApply, .runThroughLink,
            .runInOtherCheckout, .dryRun, .testSend, .savedPlan, .applyOne:
            true
        default: false
        }
    }

    /// Whether it happens only where the state is in PostgreSQL.
    private var isOfServers: Bool { self == .standbyLags || self == .failover }

    static let drawn = drawnOnServers.filter { !$0.isOfServers }
    static let drawnOnServers: [LifeAct] = allCases.flatMap { Array(repeating: $0, count: $0.weight) }
}

extension Life {
    /// Does it, unless there is nothing to do it with.
    func act(_ act: LifeAct, _ random: inout SeededRandom) async throws {
        time.advance(by: .seconds(.random(in: 1...300, using: &random)))
        if !act.isIdle { refused = [] } else { try await approveMostly(&random) }
        switch act {
        case .addRow, .removeRow, .emptyList, .fillList: editList(act, &random)
        case .suppress: suppress(&random)
        case .renamePeople: renamePeople()
        case .rotate, .rotateBeside, .rotateUnlisted, .catchUpLists, .uninstall, .comeBack, .appSubscribes:
            changeInstallation(act, &random)
        case .editMessage, .editTarget, .raiseRevision, .moveSchedule, .addHours, .removeHours, .toggleEnabled,
            .changePolicy:
            editCampaign(act, &random)
        case .editStages: editStages(&random)
        case .editWindow: editWindow(&random)
        case .travel: travel(&random)
        case .toggleLocalTime: toggleLocalTime(&random)
        case .toggleNotify: toggleNotify()
        case .editCaps: editCaps(&random)
        case .approve: try await approveOrEnd(&random)
        case .detour: try await takeDetour(&random)
        case .changeMembers: try await changeMembers(&random)
        case .renameCampaign, .deleteCampaign, .bringBackCampaign, .newCampaign:
            nameCampaign(act, &random)
        case .renameTopic, .deleteTopic, .bringBackTopic, .newTopic, .togglePrune, .toggleDrift, .toggleAdopt,
            .editTopic, .toggleGroup:
            editTopics(act, &random)
        case .appLeaves: leaveByApp(&random)
        case .recordDrift: try await recordDrift(&random)
        case .wait: pass(.seconds(.random(in: 300...14_400, using: &random)), "time passes")
        case .downtime: pass(.seconds(.random(in: 10_000...200_000, using: &random)), "nothing runs for long")
        case .fastClock, .slowClock: try await turnClock(act, &random)
        case .pause, .resume: try await pause(act, &random)
        case .resolve: try await resolve(&random)
        case .decide: try await decide(&random)
        case .forget: try await forget(&random)
        case .revive: try await revive(&random)
        case .prune: try await prune(&random)
        case .backUp, .restore: try await keepState(act)
        case .standbyLags, .failover: try await fail(act)
        case .run: try await call(.run)
        case .runOnTime:
            if files.campaigns.contains(where: { window(of: $0) != nil }), Int.random(in: 0..<3, using: &random) == 0 {
                return try await runIntoClosing(&random)
            }
            let campaign = waitForTheNext(&random)
            if let campaign, Int.random(in: 0..<4, using: &random) == 0 {
                time.advance(by: campaign.maxLateness)
                tell("it is the last moment at which \(campaign.name) may begin")
            }
            try await call(.run)
        case .apply: try await call(.apply(overrides: false))
        case .overriddenApply: try await call(.apply(overrides: true))
        case .faultyRun, .dyingRun, .stoppedRun, .editedRun, .suspendedRun: try await disturbedRun(act, &random)
        case .runThroughLink, .runInOtherCheckout: try await runElsewhere(act, &random)
        case .dryRun, .testSend: try await trySending(act, &random)
        case .savedPlan: try await applySavedPlan(&random)
        case .applyOne: try await applyOne(&random)
        }
    }

    func pass(_ duration: Duration, _ words: String) {
        time.advance(by: duration)
        tell("\(words) (\(duration.components.seconds / 60) min)")
    }

    private func disturbedRun(_ act: LifeAct, _ random: inout SeededRandom) async throws {
        if Bool.random(using: &random) { waitForTheNext(&random) }
        var fate = LifeFate(seed: random.next())
        if act != .stoppedRun || Bool.random(using: &random) { fate.mishaps = .random(in: 0...50, using: &random) }
        switch act {
        case .dyingRun where Bool.random(using: &random): fate.diesAtCommit = .random(in: 0...8, using: &random)
        case .dyingRun: fate.diesAtCall = .random(in: 0...8, using: &random)
        case .stoppedRun where Bool.random(using: &random): fate.pausesAtCall = .random(in: 0...6, using: &random)
        case .stoppedRun:
            fate.stopsAtCall = .random(in: 0...6, using: &random)
            fate.stop = Bool.random(using: &random) ? .person : .machine
        case .editedRun: fate.editsAtCall = .random(in: 0...6, using: &random)
        case .suspendedRun:
            fate.sleepsAtCall = .random(in: 0...6, using: &random)
            fate.sleep = .seconds(.random(in: 2...30_000, using: &random))
        default: break
        }
        try await call(Bool.random(using: &random) ? .run : .apply(overrides: true), fate)
    }

    /// The author corrects a message, opens a campaign otherwise or disables it while a run works. The run may begin a few
    /// more until it notices.
    func editInMidRun(_ run: LifeRun) {
        guard let place = files.campaigns.indices.last else { return }
        let title = files.campaigns[place].title
        if run.fate.seed.isMultiple(of: 5) {
            files.campaigns[place].isEnabled = false
        } else if let stages = files.campaigns[place].stages, run.fate.seed.isMultiple(of: 2) {
            var random = SeededRandom(seed: run.fate.seed)
            files.campaigns[place].stages = stages.edited(nil, &random)
        } else {
            files.campaigns[place].version += 1
        }
        try? folder.write(files.texts(settings))
        run.change { $0.edited = (title, time.now.offset) }
        tell("\(files.campaigns[place].name): an edit, while a run works")
    }

    /// The state by another path, or the same files in another folder. Another folder needs a person's word.
    private func runElsewhere(_ act: LifeAct, _ random: inout SeededRandom) async throws {
        // Reports of a state in PostgreSQL are in each checkout's own folder, so that the other one cannot miss what was lost.
        guard server == nil else { return }
        isInOtherCheckout = act == .runInOtherCheckout
        statePath = isInOtherCheckout ? folder.state : folder.linkedState
        tell(isInOtherCheckout ? "in another checkout" : "through a link")
        try await call(Int.random(in: 0..<3, using: &random) == 0 ? .apply(overrides: true) : .run)
        (isInOtherCheckout, statePath) = (false, nil)
    }

    /// Neither a dry run nor a test changes what was done and is to be done.
    private func trySending(_ act: LifeAct, _ random: inout SeededRandom) async throws {
        guard !files.areWrong, let campaign = files.campaigns.randomElement(using: &random) else { return }
        let registration = current(.random(in: 0..<population, using: &random))
        let (run, before) = (newRun(LifeFate()), known.state)
        currentRun.set(run, skew)
        let arguments =
            act == .dryRun
            ? ["apply", "--dry-run"] : ["test", campaign.name, "--to", registration.rawValue]
        let arrivals = fcm.now.arrivals.count
        let failure = try await herald(arguments, run)
        try check(failure, of: run)
        tell(arguments.prefix(2).joined(separator: " "))
        try await look()
        var after = known.state
        (after.tests, after.stamps) = (before.tests, before.stamps)
        if after != before { throw LifeProblem(promise: "\(act.rawValue) changes nothing", words: campaign.name) }
        if act == .dryRun, fcm.now.arrivals.count != arrivals {
            throw LifeProblem(promise: "a dry run wakes nobody", words: campaign.name)
        }
    }

    /// A person saves a plan and applies it later. Meanwhile something may happen that makes it untrue.
    private func applySavedPlan(_ random: inout SeededRandom) async throws {
        guard !files.areWrong else { return }
        if Bool.random(using: &random) { waitForTheNext(&random) }
        let run = newRun(LifeFate())
        try check(try await herald(["plan", "--out", folder.newPlan()], run), of: run)
        try await look()
        let saved = now
        tell("plan --out")
        guard folder.hasPlan else { return }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: pass(.seconds(.random(in: 1...7200, using: &random)), "time passes")
        case 1:
            refused = []
            editCampaign(.editMessage, &random)
        case 2:
            refused = []
            editList(.removeRow, &random)
        case 3: try await call(.run)
        default: break
        }
        try await call(.applySaved(at: saved))
    }

    /// A person applies one campaign alone. After a clock was fast, they let all run first.
    private func applyOne(_ random: inout SeededRandom) async throws {
        guard fastUntil == nil, let campaign = files.campaigns.randomElement(using: &random) else { return }
        if Bool.random(using: &random) { wait(for: campaign) }
        try await call(.applyOnly(campaign.name))
    }

    /// Time passes until some campaign is due. Returns that campaign.
    @discardableResult
    private func waitForTheNext(_ random: inout SeededRandom) -> LifeFiles.Campaign? {
        guard let campaign = files.campaigns.randomElement(using: &random), wait(for: campaign) else { return nil }
        return campaign
    }

    /// Returns whether the campaign comes due within a day.
    @discardableResult
    func wait(for campaign: LifeFiles.Campaign) -> Bool {
        guard let due = campaign.nextInstant(after: now) else { return false }
        time.advance(by: .seconds(due.timeIntervalSince(now)))
        return true
    }

    /// The author changes how a group is reached, often in the middle of a send to it.
    private func changeMembers(_ random: inout SeededRandom) async throws {
        let ofGroups = files.campaigns.indices.filter { files.campaigns[$0].target == .group(Self.groupName) }
        guard let place = ofGroups.randomElement(using: &random) else { return }
        if Bool.random(using: &random) {
            wait(for: files.campaigns[place])
            var fate = LifeFate(seed: random.next())
            fate.stopsAtCall = .random(in: 1...6, using: &random)
            try await call(.run, fate)
        }
        let old = files.campaigns[place]
        let members: HeraldCore.Campaign.Members = old.members == .key ? .each : .key
        files.campaigns[place].members = members
        noteClock(of: files.campaigns[place], insteadOf: old)
        tell("\(old.name): members: \(members)")
    }

    private func turnClock(_ act: LifeAct, _ random: inout SeededRandom) async throws {
        let hours = Double.random(in: 1...40, using: &random)
        skew = (act == .fastClock ? 1 : -1) * hours * 3600
        tell("the clock is \(Int(hours)) h \(act == .fastClock ? "fast" : "slow")")
        try await call(.run, LifeFate(hasWrongClock: true, seed: random.next()))
        fastUntil = max(now, fastUntil ?? now)
        skew = 0
        tell("the clock is right again")
        if act == .fastClock, !isForgiven, Bool.random(using: &random) { try await rewind() }
    }

    // MARK: A person and the state

    private func pause(_ act: LifeAct, _ random: inout SeededRandom) async throws {
        let name = files.campaigns.map(\.name).randomElement(using: &random)
        let isAll = Int.random(in: 0..<3, using: &random) == 0
        let words = [act.rawValue] + (isAll ? [] : [name].compactMap(\.self))
        // While everything is paused, no single campaign is resumed.
        guard try await herald(words, newRun(LifeFate())) == nil else { return }
        try await look()
        notePause(act, of: isAll ? nil : name)
        tell("\(act.rawValue) \(isAll ? "all" : name ?? "all")")
    }

    private func keepState(_ act: LifeAct) async throws {
        guard server == nil else { return }
        if act == .backUp {
            try await succeed(["state", "backup", folder.newBackup()])
            return tell("the state is backed up")
        }
        looked = nil
        pool?.empty()
        guard try folder.restore() else { return }
        try await noteOlderState()
        tell("the backup of serial \(known.state.serial) takes the state's place")
    }

    private func fail(_ act: LifeAct) async throws {
        guard let server = server else { return }
        if act == .standbyLags {
            try await time.outside { try await server.lag() }
            return tell("the standby receives nothing more")
        }
        looked = nil
        try await time.outside { try await server.failOver() }
        try await noteOlderState()
        tell("the standby takes the server's place, with serial \(known.state.serial)")
    }

    /// What the state lacks now is not begun.
    private func noteOlderState() async throws {
        try await look()
        forgotten.formIntersection(known.dead)
        noteUnbegun(isRestored: true)
        noteOlderStages()
        noteOlderApprovals()
        tellings.isForgotten = true
        (toldMissed, givenUp, givenUpFirings, leftOut) = ([], [], [], [:])
        paused = recordedPauses
        // A lost first mark does not show: marks leave the serial as it is.
        let marks = known.state.watermarks
        for (line, known) in lines where known.names.allSatisfy({ marks[$0] == nil }) {
            lines[line]?.mark = nil
            lines[line]?.owed = []
        }
    }
}
