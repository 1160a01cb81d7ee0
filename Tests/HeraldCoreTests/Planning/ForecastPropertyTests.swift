import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore
@testable import Lives

/// Plans from a snapshot beside plans from its state, in random worlds. The random lives of `LifeTests` do the same after
/// every edit and every run.
@Suite struct ForecastPropertyTests {
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `a snapshot shows what the state shows`(seed: UInt64) throws {
        var scenario = RandomScenario(seed: seed)
        var random = SeededRandom(seed: seed &+ 77)
        for campaign in scenario.workspace.campaigns where Int.random(in: 0..<6, using: &random) == 0 {
            scenario.state.pauses.campaigns.insert(campaign.name.value)
        }
        scenario.state.pauses.everything = Int.random(in: 0..<12, using: &random) == 0
        scenario.state.audienceSizes = ["a0": 500, "a1": 3]
        scenario.rememberNames(&random)
        let (desired, real) = try scenario.proposal()
        let taken = StateSnapshot(scenario.state, tombstones: scenario.state.dead.count, at: PlanScenario.now)
        let snapshot = try SnapshotDocument(reading: SnapshotDocument(taken).json.bytes()).snapshot
        #expect(snapshot == taken)
        // A machine without the state numbers recipients from 1.
        let listed = try Resolved(scenario.workspace).desired
        let forecast = Planner.forecast(from: snapshot, of: listed, scenario.workspace.settings, at: PlanScenario.now)
        #expect(
            ForecastComparison(real, of: desired.desired, forecast, of: listed, from: snapshot).differences == [])
        #expect(real.overview.collapsed == forecast.proposal.overview.collapsed)

        let skipped = Planner.Input(
            desired: listed.withoutMembers, state: scenario.state, settings: scenario.workspace.settings,
            listsSkipped: true)
        let blind = Planner.forecast(
            from: snapshot, of: listed.withoutMembers, scenario.workspace.settings, listsSkipped: true,
            at: PlanScenario.now)
        let unread = Planner.proposal(skipped, at: PlanScenario.now)
        let compared = ForecastComparison(
            unread, of: skipped.desired, blind, of: listed.withoutMembers, from: snapshot)
        #expect(compared.differences == [])
    }

    /// A slow clock, or a person who let it go on later. A snapshot does not say whether the rest are listed.
    @Test(arguments: [[1, 2, 3], [1, 2]] as [RecipientSet])
    func `a half-done send that waits for its time may be over`(tried: RecipientSet) {
        var scenario = PlanScenario()
        let campaign = Campaign.tide(at: .after(3600))
        scenario.want(campaign, for: [1, 2, 3])
        scenario.list([1, 2, 3])
        scenario.began(campaign, accepted: tried)
        let (real, forecast, compared) = compared(scenario)
        #expect(real.overview.upcoming.count == (tried.count == 3 ? 0 : 1))
        #expect(forecast.overview.upcoming.count == 1)
        #expect(compared.differences == [])
    }

    @Test func `a forecast of what is not coming is found`() {
        var scenario = PlanScenario()
        let campaign = Campaign.tide(at: .after(3600))
        scenario.want(campaign, for: [1, 2, 3])
        scenario.list([1, 2, 3])
        var disabled = scenario
        disabled.desired.sends[0].campaign.enabled = false
        #expect(compared(disabled, forecasting: scenario).compared.differences.contains("next due"))
    }

    private func compared(
        _ scenario: PlanScenario, forecasting other: PlanScenario? = nil
    ) -> (real: Proposal, forecast: Proposal, compared: ForecastComparison) {
        let snapshot = StateSnapshot(scenario.state, tombstones: 0, at: PlanScenario.now)
        let (real, other) = (scenario.proposal(), other ?? scenario)
        let forecast = Planner.forecast(from: snapshot, of: other.desired, other.settings, at: PlanScenario.now)
        let compared = ForecastComparison(
            real, of: scenario.desired, forecast, of: other.desired, from: snapshot)
        return (real, forecast.proposal, compared)
    }
}

extension RandomScenario {
    /// Histories that moved to a new name before, and campaigns that were only tested.
    fileprivate mutating func rememberNames(_ random: inout SeededRandom) {
        for number in 0..<4 {
            let (old, new) = ("cron\(number)", "renamed\(number)")
            if Int.random(in: 0..<3, using: &random) == 0 { state.formerNames[new] = [old] }
            guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
            state.tests.append(RecordedTest(campaign: old, at: PlanScenario.now, accepted: 1, rejected: 0, unknown: 0))
            if Bool.random(using: &random) {
                state.watermarks[old] = nil
                state.occurrences = state.occurrences.filter { $0.value.campaign != old }
            }
        }
    }
}
