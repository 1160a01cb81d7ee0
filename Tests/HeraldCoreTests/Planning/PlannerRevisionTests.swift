import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A campaign that is due once is sent once for each revision, and a revision only rises.
struct PlannerRevisionTests {
    private func expectNothing(_ scenario: PlanScenario, until next: Int, _ location: SourceLocation = #_sourceLocation)
    {
        let overview = scenario.overview
        #expect(scenario.plan().doesNothing && overview.upcoming.isEmpty, sourceLocation: location)
        #expect(overview.warnings.count == 1, sourceLocation: location)
        #expect(
            overview.warnings.allSatisfy { $0.hasSuffix("to send it again, set revision: \(next)") },
            "\(overview.warnings)", sourceLocation: location)
    }

    private static let lowered = [(sent: [1, 3], now: 2, next: 4), (sent: [2], now: 1, next: 3)]

    @Test(arguments: lowered, [nil, Date.after(-60), .after(60)] as [Date?])
    func `a revision that is lower than one that was sent plans nothing`(
        _ revisions: (sent: [Int], now: Int, next: Int), _ due: Date?
    ) {
        var scenario = PlanScenario()
        for revision in revisions.sent {
            scenario.began(.tide(at: due, revision: revision), accepted: [1, 2, 3], finished: true)
        }
        scenario.want(.tide(at: due, revision: revisions.now))
        expectNothing(scenario, until: revisions.next)
    }

    @Test func `while a higher revision is half done, a lower one plans nothing`() {
        var scenario = PlanScenario()
        scenario.began(.tide(revision: 2), accepted: [1])
        scenario.want(.tide())
        expectNothing(scenario, until: 3)
        #expect(scenario.plan().held.map(\.occurrence) == ["tide@once#2"])
    }

    @Test func `a lower revision plans nothing in local time, too`() {
        let local = LocalTime(year: 2025, month: 12, day: 1, hour: 7, minute: 50)
        var campaign = Campaign.tide(revision: 2)
        campaign.schedule.times = .local(LocalSchedule(.at(local, .skip), field: "zone"))
        campaign.zoneField = Located("zone")
        var occurrence = RecordedOccurrence(campaign, due: nil).amended(by: campaign)
        (occurrence.accepted, occurrence.finished) = ([1, 2], .after(-60))
        var scenario = PlanScenario()
        scenario.state.occurrences[OccurrenceID(campaign: "tide", local: local, revision: 2)] = occurrence
        campaign.revision = 1
        scenario.want(campaign, for: [1, 2])
        scenario.desired.sends[0].zones = ["zone": [.utc: [1, 2]]]
        expectNothing(scenario, until: 3)
    }

    @Test func `the advice after an edit names a revision that was never used`() {
        var scenario = PlanScenario()
        for revision in 1...3 {
            scenario.began(.tide(revision: revision), accepted: [1, 2, 3], finished: true)
        }
        scenario.want(.tide(title: "Low tide"))
        expectNothing(scenario, until: 4)
    }

    /// Registrations that stand in the file, of which one is new, and an audience that somebody joined.
    @Test(arguments: [Campaign.Target.registrations([.fid(1)]), .audience("anglers")], [true, false])
    func `whoever is added to a file after it began gets nothing, and that is said`(
        _ target: Campaign.Target, _ isFinished: Bool
    ) {
        var scenario = PlanScenario()
        let campaign = Campaign.tide(to: target)
        scenario.began(campaign, accepted: [1, 2], finished: isFinished)
        if !isFinished {
            scenario.state.apply([.assign(campaign.id, Partition(disjoint: [MessageClass(): [1, 2]]))])
        }
        scenario.want(campaign, for: [1, 2])
        #expect(scenario.overview.warnings.isEmpty)
        scenario.desired.sends[0].members = [1, 2, 3]
        let warnings = scenario.overview.warnings
        #expect(scenario.plan().doesNothing)
        if case .audience = target { #expect(warnings.isEmpty) } else { #expect(warnings.count == 1) }
        #expect(
            warnings.allSatisfy { $0.contains("1 recipient who had no part") && $0.hasSuffix("set revision: 2") },
            "\(warnings)")
    }

    /// A campaign that holds some of its registrations out.
    private func desired(_ number: Int, holdoutWeight weight: Int) throws -> Desired {
        let fids = (1...number).map { Registration.fid($0).rawValue }
        let loaded = try WorkspaceLoader.load(files: [
            "c.yaml": """
            kind: campaign
            name: mine
            target: {fids: [\(fids.joined(separator: ", "))]}
            personal: {}
            message: {data: {text: Hi}}
            variants: {a: {weight: 1}, none: {weight: \(weight), holdout: true}}

            """
        ])
        let workspace = try #require(loaded.workspace, "\(loaded.shown)")
        return try Resolver.desired(of: workspace, ListedRecipients(try #require(try loaded.recipientIndex?.get())))
    }

    @Test(arguments: [1, 2])
    func `who is held out had a part in it, and who is added later had none`(_ weight: Int) throws {
        var scenario = PlanScenario()
        scenario.desired = try desired(20, holdoutWeight: weight)
        let send = try #require(scenario.desired.sends.first)
        try #require(!send.reached.isEmpty && send.reached != send.members)
        scenario.began(send.campaign, accepted: send.reached, finished: true)
        #expect(scenario.overview.warnings.filter { $0.contains("had no part") } == [])
        scenario.desired = try desired(40, holdoutWeight: weight)
        let added = try #require(scenario.desired.sends.first).reached.count - send.reached.count
        let warnings = scenario.overview.warnings.filter { $0.contains("had no part") }
        #expect(warnings.count == 1)
        #expect(warnings.allSatisfy { $0.contains("names \(count(added, "recipient")) who") }, "\(warnings)")
    }

    /// What tried nobody is in nobody's way.
    @Test func `a revision that is lower than one that was never sent is sent`() {
        var scenario = PlanScenario()
        scenario.began(.tide(revision: 2), finished: true)
        scenario.want(.tide())
        #expect(scenario.plan().sends.map(\.occurrence) == ["tide@once"])
    }
}
