import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What runs and their reports leave of the starts that count for caps.
extension PlannerCapTests {
    @Test func `a message whose intent took too long to write is noted anew`() async throws {
        var laboratory = Laboratory()
        var send = Plan.Send.sample([1, 2, 3], due: laboratory.now)
        send.counting = StartCounting(tags: ["promo"], span: 60)
        let (memory, clock, start) = (laboratory.memory, laboratory.clock, laboratory.start)
        let (slow, occurrence) = (Attempts(), send.occurrence)
        laboratory.store = ProbedStore(
            memory, holdUp: { if slow.next(of: 0) < 4 { clock.advance(by: .seconds(61)) } })
        let late = Log<RecipientID>()
        let sender = ScriptedSender(capacity: 1) { request, number in
            let until = memory.state().starts[occurrence]?.state(of: request.recipient)?.until ?? .distantPast
            if start.adding(clock.now.offset) > until { late.append(request.recipient) }
            return .accepted(request, number)
        }
        let report = try await laboratory.run(laboratory.plan(.send(send)), sender)
        #expect(report.steps[0].accepted == 3 && sender.requests.count == 3)
        #expect(late.entries == [])
    }

    @Test func `what a report says was not sent counts for no cap`() {
        var state = RecordedState.blank
        state.nextRecipient = 9
        state.apply([
            .open("sale@once", RecordedOccurrence(campaign("sale"), due: nil)),
            .outcome("sale@once", [1, 2, 3, 4, 5], .unknown),
            .started("sale@once", [1, 2, 3, 4, 5], start(0)),
        ])
        var outcomes = UnrecordedOutcomes()
        (outcomes.accepted, outcomes.rejected, outcomes.untried) = ([1], ["INVALID_ARGUMENT": [2]], [3])
        // FCM may have delivered it.
        outcomes.deferred = [5]
        state.apply(state.adding(["sale@once": outcomes], of: nil).changes)
        #expect(state.starts["sale@once"]?.all == [1, 4, 5])
    }

    @Test func `a cap that stops everybody ends the occurrence and accounts for all`() async throws {
        var laboratory = Laboratory()
        laboratory.guards.maxRecipients = 10
        var send = Plan.Send.sample([1, 2], due: laboratory.now)
        send.skipped = Partition(disjoint: [.capped("promo"): [3, 4]])
        send.counting = StartCounting(tags: ["promo"], span: 60)
        let sender = ScriptedSender { request, number in
            request.recipient == 1
                ? .error(403, "PERMISSION_DENIED", fcm: "SENDER_ID_MISMATCH") : .accepted(request, number)
        }
        let report = try await laboratory.run(laboratory.plan(.send(send)), sender)
        let step = report.steps[0]
        #expect(step.planned == 4 && step.skipped == 2 && step.accepted == 1 && step.pending == 0)
        let state = laboratory.memory.state()
        #expect(state.occurrences[send.occurrence]?.finished != nil)
        #expect(state.occurrences[send.occurrence]?.ledger?[.skipped] == [3, 4])
        let read = try ReportDocument(reading: Array(ReportDocument(report).json.compactText.utf8))
        #expect(read.report.steps[0].leftOut == step.leftOut)
        #expect(read.text(.plain).contains("skipped: 2 by cap 'promo'"))
        // Who was refused got nothing, so nothing counts.
        #expect(state.starts[send.occurrence]?.all == [2])
    }
}
