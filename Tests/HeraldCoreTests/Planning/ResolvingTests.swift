import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What a person decides about an occurrence, and when it is too late to decide.
@Suite struct ResolvingTests {
    private static let due = Date.after(-600)

    private func scenario() -> PlanScenario {
        var scenario = PlanScenario()
        scenario.began(.tide(at: Self.due), accepted: [1], rejected: [2], unknown: [3], finished: true)
        scenario.state.occurrences[Campaign.tide(at: Self.due).id]?.codes = ["UNREGISTERED": [2]]
        return scenario
    }

    @Test(arguments: [(Resolution.resend, [3]), (.retry(code: "UNREGISTERED"), [2])])
    func `whoever is sent to again is sent to by the next run`(_ how: Resolution, _ again: [RecipientID]) throws {
        var scenario = scenario()
        let campaign = Campaign.tide(at: Self.due)
        scenario.want(campaign)
        let changes = try scenario.state.changes(
            resolving: campaign.id, by: how, campaign: campaign, at: PlanScenario.now)
        scenario.state.apply(changes)
        let plan = scenario.plan()
        #expect(plan.sends.map { Array($0.members) } == [again])
        #expect(plan.steps.map(\.reason) == ["some of its recipients are to be tried again"])
    }

    @Test(arguments: [Resolution.resend, .retry(code: "UNREGISTERED")], [true, false])
    func `whoever is dead or erased keeps their outcome, and no run waits for them`(
        _ way: Resolution, _ isDead: Bool
    ) throws {
        var scenario = scenario()
        let campaign = Campaign.tide(at: Self.due)
        scenario.want(campaign, for: isDead ? [1, 2, 3, 4] : [1, 3, 4])
        scenario.state.apply(.outcome(campaign.id, [2, 3], .accepted))
        let isResend = way == .resend
        scenario.state.apply(
            isResend
                ? .outcome(campaign.id, [2, 4], .unknown) : .reject(campaign.id, [2, 4], code: "UNREGISTERED"))
        scenario.state.dead = isDead ? [2] : []
        func resolve() throws {
            scenario.state.apply(
                try scenario.state.changes(
                    resolving: campaign.id, by: way, campaign: campaign, besides: isDead ? [] : [2],
                    at: PlanScenario.now))
        }
        try resolve()
        let ledger = try #require(scenario.state.occurrences[campaign.id]?.ledger)
        #expect(ledger[isResend ? .unknown : .rejected] == [2] && ledger[.again] == [4])
        #expect(scenario.plan().sends.map(\.members) == [[4]])
        scenario.state.apply(.outcome(campaign.id, [4], .accepted))
        #expect(scenario.plan().over == [campaign.id])
        #expect(throws: ResolutionProblem.nobodyReachable(1)) { try resolve() }
    }

    /// A person had 3 sent it again, and 3 died before a run did that.
    @Test(arguments: Campaign.OnUnknown.allCases)
    func `whoever cannot be sent it again is a person's to decide about, at once`(_ policy: Campaign.OnUnknown) throws {
        var scenario = scenario()
        var campaign = Campaign.tide(at: Self.due)
        campaign.delivery.onUnknown = policy
        scenario.want(campaign, for: [1, 2, 3])
        scenario.state.apply(
            try scenario.state.changes(resolving: campaign.id, by: .resend, campaign: campaign, at: PlanScenario.now))
        scenario.state.dead = [3]
        let plan = scenario.plan()
        #expect(plan.over == [campaign.id] && plan.sends.isEmpty)
        #expect(plan.held.map(\.occurrence) == [campaign.id], "\(plan.held)")
        #expect(plan.held.first?.reason.hasPrefix("1 recipient may or may not have got it") == true)
    }

    /// 1 has it, 2 was refused for now, 3 for good, and 4 was not tried.
    private func putOff() -> PlanScenario {
        var scenario = PlanScenario()
        let campaign = Campaign.tide(at: Self.due)
        scenario.want(campaign, for: [1, 2, 3, 4])
        scenario.began(campaign)
        scenario.state.apply([
            .assign(campaign.id, Partition(disjoint: [MessageClass(): [1, 2, 3, 4]])),
            .outcome(campaign.id, [1], .accepted), .outcome(campaign.id, [2], .deferred),
            .reject(campaign.id, [3], code: "SENDER_ID_MISMATCH"),
        ])
        return scenario
    }

