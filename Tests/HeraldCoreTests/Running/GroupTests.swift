import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Device groups, by docs/reference/fcm-older.md#device-groups: FCM does not list groups, has four error texts, and
/// deletes an empty group.
@Suite struct GroupTests: GroupSuite {
    // MARK: Changes

    @Test func `makes a group`() async throws {
        let (laboratory, fcm) = (Laboratory(), ModelFCM())
        _ = try await laboratory.run(laboratory.plan(groups: want([1, 2, 3])), fcm)
        #expect(words(fcm.calls) == ["retrieve", "create 1 2 3"])
        #expect(fcm.now.groups == [Self.name: [.fid(1), .fid(2), .fid(3)]])
        #expect(recorded(laboratory)?.members == [1, 2, 3])
        #expect(recorded(laboratory)?.adding == [])
        #expect(recorded(laboratory)?.key != nil)
        #expect(laboratory.plan(groups: want([1, 2, 3])).doesNothing)
    }

    @Test func `adds before it removes`() async throws {
        let (laboratory, fcm) = try await laboratory()
        let report = try await laboratory.run(laboratory.plan(groups: want([3, 4, 5])), fcm)
        #expect(words(fcm.calls.dropFirst()) == ["add 4 5", "remove 1 2"])
        #expect(report.steps.map(\.action) == [.group(.add), .group(.remove)])
        #expect(report.steps.map(\.accepted) == [2, 2])
        #expect(recorded(laboratory)?.members == [3, 4, 5])
        #expect(report.result == .ok)
    }

    @Test func `removes everybody from a group that no file declares, and forgets it`() async throws {
        let (laboratory, fcm) = try await laboratory()
        let report = try await laboratory.run(laboratory.plan(groups: []), fcm)
        #expect(words(fcm.calls.dropFirst()) == ["remove 1 2 3"])
        #expect(report.steps.map(\.action) == [.group(.delete)])
        #expect(fcm.now.groups.isEmpty)
        #expect(recorded(laboratory) == nil)
    }

    @Test func `every change uses the last key`() async throws {
        let (laboratory, fcm) = try await laboratory()
        let key = recorded(laboratory)?.key
        _ = try await laboratory.run(laboratory.plan(groups: want([1, 2, 3, 4])), fcm)
        guard case .group(let operation)? = fcm.calls.last else { throw Unexpected() }
        #expect(operation.key == key)
        #expect(recorded(laboratory)?.key != key)
    }

    private struct Unexpected: Error {}

    // MARK: Lost answers

    @Test(
        arguments: [
            ModelFCM.Fault.loseAnswer, .loseRequest, .replaceAnswer(.error(503, "UNAVAILABLE")),
            .replaceAnswer(.error(500, "INTERNAL")),
        ], [0, 1])
    func `a create whose answer is lost is repeated, and the group is ours`(
        _ fault: ModelFCM.Fault, _ place: Int
    ) async throws {
        let laboratory = Laboratory()
        let fcm = ModelFCM { _, number in number == place ? fault : nil }
        let report = try await laboratory.run(laboratory.plan(groups: want([1, 2])), fcm)
        #expect(report.result == .ok)
        #expect(report.steps.map(\.accepted) == [2])
        #expect(fcm.now.groups[Self.name] == [.fid(1), .fid(2)])
        #expect(recorded(laboratory)?.members == [1, 2])
    }

    @Test func `a create that a crash left unanswered is ours at the next run`() async throws {
        var (laboratory, fcm) = (Laboratory(), ModelFCM())
        laboratory.store = ProbedStore(laboratory.memory, refusesFrom: 1)
        _ = try await laboratory.run(laboratory.plan(groups: want([1, 2])), fcm)
        #expect(recorded(laboratory)?.adding == [1, 2])
        #expect(fcm.now.groups[Self.name] == [.fid(1), .fid(2)])
        laboratory.store = laboratory.memory
        let report = try await laboratory.run(laboratory.plan(groups: want([1, 2])), fcm)
        #expect(report.result == .ok)
        #expect(recorded(laboratory)?.members == [1, 2])
    }

    @Test func `who was asked for, not answered, and no longer listed is removed`() async throws {
        var (laboratory, fcm) = (Laboratory(), ModelFCM())
        laboratory.store = ProbedStore(laboratory.memory, refusesFrom: 1)
        _ = try await laboratory.run(laboratory.plan(groups: want(RecipientSet(1...20))), fcm)
        laboratory.store = laboratory.memory
        let other = want(RecipientSet(21...40))
        let report = try await laboratory.run(laboratory.plan(groups: other), fcm)
        #expect(report.result == .ok)
        #expect(fcm.now.groups[Self.name] == Set((21...40).map { .fid($0) }))
        #expect(laboratory.plan(groups: other).doesNothing)
    }

