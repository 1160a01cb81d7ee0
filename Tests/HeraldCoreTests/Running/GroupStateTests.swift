import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What a change of a device group decides, for events in random orders. Failures print the seed.
@Suite struct GroupStateTests {
    private static let name = "chris" as GroupName

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `whatever comes, it ends, accounts for everybody, and asks for nobody unwritten`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let actions: [Plan.GroupChange.Action] = [.create, .add, .remove, .delete]
        let action = actions[Int(seed % 4)]
        let members = RecipientSet(1...RecipientID.random(in: 1...12, using: &random))
        var state = RecordedState.blank
        if action != .create {
            var group = RecordedGroup()
            group.key = Bool.random(using: &random) ? NotificationKey(rawValue: "key") : nil
            group.members = action == .add ? [20] : members
            state.groups[Self.name] = group
        }
        let change = Plan.GroupChange(group: Self.name, action: action, members: members)
        let report = StepReport(Plan.Step(work: .group(change), reason: ""))
        var context = RunContext.sample(rate: seed % 2 == 0 ? .unlimited : .limited(2), seed: seed)
        context.recorded.groups = state.groups
        let step = GroupState(change, state.groups[Self.name], leaveAt: nil, report: report)
        var world = StepWorld(step, context, seed: seed &+ 1, state: state)
        if seed % 3 == 0 { world.failsFrom = .random(in: 0...4, using: &random) }
        if seed % 5 == 0 { world.stopsAfter = .random(in: 0...20, using: &random) }
        world.isInsistent = seed % 2 == 0
        world.answer = Self.answer
        let isOver = world.run { request, state in
            guard case .group(let operation) = request, case .create = operation else { return true }
            let group = state.groups[Self.name]
            return members.subtracting(group?.members ?? []).subtracting(group?.adding ?? []).isEmpty
        }
        #expect(isOver == true, "seed \(seed): it goes on for ever")
        #expect(world.endlessWaits == 0, "seed \(seed)")
        #expect(world.unwritten.isEmpty, "seed \(seed)")
        let parts = world.step.report.parts
        #expect(parts.reduce(0, +) == members.count, "seed \(seed): \(parts)")
        #expect(parts.allSatisfy { $0 >= 0 }, "seed \(seed): \(parts)")
        if world.step.report.accepted > 0, action == .create || action == .add {
            #expect(world.state.groups[Self.name]?.members.intersection(members) == members, "seed \(seed)")
        }
        // The run's view of the groups must match the state.
        #expect(world.context.recorded.groups == world.state.groups, "seed \(seed)")
    }

    private static func answer(_ request: Request, _ random: inout SeededRandom) -> Exchange {
        let faults: [Exchange] = [
            .groupError("notification_key already exists"), .groupError("notification_key not found"),
            .groupError("no valid registration ids"), .lost(reason: "cut"), .error(503, "UNAVAILABLE"),
            .error(500, "INTERNAL"),
            .groupError("notification_key_name doesn't match the group name of the notification_key"),
            .notSent(reason: "GOAWAY"), .error(401, "UNAUTHENTICATED"), .error(403, "PERMISSION_DENIED"),
        ]
        // Mostly nobody else has a group of that name.
        if case .group(.retrieve) = request, Int.random(in: 0..<2, using: &random) == 0 {
            return .groupError("notification_key not found")
        }
        let isFault = Int.random(in: 0..<2, using: &random) == 0
        return isFault ? faults.randomElement(using: &random) ?? .accepted(request) : .accepted(request)
    }
}
