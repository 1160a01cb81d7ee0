import HeraldTestSupport
import Testing

@testable import HeraldCore

@Suite struct SplitTests {
    /// The numbers are Python's: `int.from_bytes(hmac.new(b"herald.split/1", seed + b"\0" + unit, sha256).digest()[:8])`.
    @Test(arguments: [
        ("points#1", "abc", 0.03769672933107421), ("spring-2027", "fid-0001", 0.8022837933663594),
        ("s", "ünit", 0.15948418414856697),
    ])
    func `the keyed hash is the contract's`(_ seed: String, _ unit: String, _ share: Double) throws {
        // A thousand variants tell three digits.
        let split = try Split(seed: seed, weights: [Int](repeating: 1, count: 1000))
        #expect(Self.variant(of: unit, split) == Int(share * 1000))
    }

    @Test(
        arguments: [
            ([1], 0, 0), ([1], .max, 0), ([1, 1], 1 << 63 - 1, 0), ([1, 1], 1 << 63, 1), ([1, 3], 1 << 62 - 1, 0),
            ([1, 3], 1 << 62, 1), ([45, 45, 10], .max, 2),
            // A third has no end in binary.
            ([1, 1, 1], 6_148_914_691_236_517_205, 0), ([1, 1, 1], 6_148_914_691_236_517_206, 1),
            ([.max, 1], .max - 3, 0), ([.max, .max], 1 << 63, 1),
        ] as [([Int], UInt64, Int)])
    func `shares begin where they should`(_ weights: [Int], _ number: UInt64, _ variant: Int) throws {
        #expect(try Split(seed: "", weights: weights).variant(at: number) == variant)
    }

    @Test func `weights beyond all bounds are refused`() {
        #expect(throws: PersonalProblem.self) { try Split(seed: "", weights: [.max, .max, .max]) }
    }

    @Test func `shares are as the weights say`() throws {
        let split = try Split(seed: "shares", weights: [45, 45, 10])
        let counts = Self.counts(of: 100_000) { Self.variant(of: $0, split) }
        for (count, share) in zip(counts, [0.45, 0.45, 0.10]) {
            // Four standard deviations are 0.63 points.
            #expect(abs(Double(count) / 100_000 - share) < 0.0063)
        }
    }

    @Test(arguments: [("one", "other"), ("spring#1", "spring#2"), ("a", "a\u{1}")])
    func `campaigns of different seeds are independent`(_ one: String, _ other: String) throws {
        let splits = try [one, other].map { try Split(seed: $0, weights: [1, 1, 1]) }
        let counts = Self.counts(of: 36_000, kinds: 9) { unit in
            Self.variant(of: unit, splits[0]) * 3 + Self.variant(of: unit, splits[1])
        }
        let squares = counts.reduce(0.0) { $0 + (Double($1) - 4000) * (Double($1) - 4000) / 4000 }
        // Eight degrees of freedom: one in a million is beyond 42.7.
        #expect(squares < 42.7, "\(counts)")
    }

    @Test func `campaigns of one seed agree, whatever is dealt out before`() throws {
        let splits = try [0, 1].map { _ in try Split(seed: "same", weights: [1, 2, 3]) }
        for number in 0..<1000 { _ = Self.variant(of: "other \(number)", splits[1]) }
        for number in 0..<1000 {
            #expect(Self.variant(of: "unit \(number)", splits[0]) == Self.variant(of: "unit \(number)", splits[1]))
        }
    }

    private static func variant(of unit: String, _ split: Split) -> Int {
        Array(unit.utf8).withUnsafeBytes { split.variant(of: $0) }
    }

    private static func counts(of units: Int, kinds: Int = 3, _ kind: (String) -> Int) -> [Int] {
        var counts = [Int](repeating: 0, count: kinds)
        for number in 0..<units { counts[kind("unit \(number)")] += 1 }
        return counts
    }
}
