import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Whom a person has tried again, once the send went on with another target.
struct ResolvingTargetTests {
    private static let retry = Resolution.retry(code: "X")

    private func state(_ campaign: Campaign, refused: RecipientSet) -> RecordedState {
        var scenario = PlanScenario()
        scenario.began(campaign, accepted: [1])
        scenario.state.apply([.reject(campaign.id, refused, code: "X")])
        return scenario.state
    }

    @Test func `lists tell who is in a target that nothing was sent to yet`() {
        let campaign = Campaign.tide()
        var state = state(campaign, refused: [2, 3])
        let wanted = DesiredSend(campaign: campaign, members: [1, 2, 5])
        #expect(state.targetMatters(to: campaign.id, Self.retry, campaign))
        #expect(!state.targetMatters(to: campaign.id, .resend, campaign))
        #expect(state.outsiders(among: [2, 3], of: campaign.id, campaign, wanted) == [3])
        // What nothing is sent of says so in other words.
        let edited = Campaign.tide(title: "Low tide")
        #expect(!state.targetMatters(to: campaign.id, Self.retry, edited))
        #expect(state.outsiders(among: [2, 3], of: campaign.id, edited, nil).isEmpty)
        state.apply([.assign(campaign.id, Partition(disjoint: [MessageClass(): [1, 2, 3]]))])
        #expect(!state.targetMatters(to: campaign.id, Self.retry, campaign))
        #expect(state.outsiders(among: [2, 3], of: campaign.id, campaign, nil).isEmpty)
    }

    /// Each of them was sent it, or one request was for all, before the target was edited.
    @Test(arguments: [(.topic("tides"), [2]), (.audience("anglers"), .target)] as [(Campaign.Target, RecipientSet)])
    func `who was refused is not in a target of another kind`(_ target: Campaign.Target, _ refused: RecipientSet) {
        let campaign = Campaign.tide(to: target)
        let state = state(campaign, refused: refused)
        #expect(state.outsiders(among: refused, of: campaign.id, campaign, nil) == refused)
        let others: RecipientSet = refused == .target ? [2] : .target
        #expect(state.outsiders(among: others, of: campaign.id, campaign, nil).isEmpty)
    }
}
