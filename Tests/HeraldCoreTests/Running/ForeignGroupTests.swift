import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A device group that exists at FCM, and that herald did not create. FCM does not tell who made a group.
@Suite struct ForeignGroupTests: GroupSuite {
    private static let forbidden = Exchange.error(403, "PERMISSION_DENIED")

    /// A group at FCM with one member, created by something else.
    private func foreign() -> ModelFCM {
        let fcm = ModelFCM()
        fcm.change { $0.groups[Self.name] = [.fid(9)] }
        return fcm
    }

    @Test func `a group that exists and that herald did not make is refused`() async throws {
        let (laboratory, fcm) = (Laboratory(), foreign())
        let report = try await laboratory.run(laboratory.plan(groups: want([1, 2])), fcm)
        #expect(report.result == .refused)
        #expect(report.steps.map(\.held) == [2])
        #expect(report.steps.first?.stopped?.words.contains("--override foreign_group=chris") == true)
        #expect(report.refusals.map(\.override) == ["--override foreign_group=chris"])
        #expect(RecordedRun(report)?.refusals.map(\.step) == ["group_create:chris"])
        #expect(fcm.now.groups[Self.name] == [.fid(9)])
        #expect(recorded(laboratory) == nil)
        let again = try await laboratory.run(laboratory.plan(groups: want([1, 2])), fcm)
        #expect(again.result == .refused, "it is not ours the second time either")
    }

    /// Something goes wrong on the way of the first call in the run, or of the second.
    @Test(
        arguments: [
            ModelFCM.Fault.answer(.error(503, "UNAVAILABLE")), .answer(.error(500, "INTERNAL")), .loseAnswer,
            .loseRequest,
        ], [0, 1])
    func `it stays refused, whatever happens to the calls`(_ fault: ModelFCM.Fault, _ place: Int) async throws {
        let laboratory = Laboratory()
        let fcm = ModelFCM { _, number in number == place ? fault : nil }
        fcm.change { $0.groups[Self.name] = [.fid(9)] }
        for _ in 0..<2 {
            let report = try await laboratory.run(laboratory.plan(groups: want([1, 2])), fcm)
            #expect(report.result == .refused)
            #expect(fcm.now.groups[Self.name] == [.fid(9)])
            #expect(recorded(laboratory) == nil)
        }
    }

    @Test(arguments: 0...3)
    func `it stays refused after a run that died`(commits: Int) async throws {
        var (laboratory, fcm) = (Laboratory(), foreign())
        laboratory.store = ProbedStore(laboratory.memory, refusesFrom: commits)
        _ = try await laboratory.run(laboratory.plan(groups: want([1, 2])), fcm)
        laboratory.store = laboratory.memory
        let report = try await laboratory.run(laboratory.plan(groups: want([1, 2])), fcm)
        #expect(report.result == .refused)
        #expect(fcm.now.groups[Self.name] == [.fid(9)])
    }

    @Test func `a group that others make in the moment before is refused, too`() async throws {
        let laboratory = Laboratory()
        let fcm = ModelFCM { _, number in
            number == 1 ? .answer(.groupError("notification_key already exists")) : nil
        }
        let report = try await laboratory.run(laboratory.plan(groups: want([1, 2])), fcm)
        #expect(report.result == .refused)
        #expect(words(fcm.calls) == ["retrieve", "create 1 2"])
        #expect(recorded(laboratory) == nil)
    }

    @Test(arguments: ["foreign_group", "foreign_group=chris"])
    func `with an override its members join it`(_ override: String) async throws {
        let (laboratory, fcm) = (Laboratory(), foreign())
        let overrides = try #require(Overrides([override]))
        let report = try await laboratory.run(laboratory.plan(groups: want([1, 2])), fcm, overrides: overrides)
        #expect(report.result == .ok)
        #expect(words(fcm.calls) == ["retrieve", "add 1 2"])
        #expect(fcm.now.groups[Self.name] == [.fid(1), .fid(2), .fid(9)])
        #expect(recorded(laboratory)?.members == [1, 2])
    }

    @Test func `an override for another group lets nothing through`() async throws {
        let (laboratory, fcm) = (Laboratory(), foreign())
        let overrides = try #require(Overrides(["foreign_group=other"]))
        let report = try await laboratory.run(laboratory.plan(groups: want([1, 2])), fcm, overrides: overrides)
        #expect(report.result == .refused)
    }

    @Test func `a create that was refused by FCM or never sent does not make a group ours`() async throws {
        let laboratory = Laboratory()
        let plan = laboratory.plan(groups: want([1, 2]))
        _ = try await laboratory.run(plan, ModelFCM { _, _ in .answer(Self.forbidden) })
        #expect(recorded(laboratory) == nil)
        let stopped = Log<Int>()
        _ = try await laboratory.run(
            plan, ModelFCM(),
            stop: {
                stopped.append(1)
                return stopped.entries.count > 1 ? .machine : nil
            })
        #expect(recorded(laboratory) == nil)
        let report = try await laboratory.run(laboratory.plan(groups: want([1, 2])), foreign())
        #expect(report.result == .refused)
    }

    /// Whoever may have joined is remembered, so that the next run can take them out again.
    @Test(arguments: [false, true])
    func `after an override, those whose answer was lost when the run was stopped can leave`(
        isMadeMeanwhile: Bool
    ) async throws {
        let laboratory = Laboratory()
        let fcm = ModelFCM { call, number in
            if isMadeMeanwhile, number == 0 { return .answer(.groupError("notification_key not found")) }
            guard case .group(.add) = call else { return nil }
            return .loseAnswer
        }
        fcm.change { $0.groups[Self.name] = [.fid(9)] }
        let overrides = try #require(Overrides(["foreign_group=chris"]))
        let report = try await laboratory.run(
            laboratory.plan(groups: want([1, 2])), fcm, overrides: overrides,
            stop: { fcm.now.groups[Self.name]?.count == 3 ? .machine : nil })
        #expect(report.result == .interrupted)
        #expect(fcm.now.groups[Self.name] == [.fid(1), .fid(2), .fid(9)])
        #expect(recorded(laboratory)?.adding == [1, 2])
        _ = try await laboratory.run(laboratory.plan(groups: []), fcm)
        #expect(fcm.now.groups[Self.name] == [.fid(9)])
        #expect(laboratory.plan(groups: []).doesNothing)
    }
}
