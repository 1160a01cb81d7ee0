import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Outcomes that a run knows and cannot write are in its report, and a person can add them to the state.
@Suite struct UnrecordedTests {
    @Test func `what could not be written is in the report, and the state is whole once it is added`() async throws {
        for refused in 2...6 {
            var state = RecordedState.blank
            state.nextRecipient = 41
            var laboratory = Laboratory(population: 40, state: state)
            let memory = laboratory.memory
            laboratory.store = ProbedStore(memory, refusesFrom: refused)
            let plan = laboratory.plan(.send(.sample(1...40)))
            let sent = Log<RecipientID>()
            let report = try await laboratory.run(
                plan,
                ScriptedSender { request, number in
                    sent.append(request.recipient)
                    return request.recipient == 3 && number == 0
                        ? .error(400, "INVALID_ARGUMENT", fcm: "INVALID_ARGUMENT") : .accepted(request, number)
                })
            let saved = try ReportDocument(reading: Array(ReportDocument(report).json.compactText.utf8)).report
            let step = try #require(saved.steps.first)
            #expect(step.unrecorded == report.steps.first?.unrecorded)
            let id = try #require(step.occurrence.map(OccurrenceID.init(rawValue:)))
            let before = memory.state()
            let unrecorded = [id: step.unrecorded ?? UnrecordedOutcomes()]
            try memory.commit(before.adding(unrecorded, of: saved.state?.stamp).changes)
            let ledger = try #require(memory.state().occurrences[id]?.ledger)
            #expect(ledger[.accepted].count + ledger[.rejected].count == sent.entries.count, "commit \(refused)")
            // The same report a second time changes nothing.
            let again = memory.state().adding(unrecorded, of: saved.state?.stamp)
            #expect(again.changes.isEmpty && again.doubted.isEmpty)
        }
    }

    @Test func `nothing that the state knows for certain changes`() {
        var state = RecordedState.blank
        state.nextRecipient = 10
        let id: OccurrenceID = OccurrenceID(rawValue: "tide@once")
        state.apply([
            .open(
                id,
                RecordedOccurrence(campaign: "tide", revision: 1, due: nil, contentDigest: "sha256:", target: "topic:t")
            ), .outcome(id, [1], .accepted), .reject(id, [2], code: "CODE"), .outcome(id, [3], .abandoned),
            .outcome(id, [4, 5, 6, 7], .intended), .outcome(id, [8], .unknown),
        ])
        var outcomes = UnrecordedOutcomes()
        // Of 9 the state knows nothing, and 50 is nobody's number.
        outcomes.accepted = [2, 3, 4, 9, 50]
        outcomes.rejected = ["OTHER": [1, 5]]
        (outcomes.deferred, outcomes.untried) = ([1, 6], [2, 7])
        state.apply(state.adding([id: outcomes], of: nil).changes)
        let ledger = state.occurrences[id]?.ledger
        #expect(ledger?[.accepted] == [1, 4, 9])
        #expect(ledger?.codes["CODE"] == [2])
        #expect(ledger?.codes["OTHER"] == [5])
        #expect(ledger?[.abandoned] == [3])
        #expect(ledger?[.deferred] == [6])
        #expect(ledger?[.unknown] == [8])
        #expect(ledger?[.intended].isEmpty == true)
    }

    @Test func `who was refused for now until the end has got it if a report says so`() {
        var state = RecordedState.blank
        state.nextRecipient = 10
        let id: OccurrenceID = "tide@once"
        state.apply([
            .open(
                id,
                RecordedOccurrence(campaign: "tide", revision: 1, due: nil, contentDigest: "sha256:", target: "topic:t")
            ), .outcome(id, [1, 2], .deferred), .reject(id, [3], code: "CODE"), .finish(id, at: .after(0)),
        ])
        var outcomes = UnrecordedOutcomes()
        outcomes.accepted = [1, 3]
        state.apply(state.adding([id: outcomes], of: nil).changes)
        let ledger = state.occurrences[id]?.ledger
        #expect(ledger?[.accepted] == [1] && ledger?[.rejected] == [2, 3])
        #expect(ledger?.codes.counts == ["UNAVAILABLE": 1, "CODE": 1])
    }

