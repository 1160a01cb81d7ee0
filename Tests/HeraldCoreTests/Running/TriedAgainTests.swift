import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What becomes of those whom a person has tried again (`state resolve --resend`, `--retry`) if nothing reaches them.
@Suite struct TriedAgainTests {
    private static let id: OccurrenceID = "tide@once"
    /// A longer wait than a run accepts.
    private static let refusal = Exchange.error(429, "RESOURCE_EXHAUSTED", retryAfter: "9999")

    struct Row: Sendable, CustomTestStringConvertible {
        /// What recipient 2 was answered at first.
        var answer: Exchange
        var way: Resolution
        /// The code that they keep meanwhile.
        var code: String?
        /// What they are if a person ends it.
        var end: LedgerEntry
        var testDescription: String { "\(way)" }
    }

    private static let rows = [
        Row(answer: .lost(reason: "cut"), way: .resend, code: nil, end: .abandoned),
        Row(
            answer: .error(400, "INVALID_ARGUMENT", fcm: "INVALID_ARGUMENT"), way: .retry(code: "INVALID_ARGUMENT"),
            code: "INVALID_ARGUMENT", end: .rejected),
    ]

    @Test(arguments: rows)
    func `whom FCM refuses meanwhile keeps the outcome that they had, and is tried again`(_ row: Row) async throws {
        let laboratory = Laboratory(population: 3)
        let campaign = Campaign.tide()
        let sends = [DesiredSend(campaign: campaign, members: RecipientSet(1...3))]
        let state = { laboratory.memory.state() }
        _ = try await laboratory.run(laboratory.plan(sends: sends), ScriptedSender { $0 == 2 ? [row.answer] : [] })
        try laboratory.memory.commit(
            state().changes(resolving: Self.id, by: row.way, campaign: campaign, at: laboratory.now))
        for _ in 0..<2 {
            let sender = ScriptedSender { $0 == 2 ? [Self.refusal] : [] }
            let report = try await laboratory.run(laboratory.plan(sends: sends), sender)
            #expect(report.steps.map(\.pending) == [1])
            let ledger = try #require(state().occurrences[Self.id]?.ledger)
            #expect(ledger[.again] == [2] && ledger[.accepted] == [1, 3])
            #expect(ledger.codes.state(of: 2) == row.code)
        }
        var ended = state()
        ended.apply(try ended.changes(resolving: Self.id, by: .abandon, campaign: campaign, at: laboratory.now))
        let ledger = try #require(ended.occurrences[Self.id]?.ledger)
        #expect(ledger[row.end] == [2] && ledger.codes.state(of: 2) == row.code)

        _ = try await laboratory.run(laboratory.plan(sends: sends), ScriptedSender())
        #expect(state().occurrences[Self.id]?.byEntry == [.accepted: [1, 2, 3]])
    }

    @Test func `a report says of nobody who may have got it that they were not tried`() throws {
        var outcomes = UnwrittenOutcomes()
        outcomes.untried = [2, 3]
        let unrecorded = try #require(UnrecordedOutcomes(outcomes, besides: Partition(), resent: [2]))
        #expect(unrecorded.untried == [3])
    }
}
