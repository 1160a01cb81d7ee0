/// A share that was found in a sample, with the interval that holds the true share in 95 of 100 samples (Wilson, 1927).
package struct ShareInterval: Hashable, Sendable {
    package let share: Double
    package let low: Double
    package let high: Double

    /// The 97.5th percentile of the normal distribution.
    private static let z = 1.959_963_984_540_054

    /// `nil` for an empty sample.
    package init?(_ count: Int, of sample: Int) {
        guard sample > 0, (0...sample).contains(count) else { return nil }
        let (n, z) = (Double(sample), Self.z)
        let share = Double(count) / n
        let middle = share + z * z / (2 * n)
        let reach = z * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
        let scale = 1 + z * z / n
        self.share = share
        // Rounding must not leave the possible shares, nor leave out the one that was found.
        low = count == 0 ? 0 : min(share, max(0, (middle - reach) / scale))
        high = count == sample ? 1 : max(share, min(1, (middle + reach) / scale))
    }
}