    @Test(arguments: [[1], []] as [RecipientSet])
    func `who was removed without a recorded answer is added again if the files list them again`(
        left: RecipientSet
    ) async throws {
        var (laboratory, fcm) = try await laboratory()
        laboratory.store = ProbedStore(laboratory.memory, refusesFrom: 1)
        _ = try await laboratory.run(laboratory.plan(groups: left.isEmpty ? [] : want(left)), fcm)
        laboratory.store = laboratory.memory
        let report = try await laboratory.run(laboratory.plan(groups: want([1, 2, 3])), fcm)
        #expect(report.result == .ok)
        #expect(fcm.now.groups[Self.name] == [.fid(1), .fid(2), .fid(3)])
        #expect(recorded(laboratory)?.members == [1, 2, 3])
    }

    /// The answer to a call that had its effect is lost, and FCM refuses the next one for the same members.
    @Test(arguments: [([], 3), ([1, 2, 3], 1)] as [(RecipientSet, Int)])
    func `who may have joined before a refusal can be removed`(before: RecipientSet, refused: Int) async throws {
        let laboratory = Laboratory()
        let fcm = ModelFCM { [before] _, number in
            let number = number - (before.isEmpty ? 1 : 2)
            if number == 0 { return .loseAnswer }
            return number == refused ? .answer(.groupError("INVALID_SENDER")) : nil
        }
        if !before.isEmpty { _ = try await laboratory.run(laboratory.plan(groups: want(before)), fcm) }
        let report = try await laboratory.run(laboratory.plan(groups: want(before.union([4]))), fcm)
        #expect(report.steps.map(\.rejected) == [1])
        #expect(fcm.now.groups[Self.name]?.contains(.fid(4)) == true)
        #expect(recorded(laboratory)?.adding == [4])
        _ = try await laboratory.run(laboratory.plan(groups: want(before)), fcm)
        #expect(fcm.now.groups[Self.name] == (before.isEmpty ? nil : [.fid(1), .fid(2), .fid(3)]))
        #expect(laboratory.plan(groups: want(before)).doesNothing)
    }

    // MARK: The other error texts

    @Test func `a group that FCM forgot is made anew with those it had`() async throws {
        let (laboratory, fcm) = try await laboratory()
        fcm.change { $0.groups = [:] }
        let report = try await laboratory.run(laboratory.plan(groups: want([1, 2, 3, 4])), fcm)
        #expect(words(fcm.calls.dropFirst()) == ["add 4", "create 1 2 3 4"])
        #expect(report.result == .ok)
        #expect(fcm.now.groups[Self.name]?.count == 4)
        #expect(recorded(laboratory)?.members == [1, 2, 3, 4])
    }

    @Test func `made anew with a lost answer it is still ours`() async throws {
        let (laboratory, made) = try await laboratory()
        let fcm = ModelFCM { _, number in number == 1 ? .loseAnswer : nil }
        _ = made
        let report = try await laboratory.run(laboratory.plan(groups: want([1, 2, 3, 4])), fcm)
        #expect(report.result == .ok)
        #expect(fcm.now.groups[Self.name]?.count == 4)
        #expect(recorded(laboratory)?.members == [1, 2, 3, 4])
        #expect(laboratory.plan(groups: want([1, 2, 3, 4])).doesNothing)
    }

    @Test func `who is to leave a group that FCM forgot has left it`() async throws {
        let (laboratory, fcm) = try await laboratory()
        fcm.change { $0.groups = [:] }
        let report = try await laboratory.run(laboratory.plan(groups: want([1])), fcm)
        #expect(report.result == .ok)
        #expect(report.steps.map(\.accepted) == [2])
        _ = try await laboratory.run(laboratory.plan(groups: want([1])), fcm)
        #expect(fcm.now.groups[Self.name] == [.fid(1)])
        #expect(laboratory.plan(groups: want([1])).doesNothing)
    }

    @Test(arguments: [[1, 2, 3, 4], [1, 2]] as [RecipientSet])
    func `a key that is not the group's is asked for again, once`(_ members: RecipientSet) async throws {
        let (laboratory, fcm) = try await laboratory()
        try laboratory.memory.commit([.groupKey(Self.name, NotificationKey(rawValue: "stale"))])
        let report = try await laboratory.run(laboratory.plan(groups: want(members)), fcm)
        let word = members.count == 4 ? "add 4" : "remove 3"
        #expect(words(fcm.calls.dropFirst()) == [word, "retrieve", word])
        #expect(report.result == .ok)
        #expect(fcm.now.groups[Self.name]?.count == members.count)
    }

