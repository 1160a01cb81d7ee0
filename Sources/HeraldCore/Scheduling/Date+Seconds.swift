extension Date {
    /// The range of times that herald supports: the years 1 to 9999 in UTC.
    static let calculable = Date(wholeSeconds: -62_135_596_800)..<Date(wholeSeconds: 253_402_300_800)

    init(wholeSeconds: Int) { self.init(timeIntervalSince1970: Double(wholeSeconds)) }

    /// Seconds since 1970, rounded down and limited to the supported range.
    var wholeSeconds: Int { wholeSeconds(.down) }

    func wholeSeconds(_ rule: FloatingPointRoundingRule) -> Int {
        let (first, last) = (Self.calculable.lowerBound, Self.calculable.upperBound.addingTimeInterval(-1))
        return Int(max(first, min(last, self)).timeIntervalSince1970.rounded(rule))
    }
}
