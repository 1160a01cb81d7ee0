/// Whom each audience holds: whoever has a row, in the list that the audience ends at, that passes every filter on the
/// way there, less everybody whom it, or an audience on that way, leaves out. Nobody is suppressed yet.
struct AudienceMembers {
    private var members: [String: RecipientSet] = [:]

    subscript(_ name: String) -> RecipientSet { members[name] ?? [] }

    func union(_ names: [Located<String>]) -> RecipientSet {
        names.reduce(into: RecipientSet()) { $0.formUnion(self[$1.value]) }
    }

    /// - Parameters:
    ///   - audiences: each behind those it is made of.
    ///   - rows: whoever has a row that passes.
    init(_ audiences: [Audience], rows: (String) -> RecipientSet) {
        // Everybody whom the audiences on the way leave out.
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
