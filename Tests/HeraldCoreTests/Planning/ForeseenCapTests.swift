import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What plans say of sends to come that a frequency cap may stop. It is 2025-12-01T08:00:00Z.
struct ForeseenCapTests {
    private static let promo = FrequencyCap(name: "promo", max: 1, per: .seconds(86_400), tags: ["promo"])

    /// A campaign of tomorrow morning, and one that is due now.
    private func scenario(_ change: (inout Campaign, inout Campaign) -> Void = { _, _ in }) -> PlanScenario {
        var (later, now) = (Campaign.tide("later", at: .after(72_000)), Campaign.tide("now"))
        var frequency = Frequency(tags: ["promo"])
        frequency.caps = [Self.promo]
        (later.delivery.frequency, now.delivery.frequency) = (frequency, frequency)
        change(&later, &now)
        var scenario = PlanScenario()
        scenario.settings.frequencyCaps = [Self.promo]
        scenario.state.countingSince = .after(-90 * 86_400)
        scenario.want(later)
        if now.enabled { scenario.want(now, for: [1, 2]) }
        return scenario
    }

    private func document(_ scenario: PlanScenario) -> PlanDocument {
        PlanDocument(scenario.proposal(), id: "i", created: PlanScenario.now)
    }

    private func start(_ seconds: Int) -> MessageStart { MessageStart(until: .after(seconds), tags: ["promo"]) }

    @Test func `whom this plan's own sends stop later is foreseen, and others may be stopped, too`() {
        let document = document(scenario())
        #expect(document.headline == "2 campaigns to at most 3 recipients, the first now")
        let row = "| audience anglers | at most 1 | frequency caps stop 2 of 3 recipients |"
        #expect(document.markdown.contains(row), "\(document.markdown)")
        #expect(document.json["upcoming"]?.array?.map { $0["recipients"] } == [3])
        #expect(document.json["upcoming"]?.array?.map { $0["capped"] } == [2])
    }

    @Test func `a message of the state counts as long as it still does when the send is due`() {
        var scenario = scenario { $1.enabled = false }
        scenario.state.starts = ["a@once": Partition(disjoint: [start(-60): [1], start(-14_400): [2]])]
        #expect(scenario.overview.upcoming.map(\.capped) == [1])
        #expect(document(scenario).headline.hasPrefix("1 campaign to at most 2 recipients"))
        scenario.state.starts = ["a@once": Partition(disjoint: [start(-60): [1, 2, 3]])]
        #expect(document(scenario).headline.hasPrefix("1 campaign to 0 recipients"))
    }

    /// The first has 09:00 in an hour, and had a message five hours ago. The others have it three hours later.
    @Test(arguments: [(5 * 3600, 0), (6 * 3600 + 60, 1), (9 * 3600 + 60, 3)])
    func `in local time each wave is foreseen at its own time`(_ per: Int, _ capped: Int) {
        let cap = FrequencyCap(name: "promo", max: 1, per: .seconds(per), tags: ["promo"])
        var scenario = scenario { later, now in
            let local = LocalTime(year: 2025, month: 12, day: 1, hour: 9)
            later.schedule.times = .local(LocalSchedule(.at(local, .skip), field: "zone"))
            later.zoneField = Located("zone")
            later.delivery.frequency.caps = [cap]
            now.enabled = false
        }
        scenario.settings.frequencyCaps = [cap]
        scenario.desired.sends[0].zones = ["zone": [.utc: [1], Zone(offset: -3 * 3600): [2, 3]]]
        scenario.state.starts = ["a@once": Partition(disjoint: [start(-5 * 3600): [1, 2, 3]])]
        let upcoming = scenario.overview.upcoming
        #expect(upcoming.map { $0.waves.map(\.recipients) } == [[1, 2]])
        #expect(upcoming.map(\.capped) == [capped])
        let most = capped == 3 ? "0 recipients" : "at most \(count(3 - capped, "recipient"))"
        #expect(document(scenario).headline.hasPrefix("1 campaign to \(most), the first "))
    }

    @Test func `a plan that is made while a run sends works out nothing for readers`() {
        var scenario = scenario()
        #expect(scenario.overview.upcoming.map(\.capped) == [2])
        scenario.underWay = scenario.plan().sends
        #expect(scenario.overview.upcoming.map(\.capped) == [0])
    }

    @Test func `what no cap stops has its number as it is`() {
        let ignoring = scenario { later, _ in later.delivery.frequency.ignoresCaps = true }
        #expect(ignoring.overview.upcoming.map(\.capped) == [nil])
        #expect(document(ignoring).headline == "2 campaigns to 5 recipients, the first now")
        let uncapped = scenario { later, _ in later.delivery.frequency.caps = [] }
        #expect(document(uncapped).json["upcoming"]?.array?.first?["capped"] == nil)
    }

    @Test func `the guard for large sends counts those whom a cap stops`() {
        var scenario = scenario()
        scenario.settings.guards.maxRecipients = 2
        #expect(scenario.overview.warnings.contains { $0.hasPrefix("campaign 'later' is to reach 3 recipients") })
    }
}
