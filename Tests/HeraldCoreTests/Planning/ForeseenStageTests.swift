import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Who gets a send to come when, before it begins: its stages, and the windows of its waves. It is 2025-12-01T08:00:00Z.
struct ForeseenStageTests {
    private func stages(soak: Stages.Soak = .time(.seconds(900)), seeds: String? = "phones") -> Stages {
        var stages = Stages()
        stages.shares = [10_000, 100_000, 1_000_000].map { StageShare(millionths: $0) }
        (stages.soak, stages.seeds) = (soak, seeds.map { Located($0) })
        return stages
    }

    /// A thousand, and two seeds whom the target does not have, at 20:00 in UTC.
    private func scenario(_ stages: Stages, _ change: (inout Campaign) -> Void = { _ in }) -> PlanScenario {
        var campaign = Campaign.tide("tide", at: .after(12 * 3600))
        campaign.delivery.stages = stages
        change(&campaign)
        var scenario = PlanScenario()
        let guests: RecipientSet = stages.seeds == nil ? [] : [1001, 1002]
        scenario.want(campaign, for: RecipientSet(1...1000).union(guests))
        (scenario.desired.sends[0].seeds, scenario.desired.sends[0].guests) = (guests, guests)
        return scenario
    }

    private func document(_ scenario: PlanScenario) -> PlanDocument {
        PlanDocument(scenario.proposal(), id: "i", created: PlanScenario.now)
    }

    @Test(
        arguments: [
            (
                .time(.seconds(900)),
                "opens 15m after the last outcome, if all is well; the last one at 2025-12-01T20:45:00Z"
            ),
            (
                .time(.zero),
                "opens at once after the last outcome, if all is well; the last one at 2025-12-01T20:00:00Z"
            ),
            (.manual, "a person opens each next one"),
        ] as [(Stages.Soak, String)])
    func `a send to come shows its stages, and when the last one opens`(_ soak: Stages.Soak, _ words: String) {
        let document = document(scenario(stages(soak: soak)))
        let chart = document.sendCharts.map { $0.textLines }
        #expect(chart.count == 1)
        let text = chart.first?.joined(separator: "\n") ?? ""
        #expect(
            text.hasPrefix("tide@2025-12-01T20:00:00Z: from 2025-12-01T20:00:00Z: about 1,002 recipients in 4 stages"))
        #expect(text.contains(words), "\(text)")
        for (name, figure) in [("seeds", "2"), ("1 %", "10"), ("10 %", "90"), ("100 %", "900")] {
            #expect(
                text.contains { $0.isNewline }
                    && chart[0].contains {
                        $0.trimmingPrefix("  ").hasPrefix("\(name) ") && $0.hasSuffix(" \(figure)")
                    }, "\(text)")
        }
        let planned = document.json["upcoming"]?.array?.first?["stages"]?.array?.map { $0["planned"]?.int }
        #expect(planned == [2, 10, 90, 900])
        #expect(document.markdown.contains("about 1,002 recipients in 4 stages"))
    }

    /// At 20:00 seeds may start, and others an hour later. A stage soaks a quarter of an hour.
    @Test(
        arguments: [("phones", "20:00:00Z", "21:30:00Z"), (nil, "21:00:00Z", "21:30:00Z")]
            as [(String?, String, String)])
    func `only seeds begin while the window is closed`(_ seeds: String?, _ begin: String, _ last: String) {
        let campaigns = scenario(stages(seeds: seeds)) { campaign in
            let hours = DailyHours(from: 1260, to: 1080)
            campaign.delivery.window = SendWindow(hours: hours, zone: .utc, field: nil, whenClosed: .wait)
        }
        let text = document(campaigns).sendCharts.flatMap(\.textLines).joined(separator: "\n")
        #expect(text.contains(": from 2025-12-01T\(begin): about"), "\(text)")
        #expect(text.contains("the last one at 2025-12-01T\(last) at the earliest"), "\(text)")
    }

    @Test func `what has begun shows its stages once, and a send without stages none`() {
        var begun = scenario(stages())
        let campaign = begun.desired.sends[0].campaign
        begun.began(campaign, accepted: [1001, 1002])
        begun.state.occurrences[campaign.id]?.stages = [RecordedStage(share: .seeds, opened: .after(-60), planned: 2)]
        #expect(document(begun).sendCharts.count <= 1)
        #expect(begun.overview.upcoming.allSatisfy { $0.stages == nil })
        #expect(document(scenario(stages()) { $0.delivery.stages = nil }).sendCharts.isEmpty)
    }

    /// At 20:00 of their own clock, and nobody is sent anything from 18:00 to 21:00.
    @Test(arguments: [SendWindow.WhenClosed.wait, .skip])
    func `a wave whose window is closed says when it opens`(_ closed: SendWindow.WhenClosed) {
        var campaigns = scenario(stages(seeds: nil)) { campaign in
            let local = LocalTime(year: 2025, month: 12, day: 1, hour: 20)
            campaign.schedule.times = .local(LocalSchedule(.at(local, .skip), field: "zone"))
            campaign.zoneField = Located("zone")
            campaign.delivery.window = SendWindow(
                hours: DailyHours(from: 1260, to: 1080), zone: .utc, field: Located("zone"), whenClosed: closed)
        }
        let west = Zone(offset: -3600)
        campaigns.desired.sends[0].zones = ["zone": [.utc: RecipientSet(1...400), west: RecipientSet(401...1000)]]
        let waves = campaigns.overview.upcoming.first?.waves ?? []
        let clocks: [Date] = [.after(12 * 3600), .after(13 * 3600)]
        #expect(waves.map(\.at) == clocks)
        let openings: [Date?] = closed == .wait ? [.after(13 * 3600), .after(14 * 3600)] : [nil, nil]
        #expect(waves.map(\.opens) == openings)
        let skipped: [Int] = closed == .wait ? [0, 0] : [400, 600]
        #expect(waves.map(\.skipped) == skipped)
        let text = document(campaigns).sendCharts.flatMap(\.textLines).joined(separator: "\n")
        let words = closed == .wait ? "starts Mon 2025-12-01 21:00 UTC, when the window opens" : "400 skipped"
        #expect(text.contains(words), "\(text)")
        let begin = closed == .wait ? "21:00:00Z to 2025-12-01T22:00:00Z" : "20:00:00Z to 2025-12-01T21:00:00Z"
        #expect(text.contains("from 2025-12-01T\(begin): 1,000 recipients in 2 waves"), "\(text)")
        #expect(text.contains("about 1,000 recipients in 3 stages"), "\(text)")
    }
}
