import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What an exceeded quota does to requests that it is not about, in simulated time.
@Suite struct QuotaTests {
    private static func exceeded(_ subject: String?) -> Exchange {
        let details = subject.map {
            #"{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"\#($0)","description":"d"}]}"#
        }
        return .json(
            429, #"{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[\#(details ?? "")]}}"#)
    }

    /// When each request started, if the tenth was refused.
    private func starts(
        _ plan: Plan, in laboratory: Laboratory, refusing subject: String?
    ) async throws -> (instants: [(RecipientID, Duration)], report: Report) {
        let clock = laboratory.clock
        let instants = Log<(RecipientID, Duration)>()
        let sender = ScriptedSender(capacity: 4, isPrompt: true) { request, number in
            instants.append((request.recipient, clock.now.offset))
            return number == 9 ? Self.exceeded(subject) : .accepted(request, number)
        }
        let report = try await laboratory.run(plan, sender)
        return (instants.entries, report)
    }

    @Test(arguments: ["project:tide-app", nil] as [String?])
    func `the project's holds up everybody for a minute`(subject: String?) async throws {
        let laboratory = Laboratory(population: 50)
        let plan = laboratory.plan(.send(.sample(1...40)), .send(.sample(41...50, campaign: "ebb")))
        let (instants, report) = try await starts(plan, in: laboratory, refusing: subject)
        // Requests in flight when the answer came had started before.
        let early = instants.filter { $0.1 < .seconds(60) }
        #expect((10...14).contains(early.count))
        #expect(instants.count == 51)
        #expect(report.result == .ok)
        #expect(report.steps[0].possibleDuplicates == 0, "FCM has not taken it")
    }

    @Test func `a device's holds up that device alone`() async throws {
        let laboratory = Laboratory(population: 40)
        let (instants, report) = try await starts(
            laboratory.plan(.send(.sample(1...40))), in: laboratory, refusing: "device")
        let late = instants.filter { $0.1 >= .seconds(60) }
        #expect(late.count == 1)
        #expect(instants.count == 41)
        #expect(report.result == .ok)
    }

    @Test func `a topic's holds up its step and not the next one`() async throws {
        let laboratory = Laboratory(population: 40)
        let plan = laboratory.plan(.subscribe("tides", RecipientSet(1...30)), .send(.sample(31...40)))
        let (instants, report) = try await starts(plan, in: laboratory, refusing: "topic:tides")
        let early = instants.filter { $0.1 < .seconds(60) }
        #expect((10...14).contains(early.filter { $0.0 <= 30 }.count))
        #expect(report.result == .ok)
        #expect(report.steps.map(\.accepted) == [30, 10])
    }

    /// The metadata that FCM was seen to give with a project's quota.
    @Test(arguments: [(750_000, nil, 750_000), (750_000, 600_000, 750_000), (0, 600_000, 600_000), (0, nil, nil)])
    func `the state remembers the quota that FCM tells`(_ told: Int, _ known: Int?, _ remembered: Int?) async throws {
        let laboratory = Laboratory(population: 20)
        if let known { try laboratory.memory.commit([.sendQuota(known, at: Laboratory.start)]) }
        let metadata = #"{"quota_limit_value":"\#(told)","quota_unit":"1/min/{project}"}"#
        let refusal = Exchange.json(
            429,
            """
            {"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[
              {"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED","metadata":\(metadata)}]}}
            """)
        let sender = ScriptedSender(capacity: 4, isPrompt: true) { request, number in
            number == 9 ? refusal : .accepted(request, number)
        }
        let report = try await laboratory.run(laboratory.plan(.send(.sample(1...20))), sender)
        #expect(report.result == .ok)
        #expect(laboratory.memory.state().sendQuota?.perMinute == remembered)
    }
}
