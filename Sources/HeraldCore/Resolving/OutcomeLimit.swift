/// Who passes an audience's `outcome`.
package struct OutcomeLimit: Hashable, Sendable {
    /// Those of whom it came.
    package var chosen: RecipientSet
    /// All who were part of the occurrence, if everybody else passes too. `nil` if nobody else does.
    package var part: RecipientSet?
    /// Whether there is no occurrence to go by yet, but there will be. Until then nobody's part is decided by it.
    package var isUndecided: Bool
    /// Whether nothing is under way that may choose others.
    package var isSettled: Bool

    package init(
        _ chosen: RecipientSet, orNotIn part: RecipientSet? = nil, isUndecided: Bool = false, isSettled: Bool = true
    ) {
        (self.chosen, self.part) = (chosen, part)
        (self.isUndecided, self.isSettled) = (isUndecided, isSettled)
    }

    /// Where there is no occurrence to go by.
    package static let nobody = OutcomeLimit([])

    func passing(_ members: RecipientSet) -> RecipientSet {
        let chosen = members.intersection(chosen)
        return part.map { chosen.union(members.subtracting($0)) } ?? chosen
    }
}
