import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A message counts for caps by the tags that its campaign had when it started. The fourth of ten people may get one
/// promotion a week.
struct CapTagTests: CapScene {
    let laboratory = Self.withoutRamp()
    private static let promo = FrequencyCap(name: "promo", max: 1, per: .seconds(7 * 86_400), tags: ["promo"])
    private static let first: OccurrenceID = "first@once"

    private func send(_ name: String, _ tag: String) -> DesiredSend {
        var campaign = campaign(name)
        campaign.delivery.frequency.tags = [tag]
        campaign.delivery.frequency.caps = [Self.promo].filter { $0.isFor([tag]) }
        return DesiredSend(campaign: campaign, members: [4])
    }

    private func run(_ send: DesiredSend, _ sender: ScriptedSender = ScriptedSender()) async throws -> Report {
        var input = input([send])
        input.settings.frequencyCaps = [Self.promo]
        return try await laboratory.run(Planner.plan(input, at: laboratory.now), sender)
    }

    /// FCM refused it for now an hour ago, and may have delivered it all the same.
    private func begin() throws -> MessageStart {
        let start = MessageStart(until: laboratory.now - 3600, tags: ["promo"])
        try laboratory.memory.commit([
            .open(Self.first, RecordedOccurrence(send("first", "promo").campaign, due: nil)),
            .assign(Self.first, Partition(disjoint: [MessageClass(): [4]])),
            .outcome(Self.first, [4], .deferred), .started(Self.first, [4], start),
        ])
        return start
    }

    private func expectStopped() async throws {
        let report = try await run(send("second", "promo"))
        #expect(report.steps.map(\.parts) == [[0, 0, 0, 1, 0, 0]])
        #expect(report.steps.map(\.leftOut.reasons) == [[.capped("promo"): 1]])
    }

    @Test func `a retry after an edit of the tags counts by those of both tries`() async throws {
        _ = try begin()
        #expect(try await run(send("first", "news")).steps.map(\.accepted) == [1])
        let tags = laboratory.memory.state().starts[Self.first]?.states.map(\.tags)
        #expect(tags == [["news", "promo"]])
        try await expectStopped()
    }

    /// It is refused for now once more, and then for good.
    @Test func `if the retry is refused, the first try counts by its own tags`() async throws {
        _ = try begin()
        let sender = ScriptedSender { _, number in
            number == 0
                ? .error(503, "UNAVAILABLE") : .error(403, "PERMISSION_DENIED", fcm: "SENDER_ID_MISMATCH")
        }
        #expect(try await run(send("first", "news"), sender).steps.map(\.rejected) == [1])
        try await expectStopped()
    }

    @Test func `a refusal that a report brings leaves the first try counted`() async throws {
        let start = try begin()
        try laboratory.memory.commit([
            .outcome(Self.first, [4, 5], .intended), .started(Self.first, [5], start),
        ])
        var outcomes = UnwrittenOutcomes()
        outcomes.rejected = ["SENDER_ID_MISMATCH": [4, 5]]
        let earlier = Partition(disjoint: [start: [4] as RecipientSet])
        let unrecorded = try #require(UnrecordedOutcomes(outcomes, besides: earlier))
        #expect(unrecorded.repeated == [4])
        let read = try #require(UnrecordedOutcomes(json: unrecorded.json))
        #expect(read == unrecorded)
        var state = laboratory.memory.state()
        state.nextRecipient = 10
        try laboratory.memory.commit(state.adding([Self.first: read], of: nil).changes)
        #expect(laboratory.memory.state().starts[Self.first] == earlier)
        try await expectStopped()
    }
}
