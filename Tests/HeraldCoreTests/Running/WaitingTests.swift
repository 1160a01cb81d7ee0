import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Steps that can only wait let others go first, and are continued later.
@Suite(.timeLimit(.minutes(60)))
struct WaitingTests {
    /// A step that had to wait a moment ago may be due at the next look, and then nothing else wakes it.
    @Test(arguments: Array(stride(from: 10, through: 700, by: 30)))
    func `whatever time passes between two looks, nobody is forgotten`(_ milliseconds: Int) async throws {
        let laboratory = Laboratory(population: 40, clock: ManualClock(tick: .milliseconds(milliseconds)))
        let sender = ScriptedSender(capacity: 8) { request, number in
            number % 3 == 0 && number < 60 ? .notSent(reason: "refused") : .accepted(request, number)
        }
        let plan = laboratory.plan(
            .send(.sample(1...20 as ClosedRange<RecipientID>)), .subscribe("news", RecipientSet(21...40)))
        let report = try await laboratory.run(plan, sender)
        #expect(report.steps.map(\.accepted) == [20, 20])
        #expect(report.steps.reduce(0) { $0 + $1.retries } > 0)
    }
}
