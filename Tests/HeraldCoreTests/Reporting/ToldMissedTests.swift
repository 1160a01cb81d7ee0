import FCM
import Testing

@testable import HeraldCore

struct ToldMissedTests {
    private static let begin = Date(timeIntervalSince1970: 1_795_000_000)

    private static func end(_ id: OccurrenceID, in state: inout RecordedState) {
        let occurrence = RecordedOccurrence(campaign: "c", revision: 1, due: nil, contentDigest: "", target: "topic:t")
        state.apply([.open(id, occurrence), .outcome(id, [1, 2], .accepted), .finish(id, at: begin)])
    }

    /// Of a large state, nothing else is read while a run goes on.
    @Test func `what is missed is told once, and its end with the others at the end of the run`() {
        var part = RecordedState.blank
        Self.end("tide@once", in: &part)
        var whole = part
        Self.end("ebb@once", in: &whole)
        var told = Told()
        told.begin(at: Self.begin, in: .blank)
        var news = Told.News(run: "r", started: Self.begin, now: Self.begin)
        news.missed = [.init(occurrence: "tide@once", due: Self.begin, reason: "it is half done")]
        told.takeMissed(news, in: part)
        #expect(told.outbox.map(\.change) == ["missed"] && told.outbox.first?.figures == ["accepted": 2])
        news.isEnd = true
        told.take(news, in: whole, for: [Webhook(address: "${HOOK}")])
        #expect(told.outbox.map(\.change) == ["missed", "sent", "sent"])
    }
}
