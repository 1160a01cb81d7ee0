/// The members of each audience, before suppression. An audience has every recipient with a row in its source list that
/// passes all filters on the way, except recipients that it, or an audience on the way, excludes.
struct AudienceMembers {
    private var members: [String: RecipientSet] = [:]

    subscript(_ name: String) -> RecipientSet { members[name] ?? [] }

    func union(_ names: [Located<String>]) -> RecipientSet {
        names.reduce(into: RecipientSet()) { $0.formUnion(self[$1.value]) }
    }

    /// - Parameters:
    ///   - audiences: ordered so that each comes after those it is made from.
    ///   - rows: the recipients with a row that passes the filters.
    init(_ audiences: [Audience], rows: (String) -> RecipientSet) {
        // All recipients that the audiences on the way exclude.
        var excluded: [String: RecipientSet] = [:]
        for audience in audiences {
            let name = audience.name.value
            var out = RecipientSet()
            if case .audience(let from) = audience.source {
                guard let before = excluded[from.value] else { continue }
                out = before
            }
            if !audience.exclude.isEmpty { out.formUnion(union(audience.exclude)) }
            excluded[name] = out
            members[name] = rows(name).subtracting(out)
        }
    }
}
