import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Sends to a device group: to the whole group by its key, or to each member.
@Suite struct GroupSendTests: GroupSuite {
    private func send(_ members: Campaign.Members = .key) -> [DesiredSend] {
        var campaign = Campaign.tide("tide", to: .group(Self.name))
        campaign.delivery.members = members
        return [DesiredSend(campaign: campaign, members: members == .key ? .target : [1, 2, 3])]
    }

    @Test func `a send asks for the key first and uses what it got`() async throws {
        let (laboratory, fcm) = try await laboratory()
        let before = recorded(laboratory)?.key
        let report = try await laboratory.run(laboratory.plan(sends: send(), groups: want([1, 2, 3])), fcm)
        #expect(report.result == .ok)
        #expect(fcm.now.pushes.map(\.target) == ["group:chris"])
        #expect(recorded(laboratory)?.key != before)
        let token = fcm.calls.last?.json["message"]?["token"]?.string
        #expect(token == recorded(laboratory)?.key?.rawValue)
        #expect(words(fcm.calls.dropFirst().prefix(1)) == ["retrieve"])
    }

    @Test func `a send waits for its group's changes`() async throws {
        let (laboratory, fcm) = try await laboratory()
        let report = try await laboratory.run(laboratory.plan(sends: send(), groups: want([3, 4])), fcm)
        #expect(report.steps.map(\.action) == [.group(.add), .group(.remove), .send])
        #expect(words(fcm.calls.dropFirst().dropLast()) == ["add 4", "remove 1 2", "retrieve"])
        #expect(report.result == .ok)
    }

    /// Other sends wait meanwhile.
    @Test(arguments: [
        ModelFCM.Fault.answer(.error(403, "PERMISSION_DENIED")), .answer(.json(502, "<html>")),
        .answer(.error(503, "UNAVAILABLE")), .answer(.json(429, "", retryAfter: "1800")), .loseRequest,
    ])
    func `without an answer it soon uses the recorded key`(_ fault: ModelFCM.Fault) async throws {
        let (laboratory, _) = try await laboratory()
        let key = recorded(laboratory)?.key
        let began = laboratory.clock.now.offset
        let fcm = ModelFCM { request, _ in
            if case .group = request { fault } else { nil }
        }
        _ = try await laboratory.run(laboratory.plan(sends: send(), groups: want([1, 2, 3])), fcm)
        #expect(fcm.calls.last?.json["message"]?["token"]?.string == key?.rawValue)
        #expect(laboratory.clock.now.offset - began < .seconds(60))
    }

    @Test(arguments: ["1800", "7200"])
    func `a group's call that gives up leaves FCM alone as it asked`(_ wait: String) async throws {
        let (laboratory, _) = try await laboratory()
        let fcm = ModelFCM { request, _ in
            if case .group = request { .answer(.json(429, "", retryAfter: wait)) } else { nil }
        }
        let sends = send() + [DesiredSend(campaign: .tide("ebb", to: .group(Self.name)), members: .target)]
        _ = try await laboratory.run(laboratory.plan(sends: sends, groups: want([1, 2, 3])), fcm)
        #expect(words(fcm.calls.prefix(1)) == ["retrieve"])
        let keys = fcm.calls.dropFirst().map { $0.json["message"]?["token"]?.string }
        #expect(keys == Array(repeating: recorded(laboratory)?.key?.rawValue, count: 2))
    }

    @Test func `without a group at FCM nothing is sent, and the next run makes it`() async throws {
        let (laboratory, fcm) = try await laboratory()
        fcm.change { $0.groups = [:] }
        let report = try await laboratory.run(laboratory.plan(sends: send(), groups: want([1, 2, 3])), fcm)
        #expect(report.result == .failed)
        #expect(report.steps.map(\.pending) == [1])
        let words = "FCM does not have group 'chris' any more; the next run makes it again, and sends"
        #expect(report.steps[0].stopped?.words == words)
        let second = try await laboratory.run(laboratory.plan(sends: send(), groups: want([1, 2, 3])), fcm)
        #expect(second.result == .ok)
        #expect(fcm.now.pushes.map(\.target) == ["group:chris"])
        #expect(fcm.now.groups[Self.name]?.count == 3)
    }

    @Test func `a send is held when somebody who was to leave is still in the group`() async throws {
        let (laboratory, _) = try await laboratory()
        let fcm = ModelFCM { request, _ in
            if case .group(.remove) = request { .answer(.groupError("INVALID_SENDER")) } else { nil }
        }
        let report = try await laboratory.run(laboratory.plan(sends: send(), groups: want([1, 2])), fcm)
        #expect(report.steps.map(\.held) == [0, 1])
        #expect(report.steps[1].stopped?.words == "not everybody who was to leave group 'chris' has left it")
        #expect(fcm.now.pushes.isEmpty)
        #expect(report.result == .failed)
    }

    @Test func `with 'members: each' it is a request for each of them, reported one by one`() async throws {
        let (laboratory, fcm) = try await laboratory()
        let report = try await laboratory.run(laboratory.plan(sends: send(.each), groups: want([1, 2, 3])), fcm)
        #expect(Set(fcm.now.pushes.map(\.target)) == Set((1...3).map { Registration.fid($0).rawValue }))
        #expect(report.steps[0].accepted == 3)
        #expect(report.steps[0].repliesForGroup)
        #expect(report.steps[0].group == "chris")
    }

    @Test func `a dry run says that it cannot check a message to a group that is not made`() async throws {
        let laboratory = Laboratory()
        let fcm = ModelFCM()
        let plan = laboratory.plan(sends: send(), groups: want([1, 2, 3]))
        let report = try await laboratory.run(plan, fcm, dryRunSample: 100)
        #expect(report.steps.map(\.skipped) == [3, 1])
        let words = "not checked: herald has not made group 'chris' at FCM, so there is no key to send to"
        #expect(report.steps[1].note == words)
        #expect(ReportDocument(report).text(.plain).hasPrefix("Dry run: FCM checked no message.\n"))
        #expect(fcm.calls.isEmpty)
    }

    @Test func `a dry run changes no group and asks for no key`() async throws {
        let (laboratory, _) = try await laboratory()
        let fcm = ModelFCM()
        let report = try await laboratory.run(
            laboratory.plan(sends: send(.each), groups: want([1, 2, 3, 4])), fcm, dryRunSample: 100)
        #expect(report.steps.map(\.skipped) == [1, 0])
        #expect(fcm.calls.count == 3)
        #expect(recorded(laboratory)?.members == [1, 2, 3])
    }
}
