internal import Crypto

/// Deals recipients out among variants by a keyed hash, the same way on every machine and in any order. A class,
/// because one reference is counted faster than several.
final class Split: Sendable {
    private static let key = Array("herald.split/1".utf8)

    /// HMAC-SHA256 (RFC 2104): the inner hash has read the key and what all units begin with, the outer one the key.
    private let (inner, outer): (SHA256, SHA256)
    /// The sums of the weights up to each variant.
    private let bounds: [UInt64]

    /// - Parameter weights: of the variants, sorted by name. At least 1 each.
    /// - Throws: `PersonalProblem` if their sum is beyond 64 bits.
    init(seed: String, weights: [Int]) throws(PersonalProblem) {
        (inner, outer) = (
            Self.hash(of: Self.padded(0x36) + Array(seed.utf8) + [0]), Self.hash(of: Self.padded(0x5C))
        )
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
    func variant(of unit: UnsafeRawBufferPointer) -> Int {
        var (inner, outer) = (inner, outer)
        inner.update(bufferPointer: unit)
        inner.finalize().withUnsafeBytes { outer.update(bufferPointer: $0) }
        let number = outer.finalize().withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
        return variant(at: number)
    }

    private static func padded(_ byte: UInt8) -> [UInt8] {
        (0..<SHA256.blockByteCount).map { ($0 < key.count ? key[$0] : 0) ^ byte }
    }

    private static func hash(of bytes: [UInt8]) -> SHA256 {
        var hash = SHA256()
        hash.update(data: bytes)
        return hash
    }

    /// The place of the variant whose share holds `number` / 2^64.
    func variant(at number: UInt64) -> Int {
        // number / 2^64 < bound / sum, in whole numbers
        let place = number.multipliedFullWidth(by: bounds.last ?? 0).high
        return bounds.firstIndex { place < $0 } ?? 0
    }
}
