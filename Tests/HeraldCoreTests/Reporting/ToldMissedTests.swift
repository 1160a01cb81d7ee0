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

    /// Nobody is told of a trouble again that was dropped.
    @Test(arguments: [true, false]) func `a trouble that lasts is told beside any number of sends that were missed`(
        _ isEnd: Bool
    ) {
        var told = Told()
        var news = Told.News(run: "r", started: Self.begin, now: Self.begin)
        news.needs = ["gale@once", "ebb@once"].map {
            Need(kind: .unknown, name: $0, sentence: "\($0) is held.", command: "herald state show")
        }
        told.take(news, in: .blank, for: [Webhook(address: "${HOOK}")])
        news.missed = (0..<300).map { number in
            let id = OccurrenceID(rawValue: "tide@\(number)")
            return Plan.Missed(occurrence: id, due: Self.begin, reason: "it came due while nothing ran")
        }
        news.isEnd = isEnd
        if isEnd {
            told.take(news, in: .blank, for: [Webhook(address: "${HOOK}")])
        } else {
            told.takeMissed(news, in: .blank)
        }
        #expect(told.outbox.filter { $0.change == "held" }.map(\.sentence) == news.needs.map(\.sentence))
        let missed = told.outbox.filter { $0.change == "missed" }.map(\.sentence)
        #expect(missed.count == 98 && missed.last?.contains("tide@299") == true)
    }

    /// Some were too late, and later all who were left.
    @Test func `what is missed in part is told, also if the rest is missed later, and its end says how many`() {
        var state = RecordedState.blank
        let hook = Webhook(address: "${HOOK}")
        var (told, news) = (Told(), Told.News(run: "r", started: Self.begin, now: Self.begin))
        told.begin(at: Self.begin, in: state)
        Self.end("tide@once", in: &state)
        state.apply([.skip("tide@once", [3], .missed)])
        for isPartial in [true, true, false] {
            news.missed = [
                .init(
                    occurrence: "tide@once", due: Self.begin, reason: "it is too late for 1 recipient",
                    isPartial: isPartial)
            ]
            told.takeMissed(news, in: state)
        }
        news.isEnd = true
        told.take(news, in: state, for: [hook])
        #expect(
            told.outbox.map(\.sentence) == [
                "tide@once was not sent to everybody: it is too late for 1 recipient.",
                "tide@once was not sent: it is too late for 1 recipient.",
                "tide@once has ended: FCM took 2 messages, and it was too late for 1 recipient.",
            ])
    }

    @Test func `the news of an end says why some got nothing`() {
        var state = RecordedState.blank
        var (told, news) = (Told(), Told.News(run: "r", started: Self.begin, now: Self.begin))
        told.begin(at: Self.begin, in: state)
        Self.end("tide@once", in: &state)
        state.apply([.skip("tide@once", [3, 4], .capped("promo"))])
        news.isEnd = true
        told.take(news, in: state, for: [Webhook(address: "${HOOK}")])
        #expect(
            told.outbox.map(\.sentence) == ["tide@once has ended: FCM took 2 messages; skipped: 2 by cap 'promo'."])
    }

    /// Each of them is one thing to do.
    @Test func `all troubles that last are told, however many`() {
        var (told, news) = (Told(), Told.News(run: "r", started: Self.begin, now: Self.begin))
        news.needs = (0..<150).map {
            Need(kind: .halted, name: "tide@\($0)", sentence: "It is held.", command: "herald state show")
        }
        told.take(news, in: .blank, for: [Webhook(address: "${HOOK}")])
        #expect(told.outbox.count == 150)
    }

    /// A receiver drops what has an id that it knows. A run that could not note it finds it again, from the same mark.
    @Test(arguments: [true, false]) func `what is missed again is told again if it was rewound`(
        _ isRewound: Bool
    ) throws {
        let hook = Webhook(address: "${HOOK}")
        var (state, told) = (RecordedState.blank, Told())
        var ids: [String] = []
        for run in 0..<2 {
            var news = Told.News(run: "\(run)", started: Self.begin, now: Self.begin)
            let mark = Self.begin.adding(.seconds(isRewound ? run : 0))
            news.missed = [
                .init(occurrence: "tide@once", due: Self.begin, reason: "it came due while nothing ran", mark: mark)
            ]
            told.takeMissed(news, in: state)
            news.isEnd = true
            told.take(news, in: state, for: [hook])
            ids += told.outbox.map(\.id)
            state.apply([.told(told), .delivered(Set(told.outbox.map { $0.key(for: hook) }))])
        }
        #expect(ids.count == (isRewound ? 2 : 1) && Set(ids).count == ids.count)
    }

    @Test func `a plan says from which mark on it found something too late`() throws {
        var campaign = Campaign.tide()
        campaign.schedule.times = .cron(try Cron(parsing: "0 5 * * *"), start: nil, end: nil)
        var scenario = PlanScenario()
        scenario.want(campaign, for: [1])
        let mark = Date.after(-86_400)
        scenario.state.watermarks["tide"] = Watermark(at: mark, schedule: campaign.schedule.text, next: nil)
        #expect(scenario.plan().missed.map(\.mark) == [mark])
    }
}
