import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What a step of an open stage does before its first request.
struct StageStepTests {
    @Test(arguments: [(0, true), (2, false)])
    func `whom FCM refused for now and who is not tried again counts before anybody else starts`(
        _ limit: Int, _ halts: Bool
    ) async throws {
        var send = Plan.Send.sample(2...10)
        var state = RecordedState.blank
        state.apply([
            .open(send.occurrence, RecordedOccurrence(send, begun: Laboratory.start)),
            .outcome(send.occurrence, [1], .deferred),
        ])
        var limits = StageLimits()
        limits.rejectedPercent = limit
        let open = RecordedStage(share: .everybody, opened: Laboratory.start, planned: 10)
        send.staging = Plan.Staging(
            opened: [open], isNews: true, figures: StageFigures(), limits: limits, soak: .manual)
        (send.isResumed, send.refused) = (true, [1])
        let laboratory = Laboratory(state: state)
        let sender = ScriptedSender { request, _ in .accepted(request) }
        let report = try await laboratory.run(laboratory.plan(.send(send)), sender)
        #expect(sender.requests.count == (halts ? 0 : 9))
        #expect(report.steps.map(\.held) == [halts ? 9 : 0])
        let occurrence = try #require(laboratory.memory.state().occurrences[send.occurrence])
        #expect(occurrence.halt == (halts ? .stage : nil))
        if halts { #expect(occurrence.stages.last?.figures == StageFigures(rejected: 1)) }
    }
}
