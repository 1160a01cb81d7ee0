import FCM
import Foundation
import HeraldTestSupport

@testable import HeraldCore

/// The input of a plan. A test sets only what it needs. Everything is at the emulator by default.
struct PlanScenario {
    var desired = Desired()
    var state = RecordedState(identity: .sample())
    var settings = Settings(project: "tide-app")
    var only: Set<String> = []
    var hasState = true
    var reportedSerial: Int64?
    var hasMoved = false
    var checkout: Checkout?
    var listsSkipped = false
    var overrides = Overrides()
    var underWay: [Plan.Send] = []
    var policy = GuardPolicy.stop(Overrides())
    var workspace = Workspace(audiences: [])
    var approval: Approval?
    var staleLists: [StaleList] = []
    var judgedAudiences: Set<String>?
    var person: RecipientID?

    static let now = Date(timeIntervalSince1970: 1_764_576_000)  // 2025-12-01T08:00:00Z

    init() { state.serial = 1 }

    private var input: Planner.Input {
        var input = Planner.Input(
            desired: desired, state: state.snapshot, hasState: hasState, settings: settings,
            workspaceDigest: "sha256:0", onlyCampaigns: only, listsSkipped: listsSkipped,
            reportedSerial: reportedSerial,
            hasMoved: hasMoved, checkout: checkout, overrides: overrides)
        (input.underWay, input.policy, input.approval) = (underWay, policy, approval)
        (input.staleLists, input.workspace, input.person) = (staleLists, workspace, person)
        input.judgedAudiences = judgedAudiences
        return input
    }

    func plan(at now: Date = PlanScenario.now) -> Plan { Planner.plan(input, at: now) }
    var overview: PlanOverview { proposal().overview }
    func proposal(at now: Date = PlanScenario.now) -> Proposal { Planner.proposal(input, at: now) }

    mutating func want(_ topic: TopicName, _ members: RecipientSet, prune: Bool = true) {
        desired.topics.append(DesiredTopic(name: topic, members: members, prune: prune))
    }

    mutating func want(_ campaign: Campaign, for members: RecipientSet = [1, 2, 3]) {
        var members = members
        if case .topic = campaign.target.value { members = .target }
        desired.sends.append(DesiredSend(campaign: campaign, members: members))
    }

    mutating func list(_ members: RecipientSet) {
        desired.listed.formUnion(members)
    }

    /// Adds an occurrence of the campaign, as the campaign is now, with its outcomes.
    mutating func began(
        _ campaign: Campaign, accepted: RecipientSet = [], rejected: RecipientSet = [], unknown: RecipientSet = [],
        intended: RecipientSet = [], finished: Bool = false
    ) {
        var occurrence = RecordedOccurrence(
            campaign: campaign.name.value, revision: campaign.revision, due: campaign.schedule.at,
            contentDigest: campaign.contentDigest, target: campaign.target.value.recordedText)
        occurrence.accepted = accepted
        occurrence.rejected = rejected
        occurrence.unknown = unknown
        occurrence.intended = intended
        occurrence.finished = finished ? PlanScenario.now.adding(.seconds(-3600)) : nil
        state.occurrences[campaign.id] = occurrence
    }

    mutating func carryOut(_ plan: Plan) { state.apply(plan.changes(at: plan.at)) }
}

extension Plan {
    /// The changes of a run that succeeds with every recipient.
    func changes(at now: Date) -> [StateChange] {
        let ends = over.map { StateChange.finish($0, at: now) }
        let marks = watermarks.map { StateChange.watermark($0.key, $0.value) }
        return renames.map { .rename(campaign: $0.old, to: $0.new) } + effects(at: now) + ends + marks
    }

    private func effects(at now: Date) -> [StateChange] {
        let missed = missed.flatMap { missed in
            (missed.unrecorded.map { [StateChange.open(missed.occurrence, $0)] } ?? [])
                + [.finish(missed.occurrence, at: now)]
        }
        return missed
            + steps.flatMap { step -> [StateChange] in
                switch step.work {
                case .subscribe(let topic, let members): [.members(topic, members, .managed, at: now)]
                case .unsubscribe(let topic, let members): [.members(topic, members, nil, at: now)]
                case .adopt(let adoption):
                    [
                        .reclassify(
                            adoption.topic, adoption.members, adoption.action == .adopt ? .adopted : .returned)
                    ]
                case .group(let change):
                    switch change.action {
                    case .create, .add:
                        [
                            .groupKey(change.group, NotificationKey(rawValue: "key")),
                            .groupMembers(change.group, change.members, .member),
                        ]
                    case .remove: [.groupMembers(change.group, change.members, nil)]
                    case .delete: [.drop(.group(change.group))]
                    }
                case .send(let send):
                    [
                        .open(
                            send.occurrence,
                            RecordedOccurrence(
                                campaign: send.campaign, revision: send.revision, due: send.due,
                                contentDigest: send.contentDigest, target: send.target.recordedText)),
                        .assign(send.occurrence, send.assignment ?? Partition()),
                        .outcome(send.occurrence, send.discovered, .unknown),
                        .outcome(send.occurrence, send.members, .accepted),
                        .finish(send.occurrence, at: now),
                    ]
                }
            }
    }

    var works: [Work] { steps.map(\.work) }
    var sends: [Send] { works.compactMap { if case .send(let send) = $0 { send } else { nil } } }

    /// Whether the plan has no effect and reports nothing. It may still show what is held.
    var doesNothing: Bool { steps.isEmpty && missed.isEmpty && isEmpty }
}

extension Campaign {
    static func tide(
        _ name: String = "tide", to target: Target = .audience("anglers"), at due: Date? = nil, revision: Int = 1,
        title: String = "High tide", enabled: Bool = true, onUnknown: OnUnknown = .hold
    ) -> Campaign {
        var campaign = Campaign(
            name: .init(name), target: .init(target), message: .init(["notification": ["title": .string(title)]]))
        campaign.schedule.times = due.map { .at($0) } ?? .once
        campaign.revision = revision
        campaign.enabled = enabled
        campaign.delivery.onUnknown = onUnknown
        return campaign
    }

    var id: OccurrenceID { OccurrenceID(campaign: name.value, due: schedule.at, revision: revision) }
}

extension Located {
    init(_ value: Value) { self.init(value, at: SourceRange(file: "a.yaml")) }
}

extension RecordedState.Identity {
    static func sample(_ endpoint: EndpointKind = .emulator) -> RecordedState.Identity {
        .init(
            lineage: "lineage", project: "tide-app", endpoint: endpoint,
            created: PlanScenario.now.adding(.seconds(-86_400)))
    }
}

extension Date {
    static func after(_ seconds: Int) -> Date { PlanScenario.now.adding(.seconds(seconds)) }
}
