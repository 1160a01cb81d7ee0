import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Nothing starts outside of a send's window. It is 2025-12-01T08:00:00Z, a Monday.
struct PlannerWindowTests {
    private static let night = DailyHours(from: 20 * 60, to: 22 * 60)
    private static let day = DailyHours(from: 6 * 60, to: 22 * 60)

    private func campaign(
        _ hours: DailyHours, in zone: Zone = .utc, field: Bool = false, due: Int = -60, lateness: Int = 7200,
        expiresAfter: Int? = nil, to target: Campaign.Target = .audience("anglers")
    ) -> Campaign {
        var campaign = Campaign.tide(to: target, at: .after(due))
        campaign.schedule.maxLateness = .seconds(lateness)
        campaign.delivery.window = SendWindow(
            hours: hours, zone: zone, field: field ? Located("zone") : nil, whenClosed: .wait)
        campaign.delivery.expiresAfter = expiresAfter.map { .seconds($0) }
        return campaign
    }

    private func scenario(_ campaign: Campaign, _ zones: [Zone: RecipientSet] = [:]) -> PlanScenario {
        var scenario = PlanScenario()
        scenario.want(campaign)
        scenario.desired.sends[0].zones = ["zone": zones]
        return scenario
    }

    @Test(arguments: [Campaign.Target.audience("anglers"), .topic("news")])
    func `a send waits for its window and says until when`(_ target: Campaign.Target) throws {
        let scenario = scenario(campaign(Self.night, to: target))
        let plan = scenario.plan()
        #expect(plan.steps.isEmpty && plan.isEmpty && plan.missed.isEmpty)
        let waiting = try #require(plan.waiting.first)
        #expect(waiting.until.rfc3339 == "2025-12-01T20:00:00Z")
        #expect(waiting.reason == "the window is closed (20:00 to 22:00 UTC)")
        #expect(plan.nextDue == waiting.until)
        // Lateness stands still while it is closed, and goes on when it opens.
        for (hours, isSent) in [(11, false), (12, true), (13, true)] {
            let later = scenario.plan(at: .after(hours * 3600 + (hours == 12 ? 0 : -1)))
            #expect(later.sends.count == (isSent ? 1 : 0), "after \(hours) h")
            #expect(later.missed.isEmpty)
        }
        let end = scenario.plan(at: .after(12 * 3600)).sends[0]
        #expect(end.closings.states.map(\.rfc3339) == ["2025-12-01T22:00:00Z"])
        #expect(end.limits(begun: PlanScenario.now).closing?.rfc3339 == "2025-12-01T22:00:00Z")
    }

