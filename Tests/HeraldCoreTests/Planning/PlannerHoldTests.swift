import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What is held names only decisions that can be carried out, and says whom they leave out.
struct PlannerHoldTests {
    private static let due = Date.after(-600)

    private func words(_ id: OccurrenceID, _ scenario: PlanScenario) throws -> (reason: String, resolve: String) {
        let held = try #require(scenario.plan().held.first { $0.occurrence == id })
        return (held.reason, held.resolve)
    }

    private static let edits: [(Campaign, String?)] = [
        (.tide(at: due, title: "Low tide"), nil), (.tide(to: .audience("sailors"), at: due), nil),
        (.tide(to: .topic("tides"), at: due), "it began with another kind of target"),
        (.tide(at: .after(-7300)), "it is later than max_lateness allows"),
    ]

    @Test(arguments: edits.indices)
    func `only what can go on after an edit offers that`(_ index: Int) throws {
        let (campaign, obstacle) = Self.edits[index]
        let id = Campaign.tide(at: Self.due).id
        var scenario = PlanScenario()
        scenario.began(.tide(at: Self.due), accepted: [1])
        scenario.want(campaign)
        let (reason, resolve) = try words(id, scenario)
        #expect(reason.hasPrefix("it is half done and its message, target or time changed since; "))
        #expect(reason.contains("--continue") == (obstacle == nil), "\(reason)")
        #expect(obstacle.map { reason.contains(": \($0)") } ?? true, "\(reason)")
        #expect(resolve == "herald state resolve \(id) \(obstacle == nil ? "--continue or " : "")--abandon")
    }

    /// A person who sees only the edit would go past what halted it without a word.
    @Test(
        arguments: [
            (.rejected, "1 of 2 were rejected"), (.dead, "more registrations looked dead"),
            (.stage, "a stage was halted"),
        ] as [(RecordedOccurrence.Halt, String)])
    func `after an edit a plan still says what halted a send`(_ halt: RecordedOccurrence.Halt, _ cause: String) throws {
        let before = Campaign.tide(at: Self.due)
        var scenario = PlanScenario()
        scenario.began(before, accepted: [1])
        scenario.state.apply([.outcome(before.id, [2], .rejected), .halt(before.id, halt)])
        scenario.want(.tide(at: Self.due, title: "Low tide"))
        let (reason, _) = try words(before.id, scenario)
        let changed = "it is half done and its message, target or time changed since; besides, \(cause)"
        #expect(reason.hasPrefix(changed), "\(reason)")
        #expect(reason.contains("; --continue accepts that and sends what the file says now"), "\(reason)")
    }

    /// 1 has it, 2 is to get it, and 4 is on the list since.
    @Test(arguments: [("anglers", 1), ("sailors", 2)])
    func `a hold says whether --continue reaches others, too`(_ audience: String, _ remaining: Int) throws {
        let before = Campaign.tide(to: .audience("anglers"), at: Self.due)
        var scenario = PlanScenario()
        scenario.began(before, accepted: [1])
        scenario.state.apply([.assign(before.id, Partition(disjoint: [MessageClass(): [1, 2]]))])
        scenario.want(.tide(to: .audience(audience), at: Self.due, title: "Low tide"), for: [1, 2, 4])
        let held = try #require(scenario.plan().held.first)
        #expect(held.remaining == remaining)
        #expect(held.reason.contains("who had no part in it before") == (audience == "sailors"), "\(held.reason)")
    }

    /// Two of a cron are half done. Then the author gives the campaign one time, and lets the first go on.
    @Test func `what would go on at the time of another occurrence does not offer that`() throws {
        let cron = try Campaign.cron("0 8 * * *")
        let dues = [-2, -1].map { Date.after($0 * 86_400) }
        let ids = dues.map { OccurrenceID(campaign: "tide", due: $0, revision: 1) }
        var scenario = PlanScenario()
        for (id, due) in zip(ids, dues) {
            var occurrence = RecordedOccurrence(cron, due: due)
            occurrence.accepted = [1]
            scenario.state.occurrences[id] = occurrence
        }
        let campaign = Campaign.tide(at: Self.due)
        scenario.want(campaign)
        scenario.state.apply(
            try scenario.state.changes(resolving: ids[0], by: .goOn, campaign: campaign, at: PlanScenario.now))
        let (reason, resolve) = try words(ids[1], scenario)
        #expect(reason.contains("\(ids[0]) has the same time"), "\(reason)")
        #expect(resolve == "herald state resolve \(ids[1]) --abandon")
    }

