import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Whom frequency caps stop, compared with counting one person's messages one by one.
struct CapBookTests {
    private static let now = PlanScenario.now
    private static let tags = ["promo", "news", "chat"]

    private struct Message {
        var person: RecipientID
        var occurrence: OccurrenceID
        var start: MessageStart
    }

    @Test(arguments: 0..<300)
    func `agrees with counting one by one`(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let people = RecipientSet(1...RecipientID(Int.random(in: 1...12, using: &random)))
        // Whom each occurrence reached, and when. Nobody is in one twice.
        var starts: [OccurrenceID: Partition<MessageStart>] = [:]
        for number in 0..<Int.random(in: 0...10, using: &random) {
            let id = OccurrenceID(rawValue: "c\(number)@once")
            var partition = Partition<MessageStart>()
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let own = Self.tags.filter { _ in Bool.random(using: &random) }.sorted()
                let start = MessageStart(
                    until: Self.now - Double(Int.random(in: 0...20, using: &random) * 60), tags: own)
                partition.move(RecipientSet(people.filter { _ in Bool.random(using: &random) }), to: start)
            }
            starts[id] = partition
        }
        var book = CapBook(starts, at: Self.now)
        let planned = RecipientSet(people.filter { _ in Bool.random(using: &random) })
        book.count(planned, of: OccurrenceID(rawValue: "planned@once"), tags: ["promo"], heeding: [])
        var messages = starts.flatMap { id, partition in
            partition.states.flatMap { start in
                partition[start].map { Message(person: $0, occurrence: id, start: start) }
            }
        }
        messages += planned.map {
            Message(
                person: $0, occurrence: OccurrenceID(rawValue: "planned@once"),
                start: MessageStart(until: Self.now, tags: ["promo"]))
        }
        let caps = (0..<Int.random(in: 1...3, using: &random)).map { number in
            FrequencyCap(
                name: "cap\(number)", max: Int.random(in: 1...4, using: &random),
                per: .seconds(Int.random(in: 1...20, using: &random) * 60),
                tags: Bool.random(using: &random) ? nil : Set(Self.tags.filter { _ in Bool.random(using: &random) }))
        }
        let own = OccurrenceID(rawValue: "c0@once")
        var expected: [String: Set<RecipientID>] = [:]
        for person in people {
            let full = caps.first { cap in
                let begin = Self.now - cap.per.seconds
                let counted = messages.filter { message in
                    message.person == person && message.occurrence != own && message.start.until > begin
                        && (cap.tags.map { !$0.isDisjoint(with: message.start.tags) } ?? true)
                }
                return counted.count >= cap.max
            }
            if let full { expected[full.name, default: []].insert(person) }
        }
        let found = book.capped(people, of: own, by: caps)
        #expect(
            Dictionary(found.map { ($0.cap.name, Set($0.members)) }) { first, _ in first } == expected, "seed \(seed)")
    }

    @Test(arguments: [
        (Duration.seconds(3600), 75), (.seconds(60), 60), (.seconds(7 * 86_400), 12_600), (.seconds(48 * 60), 60),
    ])
    func `a message counts a little longer than it should, and never shorter`(_ per: Duration, _ span: Int) throws {
        let caps = [
            FrequencyCap(name: "a", max: 1, per: per), FrequencyCap(name: "b", max: 1, per: .seconds(90 * 86_400)),
        ]
        let counting = try #require(StartCounting(Frequency(), caps))
        #expect(counting.span == span)
        for seconds in [0.0, 0.5, 1, 59.9, 60, 3600.1, 86_399] {
            let instant = Self.now + seconds
            let until = counting.start(at: instant).until
            #expect(until >= instant && until.timeIntervalSince(instant) < Double(span))
            #expect(until.timeIntervalSince1970.truncatingRemainder(dividingBy: 1) == 0)
        }
    }
}
