/// Numbers the values of one column by what filters can tell of them, from 0. Each row asks, so values with the same
/// number are judged once.
final class ColumnClasses: Sendable {
    private let values: ValueNumbers
    /// `nil` if no filter compares.
    private let comparison: ValueComparison?
    /// The highest number.
    let count: Int

    /// - Parameter filters: those of the column.
    init(_ filters: [Audience.Filter]) {
        values = ValueNumbers(Set(filters.flatMap(\.values)))
        comparison = filters.contains(where: \.test.isComparison) ? ValueComparison(filters) : nil
        count = (values.count + 1) * (comparison?.count ?? 1) - 1
    }

    func number(of text: UnsafeBufferPointer<UInt8>) -> Int {
        let number = values.number(of: text)
        guard let comparison else { return number }
        return comparison.facts(of: text).number(in: comparison) * (values.count + 1) + number
    }

    enum Verdict: Hashable {
        case passes, fails
        /// The value is of another type.
        case wrongType
        /// The value is a time. What it is depends on the plan's time.
        case byTime
        /// There is no time.
        case never
    }

    /// - Parameter number: that of the value; negative if the list does not have the column.
    func verdict(of filter: Audience.Filter, on number: Int) -> Verdict {
        guard number >= 0 else { return .fails }
        let isNamed = filter.values.contains { values.number(of: $0) == number % (values.count + 1) }
        if case .oneOf = filter.test { return isNamed ? .passes : .fails }
        guard !isNamed, let comparison else { return .fails }
        let facts = ValueComparison.Facts(number / (values.count + 1), in: comparison)
        // White space alone is an empty value.
        if facts.isEmpty, filter.values.contains("") { return .fails }
        return comparison.verdict(of: filter, on: facts)
    }

    /// Whether the value is a time that a filter compares with the plan's time.
    func isTime(_ number: Int) -> Bool {
        guard number >= 0, let comparison else { return false }
        return ValueComparison.Facts(number / (values.count + 1), in: comparison).isTime
    }
}

/// Compares the values of one column with all that filters compare them with.
struct ValueComparison {
    /// Ascending.
    private let numbers: [Bound]
    private let days: [Bound]
    private let parsedNumbers: [DecimalNumber<[UInt8]>]
    private let readsNumbers: Bool
    private let readsDays: Bool
    private let readsTimes: Bool

    /// What matters about a value.
    struct Facts {
        var isEmpty = false
        /// 0 for what is no number. For others one more than twice the number of bounds that are not greater, and one
        /// more for a whole number of 64 bits.
        var number = 0
        /// 0 for what is no day. For others one more than the number of bounds that are not later.
        var day = 0
        var isTime = false
    }

    init(_ filters: [Audience.Filter]) {
        let bounds = Set(
            filters.compactMap { filter -> Bound? in
                switch filter.test {
                case .atLeast(let bound), .below(let bound): bound
                case .oneOf, .not, .within, .before: nil
                }
            })
        // A number and a day have no order among each other.
        numbers = bounds.filter { $0.kind == .number }.sorted { $0.precedes($1) }
        days = bounds.filter { $0.kind == .date }.sorted { $0.precedes($1) }
        parsedNumbers = numbers.compactMap { DecimalNumber(Array($0.text.utf8)) }
        let kinds = filters.filter(\.test.isComparison).compactMap(\.kind)
        readsNumbers = !numbers.isEmpty || kinds.contains(.integer) || kinds.contains(.decimal)
        readsDays = !days.isEmpty || kinds.contains(.date)
        readsTimes = filters.contains(where: \.test.isOfTime)
    }

    fileprivate var numberCount: Int { readsNumbers ? 2 * numbers.count + 3 : 1 }
    fileprivate var dayCount: Int { readsDays ? days.count + 2 : 1 }
    /// How many facts there are.
    var count: Int { numberCount * dayCount * 4 }

    func facts(of value: UnsafeBufferPointer<UInt8>) -> Facts {
        let text = value[...].trimmed
        var facts = Facts(isEmpty: text.isEmpty)
        if facts.isEmpty { return facts }
        if readsNumbers, let number = DecimalNumber(text) {
            let place = parsedNumbers.firstPlace { number.precedes($0) }
            facts.number = 1 + 2 * place + (FieldKind.integer.allows(text) ? 1 : 0)
        }
        if readsDays, CalendarDay(text) != nil {
            // Days that are written so sort like their text.
            facts.day = 1 + days.firstPlace { text.lexicographicallyPrecedes($0.text.utf8) }
        }
        facts.isTime = readsTimes && Self.time(value) != nil
        return facts
    }

    static func time(_ value: UnsafeBufferPointer<UInt8>) -> RFC3339Time? {
        RFC3339Time(UnsafeBufferPointer(rebasing: value[...].trimmed))
    }

    fileprivate func verdict(of filter: Audience.Filter, on value: Facts) -> ColumnClasses.Verdict {
        switch filter.test {
        case .oneOf, .not: return value.isEmpty || isAllowed(value, filter.kind) ? .passes : .wrongType
        case .atLeast(let bound): return verdict(value, filter.kind, bound) { $0 > $1 }
        case .below(let bound): return verdict(value, filter.kind, bound) { $0 <= $1 }
        case .within, .before: return value.isEmpty ? .never : value.isTime ? .byTime : .wrongType
        }
    }

    private func isAllowed(_ value: Facts, _ kind: FieldKind?) -> Bool {
        switch kind {
        case .integer: value.number > 0 && value.number.isMultiple(of: 2)
        case .decimal: value.number > 0
        case .date: value.day > 0
        case .text, .locale, .timezone, nil: true
        }
    }

    /// - Parameter passes: gets how many bounds are not beyond the value, and the place of the filter's own.
    private func verdict(
        _ value: Facts, _ kind: FieldKind?, _ bound: Bound, _ passes: (Int, Int) -> Bool
    ) -> ColumnClasses.Verdict {
        if value.isEmpty { return .fails }
        let (known, bounds) = bound.kind == .number ? ((value.number + 1) / 2, numbers) : (value.day, days)
        guard known > 0, isAllowed(value, kind), let place = bounds.firstIndex(of: bound) else { return .wrongType }
        return passes(known - 1, place) ? .passes : .fails
    }
}

extension ValueComparison.Facts {
    init(_ number: Int, in comparison: ValueComparison) {
        isEmpty = number & 1 == 1
        isTime = number & 2 == 2
        day = number / 4 % comparison.dayCount
        self.number = number / 4 / comparison.dayCount
    }

    func number(in comparison: ValueComparison) -> Int {
        (number * comparison.dayCount + day) * 4 + (isTime ? 2 : 0) + (isEmpty ? 1 : 0)
    }
}

extension Array {
    /// The place of the first element that is beyond a value. All after it are beyond it, too.
    fileprivate func firstPlace(_ isBeyond: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBeyond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
