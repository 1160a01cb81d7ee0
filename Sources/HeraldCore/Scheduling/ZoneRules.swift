/// A zone's offsets from UTC: the listed changes, and the rule for the time after the last one.
package struct ZoneRules: Hashable, Sendable {
    /// A period with a constant offset, in seconds since 1970. `end` is exclusive. Neighbouring periods may have the
    /// same offset.
    struct Stretch: Hashable, Sendable {
        var start: Int
        var end: Int
        /// Seconds east of UTC, for this period and for its neighbours.
        var offset: Int
        var offsetBefore: Int
        var offsetBehind: Int
    }

    /// More seconds from 1970 than any time in use, but small enough that sums do not overflow.
    static let limit = 1 << 60

    static let utc = ZoneRules(changes: [], offsets: [0], rule: nil)

    /// Seconds since 1970, ascending.
    private let changes: [Int]
    /// The offset before the first change, and the one from each change on.
    private let offsets: [Int]
    private let rule: PosixRule?

    /// - Parameter offsets: one more than changes.
    init(changes: [Int], offsets: [Int], rule: PosixRule?) {
        precondition(offsets.count == changes.count + 1)
        self.changes = changes
        self.offsets = offsets
        self.rule = rule
    }

    func stretch(at instant: Int) -> Stretch {
        let index = count(ofChangesThrough: instant)
        let offset = offsets[index]
        let listed = Stretch(
            start: index > 0 ? changes[index - 1] : -Self.limit,
            end: index < changes.count ? changes[index] : Self.limit,
            offset: offset,
            offsetBefore: index > 0 ? offsets[index - 1] : offset,
            offsetBehind: index < changes.count ? offsets[index + 1] : offset)
        guard index == changes.count, let rule else { return listed }
        return Self.stretch(at: instant, behind: listed, by: rule)
    }

    /// - Parameter last: the period after the last listed change.
    private static func stretch(at instant: Int, behind last: Stretch, by rule: PosixRule) -> Stretch {
        guard rule.summer != nil else {
            // Without listed changes the rule applies to all times.
            guard rule.standard != last.offset, last.start == -limit else { return last }
            return Stretch(
                start: -limit, end: limit, offset: rule.standard, offsetBefore: rule.standard,
                offsetBehind: rule.standard)
        }
        let day = (instant + rule.standard).dividedDown(by: 86400)
        let year = Gregorian.date(ofDay: day).year
        // A change may lie up to a week outside its year. If two changes have the same instant, the later year's wins:
        // summer that ends at the last instant of a year and starts at the next one has no break.
        let around = ((year - 2)...(year + 2)).flatMap { rule.changes(in: $0) }.enumerated()
            .filter { $0.element.at > last.start }
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
        let next = around.first { $0.at > instant }
        let end = next?.at ?? limit
        guard let index = around.lastIndex(where: { $0.at <= instant }) else {
            return Stretch(
                start: last.start, end: end, offset: last.offset, offsetBefore: last.offsetBefore,
                offsetBehind: next?.offset ?? last.offset)
        }
        let (start, offset) = around[index]
        let before = around[..<index].last { $0.at < start }?.offset ?? last.offset
        return Stretch(
            start: start, end: end, offset: offset, offsetBefore: before,
            offsetBehind: around.last { $0.at == end }?.offset ?? offset)
    }

    private func count(ofChangesThrough instant: Int) -> Int {
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle] <= instant { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