    private static let tide = Campaign.tide("tide")
    /// Of the run that left the first stamp in `begun`.
    private static let stamp = Stamp(number: 1, id: "first")
    private static let report: UnrecordedOutcomes = {
        var outcomes = UnrecordedOutcomes()
        (outcomes.accepted, outcomes.rejected) = ([4], ["CODE": [2, 3]])
        (outcomes.deferred, outcomes.untried) = ([5], [6])
        return outcomes
    }()

    /// One recipient has it, one was rejected, and of the others the state does not know what the run knows.
    private var begun: RecordedState {
        var scenario = PlanScenario()
        scenario.began(Self.tide, accepted: [1], unknown: [3, 4, 5, 6])
        scenario.state.nextRecipient = 10
        scenario.state.apply([
            .reject(Self.tide.id, [2], code: "CODE"), .stamp("first"),
            .assign(Self.tide.id, Partition(disjoint: [MessageClass(): RecipientSet(1...6)])),
        ])
        return scenario.state
    }

    private func adding(
        _ outcomes: UnrecordedOutcomes = Self.report, of stamp: Stamp = Self.stamp, to state: RecordedState
    ) -> AddedOutcomes {
        state.adding([Self.tide.id: outcomes], of: stamp)
    }

    private func ledger(_ state: RecordedState) throws -> Ledger {
        try #require(state.occurrences[Self.tide.id]?.ledger)
    }

    /// Each with those whom it has tried again.
    private static let decisions: [(Resolution, RecipientSet)] = [(.resend, [3, 5, 6]), (.retry(code: "CODE"), [2])]

    @Test(arguments: Self.decisions, [false, true])
    func `a report from before a person had people tried again does not take that try back`(
        _ decision: (Resolution, RecipientSet), _ isTried: Bool
    ) throws {
        var state = begun
        let (way, again) = decision
        state.apply(
            try state.changes(resolving: Self.tide.id, by: way, campaign: Self.tide, at: PlanScenario.now))
        // What came of the later try may be unknown again.
        if isTried { state.apply([.stamp("second"), .outcome(Self.tide.id, again, .unknown)]) }
        let added = adding(to: state)
        #expect(added.doubted[Self.tide.id]?.isEmpty == false)
        state.apply(added.changes)
        let after = try ledger(state)
        #expect(after[isTried ? .unknown : .again].intersection(again) == again)
        // Whom FCM accepted got it. So nobody sends it to them again.
        #expect(after[.accepted] == [1, 4])
        // A run that began since knows what came of the later try.
        let later = adding(of: Stamp(number: 2, id: "second"), to: state)
        #expect(later.doubted.isEmpty && !later.changes.isEmpty)
    }

    @Test func `a report from before a file had people sent it again does not take that try back`() throws {
        var scenario = PlanScenario()
        scenario.state = begun
        scenario.want(.tide("tide", onUnknown: .resend), for: RecipientSet(1...6))
        let plan = scenario.plan()
        #expect(plan.sends.first?.repeated == [3, 4, 5, 6])
        scenario.state.apply(plan.notes)
        scenario.state.apply([.stamp("second"), .outcome(Self.tide.id, [3, 5, 6], .unknown)])
        #expect(adding(to: scenario.state).doubted == [Self.tide.id: [3, 5, 6]])
        let later = adding(of: Stamp(number: 2, id: "second"), to: scenario.state)
        #expect(later.doubted.isEmpty && !later.changes.isEmpty)
    }

    @Test func `a report is not added a second time to those who were tried again because of it`() throws {
        var state = begun
        state.apply(adding(to: state).changes)
        let first = try ledger(state)
        #expect(first[.deferred] == [5] && first.entries.state(of: 6) == nil)
        let second = adding(to: state)
        #expect(second.changes.isEmpty && second.doubted.isEmpty)
        state.apply([.stamp("second"), .outcome(Self.tide.id, [5, 6], .unknown)])
        let third = adding(to: state)
        #expect(third.changes.isEmpty && third.doubted == [Self.tide.id: [5, 6]])
    }