    /// No row of a list names a zone for them.
    @Test(arguments: [Campaign.Target.topic("news"), .registrations([.fid(1)])])
    func `one zone for all is told where nobody has a row`(_ target: Campaign.Target) throws {
        let waiting = scenario(campaign(Self.night, field: true, to: target)).plan().waiting
        #expect(waiting.map(\.reason) == ["the window is closed (20:00 to 22:00 UTC)"])
        let upcoming = scenario(campaign(Self.night, field: true, due: 600, to: target)).overview.upcoming
        #expect(
            upcoming.map(\.occurring.note) == ["waits for its window, which opens at 2025-12-01T20:00:00 UTC"])
    }

    @Test func `max_lateness counts the time in which the window is open`() {
        // Due at 07:59, and open from 6:00 to 9:00: an hour is left today, one counts tomorrow.
        let campaign = campaign(DailyHours(from: 6 * 60, to: 9 * 60))
        let scenario = scenario(campaign)
        #expect(scenario.plan(at: .after(3599)).sends.map(\.deadline) == [.after(22 * 3600 + 3540)])
        #expect(scenario.plan(at: .after(22 * 3600)).sends.count == 1)
        #expect(scenario.plan(at: .after(22 * 3600 + 3540)).sends.count == 1)
        let late = scenario.plan(at: .after(22 * 3600 + 3541))
        #expect(late.sends.isEmpty && late.missed.map(\.occurrence) == [campaign.id])
    }

    @Test func `an hour that falls in a closed window is never late by waiting`() throws {
        var cron = campaign(Self.night)
        cron.schedule.times = .cron(try Cron(parsing: "0 7 * * *"), start: nil, end: nil)
        var scenario = scenario(cron)
        scenario.state.watermarks["tide"] = Watermark(at: .after(-7200), schedule: cron.schedule.text, next: nil)
        let plan = scenario.plan()
        #expect(plan.waiting.map(\.occurrence.rawValue) == ["tide@2025-12-01T07:00:00Z"])
        #expect(plan.missed.isEmpty && plan.superseded.isEmpty)
        // The watermark stays before what waits.
        #expect(plan.watermarks["tide"]?.at == .after(-3601))
        // Of two that may start together, catch_up decides.
        let opening = scenario.plan(at: .after(36 * 3600))
        #expect(opening.sends.map(\.occurrence.rawValue) == ["tide@2025-12-02T07:00:00Z"])
        #expect(opening.superseded.map(\.occurrence.rawValue) == ["tide@2025-12-01T07:00:00Z"])
    }

    @Test func `each recipient's window opens by the zone of their row`() throws {
        let (tokyo, york) = (try #require(Zone(named: "Asia/Tokyo")), try #require(Zone(named: "America/New_York")))
        // 08:00 UTC is 17:00 in Tokyo, 9:00 in Rome and 3:00 in New York.
        let rome = try #require(Zone(named: "Europe/Rome"))
        let campaign = campaign(DailyHours(from: 9 * 60, to: 21 * 60), in: rome, field: true, expiresAfter: 86_400)
        var scenario = scenario(campaign, [tokyo: [1], york: [2]])
        let plan = scenario.plan()
        let send = try #require(plan.sends.first)
        #expect(send.members == [1, 3])
        #expect(send.assignment?.all == [1, 2, 3])
        #expect(send.staysOpen)
        #expect(send.closings[.after(4 * 3600)] == [1])
        #expect(send.closings[.after(12 * 3600)] == [3])
        #expect(plan.waiting.map(\.until) == [.after(6 * 3600)])
        #expect(plan.waiting.map(\.recipients) == [1])
        // They go on without those who waited.
        scenario.state.apply([
            .open(campaign.id, RecordedOccurrence(send)), .assign(campaign.id, send.assignment ?? Partition()),
            .outcome(campaign.id, [1, 3], .accepted),
        ])
        #expect(scenario.plan(at: .after(6 * 3600 - 1)).steps.isEmpty)
        let later = try #require(scenario.plan(at: .after(6 * 3600)).sends.first)
        #expect(later.members == [2] && !later.staysOpen)
        // A late joiner is no part of it.
        scenario.desired.sends[0].members = [1, 2, 3, 4]
        #expect(scenario.plan(at: .after(6 * 3600)).sends.map(\.members) == [[2]])
        // Whoever moves goes by the new zone.
        scenario.desired.sends[0].zones = ["zone": [tokyo: [1, 2]]]
        #expect(scenario.plan(at: .after(3600)).sends.map(\.members) == [[2]])
    }

    // MARK: max_recipients

    /// At 8:00 the window is open in Tokyo, at 14:00 in New York. By then it is too late for the others.
    @Test(arguments: SendWindow.WhenClosed.allCases, [0, 6])
    func `max_recipients judges those who wait, and those whom a closed window skips`(
        _ whenClosed: SendWindow.WhenClosed, _ hour: Int
    ) throws {
        let (tokyo, york) = (try #require(Zone(named: "Asia/Tokyo")), try #require(Zone(named: "America/New_York")))
        var campaign = campaign(DailyHours(from: 9 * 60, to: 21 * 60), field: true)
        campaign.delivery.window?.whenClosed = whenClosed
        var scenario = scenario(campaign, [tokyo: [1], york: [2]])
        scenario.settings.guards.maxRecipients = 2
        let plan = scenario.plan(at: .after(hour * 3600))
        let open: RecipientSet = hour == 0 ? [1] : [2]
        #expect(plan.sends.map(\.members) == [open])
        #expect(plan.refusals.map(\.kind) == [.maxRecipients] && plan.refusals.map(\.actual) == [3])
        scenario.settings.guards.maxRecipients = 3
        #expect(scenario.plan(at: .after(hour * 3600)).refusals.isEmpty)
    }

    @Test func `max_recipients counts those who have it, and refuses no account of a crash`() {
        let campaign = campaign(Self.day)
        var scenario = scenario(campaign)
        scenario.settings.guards.maxRecipients = 2
        scenario.began(campaign, accepted: [1])
        #expect(scenario.plan().sends.map(\.members) == [[2, 3]])
        #expect(scenario.plan().refusals.map(\.actual) == [3])
        scenario.began(campaign, accepted: [1], intended: [2, 3])
        #expect(scenario.plan().sends.map(\.discovered) == [[2, 3]])
        #expect(scenario.plan().refusals.isEmpty)
    }

    @Test func `a send that was under way when its window closed is under way again when it opens`() throws {
        // Due at 07:59 with ten minutes of lateness; the window closes at 8:05.
        let campaign = campaign(DailyHours(from: 6 * 60, to: 8 * 60 + 5), lateness: 600)
        var scenario = scenario(campaign)
        let begun: [StateChange] = [
            .open(campaign.id, RecordedOccurrence(campaign, due: campaign.schedule.at)),
            .assign(campaign.id, Partition(disjoint: [MessageClass(): [1, 2, 3]])),
            .outcome(campaign.id, [1], .accepted),
        ]
        scenario.state.apply(begun)
        // A crash, and nothing ran until the window had been open long enough.
        let late = scenario.plan(at: .after(22 * 3600 + 300))
        #expect(late.sends.isEmpty && late.missed.count == 1)
        // The same, but a run was sending when the window closed.
        scenario.state.apply([.suspend(campaign.id, at: .after(300))])
        #expect(scenario.plan(at: .after(3600)).waiting.map(\.until) == [.after(22 * 3600)])
        #expect(scenario.plan(at: .after(22 * 3600 + 300)).sends.map(\.members) == [[2, 3]])
        // Then lateness counts from there, as from the due time.
        #expect(scenario.plan(at: .after(46 * 3600)).sends.isEmpty)
    }

    /// Due at 07:59 with ten minutes of lateness. The window closed at 8:05 while a run was sending, and at 8:10 its
    /// author changes it.
    @Test(arguments: [DailyHours(from: 6 * 60, to: 23 * 60), DailyHours(from: 60, to: 1440), nil], [905, 906])
    func `an edit of the window makes nobody late whom it had kept waiting`(_ hours: DailyHours?, _ seconds: Int) {
        var campaign = campaign(DailyHours(from: 6 * 60, to: 8 * 60 + 5), lateness: 600)
        var scenario = scenario(campaign)
        scenario.began(campaign, accepted: [1])
        scenario.state.apply([.suspend(campaign.id, at: .after(305))])
        campaign.delivery.window = hours.map { SendWindow(hours: $0, zone: .utc, whenClosed: .wait) }
        scenario.desired.sends[0].campaign = campaign
        // It was under way at 8:05:05, and is under way again from when the window closed.
        let plan = scenario.plan(at: .after(seconds))
        #expect(plan.sends.map(\.members) == (seconds == 905 ? [[2, 3]] : []))
        #expect(plan.missed.map(\.occurrence) == (seconds == 905 ? [] : [campaign.id]))
    }

    /// In local time each wave has its own end.
    @Test(arguments: [905, 906])
    func `a wave that a window had kept waiting is not late without one`(_ seconds: Int) {
        let local = LocalTime(year: 2025, month: 12, day: 1, hour: 7)
        var campaign = campaign(Self.day, lateness: 600)
        campaign.delivery.window = nil
        campaign.schedule.times = .local(LocalSchedule(.at(local, .skip), field: "zone"))
        campaign.zoneField = Located("zone")
        var scenario = scenario(campaign, [.utc: [1, 2, 3]])
        var occurrence = RecordedOccurrence(campaign, local: local)
        occurrence.classes = Partition(disjoint: [MessageClass(): [1, 2, 3]])
        occurrence.waves = Partition(disjoint: [Date.after(-3600): [1, 2, 3]])
        (occurrence.accepted, occurrence.suspended) = ([1], .after(305))
        scenario.state.occurrences[OccurrenceID(campaign: "tide", local: local, revision: 1)] = occurrence
        scenario.state.watermarks["tide"] = Watermark(
            at: .after(-60), schedule: campaign.schedule.text, next: nil, first: .after(-86_400))
        let send = scenario.plan(at: .after(seconds)).sends.first
        #expect(send?.members == (seconds == 905 ? [2, 3] : []))
        #expect(send?.skipped[.missed] == (seconds == 905 ? [] : [2, 3]))
    }

    /// The first had 10:00 seven hours ago, and their window closed at 11:00 while a run was sending. That of the second
    /// opened at 9:00, and 10:00 was half an hour ago.
    @Test func `a window that closed in an earlier wave makes nobody late whose clock comes later`() {
        let local = LocalTime(year: 2025, month: 12, day: 1, hour: 10)
        var campaign = campaign(DailyHours(from: 9 * 60, to: 11 * 60), field: true, lateness: 2700)
        campaign.schedule.times = .local(LocalSchedule(.at(local, .skip), field: "zone"))
        campaign.zoneField = Located("zone")
        var scenario = scenario(campaign, [Zone(offset: 9 * 3600): [1], Zone(offset: 9000): [2]])
        scenario.desired.sends[0].members = [1, 2]
        let id = OccurrenceID(campaign: "tide", local: local, revision: 1)
        var occurrence = RecordedOccurrence(campaign, local: local)
        occurrence.classes = Partition(disjoint: [MessageClass(): [1]])
        occurrence.waves = Partition(disjoint: [Date.after(-7 * 3600): [1]])
        (occurrence.accepted, occurrence.suspended) = ([1], .after(-6 * 3600))
        scenario.state.occurrences[id] = occurrence
        scenario.state.watermarks["tide"] = Watermark(
            at: .after(-3600), schedule: campaign.schedule.text, next: nil, first: .after(-86_400))
        let plan = scenario.plan()
        #expect(plan.sends.map(\.members) == [[2]])
        #expect(plan.sends.map(\.skipped) == [Partition()])
    }

    /// The window closed at 8:05 while a run was sending. Two days later a person accepted what had come of the stage.
    @Test func `a window that closed before a person let a stage go on makes nobody late`() {
        var campaign = campaign(DailyHours(from: 6 * 60, to: 8 * 60 + 5), lateness: 600)
        campaign.delivery.stages = Stages()
        var scenario = scenario(campaign)
        scenario.began(campaign, accepted: [1])
        var stage = RecordedStage(share: .everybody, opened: .after(-30), planned: 3)
        stage.accepted = .after(46 * 3600)
        scenario.state.occurrences[campaign.id]?.stages = [stage]
        scenario.state.apply([.suspend(campaign.id, at: .after(300))])
        let plan = scenario.plan(at: .after(46 * 3600 + 60))
        #expect(plan.sends.map(\.members) == [[2, 3]] && plan.missed.isEmpty)
        #expect(scenario.plan(at: .after(70 * 3600 + 900)).sends.isEmpty)
    }

    @Test func `what expires before its window opens is told, and then missed`() {
        let scenario = scenario(campaign(Self.night, expiresAfter: 3600))
        #expect(
            scenario.overview.warnings.contains {
                $0.contains("expires at 2025-12-01T08:59:00Z, before the windows of 3 recipients open")
            })
        let expired = scenario.plan(at: .after(3600))
        #expect(expired.waiting.isEmpty && expired.missed.count == 1)
    }

    /// It is 20:00 twelve hours to the east of UTC.
    @Test(arguments: [false, true])
    func `without a due time, a message gets old from when it begins`(_ begins: Bool) {
        var campaign = campaign(Self.night, field: true, expiresAfter: 3600)
        campaign.schedule.times = .once
        let proposal = scenario(campaign, begins ? [Zone(offset: 12 * 3600): [1]] : [:]).proposal()
        #expect(proposal.plan.waiting.map(\.recipients) == [begins ? 2 : 3])
        #expect(proposal.overview.warnings.contains { $0.contains("it is not sent to them") } == begins)
    }

    @Test func `a pause comes before the window`() {
        var scenario = scenario(campaign(Self.night))
        scenario.state.pauses.campaigns = ["tide"]
        #expect(scenario.plan().held.count == 1)
        #expect(scenario.plan().waiting.isEmpty)
    }

    @Test func `what a crash left is recorded while the window is closed`() {
        let campaign = campaign(Self.night)
        var scenario = scenario(campaign)
        scenario.began(campaign, accepted: [1], intended: [2])
        let plan = scenario.plan()
        #expect(plan.sends.map(\.discovered) == [[2]])
        #expect(plan.sends.map(\.members) == [[]])
        #expect(plan.waiting.map(\.recipients) == [1])
    }

    @Test func `without lists only a window that is the same for all is judged`() throws {
        var same = scenario(campaign(Self.night))
        same.desired.sends[0].members = []
        same.listsSkipped = true
        #expect(same.plan().steps.isEmpty && same.plan().waiting.count == 1)
        var own = scenario(campaign(Self.night, field: true))
        own.desired.sends[0].members = []
        own.listsSkipped = true
        #expect(own.plan().sends.count == 1)
    }

    @Test(arguments: Schedule.CatchUp.allCases)
    func `whoever waited for several occurrences gets the latest, or all`(_ catchUp: Schedule.CatchUp) throws {
        let (tokyo, rome) = (try #require(Zone(named: "Asia/Tokyo")), try #require(Zone(named: "Europe/Rome")))
        // Open from 8:00 to 12:00 of each: in Tokyo from 23:00 UTC.
        var campaign = campaign(DailyHours(from: 8 * 60, to: 12 * 60), in: rome, field: true)
        campaign.schedule.times = .cron(try Cron(parsing: "0 * * * *"), start: nil, end: nil)
        campaign.schedule.catchUp = catchUp
        var scenario = scenario(campaign, [rome: [1], tokyo: [2, 3]])
        scenario.state.watermarks["tide"] = Watermark(
            at: .after(-3601), schedule: campaign.schedule.text, next: nil)
        for hour in [0, 1, 2] {
            for send in scenario.plan(at: .after(hour * 3600)).sends {
                #expect(send.members == [1])
                scenario.state.apply([
                    .open(send.occurrence, RecordedOccurrence(send)),
                    .assign(send.occurrence, send.assignment ?? Partition()),
                    .outcome(send.occurrence, [1], .accepted),
                ])
            }
            scenario.state.watermarks["tide"]?.at = .after(hour * 3600)
        }
        let open = scenario.state.occurrences.count
        #expect(open >= 3)
        // It is 23:00 UTC.
        scenario.state.watermarks["tide"]?.at = .after(15 * 3600)
        let sends = scenario.plan(at: .after(15 * 3600)).sends.sorted { $0.occurrence < $1.occurrence }
        #expect(sends.count == open)
        if catchUp == .all {
            #expect(sends.allSatisfy { $0.members == [2, 3] && $0.skipped.isEmpty })
        } else {
            #expect(sends.last?.members == [2, 3])
            #expect(sends.dropLast().allSatisfy { $0.members.isEmpty && $0.skipped[.superseded] == [2, 3] })
        }
    }
}
