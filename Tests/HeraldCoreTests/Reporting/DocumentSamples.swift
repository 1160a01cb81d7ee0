import FCM
import Foundation
import HeraldTestSupport

@testable import HeraldCore

/// Documents with something in every part, for golden files and lists of keys.
enum DocumentSamples {
    /// 2026-12-01T08:00:00Z
    static let now = Date(timeIntervalSince1970: 1_796_112_000)

    private static var venice: Campaign {
        let place = SourceRange(file: "c.yaml")
        var campaign = Campaign(
            name: Located("tide-venice", at: place), target: Located(.topic("venice"), at: place),
            message: Located([:], at: place))
        campaign.schedule.zone = Zone(named: "Europe/Rome") ?? .utc
        return campaign
    }

    static var plan: Plan {
        var plan = Plan(at: now, workspaceDigest: "sha256:" + String(repeating: "ab", count: 32), state: nil)
        plan.state = .init(lineage: "6f0c", serial: 12)
        plan.steps = [
            .init(work: .unsubscribe("tide-alerts", [1, 2]), reason: "the files no longer list them", seconds: 1),
            .init(work: .subscribe("tide-alerts", [3]), reason: "the files list them", seconds: 1),
            .init(work: .send(send()), reason: "it is due", seconds: 100, rampSeconds: 30),
            .init(work: .send(topicSend), reason: "it has no schedule and was never sent", seconds: 1),
        ]
        plan.missed = [
            .init(
                occurrence: .init(rawValue: "ebb@2026-11-30T08:00:00Z"), due: now.adding(.seconds(-86_400)),
                reason: "it is later than max_lateness allows", unrecorded: nil)
        ]
        plan.superseded = [
            .init(
                occurrence: .init(rawValue: "ebb@2026-11-30T20:00:00Z"), due: now.adding(.seconds(-43_200)),
                reason: "a later occurrence takes its place", unrecorded: nil)
        ]
        plan.held = [
            .init(
                occurrence: .init(rawValue: "flood@once"), reason: "2 outcomes are unknown; they are not sent again",
                resolve: "herald state resolve flood@once --accept, --resend or --abandon", remaining: 0)
        ]
        plan.refusals = [
            .init(
                kind: .maxUnsubscribePercent, name: "tide-alerts", limit: 30, actual: 42,
                message: "5 of topic 'tide-alerts' would be unsubscribed, 42 % of the 12 herald subscribed")
        ]
        return plan
    }

    static var overview: PlanOverview {
        var overview = PlanOverview()
        overview.upcoming = [
            .init(
                occurring: Occurring(of: venice, at: now.adding(.seconds(81_000))),
                target: .topic("venice"), recipients: 40)
        ]
        overview.upcomingOmitted = 3
        overview.warnings = ["campaign 'ebb' was changed after ebb@once was sent"]
        overview.collapsed = 1
        overview.deadListed = 2
        return overview
    }

    static var proposal: Proposal { Proposal(plan, overview) }

    /// A send to an audience, due at 08:00, by default two hours late at most.
    static func send(lateness: Duration = .seconds(7200)) -> Plan.Send {
        Plan.Send(
            campaign: "tide-rome", occurrence: .init(rawValue: "tide-rome@2026-12-01T08:00:00Z"), revision: 1,
            due: now, target: .audience("rome-anglers"), contentDigest: "sha256:", content: MessageContent([:]),
            deadline: now.adding(lateness), delivery: .init(), members: RecipientSet(1...100), discovered: [101],
            recipients: 100, whole: 100...100, isResumed: true)
    }

    private static var topicSend: Plan.Send {
        var send = send()
        send.campaign = "news"
        send.occurrence = .init(rawValue: "news@once#2")
        send.target = .topic("news")
        send.due = nil
        send.deadline = nil
        send.members = .target
        send.discovered = []
        (send.recipients, send.whole) = (5000, 5000...5000)
        return send
    }

    static var planDocument: PlanDocument {
        PlanDocument(proposal, id: "20261201T080000Z-1a2b", created: now.adding(.seconds(1)))
    }

    static var report: Report {
        var plan = plan
        plan.steps.removeLast()
        var report = Report(
            run: "20261201T080000Z-1a2b", plan: plan, planDigest: "sha256:" + String(repeating: "cd", count: 32),
            isDryRun: false, started: now, endpoint: .emulator, project: "tide-app", version: "0.1.0",
            overrides: ["max_recipients"])
        report.finished = now.adding(.milliseconds(61_900))
        report.state = StateVersion(lineage: "6f0c", serial: 12)
        report.result = .unknown
        report.steps[0].accepted = 2
        report.steps[0].duration = .milliseconds(1234)
        report.steps[1].accepted = 1
        report.steps[1].preexisting = 1
        report.steps[2].accepted = 90
        report.steps[2].rejected = 4
        report.steps[2].forgotten = 2
        report.steps[2].unknown = 3
        report.steps[2].skipped = 1
        report.steps[2].held = 1
        report.steps[2].retries = 6
        report.steps[2].possibleDuplicates = 5
        report.steps[2].duration = .seconds(60)
        report.steps[2].messageIDs = ["0:1", "0:2"]
        report.steps[2].failures = [
            .init(
                registration: "r_0123456789abcdef", code: "UNREGISTERED", httpStatus: 404,
                message: "Requested entity was not found.", attempts: 1, action: .forgotten),
            .init(
                registration: "r_fedcba9876543210", code: "CONNECTION_LOST", httpStatus: nil, message: "reset",
                attempts: 2, action: .held),
        ]
        report.steps[2].stop(.tooLate(.expired(at: now)))
        return report
    }

    static var state: RecordedState {
        var state = RecordedState(
            identity: .init(
                lineage: "6f0c", project: "tide-app", endpoint: .emulator, created: now.adding(.seconds(-86_400))))
        var open = RecordedOccurrence(
            campaign: "flood", revision: 2, due: now, contentDigest: "sha256:", target: "audience:all")
        open.intended = [5]
        state.apply([
            .register([1: .fid(1), 6: .fid(6)]),
            .members("tide-alerts", [1, 2, 3], .managed, at: now), .members("tide-alerts", [4], .preexisting, at: now),
            .members("tide-alerts", [5, 6], .subscribing, at: now), .members("ebb", [1], .managed, at: now),
            .open(
                .init(rawValue: "news@once"),
                .init(campaign: "news", revision: 1, due: nil, contentDigest: "sha256:", target: "topic:tide-alerts")),
            .outcome(.init(rawValue: "news@once"), [0], .accepted), .finish(.init(rawValue: "news@once"), at: now),
            .open(.init(rawValue: "flood@2026-12-01T08:00:00Z#2"), open),
            .outcome(.init(rawValue: "flood@2026-12-01T08:00:00Z#2"), [1, 2], .accepted),
            .outcome(.init(rawValue: "flood@2026-12-01T08:00:00Z#2"), [3], .rejected),
            .outcome(.init(rawValue: "flood@2026-12-01T08:00:00Z#2"), [4], .unknown),
            .outcome(.init(rawValue: "flood@2026-12-01T08:00:00Z#2"), [5], .intended), .forget([6], at: now),
        ])
        return state
    }
}
