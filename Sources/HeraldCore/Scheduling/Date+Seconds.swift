extension Date {
    /// The years 1 to 9999 of UTC. herald knows no other time.
    static let calculable = Date(wholeSeconds: -62_135_596_800)..<Date(wholeSeconds: 253_402_300_800)

    init(wholeSeconds: Int) { self.init(timeIntervalSince1970: Double(wholeSeconds)) }

    /// Seconds since 1970, rounded down and kept within the calculable years.
    var wholeSeconds: Int { wholeSeconds(.down) }

    func wholeSeconds(_ rule: FloatingPointRoundingRule) -> Int {
        let (first, last) = (Self.calculable.lowerBound, Self.calculable.upperBound.addingTimeInterval(-1))
        return Int(max(first, min(last, self)).timeIntervalSince1970.rounded(rule))
    }
}
