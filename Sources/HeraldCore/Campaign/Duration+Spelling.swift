extension Duration {
    /// As files write it, in the largest unit that leaves no rest: `180d`. Parts of a millisecond are left out.
    package var written: String {
        let (seconds, attoseconds) = components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        let units: [(String, Int64)] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)]
        let (unit, size) = units.first { milliseconds.isMultiple(of: $0.1) } ?? ("ms", 1)
        return "\(milliseconds / size)\(unit)"
    }
}