    @Test func `reports of several runs are all added, the oldest first`() throws {
        var (state, next) = (begun, UnrecordedOutcomes())
        state.apply([.outcome(Self.tide.id, [7, 8], .unknown), .stamp("second"), .stamp("a repair")])
        (next.untried, next.rejected) = ([7], ["CODE": [8]])
        for (outcomes, stamp) in [(Self.report, Self.stamp), (next, Stamp(number: 2, id: "second"))] {
            let added = adding(outcomes, of: stamp, to: state)
            #expect(added.doubted.isEmpty)
            state.apply(added.changes)
        }
        let after = try ledger(state)
        #expect(after.uncertain.isEmpty && after[.rejected] == [2, 3, 8])
    }

    @Test func `after a failover a report is doubted once a person had it go on`() throws {
        var state = begun
        // The state lacks even that they were tried.
        state.apply([.outcome(Self.tide.id, [3, 5, 6], nil), .halt(Self.tide.id, .failedOver)])
        state.apply(
            try state.changes(resolving: Self.tide.id, by: .goOn, campaign: Self.tide, at: PlanScenario.now))
        state.apply([.stamp("second"), .outcome(Self.tide.id, [3, 5, 6], .unknown)])
        let added = adding(to: state)
        #expect(added.doubted == [Self.tide.id: [3, 5, 6]])
        state.apply(added.changes)
        let after = try ledger(state)
        #expect(after.uncertain == [3, 5, 6] && after[.accepted] == [1, 4])
    }

    @Test func `whoever was not tried is accounted for where a send goes on with another target`() throws {
        var state = begun
        let edited = Campaign.tide("tide", to: .audience("guests"))
        state.apply(try state.changes(resolving: Self.tide.id, by: .goOn, campaign: edited, at: PlanScenario.now))
        state.apply(adding(to: state).changes)
        let after = try ledger(state)
        #expect(after.entries.all == RecipientSet(1...6))
        #expect(after.codes[SkipReason.notTried.rawValue] == [6])
        // Whom the other target has gets it.
        var scenario = PlanScenario()
        scenario.state = state
        scenario.want(edited, for: [6, 9])
        let send = try #require(scenario.plan().sends.first)
        #expect(send.members == [6, 9] && send.returning == [6])
    }

    @Test func `nothing waits for whoever was erased since`() throws {
        var state = begun
        state.apply([.finish(Self.tide.id, at: .after(0))])
        state.apply(state.changes(erasing: [5, 6]))
        state.apply(adding(to: state).changes)
        #expect(state.occurrences[Self.tide.id]?.finished != nil)
        #expect(try ledger(state).uncertain == [5, 6])
    }

    @Test(arguments: [.campaign("tide"), .occurrence(tide.id)] as [StateChange.Resource])
    func `a report from before an occurrence was taken out says nothing of the next one of that name`(
        _ resource: StateChange.Resource
    ) throws {
        var scenario = PlanScenario()
        scenario.state = begun
        scenario.state.apply(scenario.state.changes(removing: resource) + [.stamp("a removal")])
        scenario.began(Self.tide, accepted: [1], unknown: [4, 5, 6])
        let added = adding(to: scenario.state)
        #expect(added.changes.isEmpty && added.doubted == [Self.tide.id: RecipientSet(2...6)])
        // A run that began since knows of the next one.
        scenario.state.apply([.stamp("third")])
        let later = adding(of: Stamp(number: 3, id: "third"), to: scenario.state)
        #expect(later.doubted.isEmpty && !later.changes.isEmpty)
    }

    @Test(arguments: [
        #"[]"#, #"{"accepted":[[1]],"rejected":{},"deferred":[],"untried":[]}"#,
        #"{"accepted":[[2,1]],"rejected":{},"deferred":[],"untried":[]}"#,
        #"{"accepted":[[-1,1]],"rejected":{},"deferred":[],"untried":[]}"#,
        #"{"accepted":[[0,4294967295]],"rejected":{},"deferred":[],"untried":[]}"#,
        #"{"accepted":[[1,2000000]],"rejected":{},"deferred":[],"untried":[]}"#,
        #"{"accepted":[["1",2]],"rejected":{},"deferred":[],"untried":[]}"#,
        #"{"accepted":[],"rejected":{"A B":[]},"deferred":[],"untried":[]}"#,
        #"{"accepted":[],"rejected":{},"deferred":[]}"#,
    ])
    func `a report with anything else in their place is refused`(_ text: String) throws {
        #expect(UnrecordedOutcomes(json: try JSONValue(parsing: text.utf8)) == nil)
    }
}