    @Test func `whom FCM refused for now until a person ended it is rejected, and --retry tries them again`() throws {
        var scenario = putOff()
        let campaign = Campaign.tide(at: Self.due)
        let steps: [(Resolution, RecipientSet)] = [(.abandon, [2, 3]), (.retry(code: "UNAVAILABLE"), [3])]
        for (how, rejected) in steps {
            scenario.state.apply(
                try scenario.state.changes(resolving: campaign.id, by: how, campaign: campaign, at: PlanScenario.now))
            let occurrence = scenario.state.occurrences[campaign.id]
            #expect(occurrence?.rejected == rejected && occurrence?[.skipped] == [4])
        }
        #expect(scenario.plan().sends.map(\.members) == [[2]])
    }

    /// An older herald wrote nothing but the end.
    @Test(arguments: [false, true])
    func `whom FCM refused for now stays rejected when others are tried again after the end`(_ isOlder: Bool) throws {
        var scenario = putOff()
        let campaign = Campaign.tide(at: Self.due)
        if isOlder {
            scenario.state.occurrences[campaign.id]?.finished = PlanScenario.now
        } else {
            scenario.state.apply([.finish(campaign.id, at: PlanScenario.now)])
        }
        let retry = Resolution.retry(code: "SENDER_ID_MISMATCH")
        scenario.state.apply(
            try scenario.state.changes(resolving: campaign.id, by: retry, campaign: campaign, at: PlanScenario.now))
        let occurrence = scenario.state.occurrences[campaign.id]
        #expect(occurrence?.rejected == [2] && occurrence?[.skipped] == [4] && occurrence?[.again] == [3])
        #expect(occurrence?.ledger?.codes["UNAVAILABLE"] == [2])
        #expect(scenario.plan().sends.map(\.members) == [[3]])
    }

    @Test func `what goes on at a later time waits for it`() throws {
        var scenario = PlanScenario()
        scenario.began(.tide(at: Self.due), accepted: [1])
        let later = Campaign.tide(at: .after(3600))
        scenario.want(later)
        #expect(scenario.plan().held.count == 1)
        scenario.state.apply(
            try scenario.state.changes(
                resolving: Campaign.tide(at: Self.due).id, by: .goOn, campaign: later, at: PlanScenario.now))
        let proposal = scenario.proposal()
        #expect(proposal.plan.sends.isEmpty && proposal.plan.held.isEmpty)
        #expect(proposal.plan.nextDue == .after(3600))
        #expect(scenario.plan(at: .after(3600)).sends.map(\.members) == [[2, 3]])
    }

    @Test(arguments: [nil, 900] as [Int?], [Resolution.resend, .retry(code: "UNREGISTERED")])
    func `nobody is sent to again after max_lateness or expires_after, and that is said`(
        _ expiresAfter: Int?, _ how: Resolution
    ) {
        var campaign = Campaign.tide(at: Self.due)
        campaign.delivery.expiresAfter = expiresAfter.map { .seconds($0) }
        let deadline = Self.due.adding(campaign.schedule.maxLateness)
        // The last second in which it may be sent, and why it may not be sent after that.
        let (last, lateness) =
            expiresAfter.map {
                (Self.due.adding(.seconds($0 - 1)), Lateness.expired(at: Self.due.adding(.seconds($0))))
            }
            ?? (deadline, .late(since: deadline))
        for (now, isTooLate) in [(last, false), (last.adding(.seconds(1)), true)] {
            var scenario = scenario()
            scenario.want(campaign)
            let result = Result { () throws(ResolutionProblem) in
                try scenario.state.changes(resolving: campaign.id, by: how, campaign: campaign, at: now)
            }
            switch result {
            case .success(let changes):
                #expect(!isTooLate)
                scenario.state.apply(changes)
                #expect(scenario.plan(at: now).sends.count == 1)
            case .failure(let problem): #expect(isTooLate && problem == .tooLate(lateness))
            }
        }
    }

    @Test(arguments: [false, true])
    func `what is too late for everybody does not go on, and each one's own window may be in time`(_ isOwn: Bool) {
        var campaign = Campaign.tide(at: Self.due)
        campaign.schedule.maxLateness = .seconds(600)
        campaign.delivery.window = SendWindow(
            hours: DailyHours(from: 6 * 60, to: 22 * 60), zone: .utc, field: isOwn ? Located("zone") : nil,
            whenClosed: .wait)
        var scenario = PlanScenario()
        scenario.began(campaign, accepted: [1])
        for (now, isLate) in [(PlanScenario.now, false), (Date.after(1), !isOwn)] {
            let result = Result { () throws(ResolutionProblem) in
                try scenario.state.changes(resolving: campaign.id, by: .goOn, campaign: campaign, at: now)
            }
            switch result {
            case .success: #expect(!isLate)
            case .failure(let problem): #expect(isLate && problem == .tooLate(.late(since: PlanScenario.now)))
            }
        }
    }

