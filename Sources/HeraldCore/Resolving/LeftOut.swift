/// How many recipients a filter leaves out of an audience, before the audience excludes anybody.
package struct LeftOut: Hashable, Sendable {
    package var audience: String
    /// As the file says it: `seen within 180d`.
    package var filter: String
    /// Whether the value is of another type. Otherwise it is a time that does not pass, or there is none.
    package var isOfOtherType: Bool
    package var recipients: Int
}

extension RecipientPass {
    /// Whom the filters of an audience left out for a time, or for a value of another type.
    func leftOut(of audience: Audience) -> [LeftOut] {
        audience.filters.enumerated().flatMap { place, filter in
            [false, true].compactMap { isOfOtherType -> LeftOut? in
                let owner = RecipientIndex.Owner.audience(audience.name.value)
                let number = leftOut[.init(owner: owner, filter: place, isOfOtherType: isOfOtherType)]
                return number.map {
                    LeftOut(
                        audience: audience.name.value, filter: filter.words, isOfOtherType: isOfOtherType,
                        recipients: $0)
                }
            }
        }
    }
}
