/// Five fields: minute, hour, day of month, month, day of week. The times are local and belong to no zone.
package struct Cron: Hashable, Sendable {
    var minutes: Field
    var hours: Field
    var daysOfMonth: Field
    var months: Field
    var daysOfWeek: Field

    /// The values of one field.
    struct Field: Hashable, Sendable {
        var kind: Kind
        /// One bit for each value.
        var values: UInt64
        /// Whether the field begins with `*`. Such a day field leaves the choice of days to the other one. Always false
        /// for fields that are not days.
        var isStarred: Bool

        enum Kind: Hashable, Sendable {
            case minute, hour, dayOfMonth, month, dayOfWeek
        }
    }

    /// Whether it ever fires. `0 0 30 2 *` never does.
    package var canFire: Bool {
        guard daysOfWeek.isStarred, daysOfWeek.values == Field.Kind.dayOfWeek.all else { return true }
        return (1...12).contains { month in
            // 2000 is a leap year, so 29 February counts.
            months.contains(month)
                && daysOfMonth.first(from: 1, through: Gregorian.length(ofMonth: month, in: 2000)) != nil
        }
    }
}

/// Why a text is not a cron, with the wrong part's position in Unicode scalars.
package struct CronError: Error, Hashable, Sendable {
    /// Lower case. It quotes the author's text.
    package var message: String
    package var offset: Int
    package var length: Int
}

extension Cron.Field.Kind {
    var range: ClosedRange<Int> {
        switch self {
        case .minute: 0...59
        case .hour: 0...23
        case .dayOfMonth: 1...31
        case .month: 1...12
        case .dayOfWeek: 0...6
        }
    }

    /// All values of the field, one bit each.
    var all: UInt64 { range.reduce(0) { $0 | 1 << UInt64($1) } }

    var isDay: Bool { self == .dayOfMonth || self == .dayOfWeek }
}

extension Cron.Field {
    func contains(_ value: Int) -> Bool { values >> UInt64(value) & 1 == 1 }

    /// The smallest value within the bounds, which are from 0 to 63.
    func first(from low: Int, through high: Int = 63) -> Int? { values.firstBit(from: low, through: high) }

    /// The greatest value within the bounds, which are from 0 to 63.
    func last(through high: Int) -> Int? { values.lastBit(through: high) }
}

extension UInt64 {
    func firstBit(from low: Int, through high: Int = 63) -> Int? {
        let bit = (self & (.max << UInt64(low))).trailingZeroBitCount
        return bit <= high ? bit : nil
    }

    func lastBit(through high: Int) -> Int? {
        let bits = self & (.max >> UInt64(63 - high))
        return bits == 0 ? nil : 63 - bits.leadingZeroBitCount
    }
}

extension Cron: CustomStringConvertible {
    /// The canonical text: different ways to write the same fields give one text.
    package var description: String {
        [minutes, hours, daysOfMonth, months, daysOfWeek].map(\.description).joined(separator: " ")
    }
}

extension Cron.Field: CustomStringConvertible {
    var description: String {
        let mayBeStarred = isStarred || !kind.isDay
        if values == kind.all, mayBeStarred { return "*" }
        if mayBeStarred, let step = step { return "*/\(step)" }
        // A starred day field must keep its star even if it is no plain step. The longest step matches the first value
        // only.
        let first = isStarred ? ["*/\(kind.range.count)"] : []
        let listed = isStarred ? values & ~(1 << UInt64(kind.range.lowerBound)) : values
        return (first + Self.ranges(of: listed)).joined(separator: ",")
    }

    /// The step from the first value that gives exactly these values. For days without a star it must be a short one.
    private var step: Int? {
        let longest = isStarred ? kind.range.count : kind.range.count / 3
        return (2...Swift.max(2, longest)).first { step in
            values
                == stride(from: kind.range.lowerBound, through: kind.range.upperBound, by: step)
                .reduce(0) { $0 | 1 << UInt64($1) }
        }
    }

    private static func ranges(of values: UInt64) -> [String] {
        var texts: [String] = []
        var rest = values
        while rest != 0 {
            let low = rest.trailingZeroBitCount
            let high = low + (~(rest >> UInt64(low))).trailingZeroBitCount - 1
            switch high - low {
            case 0: texts.append("\(low)")
            case 1: texts += ["\(low)", "\(high)"]
            default: texts.append("\(low)-\(high)")
            }
            rest &= high >= 63 ? 0 : .max << UInt64(high + 1)
        }
        return texts
    }
}
