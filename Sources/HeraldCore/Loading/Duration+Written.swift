extension Duration {
    /// Reads a whole number with a unit, at most 10 years: `250ms`, `90s`, `5m`, `4h`, `2d`.
    package init?(written text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int64(digits), count <= 315_360_000_000 else { return nil }
        let milliseconds: Int64
        switch text.dropFirst(digits.count) {
        case "ms": milliseconds = 1
        case "s": milliseconds = 1000
        case "m": milliseconds = 60_000
        case "h": milliseconds = 3_600_000
        case "d": milliseconds = 86_400_000
        default: return nil
        }
        let (total, overflow) = count.multipliedReportingOverflow(by: milliseconds)
        guard !overflow, total <= 315_360_000_000 else { return nil }
        self = .milliseconds(total)
    }
}

extension Rate {
    /// Reads `500/s`, `30000/min` or `unlimited`. A rate per minute must be at least 60, and is rounded down to a rate
    /// per second.
    init?(written text: String) {
        if text == "unlimited" {
            self = .unlimited
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.allSatisfy(\.isDigit), let count = Int(parts[0]),
            (1...100_000_000).contains(count)
        else { return nil }
        switch parts[1] {
        case "s": self = .limited(count)
        // A rate below one per second would need a window of a minute.
        case "min" where count >= 60: self = .limited(count / 60)
        default: return nil
        }
    }
}
