import FCM
import Foundation
import HeraldCore
import HeraldTestSupport

/// Commits such as a run makes, in any order. Numbers lie on both sides of a chunk's border.
struct RandomChanges {
    private(set) var registrations: [RecipientID: Registration] = [:]
    private var random: SeededRandom
    private var next: RecipientID = 65_500

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    var everybody: RecipientSet { RecipientSet(registrations.keys.sorted()) }

    mutating func batch() -> [RecordChange] {
        let others = (0..<Int.random(in: 0...6, using: &random)).map { _ in change() }
        return Int.random(in: 0..<3, using: &random) == 0 || registrations.isEmpty ? [intern()] + others : others
    }

    private mutating func change() -> RecordChange {
        let topic = ["t0", "t1", "t2"].randomElement(using: &random).flatMap(TopicName.init(rawValue:)) ?? "t0"
        let occurrence = OccurrenceID(rawValue: "c\(Int.random(in: 0...3, using: &random))@once")
        switch Int.random(in: 0..<11, using: &random) {
        case 0: return .spendPlan("p\(Int.random(in: 0...5, using: &random))")
        case 1, 2, 3: return .members(topic, some(), any(of: Membership.allCases), at: instant())
        case 4:
            return .open(
                occurrence,
                RecordedOccurrence(
                    campaign: "c", revision: .random(in: 1...3, using: &random),
                    due: Bool.random(using: &random) ? instant() : nil, contentDigest: "sha256:\(random.next())",
                    target: "topic:t0"))
        case 5, 6, 7: return .outcome(occurrence, some().union([0]), any(of: LedgerEntry.allCases))
        case 8: return .finish(occurrence, at: instant())
        case 9:
            return .audienceSizes(
                ["a": .random(in: 0...9, using: &random), "a\(Int.random(in: 0...3, using: &random))": 1])
        case _ where Int.random(in: 0..<3, using: &random) == 0: return .forget(RecipientSet(some().prefix(3)))
        default:
            let next = Bool.random(using: &random) ? instant() : nil
            return .watermark(
                "c\(Int.random(in: 0...3, using: &random))", Watermark(at: instant(), schedule: "cron", next: next))
        }
    }

    /// New recipients, and newer registrations of known ones.
    private mutating func intern() -> RecordChange {
        var interned: [RecipientID: Registration] = [:]
        for id in next..<(next + .random(in: 1...40, using: &random)) { interned[id] = registration(of: id) }
        next += RecipientID(interned.count)
        for id in registrations.keys where Int.random(in: 0..<5, using: &random) == 0 {
            interned[id] = registration(of: id)
        }
        registrations.merge(interned) { _, new in new }
        return .intern(interned)
    }

    private mutating func registration(of id: RecipientID) -> Registration {
        Bool.random(using: &random) ? .fid(Int(id)) : .token(Int(id), version: .random(in: 0...9, using: &random))
    }

    private mutating func some() -> RecipientSet {
        let share = Double.random(in: 0...1, using: &random)
        var chosen = RecipientSet()
        for id in registrations.keys.sorted() where Double.random(in: 0..<1, using: &random) < share {
            chosen.insert(id)
        }
        return chosen
    }

    private mutating func any<Value>(of values: [Value]) -> Value? {
        Int.random(in: 0..<4, using: &random) == 0 ? nil : values.randomElement(using: &random)
    }

    /// A binary fraction, which seconds since 1970 keep exactly.
    private mutating func instant() -> Date { .at(Double(Int.random(in: 0...10_000_000, using: &random)) / 1024) }
}
