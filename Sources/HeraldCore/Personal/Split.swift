/// Deals recipients out among variants by a keyed hash, the same way on every machine and in any order. A class,
/// because one reference is counted faster than several.
final class Split: Sendable {
    private let hash: KeyedHash
    /// The sums of the weights up to each variant.
    private let bounds: [UInt64]

    /// - Parameter weights: of the variants, sorted by name. At least 1 each.
    /// - Throws: `PersonalProblem` if their sum is beyond 64 bits.
    init(seed: String, weights: [Int]) throws(PersonalProblem) {
        hash = KeyedHash(key: "herald.split/1", prefix: seed)
        var (bounds, sum) = ([UInt64](), UInt64(0))
        for weight in weights {
            let (next, overflows) = sum.addingReportingOverflow(UInt64(max(0, weight)))
            guard !overflows else { throw PersonalProblem(path: [], words: "the weights are too large") }
            sum = next
            bounds.append(sum)
        }
        self.bounds = bounds
    }

    /// The place of a unit's variant.
    func variant(of unit: UnsafeRawBufferPointer) -> Int { variant(at: hash.number(of: unit)) }

    /// The place of the variant whose share holds `number` / 2^64.
    func variant(at number: UInt64) -> Int {
        // number / 2^64 < bound / sum, in whole numbers
        let place = number.multipliedFullWidth(by: bounds.last ?? 0).high
        return bounds.firstIndex { place < $0 } ?? 0
    }
}