    @Test(arguments: [Resolution.accept, .abandon])
    func `what sends nothing is never too late`(_ how: Resolution) throws {
        let campaign = Campaign.tide(at: Self.due)
        let changes = try scenario().state.changes(
            resolving: campaign.id, by: how, campaign: campaign, at: .after(1_000_000))
        #expect(!changes.isEmpty)
    }

    // MARK: Nothing is forgotten

    private static let changed: [(Campaign?, ResolutionProblem)] = {
        var disabled = Campaign.tide(at: due)
        disabled.enabled = false
        let gone = ResolutionProblem.noCampaign(name: "tide", revision: 1)
        return [
            (nil, gone), (.tide(at: due, revision: 2), gone), (.tide(at: due, title: "Low tide"), .changed),
            (.tide(to: .topic("tides"), at: due), .changed), (.tide(at: .after(-300)), .changed),
            (disabled, .disabled),
        ]
    }()

    @Test(arguments: changed.indices, [Resolution.resend, .retry(code: "UNREGISTERED")])
    func `where the next run would not send it, that is said and nothing changes`(_ index: Int, _ how: Resolution) {
        let (campaign, problem) = Self.changed[index]
        #expect(throws: problem) {
            try scenario().state.changes(
                resolving: Campaign.tide(at: Self.due).id, by: how, campaign: campaign, at: PlanScenario.now)
        }
    }

    /// Another campaign began the occurrence. This one took its name over.
    @Test(arguments: [false, true])
    func `nobody is sent by --continue what the campaign sent under its former name`(_ hasMoved: Bool) throws {
        var scenario = PlanScenario()
        scenario.began(.tide(at: Self.due, title: "Low tide"), accepted: [1])
        scenario.began(.tide("news"), accepted: [2], finished: true)
        var campaign = Campaign.tide()
        campaign.previousNames = [.init("news")]
        // A campaign that had the name long ago has its history. What is sent under that name since is another one's.
        if hasMoved { scenario.state.formerNames = ["tide": ["news"]] }
        let id = Campaign.tide(at: Self.due).id
        let result = Result { () throws(ResolutionProblem) in
            try scenario.state.changes(resolving: id, by: .goOn, campaign: campaign, at: PlanScenario.now)
        }
        switch result {
        case .success: #expect(hasMoved)
        case .failure(let problem): #expect(!hasMoved && problem == .sentBefore("news@once"))
        }
    }

    /// Two of a cron are half done. Then the author gives the campaign one time.
    @Test func `only one of several occurrences goes on at a time that is due once`() throws {
        var scenario = PlanScenario()
        let cron = try Campaign.cron("0 8 * * *")
        let ids = [-2, -1].map { OccurrenceID(campaign: "tide", due: .after($0 * 86_400), revision: 1) }
        for (id, due) in zip(ids, [-2, -1].map { Date.after($0 * 86_400) }) {
            var occurrence = RecordedOccurrence(cron, due: due)
            occurrence.accepted = [1]
            scenario.state.occurrences[id] = occurrence
        }
        let campaign = Campaign.tide(at: Self.due)
        let goOn = { (state: RecordedState, id: OccurrenceID) in
            try state.changes(resolving: id, by: .goOn, campaign: campaign, at: PlanScenario.now)
        }
        let state = scenario.state
        #expect(try !goOn(state, ids[1]).isEmpty)
        scenario.state.apply(try goOn(state, ids[0]))
        let later = scenario.state
        #expect(throws: ResolutionProblem.timeTaken(ids[0])) { try goOn(later, ids[1]) }
        // It is over, and some have it.
        scenario.state.apply(
            try later.changes(resolving: ids[0], by: .abandon, campaign: campaign, at: PlanScenario.now))
        let ended = scenario.state
        #expect(throws: ResolutionProblem.timeTaken(ids[0])) { try goOn(ended, ids[1]) }
    }

    @Test(arguments: [nil, "tide"] as [String?])
    func `what is paused is resumed before it is sent again`(_ paused: String?) {
        var scenario = scenario()
        scenario.state.apply([.pause(paused)])
        let campaign = Campaign.tide(at: Self.due)
        #expect(throws: ResolutionProblem.paused(paused)) {
            try scenario.state.changes(
                resolving: campaign.id, by: .resend, campaign: campaign, at: PlanScenario.now)
        }
    }

    @Test(arguments: ["40 7", "45 7"])
    func `what is sent again is sent whatever the schedule says by now`(_ cron: String) throws {
        var scenario = PlanScenario()
        let (before, after) = (try Campaign.cron("40 7 * * *"), try Campaign.cron("\(cron) * * *"))
        let due = Date.after(-1200)
        let id = OccurrenceID(campaign: "tide", due: due, revision: 1)
        var occurrence = RecordedOccurrence(before, due: due)
        occurrence.unknown = [1, 2]
        scenario.state.occurrences[id] = occurrence
        scenario.state.watermarks["tide"] = Watermark(at: .after(-60), schedule: before.schedule.text, next: nil)
        scenario.want(after)
        scenario.state.apply(
            try scenario.state.changes(resolving: id, by: .resend, campaign: after, at: PlanScenario.now))
        #expect(scenario.plan().sends.map(\.occurrence) == [id])
    }

    /// It had ended for 1 and 2, and 4 joined the list since. A person has 2 tried again, and then the target is edited.
    @Test(arguments: [true, false])
    func `nobody joins what had ended when it goes on after an edit`(_ isLocal: Bool) throws {
        var campaign = Campaign.tide(at: Self.due)
        let local = LocalTime(year: 2025, month: 12, day: 1, hour: 7, minute: 50)
        if isLocal {
            campaign.schedule.times = .local(LocalSchedule(.at(local, .skip), field: "zone"))
            campaign.zoneField = Located("zone")
        }
        var occurrence = RecordedOccurrence(campaign, due: nil).amended(by: campaign)
        (occurrence.accepted, occurrence.rejected, occurrence.codes) = ([1], [2], ["X": [2]])
        occurrence.classes = Partition(disjoint: [MessageClass(): [1, 2]])
        if isLocal { occurrence.waves = Partition(disjoint: [Self.due: [1, 2]]) }
        occurrence.finished = .after(-60)
        var scenario = PlanScenario()
        scenario.state.occurrences[campaign.id] = occurrence
        let id = campaign.id
        let retry = try scenario.state.changes(
            resolving: id, by: .retry(code: "X"), campaign: campaign, at: PlanScenario.now)
        scenario.state.apply(retry)
        campaign.target = Located(.audience("sailors"))
        scenario.want(campaign, for: [1, 2, 4])
        scenario.desired.sends[0].zones = ["zone": [.utc: [1, 2, 4]]]
        scenario.state.apply(
            try scenario.state.changes(resolving: id, by: .goOn, campaign: campaign, at: PlanScenario.now))
        #expect(scenario.plan().sends.map(\.members) == [[2]])
    }

    /// Who is to get it again does, or the command says why not. Random worlds, resolved in every way.
    @Test(arguments: 0..<50 as Range<UInt64>)
    func `whatever the world is like, sending again sends or is refused`(seed: UInt64) throws {
        let scenario = RandomScenario(seed: seed)
        let campaigns = scenario.workspace.campaigns
        // What a fast clock sent before its time waits for it.
        for (id, occurrence) in scenario.state.occurrences where occurrence.due.map({ $0 <= PlanScenario.now }) ?? true
        {
            let campaign = campaigns.first { $0.continues(occurrence.campaign) }
            let ways = [.resend] + (occurrence.ledger?.codes.states.map { Resolution.retry(code: $0) } ?? [])
            for way in ways {
                let changes = try? scenario.state.changes(
                    resolving: id, by: way, campaign: campaign, at: PlanScenario.now)
                guard let changes else { continue }
                var resolved = scenario
                resolved.state.apply(changes)
                let again = changes.reduce(into: RecipientSet()) { again, change in
                    if case .outcome(_, let members, .again) = change { again.formUnion(members) }
                }
                #expect(!again.isEmpty)
                let (desired, proposal) = try resolved.proposal()
                let (plan, warnings) = (proposal.plan, proposal.overview.warnings)
                let wanted = desired.desired.sends.first { $0.campaign.name == campaign?.name }?.members ?? []
                let living = again.intersection(wanted).subtracting(scenario.state.dead)
                let sent = plan.sends.filter { $0.campaign == campaign?.name.value && $0.due == occurrence.due }
                    .reduce(into: RecipientSet()) { $0.formUnion($1.members) }
                let hasNobody = warnings.contains { $0.contains("has nobody to send to") }
                #expect(living.subtracting(sent).isEmpty || hasNobody, "\(id), \(way)")
            }
        }
    }
}