    /// 2 was refused, and 3 is dead.
    @Test(arguments: [false, true])
    func `who was rejected is not among those who get the rest, and that is said`(_ isHalted: Bool) throws {
        let campaign = Campaign.tide(at: Self.due)
        var scenario = PlanScenario()
        scenario.began(campaign, accepted: [1])
        scenario.state.apply([
            .reject(campaign.id, [2], code: "INVALID_ARGUMENT"), .reject(campaign.id, [3], code: "UNREGISTERED"),
        ])
        scenario.state.dead = [3]
        if isHalted { scenario.state.apply([.halt(campaign.id, .rejected)]) }
        scenario.want(isHalted ? campaign : .tide(at: Self.due, title: "Low tide"), for: [1, 2, 3, 4])
        let (reason, resolve) = try words(campaign.id, scenario)
        #expect(reason.hasSuffix("; afterwards --retry INVALID_ARGUMENT tries the 1 rejected again"), "\(reason)")
        #expect(resolve == "herald state resolve \(campaign.id) --continue or --abandon")
    }

    /// 2 and 3 were refused. The target has both of them, one or none now.
    @Test(arguments: [([2, 3, 4], 2), ([3, 4], 1), ([4], 0)] as [(RecipientSet, Int)])
    func `only rejected people whom the target still has can be tried again`(
        _ members: RecipientSet, _ number: Int
    ) throws {
        let campaign = Campaign.tide(at: Self.due)
        var scenario = PlanScenario()
        scenario.began(campaign, accepted: [1])
        scenario.state.apply([.reject(campaign.id, [2, 3], code: "INVALID_ARGUMENT")])
        scenario.want(.tide(to: .audience("sailors"), at: Self.due), for: members)
        let reason = try words(campaign.id, scenario).reason
        let way = "; afterwards --retry INVALID_ARGUMENT tries the \(number) rejected again"
        #expect(number > 0 ? reason.hasSuffix(way) : !reason.contains("--retry"), "\(reason)")
    }

    /// Nobody knows whether 2 got it.
    @Test(arguments: [(Campaign.OnUnknown.hold, true), (.resend, false), (.hold, false)])
    func `who may have got it is among those who get the rest only if they are to get it again, and that is said`(
        _ onUnknown: Campaign.OnUnknown, _ isAsked: Bool
    ) throws {
        let campaign = Campaign.tide(at: Self.due, onUnknown: onUnknown)
        var scenario = PlanScenario()
        scenario.began(campaign, accepted: [1], unknown: [2])
        if isAsked { scenario.state.apply([.outcome(campaign.id, [2], .again)]) }
        scenario.want(.tide(at: Self.due, title: "Low tide", onUnknown: onUnknown))
        let held = try #require(scenario.plan().held.first { $0.kind == .held })
        let isRepeated = isAsked || onUnknown == .resend
        #expect(held.reason.hasSuffix(isRepeated ? ", and again to 1 recipient who may have got it" : "nothing yet"))
        #expect(held.remaining == (isRepeated ? 2 : 1))
    }

