import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Of several occurrences that the same people wait for, `catch_up` decides. It is 2025-12-01T08:00:00Z, and the
/// campaign was due at 6:00 and at 7:00.
struct PlannerCatchUpTests {
    private static let all = RecipientSet(1...40)

    enum Waiting: CaseIterable {
        /// For a window that opens at 8:00.
        case window
        /// For their clocks.
        case local
    }

    private struct Entry {
        var hour: Int
        var accepted: RecipientSet
        var finished = false
        var begun: Date?
    }

    private func id(_ entry: Entry, _ campaign: Campaign) -> OccurrenceID {
        campaign.schedule.local == nil
            ? OccurrenceID(campaign: "tide", due: .after((entry.hour - 8) * 3600), revision: 1)
            : OccurrenceID(campaign: "tide", local: local(entry), revision: 1)
    }

    private func local(_ entry: Entry) -> LocalTime { LocalTime(year: 2025, month: 12, day: 1, hour: entry.hour) }

    private func scenario(_ waiting: Waiting, _ catchUp: Schedule.CatchUp, _ entries: [Entry]) throws -> PlanScenario {
        var campaign = Campaign.tide()
        let cron = try Cron(parsing: "0 6,7,9 * * *")
        (campaign.schedule.catchUp, campaign.schedule.maxLateness) = (catchUp, .seconds(4 * 3600))
        switch waiting {
        case .window:
            campaign.schedule.times = .cron(cron, start: nil, end: nil)
            campaign.delivery.window = SendWindow(
                hours: DailyHours(from: 8 * 60, to: 22 * 60), zone: .utc, whenClosed: .wait)
        case .local:
            campaign.schedule.times = .local(LocalSchedule(.cron(cron, start: nil, end: nil), field: "zone"))
            campaign.zoneField = Located("zone")
        }
        var scenario = PlanScenario()
        scenario.want(campaign, for: Self.all)
        scenario.desired.sends[0].zones = ["zone": [.utc: Self.all]]
        for entry in entries {
            let due = Date.after((entry.hour - 8) * 3600)
            var occurrence =
                waiting == .local
                ? RecordedOccurrence(campaign, local: local(entry)) : RecordedOccurrence(campaign, due: due)
            occurrence.accepted = entry.accepted
            occurrence.classes = Partition(disjoint: [MessageClass(): Self.all])
            if waiting == .local { occurrence.waves = Partition(disjoint: [due: Self.all]) }
            occurrence.finished = entry.finished ? .after(-1) : nil
            occurrence.begun = entry.begun
            scenario.state.occurrences[id(entry, campaign)] = occurrence
        }
        scenario.state.watermarks["tide"] = Watermark(
            at: .after(-1), schedule: campaign.schedule.text, next: nil, first: .after(-86_400))
        return scenario
    }

    /// One had the earlier message at once. A run sent the later one to half of them, and died before it said that the
    /// earlier one is superseded.
    @Test(arguments: Waiting.allCases, [Schedule.CatchUp.latest, .all])
    func `whoever has a later occurrence does not get an earlier one`(
        _ waiting: Waiting, _ catchUp: Schedule.CatchUp
    ) throws {
        let (earlier, later) = (Entry(hour: 6, accepted: [1]), Entry(hour: 7, accepted: RecipientSet(1...20)))
        let scenario = try scenario(waiting, catchUp, [earlier, later])
        let sends = scenario.plan().sends.sorted { $0.occurrence < $1.occurrence }
        #expect(sends.map(\.members) == [catchUp == .all ? RecipientSet(2...40) : [], RecipientSet(21...40)])
        #expect(sends[0].skipped[.superseded] == (catchUp == .all ? [] : RecipientSet(2...40)))
    }

    @Test(arguments: Waiting.allCases)
    func `nor if the later one has ended`(_ waiting: Waiting) throws {
        let (earlier, later) = (Entry(hour: 6, accepted: [1]), Entry(hour: 7, accepted: Self.all, finished: true))
        let sends = try scenario(waiting, .latest, [earlier, later]).plan().sends
        #expect(sends.map(\.members) == [[]])
        #expect(sends.map { $0.skipped[.superseded] } == [RecipientSet(2...40)])
    }

    @Test func `nor if nobody had a turn in the earlier one`() throws {
        let (earlier, later) = (Entry(hour: 6, accepted: []), Entry(hour: 7, accepted: RecipientSet(1...20)))
        let scenario = try scenario(.local, .latest, [earlier, later])
        let sends = scenario.plan().sends.sorted { $0.occurrence < $1.occurrence }
        #expect(sends.map(\.members) == [[], RecipientSet(21...40)])
        #expect(sends[0].skipped[.superseded] == Self.all)
    }

    /// All but one waited for both occurrences: their window closed during a run, or a run found it closed. Then their
    /// author took it out.
    @Test(arguments: [true, false])
    func `whoever waited for several gets the latest, also if there is no window any more`(_ isInterrupted: Bool) throws
    {
        let entries = [Entry(hour: 6, accepted: [1]), Entry(hour: 7, accepted: [1])]
        var scenario = try scenario(.window, .latest, entries)
        if isInterrupted {
            for id in scenario.state.occurrences.keys { scenario.state.apply([.suspend(id, at: .after(-60))]) }
        } else {
            scenario.state.apply(scenario.plan(at: .after(-60)).notes)
        }
        scenario.desired.sends[0].campaign.delivery.window = nil
        let sends = scenario.plan().sends.sorted { $0.occurrence < $1.occurrence }
        #expect(sends.map(\.members) == [[], RecipientSet(2...40)])
        #expect(sends[0].skipped[.superseded] == RecipientSet(2...40))
    }

    /// The fast clock sent the one of 9:00 to half of them. The others get that one at its time.
    @Test(arguments: Waiting.allCases)
    func `what a fast clock sent before its time takes the place of nothing`(_ waiting: Waiting) throws {
        let earlier = Entry(hour: 7, accepted: [1])
        let early = Entry(hour: 9, accepted: RecipientSet(1...20), begun: .after(3700))
        let sends = try scenario(waiting, .latest, [earlier, early]).plan().sends
        #expect(sends.map(\.members) == [RecipientSet(2...40)])
        #expect(sends.map { $0.skipped[.superseded] } == [[]])
    }
}
