import HeraldCore
import HeraldTestSupport

/// Kinds of sets that use arrays, bitmaps and runs, and the borders between them.
enum RecipientShape: CaseIterable {
    case empty, one, ends, sparse, justArray, arrayLimit, justBitmap, dense, full, acrossChunks, runs, manyChunks

    func members(using random: inout SeededRandom) -> Set<RecipientID> {
        switch self {
        case .empty: []
        case .one: [.random(in: 0 ... .max, using: &random)]
        case .ends: [0, 1, 65_535, 65_536, .max - 1, .max]
        case .sparse: Self.some(300, of: 0 ... .max, &random)
        case .justArray: Self.some(4095, of: 0...65_535, &random)
        case .arrayLimit: Self.some(4096, of: 0...65_535, &random)
        case .justBitmap: Self.some(4097, of: 0...65_535, &random)
        case .dense: Self.some(9_000, of: 60_000...75_000, &random)
        case .full: Set(65_536...131_071)
        case .acrossChunks: Set(65_000...66_500)
        case .runs:
            Set(
                (0..<40).flatMap { _ in
                    let first = RecipientID.random(in: 0...140_000, using: &random)
                    return first...(first + .random(in: 0...200, using: &random))
                })
        case .manyChunks: Set((0..<200).map { $0 << 16 | .random(in: 0...3, using: &random) })
        }
    }

    /// Every shape with three others. Each pair has a seed of its own.
    static var pairs: [(UInt64, RecipientShape, RecipientShape)] {
        var random = SeededRandom(seed: 2026)
        return allCases.flatMap { one in
            [one, allCases.randomElement(using: &random) ?? one, allCases.randomElement(using: &random) ?? one].map {
                (random.next(), one, $0)
            }
        }
    }

    private static func some(
        _ count: Int, of range: ClosedRange<RecipientID>, _ random: inout SeededRandom
    ) -> Set<RecipientID> {
        var members: Set<RecipientID> = []
        while members.count < count { members.insert(.random(in: range, using: &random)) }
        return members
    }
}