    @Test func `an answer that says nothing of the group does not make it forgotten`() async throws {
        let (laboratory, _) = try await laboratory()
        try laboratory.memory.commit([.groupKey(Self.name, nil)])
        let fcm = ModelFCM { _, _ in .answer(.groupError("INVALID_SENDER")) }
        let report = try await laboratory.run(laboratory.plan(groups: []), fcm)
        #expect(report.result == .failed)
        #expect(recorded(laboratory)?.adding == [1, 2, 3], "the next run asks again")
    }

    // MARK: Dead members

    @Test func `dead registrations that were to join are forgotten once FCM has shown that it hears us`() async throws {
        let (laboratory, fcm) = try await laboratory()
        fcm.change { $0.dead = [.fid(4)] }
        let groups = want([1, 2, 3, 4]) + [DesiredGroup(name: "ann", members: [5])]
        let report = try await laboratory.run(laboratory.plan(groups: groups), fcm)
        #expect(report.steps.map(\.id) == ["group_create:ann", "group_add:chris"])
        #expect(report.steps[1].forgotten == 1)
        #expect(report.result == .ok)
        #expect(laboratory.memory.state().dead == [4])
        #expect(recorded(laboratory)?.adding == [])
        #expect(laboratory.plan(groups: groups).doesNothing)
    }

    @Test func `without a success in the run nobody is forgotten`() async throws {
        let (laboratory, fcm) = try await laboratory()
        fcm.change { $0.dead = [.fid(4)] }
        let report = try await laboratory.run(laboratory.plan(groups: want([1, 2, 3, 4])), fcm)
        #expect(report.steps[0].failures.map(\.action) == [.kept])
        #expect(report.result == .failed)
        #expect(laboratory.memory.state().dead == [])
        #expect(recorded(laboratory)?.members == [1, 2, 3])
    }

    @Test func `many dead at once are a guard's case`() async throws {
        let (laboratory, fcm) = try await laboratory([1])
        fcm.change { $0.dead = Set((2...11).map { .fid($0) }) }
        let report = try await laboratory.run(laboratory.plan(groups: want(RecipientSet(1...11))), fcm)
        #expect(report.result == .refused)
        #expect(report.steps[0].held == 10)
        #expect(laboratory.memory.state().dead == [])
    }

    // MARK: Random changes

    /// By FCM's own rules: a group has at most 20 members, and an empty group is deleted.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func `any membership becomes any other without a group too large or empty in between`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let some = { (most: Int, random: inout SeededRandom) in
            RecipientSet((1...30).shuffled(using: &random).prefix(Int.random(in: 1...most, using: &random)))
        }
        let (laboratory, fcm) = (Laboratory(population: 30), ModelFCM())
        let before = some(20, &random)
        let isAnswered = seed % 3 > 0
        if isAnswered {
            _ = try await laboratory.run(laboratory.plan(groups: want(before)), fcm)
            // The state does not know that some of the members are in the group.
            let lost = RecipientSet(before.filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
            try laboratory.memory.commit([.groupMembers(Self.name, lost, .adding)])
            fcm.change { $0.groups[Self.name]?.subtract(lost.prefix(seed % 2 == 0 ? 0 : 2).map { .fid(Int($0)) }) }
            if fcm.now.groups[Self.name]?.isEmpty == true { return }
        } else {
            try laboratory.memory.commit([.groupMembers(Self.name, before, .adding)])
            if seed % 2 == 0 { fcm.change { $0.groups[Self.name] = Set(before.map { .fid(Int($0)) }) } }
        }
        fcm.change { $0.groupSizes = [] }
        let wanted = want(some(20, &random))
        let report = try await laboratory.run(laboratory.plan(groups: wanted), fcm)
        #expect(report.result == .ok, "seed \(seed)")
        #expect(fcm.now.groupSizes.allSatisfy { (1...20).contains($0) }, "seed \(seed): \(fcm.now.groupSizes)")
        #expect(fcm.now.groups[Self.name] == Set(wanted[0].members.map { .fid(Int($0)) }), "seed \(seed)")
        #expect(recorded(laboratory)?.members == wanted[0].members, "seed \(seed)")
        #expect(laboratory.plan(groups: wanted).doesNothing, "seed \(seed)")
    }
}
