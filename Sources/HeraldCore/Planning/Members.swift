/// Recipients of whom herald knows who they are, or only between which bounds their number is.
enum Members: Hashable {
    case known(RecipientSet)
    case counted(ClosedRange<Int>)

    var count: ClosedRange<Int> {
        switch self {
        case .known(let members): members.count...members.count
        case .counted(let count): count
        }
    }

    func union(_ other: Members) -> Members {
        combined(with: other, { $0.union($1) }) { max($0.lowerBound, $1.lowerBound)...($0.upperBound + $1.upperBound) }
    }

    func subtracting(_ other: Members) -> Members {
        combined(with: other, { $0.subtracting($1) }) { max(0, $0.lowerBound - $1.upperBound)...$0.upperBound }
    }

    func intersection(_ other: Members) -> Members {
        combined(with: other, { $0.intersection($1) }) { 0...min($0.upperBound, $1.upperBound) }
    }

    private func combined(
        with other: Members, _ sets: (RecipientSet, RecipientSet) -> RecipientSet,
        _ bounds: (ClosedRange<Int>, ClosedRange<Int>) -> ClosedRange<Int>
    ) -> Members {
        if case .known(let one) = self, case .known(let another) = other { return .known(sets(one, another)) }
        return .counted(bounds(count, other.count))
    }
}