    /// Whoever may have got it before the kind of target was edited.
    @Test(
        arguments: [(.topic("tides"), .target, .audience("anglers")), (.audience("anglers"), [1], .topic("tides"))]
            as [(Campaign.Target, RecipientSet, Campaign.Target)])
    func `who is to be sent it again does not get it with a whole target, nor the reverse`(
        _ before: Campaign.Target, _ reached: RecipientSet, _ target: Campaign.Target
    ) throws {
        let (campaign, edited) = (Campaign.tide(to: before, at: Self.due), Campaign.tide(to: target, at: Self.due))
        var scenario = PlanScenario()
        scenario.began(campaign, intended: reached)
        scenario.state.apply(
            try scenario.state.changes(resolving: campaign.id, by: .resend, campaign: campaign, at: PlanScenario.now))
        #expect(throws: ResolutionProblem.reachedOtherwise) {
            _ = try scenario.state.changes(
                resolving: campaign.id, by: .goOn, campaign: edited, at: PlanScenario.now)
        }
        scenario.want(edited)
        #expect(try words(campaign.id, scenario).resolve == "herald state resolve \(campaign.id) --abandon")
    }

    /// One request, of which nobody knows whether it had its effect.
    @Test(arguments: [false, true]) func `a request to everybody counts nobody`(_ isFinished: Bool) throws {
        let campaign = Campaign.tide(to: .topic("tides"), at: Self.due)
        var scenario = PlanScenario()
        scenario.began(campaign, unknown: .target, finished: isFinished)
        scenario.want(campaign)
        let unknown = try words(campaign.id, scenario).reason
        #expect(unknown.hasPrefix("everybody of topic tides may or may not have got it, and herald"), "\(unknown)")
        scenario.state.apply(
            try scenario.state.changes(resolving: campaign.id, by: .resend, campaign: campaign, at: PlanScenario.now))
        scenario.desired.sends = []
        scenario.want(.tide(to: .topic("tides"), at: Self.due, title: "Low tide"))
        let changed = try words(campaign.id, scenario).reason
        #expect(changed.hasSuffix("to topic tides again: everybody there may have got it"), "\(changed)")
    }

    /// 'wind' and 'tide' had one message, and both were half done when 'tide' was renamed to 'wind'.
    @Test(arguments: [false, true]) func `who has the later of two sends that a rename brought together gets no other`(
        _ isFinished: Bool
    ) throws {
        let (old, campaign) = (Campaign.tide("tide"), Campaign.tide("wind"))
        var scenario = PlanScenario()
        scenario.began(old, accepted: [1])
        scenario.began(campaign, accepted: isFinished ? [1, 2, 3] : [2], finished: isFinished)
        scenario.state.occurrences[old.id]?.begun = .after(-600)
        scenario.state.occurrences[campaign.id]?.begun = .after(-60)
        var renamed = campaign
        renamed.previousNames = [.init("tide")]
        scenario.want(renamed)
        let plan = scenario.plan()
        #expect(plan.sends.map(\.occurrence) == (isFinished ? [] : [campaign.id]))
        let (reason, resolve) = try words(old.id, scenario)
        #expect(reason.hasPrefix("it is half done, and wind@once, which began later"), "\(reason)")
        #expect(resolve == "herald state resolve tide@once --abandon")
        // A person cannot let it go on either.
        scenario.state.apply([.rename(campaign: "tide", to: "wind"), .outcome(old.id, [2], .unknown)])
        for way in [Resolution.goOn, .resend] {
            #expect(throws: ResolutionProblem.timeTaken(campaign.id)) {
                _ = try scenario.state.changes(
                    resolving: old.id, by: way, campaign: renamed, at: PlanScenario.now)
            }
        }
        scenario.state.apply(
            try scenario.state.changes(resolving: old.id, by: .abandon, campaign: renamed, at: PlanScenario.now))
        #expect(scenario.plan().held.isEmpty)
    }

    @Test func `another message that was sent under the new name holds nothing`() {
        let (old, campaign) = (Campaign.tide("tide"), Campaign.tide("wind", title: "Wind"))
        var scenario = PlanScenario()
        scenario.began(old, accepted: [1])
        scenario.began(campaign, accepted: [1, 2, 3], finished: true)
        scenario.state.occurrences[old.id]?.begun = .after(-600)
        scenario.state.occurrences[campaign.id]?.begun = .after(-60)
        var renamed = Campaign.tide("wind")
        renamed.previousNames = [.init("tide")]
        scenario.want(renamed)
        let plan = scenario.plan()
        #expect(plan.sends.map(\.occurrence) == [old.id] && plan.held.isEmpty)
    }
}
