import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A refusal says nothing about an earlier request whose answer is not known. What herald may have subscribed stays
/// herald's to end (docs/explanation/promises.md#promises).
@Suite struct RefusedMembershipTests {
    private static let exists = Exchange.error(409, "ALREADY_EXISTS")
    private static let refused = Exchange.error(400, "INVALID_ARGUMENT")

    private func topics(_ members: RecipientSet) -> [DesiredTopic] { [DesiredTopic(name: "tides", members: members)] }

    /// Requests for recipient 2 get these answers in turn, and success after that.
    ///
    /// - Returns: whom it unsubscribed.
    @discardableResult
    private func run(
        _ members: RecipientSet, _ answers: Exchange..., in laboratory: Laboratory
    ) async throws -> [RecipientID] {
        let sender = ScriptedSender { $0 == 2 ? answers : [] }
        _ = try await laboratory.run(laboratory.plan(topics: topics(members)), sender)
        return sender.requests.compactMap { if case .unsubscribe = $0 { $0.recipient } else { nil } }
    }

    private func recorded(_ laboratory: Laboratory) -> Partition<Membership>? {
        laboratory.memory.state().topics["tides"]?.recipients
    }

    @Test(arguments: [refused, .unregistered])
    func `who could not leave stays herald's when the subscription is refused`(_ refusal: Exchange) async throws {
        let laboratory = Laboratory()
        try await run([1, 2], in: laboratory)
        try await run([1], Self.refused, in: laboratory)
        #expect(recorded(laboratory) == Partition(disjoint: [.managed: [1], .subscribing: [2]]))
        try await run([1, 2], refusal, in: laboratory)
        #expect(recorded(laboratory) == Partition(disjoint: [.managed: [1], .subscribing: [2]]))
        let unsubscribed = try await run([1], in: laboratory)
        #expect(unsubscribed == [2])
        #expect(recorded(laboratory) == Partition(disjoint: [.managed: [1]]))
    }

    @Test(arguments: ["ALREADY_EXISTS", "ABORTED"])
    func `a 409 does not say that somebody has left`(_ status: String) async throws {
        let laboratory = Laboratory()
        try await run([1, 2], in: laboratory)
        try await run([1], .error(409, status, retryAfter: "9999"), in: laboratory)
        #expect(recorded(laboratory) == Partition(disjoint: [.managed: [1], .subscribing: [2]]))
        let unsubscribed = try await run([1], in: laboratory)
        #expect(unsubscribed == [2])
        #expect(recorded(laboratory) == Partition(disjoint: [.managed: [1]]))
    }

    @Test func `whose subscription was not answered is herald's after a refusal`() async throws {
        var state = RecordedState.blank
        state.apply([.members("tides", [2], .subscribing, at: Laboratory.start.adding(.seconds(-3600)))])
        let laboratory = Laboratory(state: state)
        try await run([2], Self.refused, in: laboratory)
        try await run([2], Self.exists, in: laboratory)
        #expect(recorded(laboratory) == Partition(disjoint: [.managed: [2]]))
    }

    @Test(arguments: [refused, .unregistered])
    func `a refusal after a lost answer in the same run says nothing of the first request`(
        _ refusal: Exchange
    ) async throws {
        let laboratory = Laboratory()
        try await run([2], .lost(reason: "cut"), refusal, in: laboratory)
        #expect(recorded(laboratory) == Partition(disjoint: [.subscribing: [2]]))
        let unsubscribed = try await run([], in: laboratory)
        #expect(unsubscribed == [2])
    }

    @Test func `who is refused at once is not herald's`() async throws {
        let laboratory = Laboratory()
        try await run([1, 2], Self.refused, in: laboratory)
        #expect(recorded(laboratory) == Partition(disjoint: [.managed: [1]]))
    }

    @Test func `of the dead it counts again if they live after all`() async throws {
        var state = RecordedState.blank
        state.apply([.members("tides", [2], .subscribing, at: Laboratory.start.adding(.seconds(-3600)))])
        let laboratory = Laboratory(state: state)
        try await run([1, 2], .unregistered, in: laboratory)
        #expect(laboratory.memory.state().dead == [2])
        #expect(recorded(laboratory) == Partition(disjoint: [.managed: [1], .forgotten: [2]]))
    }
}
